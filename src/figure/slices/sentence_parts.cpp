#include "figure/slices/sentence_parts.h"

#include <algorithm>

#include "core/base/text.h"
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

}  // namespace attnscope
