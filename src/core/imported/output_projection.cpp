#include "core/imported/output_projection.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Candidate = TensorSets::Candidate;

/// The heads of a layer's values, each of `dim` numbers.
struct HeadSizes {
  bool has_heads = false;
  Index heads = 1;
  Index dim = 0;

  [[nodiscard]] Index width() const { return heads * dim; }
  [[nodiscard]] Axis merged() const { return {has_heads ? "head·dim" : "dim", width()}; }
};

HeadSizes head_sizes(const ImportedLayer& layer) {
  const Axis* const head = find_axis(layer.v->axes, "head");
  return {head != nullptr, head != nullptr ? head->size : 1, layer.v->axes.back().size};
}

std::string shown_tensor(const ImportedTensors& given, std::size_t which) {
  std::vector<std::string> sizes;
  for (const Index size : given.tensors()[which].shape) sizes.push_back(std::to_string(size));
  return given.file() + ": " + name_in(given, which) + " [" + join(sizes, ", ") + "]";
}

/// Whether the heads are what a weight takes from, as the output projection, or what it makes, as that of the values.
enum class HeadsSide { in, out };

/// The axes of a weight of that shape; nothing if it fits no order.
std::optional<Axes> weight_axes(std::span<const Index> shape, const HeadSizes& sizes, HeadsSide heads, bool out_first) {
  const std::size_t dim = heads == HeadsSide::in ? 1 : 2;
  if (shape.size() == 3 && sizes.has_heads && shape[0] == sizes.heads && shape[dim] == sizes.dim) {
    Axes axes = {{"head", shape[0]}, {"dim", shape[1]}, {"feature", shape[2]}};
    if (heads == HeadsSide::out) axes[1].name.swap(axes[2].name);
    return axes;
  }
  const bool merged_first = (heads == HeadsSide::out) == out_first;
  if (shape.size() != 2 || shape[merged_first ? 0 : 1] != sizes.width()) return std::nullopt;
  if (merged_first) return Axes{sizes.merged(), {"feature", shape[1]}};
  return Axes{{"feature", shape[0]}, sizes.merged()};
}

/// The part of a tensor that belongs to `layer`, with all axes but a layer axis.
LayerTensor part_of_layer(const std::shared_ptr<const ImportedTensors>& given, std::size_t which,
                          std::optional<Index> layer, Axes axes) {
  LayerTensor part;
  part.numbers.from = given;
  part.numbers.which = which;
  part.numbers.at.assign(given->tensors()[which].shape.size(), 0);
  if (layer) part.numbers.at[0] = *layer;
  for (std::size_t axis = layer ? 1 : 0; axis < part.numbers.at.size(); ++axis)
    part.numbers.axes.push_back(static_cast<int>(axis));
  part.axes = std::move(axes);
  return part;
}

class OutputFinder {
 public:
  OutputFinder(const std::shared_ptr<const ImportedTensors>& given, const std::vector<ImportedLayer>& layers,
               const std::string& order)
      : given_(given), layers_(layers), order_(order) {}

  Result<FoundOutputs> find(const std::vector<Candidate>& weights, const std::vector<Candidate>& biases,
                            const std::vector<Candidate>& of_values) {
    if (!std::ranges::all_of(layers_, [](const ImportedLayer& layer) { return layer.v.has_value(); })) {
      leave_out(weights.front().which, "the file has no values that it could project");
      return std::move(found_);
    }
    Result<void> added = add_weights(weights, HeadsSide::in, found_.weights);
    if (added && !found_.weights.empty() && !of_values.empty())
      added = add_weights(of_values, HeadsSide::out, found_.of_values);
    if (!added) return tl::unexpected(added.error());
    if (!found_.weights.empty() && !biases.empty()) add_biases(biases);
    return std::move(found_);
  }

 private:
  void leave_out(std::size_t which, const std::string& reason) {
    found_.notices.push_back(shown_tensor(*given_, which) + " is left out: " + reason);
  }

  /// Whether the tensor's first axis counts all layers; `rank` is that of one layer.
  [[nodiscard]] bool counts_layers(std::size_t which, std::size_t rank) const {
    const std::vector<Index>& shape = given_->tensors()[which].shape;
    return shape.size() == rank + 1 && shape.front() == std::ssize(layers_);
  }

  [[nodiscard]] std::span<const Index> shape_of(std::size_t which, bool stacked) const {
    return std::span(given_->tensors()[which].shape).subspan(stacked ? 1 : 0);
  }

  /// Calls `add(layer, tensor)` for each layer, until it returns false; false also if there are not as many tensors.
  template <typename Add>
  bool each_layer(const std::vector<Candidate>& found, bool stacked, const Add& add) {
    if (!stacked && found.size() != layers_.size()) {
      leave_out(found.front().which,
                "there " + std::string(found.size() == 1 ? "is 1" : "are " + std::to_string(found.size())) + " for " +
                    std::to_string(layers_.size()) + " layers");
      return false;
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (!add(i, found[stacked ? 0 : i].which)) return false;
    }
    return true;
  }

  Result<void> add_weights(const std::vector<Candidate>& found, HeadsSide heads, std::vector<LayerTensor>& weights) {
    const std::size_t which = found.front().which;
    const HeadSizes first = head_sizes(layers_.front());
    const bool is_whole = weight_axes(shape_of(which, false), first, heads, false) ||
                          weight_axes(shape_of(which, false), first, heads, true);
    const bool stacked = found.size() == 1 && !is_whole && (counts_layers(which, 2) || counts_layers(which, 3));
    const bool out_first = takes_out_first(which, shape_of(which, stacked), first, heads);
    std::string trouble;
    const bool all = each_layer(found, stacked, [&](std::size_t i, std::size_t tensor) {
      const HeadSizes sizes = head_sizes(layers_[i]);
      std::optional<Axes> axes = weight_axes(shape_of(tensor, stacked), sizes, heads, out_first);
      if (!axes) {
        trouble = misfit(tensor, sizes, heads, out_first);
        return false;
      }
      weights.push_back(part_of_layer(given_, tensor, stacked ? std::optional(static_cast<Index>(i)) : std::nullopt,
                                      std::move(*axes)));
      return true;
    });
    if (all) return {};
    weights.clear();
    if (trouble.empty()) return {};
    if (order_ != kGuessedOutput) return fail("output: " + quoted_text(order_) + " is not allowed: " + trouble);
    found_.notices.push_back(trouble);
    return {};
  }

  /// Whether the weight is [out, in]: as declared, by its size, or if it is square by its name.
  bool takes_out_first(std::size_t which, std::span<const Index> shape, const HeadSizes& sizes, HeadsSide heads) {
    if (order_ != kGuessedOutput) return order_ == kOutputOutIn;
    if (shape.size() != 2) return false;
    if (shape[0] != shape[1]) return (shape[0] == sizes.width()) == (heads == HeadsSide::out);
    if (shape[0] != sizes.width()) return false;
    const std::string& name = given_->tensors()[which].name;
    // GPT-2's c_proj is a Conv1D, which stores its weight the other way round.
    const bool linear = name.ends_with(".weight") && !name.ends_with("c_proj.weight");
    found_.notices.push_back(shown_tensor(*given_, which) + " is taken as " +
                             order_text(sizes.merged().name, heads, linear) +
                             (linear ? ", as torch.nn.Linear stores its weight" : "") +
                             "; if it is the other way round, set output to " + (linear ? kOutputInOut : kOutputOutIn));
    return linear;
  }

  /// "[head·dim, feature]": a weight with those heads, as [in, out] or [out, in].
  static std::string order_text(const std::string& merged, HeadsSide heads, bool out_first) {
    return (heads == HeadsSide::out) == out_first ? "[" + merged + ", feature]" : "[feature, " + merged + "]";
  }

  [[nodiscard]] std::string misfit(std::size_t which, const HeadSizes& sizes, HeadsSide heads, bool out_first) const {
    const std::string merged = sizes.merged().name + " " + std::to_string(sizes.width());
    std::string allowed = order_ == kGuessedOutput
                              ? order_text(merged, heads, false) + ", " + order_text(merged, heads, true)
                              : order_text(merged, heads, out_first);
    if (sizes.has_heads) {
      const std::string dim = "dim " + std::to_string(sizes.dim);
      allowed += ", [head " + std::to_string(sizes.heads) + ", " +
                 (heads == HeadsSide::in ? dim + ", feature]" : "feature, " + dim + "]");
    }
    return shown_tensor(*given_, which) + " is left out: it does not fit the values; allowed: " + allowed;
  }

  void add_biases(const std::vector<Candidate>& found) {
    const bool stacked = found.size() == 1 && counts_layers(found.front().which, 1);
    std::optional<std::size_t> misfit;
    const bool all = each_layer(found, stacked, [&](std::size_t i, std::size_t tensor) {
      const Index features = find_axis(found_.weights[i].axes, "feature")->size;
      const std::span<const Index> shape = shape_of(tensor, stacked);
      if (shape.size() != 1 || shape[0] != features) misfit = tensor;
      if (misfit) return false;
      found_.biases.push_back(part_of_layer(
          given_, tensor, stacked ? std::optional(static_cast<Index>(i)) : std::nullopt, {{"feature", features}}));
      return true;
    });
    if (all) return;
    found_.biases.clear();
    if (misfit) leave_out(*misfit, "it does not have a number for each feature of the output projection");
  }

  const std::shared_ptr<const ImportedTensors>& given_;
  const std::vector<ImportedLayer>& layers_;
  const std::string& order_;
  FoundOutputs found_;
};

}  // namespace

Result<FoundOutputs> found_outputs(const std::shared_ptr<const ImportedTensors>& given, const TensorSets::Group& group,
                                   const std::vector<ImportedLayer>& layers, const std::string& order) {
  static const std::vector<Candidate> none;
  const auto weights = group.find(TensorRole::output);
  if (weights == group.end() || order == kNoOutput) return FoundOutputs();
  const auto found = [&](TensorRole role) -> const std::vector<Candidate>& {
    const auto of_role = group.find(role);
    return of_role == group.end() ? none : of_role->second;
  };
  return OutputFinder(given, layers, order)
      .find(weights->second, found(TensorRole::output_bias), found(TensorRole::value_projection));
}

}  // namespace attnscope
