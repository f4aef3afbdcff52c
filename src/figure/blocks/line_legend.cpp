#include "figure/blocks/line_legend.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "figure/style/font_metrics.h"

namespace attnscope {
namespace {

constexpr double kLegendLine = 20;
constexpr double kSwatch = 20;
constexpr double kSwatchDistance = 6;  // to its text
constexpr double kDash = 3;
constexpr double kEntryDistance = 14;
constexpr double kCaptionDistance = 12;
constexpr const char* kCaption = "weight";
constexpr std::array<double, 4> kSamples = {0.1, 0.25, 0.5, 1};

double entry_width(const std::string& text) {
  return kSwatch + kSwatchDistance + text_width(text, TypeSize::kSmall) + kEntryDistance;
}

void add_entry(Figure& figure, const std::string& id, Point at, const std::string& text, const Shade& shade,
               bool chosen) {
  // As a line, which stands out on dark as those of the weights do.
  figure.curves.push_back({id, {at, {at.x + kSwatch, at.y}}, shade, kDash});
  figure.texts.push_back({id,
                          {at.x + kSwatch + kSwatchDistance, at.y},
                          text,
                          TypeSize::kSmall,
                          chosen ? FontWeight::semibold : FontWeight::regular,
                          chosen ? Ink::text : Ink::dim,
                          HorizontalAlign::left,
                          VerticalAlign::middle,
                          0});
}

}  // namespace

double LineLegend::least_width() const {
  double width = text_width(kCaption, TypeSize::kSmall) + kCaptionDistance;
  for (const double sample : kSamples) width += entry_width(short_text(sample));
  return width;
}

double LineLegend::head_width() const { return entry_width("head " + std::to_string(shown_.heads.of)); }

Index LineLegend::heads_across(double width) const {
  return std::max<Index>(1, static_cast<Index>(width / head_width()));
}

double LineLegend::height(double width) const {
  const Index across = heads_across(width);
  const Index lines = shown_.has_one_head() ? 0 : (shown_.heads.count + across - 1) / across;
  return kLegendLine * static_cast<double>(1 + lines);
}

void LineLegend::add(Figure& figure, Point at, double width) const {
  const double y = at.y + kLegendLine / 2;
  figure.texts.push_back({"legend.weight",
                          {at.x, y},
                          kCaption,
                          TypeSize::kSmall,
                          FontWeight::regular,
                          Ink::dim,
                          HorizontalAlign::left,
                          VerticalAlign::middle,
                          0});
  double x = at.x + text_width(kCaption, TypeSize::kSmall) + kCaptionDistance;
  Shade shade = shown_.has_one_head() ? Shade::of_hue(shown_.head) : Shade::of(Ink::text);
  for (const double sample : kSamples) {
    const std::string text = short_text(sample);
    shade.opacity = sample;
    add_entry(figure, "legend." + text, {x, y}, text, shade, false);
    x += entry_width(text);
  }
  if (shown_.has_one_head()) return;
  const Index across = heads_across(width);
  for (Index i = 0; i < shown_.heads.count; ++i) {
    const Index line = 1 + i / across;
    const Point place = {at.x + static_cast<double>(i % across) * head_width(),
                         y + kLegendLine * static_cast<double>(line)};
    add_head(figure, shown_.heads.first + i, place);
  }
}

void LineLegend::add_head(Figure& figure, Index head, Point at) const {
  const std::string name = "head " + std::to_string(head + 1);
  const std::string id = "legend.head." + std::to_string(head);
  add_entry(figure, id, at, name, Shade::of_hue(head), head == shown_.head);
  TargetMark target;
  target.id = id;
  target.box = {at.x - 2, at.y - kLegendLine / 2, head_width() - 8, kLegendLine};
  target.about = "Show only " + name;
  target.click = SetOptions{{{"head", head + 1}, {"heads", std::string("one")}}};
  figure.targets.push_back(std::move(target));
}

}  // namespace attnscope
