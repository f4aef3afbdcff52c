#include "core/ops.h"

#include <algorithm>
#include <cassert>
#include <random>

#include "core/kernels/contraction.h"
#include "core/kernels/softmax.h"
#include "core/pattern.h"
#include "core/rearranged_index.h"
#include "core/text.h"

namespace attnscope {
namespace {

/// "[head, query, dim]", or nothing for a scalar.
std::string indices_text(const std::vector<std::string>& names) {
  return names.empty() ? "" : "[" + join(names, ", ") + "]";
}

std::vector<std::string> axis_names(const Axes& axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return names;
}

int label_position(std::vector<std::string>& labels, std::vector<Index>& sizes, const std::string& label, Index size) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  const auto at = static_cast<std::size_t>(found - labels.begin());
  if (found == labels.end()) {
    labels.push_back(label);
    sizes.push_back(size);
  }
  assert(sizes[at] == size);
  return static_cast<int>(at);
}

Index stride_of(const std::vector<int>& axis_labels, const Tensor& tensor, int label) {
  const auto found = std::find(axis_labels.begin(), axis_labels.end(), label);
  return found == axis_labels.end() ? 0 : tensor.stride(static_cast<int>(found - axis_labels.begin()));
}

ContractOperation contract_operation(std::string_view text, const Axes& a, const Axes& b,
                                     const ContractOptions& options) {
  const Pattern pattern = parse_pattern(text);
  assert(pattern.inputs.size() == 2 && pattern.inputs[0].size() == a.size() && pattern.inputs[1].size() == b.size());
  ContractOperation operation;
  operation.divisor = options.divisor;
  operation.divisor_text = options.divisor_text;
  const auto place = [&](const LabelGroup& group, Index size) {
    return label_position(operation.labels, operation.sizes, group.front(), size);
  };
  for (std::size_t i = 0; i < a.size(); ++i) operation.a.push_back(place(pattern.inputs[0][i], a[i].size));
  for (std::size_t i = 0; i < b.size(); ++i) operation.b.push_back(place(pattern.inputs[1][i], b[i].size));
  for (const LabelGroup& group : pattern.output) {
    const auto found = std::find(operation.labels.begin(), operation.labels.end(), group.front());
    assert(found != operation.labels.end());
    operation.out.push_back(static_cast<int>(found - operation.labels.begin()));
  }
  return operation;
}

/// "Σ_dim q[head, query, dim] · k[head, key, dim] / √7"
std::string contract_formula(const ContractOperation& operation, const std::string& a, const std::string& b) {
  const auto names = [&](const std::vector<int>& axes) {
    std::vector<std::string> list;
    list.reserve(axes.size());
    for (const int label : axes) list.push_back(operation.labels[static_cast<std::size_t>(label)]);
    return indices_text(list);
  };
  std::vector<std::string> summed;
  for (std::size_t i = 0; i < operation.labels.size(); ++i) {
    if (std::find(operation.out.begin(), operation.out.end(), static_cast<int>(i)) == operation.out.end())
      summed.push_back(operation.labels[i]);
  }
  std::string text = summed.empty() ? "" : "Σ_" + join(summed, ",") + " ";
  text += a + names(operation.a) + " · " + b + names(operation.b);
  if (!operation.divisor_text.empty()) text += " / " + operation.divisor_text;
  return text;
}

void compute_contraction(const Recorder& r, const ContractOperation& operation, Value a, Value b, Tensor& out) {
  // The result's labels in its own order come first, so that neighbours in memory are neighbours in the list.
  std::vector<int> order = operation.out;
  for (int i = 0; i < static_cast<int>(operation.labels.size()); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  }
  std::vector<ContractionLabel> labels;
  labels.reserve(order.size());
  for (const int i : order) {
    labels.push_back({operation.sizes[static_cast<std::size_t>(i)], stride_of(operation.a, r.tensor(a), i),
                      stride_of(operation.b, r.tensor(b), i), stride_of(operation.out, out, i)});
  }
  contract_strided(std::move(labels), r.tensor(a).values().data(), r.tensor(b).values().data(), out.values().data(),
                   out.count(), operation.divisor, [&r] { return r.stopped(); });
}

/// Sizes of the axes in front of the last two, as batch and heads; absent ones are 1.
struct LeadingSizes {
  Index batch = 1;
  Index heads = 1;
};

LeadingSizes leading_sizes(const Axes& axes) {
  LeadingSizes sizes;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) (axes[i].name == "head" ? sizes.heads : sizes.batch) = axes[i].size;
  return sizes;
}

}  // namespace

Value draw(Recorder& r, std::string name, Axes axes, DrawOperation operation) {
  operation.numbers_before = r.numbers_drawn_;
  const Index count = element_count(axes);
  r.numbers_drawn_ += static_cast<std::uint64_t>(count);
  std::string formula = operation.distribution == DrawOperation::Distribution::normal
                            ? "normal(0, 1)"
                            : "uniform[" + exact_text(operation.from) + ", " + exact_text(operation.to) + ")";
  const auto fill = [&r, &operation](Tensor& out) {
    if (operation.distribution == DrawOperation::Distribution::normal) {
      r.generator().fill_normal(out.values());
    } else {
      r.generator().fill_uniform(out.values(), static_cast<float>(operation.from), static_cast<float>(operation.to));
    }
  };
  return r.record({std::move(name), operation, {}, std::move(formula), std::move(axes), nullptr},
                  static_cast<double>(count), fill);
}

Value draw_uniform(Recorder& r, std::string name, Axes axes, double from, double to) {
  return draw(r, std::move(name), std::move(axes), {DrawOperation::Distribution::uniform, from, to, 0});
}

Value draw_normal(Recorder& r, std::string name, Axes axes) {
  return draw(r, std::move(name), std::move(axes), {DrawOperation::Distribution::normal, 0, 1, 0});
}

Value contract(Recorder& r, std::string name, std::string_view pattern, Value a, Value b,
               const ContractOptions& options) {
  const ContractOperation operation = contract_operation(pattern, r.axes(a), r.axes(b), options);
  Axes axes;
  for (const int label : operation.out) {
    axes.push_back(
        {operation.labels[static_cast<std::size_t>(label)], operation.sizes[static_cast<std::size_t>(label)]});
  }
  double flops = 2;
  for (const Index size : operation.sizes) flops *= static_cast<double>(size);
  std::string formula = contract_formula(operation, r.step(a).name, r.step(b).name);
  return r.record({std::move(name), operation, {a.step, b.step}, std::move(formula), std::move(axes), nullptr}, flops,
                  [&](Tensor& out) { compute_contraction(r, operation, a, b, out); });
}

Value apply_mask(Recorder& r, std::string name, Value scores, MaskField field, double fill) {
  const Axes axes = r.axes(scores);
  const auto shared = std::make_shared<const MaskField>(std::move(field));
  const std::string in = r.step(scores).name + indices_text(axis_names(axes));
  Step step = {std::move(name),
               MaskOperation{shared, fill},
               {scores.step},
               in + " where kept, otherwise " + number_text(fill),
               axes,
               nullptr};
  Index empty_rows = 0;
  const auto compute = [&](Tensor& out) {
    const float* from = r.tensor(scores).values().data();
    float* to = out.values().data();
    const auto [batch, heads] = leading_sizes(axes);
    const Index queries = axes[axes.size() - 2].size;
    const Index keys = axes.back().size;
    const auto filled = static_cast<float>(fill);
    for (Index row = 0; row < batch * heads * queries; ++row) {
      if (r.stopped()) return;
      const Index head = row / queries % heads;
      bool any = false;
      for (Index key = 0; key < keys; ++key) {
        const bool keep = shared->keeps(row / queries / heads, head, row % queries, key);
        any = any || keep;
        *to++ = keep ? *from : filled;
        ++from;
      }
      if (!any) ++empty_rows;
    }
  };
  const Value value = r.record(std::move(step), static_cast<double>(element_count(axes)), compute);
  if (empty_rows > 0) {
    r.warn(r.step(value).name + ": " + grouped_text(empty_rows) + (empty_rows == 1 ? " row has" : " rows have") +
           " no key left; masked_fill " + exact_text(fill) +
           (std::isinf(fill) ? " makes the weights 0" : " makes the weights uniform"));
  }
  return value;
}

Value softmax(Recorder& r, std::string name, Value input, double temperature) {
  const Axes axes = r.axes(input);
  const std::string in = r.step(input).name + indices_text(axis_names(axes));
  std::string formula =
      "softmax_" + axes.back().name + " " + in + (temperature == 1 ? "" : " / " + exact_text(temperature));
  return r.record({std::move(name), SoftmaxOperation{temperature}, {input.step}, std::move(formula), axes, nullptr},
                  5 * static_cast<double>(element_count(axes)), [&](Tensor& out) {
                    const auto length = static_cast<std::size_t>(axes.back().size);
                    const auto from = r.tensor(input).values();
                    for (std::size_t at = 0; at < from.size() && !r.stopped(); at += length) {
                      softmax_row(from.subspan(at, length), static_cast<float>(temperature),
                                  out.values().subspan(at, length));
                    }
                  });
}

Value dropout(Recorder& r, std::string name, Value input, double probability) {
  const Axes axes = r.axes(input);
  auto keep = std::make_shared<std::vector<bool>>();
  const std::string in = r.step(input).name + indices_text(axis_names(axes));
  Step step = {std::move(name), DropoutOperation{probability, keep}, {input.step}, "", axes, nullptr};
  step.formula = in + " · kept / (1 − " + exact_text(probability) + ")";
  const auto compute = [&](Tensor& out) {
    // A stream of our own, apart from the experiment's: PyTorch's differs by device and version, so nothing is lost.
    // The step's position sets tensors apart.
    std::seed_seq seeds = {r.seed() & 0xffffffffU, r.seed() >> 32U, static_cast<std::uint64_t>(input.step)};
    std::mt19937 stream(seeds);
    const auto from = r.tensor(input).values();
    keep->resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const bool kept = static_cast<double>(stream()) / 4294967296.0 >= probability;
      (*keep)[i] = kept;
      out.values()[i] = kept ? from[i] / static_cast<float>(1 - probability) : 0.0F;
    }
  };
  const Value value = r.record(std::move(step), static_cast<double>(element_count(axes)), compute);
  r.warn(r.step(value).name + " is random in a way of its own and cannot be compared with PyTorch");
  return value;
}

Value rearrange(Recorder& r, std::string name, std::string_view text, Value input,
                const std::map<std::string, Index>& sizes) {
  const Pattern pattern = parse_pattern(text);
  const Axes from = r.axes(input);
  assert(pattern.inputs.size() == 1 && pattern.inputs[0].size() == from.size());
  RearrangeOperation operation;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const LabelGroup& group = pattern.inputs[0][i];
    Index rest = from[i].size;
    for (const std::string& label : group) {
      if (const auto found = sizes.find(label); found != sizes.end()) rest /= found->second;
    }
    operation.in.emplace_back();
    for (const std::string& label : group) {
      const auto found = sizes.find(label);
      operation.in.back().push_back(
          label_position(operation.labels, operation.sizes, label, found != sizes.end() ? found->second : rest));
    }
  }
  Axes axes;
  for (const LabelGroup& group : pattern.output) {
    Axis axis = {join(group, "·"), 1};
    operation.out.emplace_back();
    for (const std::string& label : group) {
      const auto at = std::find(operation.labels.begin(), operation.labels.end(), label) - operation.labels.begin();
      axis.size = saturating_product(axis.size, operation.sizes[static_cast<std::size_t>(at)]);
      operation.out.back().push_back(static_cast<int>(at));
    }
    axes.push_back(std::move(axis));
  }
  std::string formula = r.step(input).name + indices_text(axis_names(from)) + ", reordered";
  return r.record({std::move(name), operation, {input.step}, std::move(formula), axes, nullptr},
                  static_cast<double>(element_count(axes)), [&](Tensor& out) {
                    const RearrangedIndex map(operation, out.axes());
                    const auto values = r.tensor(input).values();
                    for (Index i = 0; i < out.count() && !r.stopped(); ++i) {
                      out.values()[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(map.source(i))];
                    }
                  });
}

Value attention_weights(Recorder& r, const Experiment& e, const std::string& prefix, Value scores, const Mask& mask,
                        MaskSizes sizes) {
  Value logits = scores;
  if (mask.kind != Mask::Kind::none) {
    logits = apply_mask(r, prefix + "masked_scores", scores, MaskField(mask, sizes), e.real("masked_fill"));
  }
  Value weights = softmax(r, prefix + "weights", logits, e.real("temperature"));
  if (e.real("dropout") > 0) weights = dropout(r, prefix + "dropped_weights", weights, e.real("dropout"));
  return weights;
}

}  // namespace attnscope
