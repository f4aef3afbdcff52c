#include "figure/slices/weight_colors.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "core/base/text.h"
#include "core/matrix/row_shares.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

// A figure keeps the shares of about so many cells, 16 MB; it reads those of more as they are seen.
constexpr Index kCellsKept = Index{1} << 22U;

}  // namespace

Parameter color_scale_option() {
  return choice_parameter(
      std::string(kColorScale), "Colour scale",
      "Linear: the same weight has the same colour everywhere. Per query: the largest weight of each "
      "query has the last colour. Logarithmic: small weights can be told apart.",
      {"linear", "row", "logarithmic"}, {"linear", "per query", "logarithmic"});
}

ScaleKind scale_kind(const ParameterValues& options) {
  const auto found = options.find(std::string(kColorScale));
  if (found == options.end()) return ScaleKind::linear;
  const auto& name = std::get<std::string>(found->second);
  if (name == "row") return ScaleKind::share_of_row;
  return name == "logarithmic" ? ScaleKind::logarithmic : ScaleKind::linear;
}

void WeightColors::color(HeatmapMark& mark) {
  if (kind_ == ScaleKind::share_of_row) {
    const bool at_once = cells_ < kCellsKept;
    cells_ += saturating_product(mark.rows(), mark.columns());
    mark.shares = std::make_shared<RowShares>(mark.source, at_once);
  }
  if (mark.scale.kind == kind_) return;
  mark.scale = {mark.scale.map, 0, 1, kind_};
  if (kind_ != ScaleKind::logarithmic) return;
  const auto keys = static_cast<double>(std::max<Index>(1, mark.columns()));
  mark.scale.low = std::pow(10, -std::max(3.0, std::ceil(std::log10(keys)) + 1));
}

ColorBarMark weights_bar(const ColorScale& scale) {
  ColorBarMark bar = {"scale", {0, 0, 160, 9}, scale, "attention weight", "0", scale_end_text(scale)};
  if (scale.kind == ScaleKind::share_of_row) bar.title = "attention weight ÷ largest of its query";
  if (scale.kind == ScaleKind::logarithmic) {
    bar.title += ", logarithmic";
    // A power of ten; the smaller ones as such.
    bar.low_text = "≤ " + (scale.low < 1e-4 ? "10^{−" + std::to_string(std::lround(-std::log10(scale.low))) + "}"
                                            : short_text(scale.low));
  }
  return bar;
}

}  // namespace attnscope
