#include "core/imported/imported_layers.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "core/imported/output_projection.h"
#include "core/imported/tensor_sets.h"

namespace attnscope {
namespace {

constexpr Index kMaxLayers = 512;
constexpr const char* kGuess = "guess";

using Candidate = TensorSets::Candidate;
using Group = TensorSets::Group;

const std::vector<Group>& groups_of(const ImportedTensors& given, const std::string& use) {
  static const std::vector<Group> none;
  const auto found = given.sets().groups.find(use);
  return found == given.sets().groups.end() ? none : found->second;
}

const Group& selected_group(const std::vector<Group>& groups, Index group) {
  return groups[static_cast<std::size_t>(std::clamp<Index>(group, 1, std::ssize(groups)) - 1)];
}

std::string order_text(const AxisGuess& guess) {
  std::vector<std::string> words;
  for (const AxisRole role : guess) words.emplace_back(axis_role_name(role));
  return join(words, " ");
}

std::string shown(const ImportedTensor& tensor) {
  std::vector<std::string> sizes;
  for (const Index size : tensor.shape) sizes.push_back(std::to_string(size));
  return (tensor.name.empty() ? "the array" : tensor.name) + " [" + join(sizes, ", ") + "]";
}

/// The axes of a tensor: the likeliest guess, or the order that `axes` names.
Result<AxisGuess> axes_of(const ImportedTensors& given, const Candidate& candidate, TensorRole role,
                          const std::string& axes) {
  const ImportedTensor& tensor = given.tensors()[candidate.which];
  const std::vector<AxisGuess> guesses = axis_guesses(role, tensor.shape, candidate.first);
  if (guesses.empty())
    return fail(given.file() + ": " + shown(tensor) + " has " + std::to_string(tensor.shape.size()) +
                " axes; allowed: 2 to 5");
  if (axes == kGuess) return guesses.front();
  std::vector<std::string> allowed = {kGuess};
  for (const AxisGuess& guess : guesses) {
    if (order_text(guess) == axes) return guess;
    allowed.push_back(order_text(guess));
  }
  return fail("axes: " + quoted_text(axes) + " is not allowed for " + shown(tensor) +
              "; allowed: " + join(allowed, ", "));
}

/// The parts of a tensor along its layer axis, or the whole tensor.
struct Parts {
  const std::shared_ptr<const ImportedTensors>& given;
  const Candidate& candidate;
  const AxisGuess& guess;
  const char* position;  ///< the name of its token axis: query or key

  [[nodiscard]] const std::vector<Index>& shape() const { return given->tensors()[candidate.which].shape; }
  [[nodiscard]] std::optional<std::size_t> axis(AxisRole role) const {
    const auto found = std::find(guess.begin(), guess.end(), role);
    return found == guess.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - guess.begin()));
  }
  [[nodiscard]] Index layers() const {
    const auto at = axis(AxisRole::layer);
    return at ? shape()[*at] : 1;
  }
  [[nodiscard]] LayerTensor part(Index layer) const {
    LayerTensor own;
    own.numbers.from = given;
    own.numbers.which = candidate.which;
    own.numbers.at.assign(guess.size(), 0);
    if (const auto at = axis(AxisRole::layer)) own.numbers.at[*at] = layer;
    constexpr std::array<AxisRole, 6> kOrder = {AxisRole::batch, AxisRole::head, AxisRole::query,
                                                AxisRole::token, AxisRole::key,  AxisRole::dim};
    for (const AxisRole role : kOrder) {
      const auto at = axis(role);
      if (!at) continue;
      own.numbers.axes.push_back(static_cast<int>(*at));
      own.axes.push_back({role == AxisRole::token ? position : std::string(axis_role_name(role)), shape()[*at]});
    }
    return own;
  }
};

/// "[head 8, key 10, dim 64]"
std::string axes_text(const Axes& axes) {
  std::vector<std::string> words;
  for (const Axis& axis : axes) words.push_back(axis.name + " " + std::to_string(axis.size));
  return "[" + join(words, ", ") + "]";
}

tl::unexpected<Error> nothing_found(const ImportedTensors& given) {
  if (const std::optional<std::string> notice = model_notice(given)) return fail(*notice);
  std::vector<std::string> names;
  constexpr std::size_t kMaxNamed = 8;
  for (const ImportedTensor& tensor : given.tensors()) {
    if (names.size() < kMaxNamed)
      names.push_back(shown(tensor) + (tensor.trouble.empty() ? "" : ": " + tensor.trouble));
  }
  if (given.tensors().size() > kMaxNamed)
    names.push_back("and " + std::to_string(given.tensors().size() - kMaxNamed) + " more");
  return fail(given.file() +
              ": no tensor has a name like attention weights, scores, or queries and keys; the file has " +
              (names.empty() ? "none" : join(names, ", ")));
}

/// Checks that queries, keys and values match: same batch and heads, same dim of q and k, as many values as keys.
Result<void> check_together(const ImportedTensors& given, const ImportedLayer& layer) {
  const auto differ = [&](const char* what, const Axes& a, const Axes& b) {
    return fail(given.file() + ": " + what + " do not match the queries: " + axes_text(b) + "; allowed: as in " +
                axes_text(a));
  };
  const Axes& q = layer.q->axes;
  const Axes& k = layer.k->axes;
  const auto same_leading = [&](const Axes& other) {
    return other.size() == q.size() && std::equal(q.begin(), q.end() - 2, other.begin());
  };
  if (!same_leading(k) || k.back() != q.back()) return differ("keys", q, k);
  if (!layer.v) return {};
  const Axes& v = layer.v->axes;
  if (!same_leading(v) || v[v.size() - 2] != k[k.size() - 2]) return differ("values", k, v);
  return {};
}

using Found = std::optional<LayerTensor> ImportedLayer::*;

/// Adds the parts of all layers to `layers`, which is empty or has one entry per layer already.
Result<void> add_tensors(const std::shared_ptr<const ImportedTensors>& given, const std::vector<Candidate>& found,
                         TensorRole role, const std::string& axes, Found member, std::vector<ImportedLayer>& layers) {
  std::vector<LayerTensor> parts;
  for (const Candidate& candidate : found) {
    const Result<AxisGuess> guess = axes_of(*given, candidate, role, axes);
    if (!guess) return tl::unexpected(guess.error());
    const Parts of = {given, candidate, *guess, role == TensorRole::query ? "query" : "key"};
    if (of.layers() > kMaxLayers || std::ssize(found) > kMaxLayers) {
      return fail(given->file() + ": " + std::to_string(std::max<Index>(of.layers(), std::ssize(found))) +
                  " layers are not allowed; allowed: at most " + std::to_string(kMaxLayers));
    }
    for (Index layer = 0; layer < of.layers(); ++layer) parts.push_back(of.part(layer));
  }
  if (layers.empty()) layers.resize(parts.size());
  if (layers.size() != parts.size()) {
    return fail(given->file() + ": " + std::string(role_name(role)) + " of " + std::to_string(parts.size()) +
                (parts.size() == 1 ? " layer" : " layers") + "; allowed: as many as the queries, " +
                std::to_string(layers.size()));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) layers[i].*member = std::move(parts[i]);
  return {};
}

}  // namespace

std::vector<std::string> possible_uses(const ImportedTensors& given) {
  std::vector<std::string> uses;
  for (const char* use : {kUseWeights, kUseScores, kUseQueries}) {
    if (!groups_of(given, use).empty()) uses.emplace_back(use);
  }
  if (given.sets().shown) uses.emplace_back(kUseTensors);
  return uses;
}

std::vector<std::string> tensor_groups(const ImportedTensors& given, const std::string& use, Index most) {
  std::vector<std::string> names;
  for (const Group& group : groups_of(given, use)) {
    if (std::ssize(names) == most) break;
    const std::vector<Candidate>& found = group.at(role_of_use(use));
    names.push_back(name_in(given, found.front().which) +
                    (found.size() > 1 ? " and " + std::to_string(found.size() - 1) + " more" : ""));
  }
  return names;
}

std::vector<std::string> possible_axes(const ImportedTensors& given, const ImportedSelection& choice) {
  std::vector<std::string> orders;
  const std::vector<Group>& groups = groups_of(given, choice.use);
  if (groups.empty()) return orders;
  const TensorRole role = role_of_use(choice.use);
  const Candidate& main = selected_group(groups, choice.group).at(role).front();
  const ImportedTensor& tensor = given.tensors()[main.which];
  for (const AxisGuess& guess : axis_guesses(role, tensor.shape, main.first)) orders.push_back(order_text(guess));
  return orders;
}

std::optional<std::string> axes_notice(const ImportedTensors& given, const ImportedSelection& choice) {
  const std::vector<Group>& groups = groups_of(given, choice.use);
  if (groups.empty() || choice.axes != kGuess) return std::nullopt;
  const TensorRole role = role_of_use(choice.use);
  const Candidate& main = selected_group(groups, choice.group).at(role).front();
  const ImportedTensor& tensor = given.tensors()[main.which];
  const std::size_t rank = tensor.shape.size();
  constexpr std::size_t kMinAmbiguous = 4;
  if (main.first != FirstAxis::unknown || rank < kMinAmbiguous || tensor.shape[0] == 1) return std::nullopt;
  AxisGuess guess = axis_guesses(role, tensor.shape, main.first).front();
  const std::string taken = order_text(guess);
  if (rank > kMinAmbiguous) guess[1] = AxisRole::layer;
  guess.front() = AxisRole::batch;
  return given.file() + ": " + shown(tensor) + " is taken as " + taken +
         "; if its first axis counts batch items, set axes to " + order_text(guess);
}

std::optional<std::string> model_notice(const ImportedTensors& given) {
  if (!given.sets().of_model) return std::nullopt;
  const std::string config = given.model_config();
  return given.file() + ": these are a model's weights, not attention; open the folder " +
         (config.empty() ? "with its config.json" : "of " + config) + " instead";
}

std::vector<std::string> axis_orders() {
  std::vector<std::string> orders;
  for (const TensorRole role : {TensorRole::weights, TensorRole::query}) {
    for (std::size_t rank = 2; rank <= 5; ++rank) {
      // Short and long axes produce every possible guess.
      for (const Index size : {Index{1}, Index{2}, Index{100'000}}) {
        for (const AxisGuess& guess : axis_guesses(role, std::vector<Index>(rank, size), FirstAxis::unknown)) {
          if (std::find(orders.begin(), orders.end(), order_text(guess)) == orders.end())
            orders.push_back(order_text(guess));
        }
      }
    }
  }
  return orders;
}

Result<std::vector<ImportedLayer>> imported_layers(const std::shared_ptr<const ImportedTensors>& given,
                                                   const ImportedSelection& choice) {
  std::vector<ImportedLayer> layers;
  if (choice.use == kUseTensors) {
    if (!given->sets().shown) return nothing_found(*given);
    return layers;
  }
  const std::vector<Group>& groups = groups_of(*given, choice.use);
  if (groups.empty()) return nothing_found(*given);
  const Group& group = selected_group(groups, choice.group);
  constexpr std::array<std::pair<TensorRole, Found>, 5> kParts = {{{TensorRole::weights, &ImportedLayer::weights},
                                                                   {TensorRole::scores, &ImportedLayer::scores},
                                                                   {TensorRole::query, &ImportedLayer::q},
                                                                   {TensorRole::key, &ImportedLayer::k},
                                                                   {TensorRole::value, &ImportedLayer::v}}};
  for (const auto& [role, member] : kParts) {
    const auto found = group.find(role);
    if (found == group.end()) continue;
    if (Result<void> added = add_tensors(given, found->second, role, choice.axes, member, layers); !added)
      return tl::unexpected(added.error());
  }
  for (const ImportedLayer& layer : layers) {
    if (!layer.q) continue;
    if (Result<void> together = check_together(*given, layer); !together) return tl::unexpected(together.error());
  }
  Result<FoundOutputs> outputs = found_outputs(given, group, layers, choice.output);
  if (!outputs) return tl::unexpected(outputs.error());
  for (std::size_t i = 0; i < outputs->weights.size(); ++i) layers[i].w_o = std::move(outputs->weights[i]);
  for (std::size_t i = 0; i < outputs->biases.size(); ++i) layers[i].b_o = std::move(outputs->biases[i]);
  for (std::size_t i = 0; i < outputs->of_values.size(); ++i) layers[i].w_v = std::move(outputs->of_values[i]);
  return layers;
}

std::vector<std::string> output_notices(const std::shared_ptr<const ImportedTensors>& given,
                                        const ImportedSelection& choice) {
  const Result<std::vector<ImportedLayer>> layers = imported_layers(given, choice);
  if (!layers || !has_output_named(*given, choice)) return {};
  const Group& group = selected_group(groups_of(*given, choice.use), choice.group);
  Result<FoundOutputs> outputs = found_outputs(given, group, *layers, choice.output);
  return outputs ? std::move(outputs->notices) : std::vector<std::string>();
}

bool has_output_named(const ImportedTensors& given, const ImportedSelection& choice) {
  const std::vector<Group>& groups = groups_of(given, choice.use);
  return !groups.empty() && selected_group(groups, choice.group).contains(TensorRole::output);
}

std::vector<PlainTensor> plain_tensors(const std::shared_ptr<const ImportedTensors>& given) {
  std::vector<PlainTensor> plain;
  std::unordered_set<std::string> names;
  std::unordered_map<std::string, Index> alike;
  for (std::size_t i = 0; i < given->tensors().size(); ++i) {
    const ImportedTensor& tensor = given->tensors()[i];
    if (!has_numbers(tensor)) continue;
    LayerTensor own;
    own.numbers.from = given;
    own.numbers.which = i;
    own.numbers.at.assign(tensor.shape.size(), 0);
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      own.numbers.axes.push_back(static_cast<int>(axis));
      own.axes.push_back({"axis" + std::to_string(axis + 1), tensor.shape[axis]});
    }
    // Two names can become equal when unprintable bytes are replaced.
    const std::string called = name_in(*given, i);
    std::string name = called;
    while (!names.insert(name).second) {
      const Index count = ++alike[called];
      name = called + "'" + (count > 1 ? std::to_string(count) : "");
    }
    plain.push_back({std::move(name), std::move(own)});
  }
  return plain;
}

}  // namespace attnscope
