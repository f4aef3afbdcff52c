#include "figure/slices/sentence_parts.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "figure/slices/dot_product.h"
#include "figure/style/font_metrics.h"

namespace attnscope {

std::string counted_text(Index count, const std::string& thing) {
  return grouped_text(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string quoted_model_text(const ModelText& text) {
  constexpr double kLongest = 480;
  if (text.text.empty()) return "";
  std::string line = text.text;
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return " (“" + shortened_text(line, kLongest, TypeSize::kSmall) + "”)";
}

std::string hidden_keys_text(const Experiment& experiment) {
  const auto found = experiment.parameters.find("mask");
  if (found == experiment.parameters.end() || !std::holds_alternative<Mask>(found->second)) return "";
  const Mask& mask = std::get<Mask>(found->second);
  switch (mask.kind) {
    case Mask::Kind::none: return mask.pairs.empty() ? "" : "; single scores are masked";
    case Mask::Kind::causal: return "; a causal mask hides later keys";
    case Mask::Kind::window: return "; a mask hides keys more than " + counted_text(mask.radius, "token") + " away";
    case Mask::Kind::padding: return "; a mask hides padding";
    case Mask::Kind::array: return "; a mask hides some keys";
  }
  return "";
}

std::string made_of_sum_text(const Trace& trace, std::string_view weights) {
  const std::optional<DotProduct> product = dot_product(trace, weights);
  if (!product) return "";
  std::string text;
  if (!product->product->divisor_text.empty()) text += " and divided by " + product->product->divisor_text;
  text += ", and the softmax over the keys";
  if (product->mask != nullptr) text += " that the mask leaves";
  if (product->temperature != 1) text += ", at the temperature " + exact_text(product->temperature) + ",";
  return text + " makes the weight of it";
}

}  // namespace attnscope
