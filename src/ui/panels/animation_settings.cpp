#include "ui/panels/animation_settings.h"

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"

namespace attnscope::ui {

ExportSettings AnimationSettings::usual_page() {
  ExportSettings page;
  page.formats = {true, false, false};
  page.file.dpi = 144;
  return page;
}

bool is_number(const Sweepable& thing) {
  return thing.parameter.kind == Parameter::Kind::integer || thing.parameter.kind == Parameter::Kind::real;
}

void choose_sweep(AnimationSettings& settings, const Sweepable& thing, std::optional<Index> largest) {
  settings.lesson = false;
  settings.name = thing.name;
  const Parameter& parameter = thing.parameter;
  settings.from = exact_text(parameter.slider_minimum);
  settings.to = largest ? std::to_string(*largest) : exact_text(parameter.slider_maximum);
  settings.step.clear();
  settings.values = parameter.kind == Parameter::Kind::mask ? "none,causal,window:1,window:2" : "";
  settings.frame = 1;
}

std::string sweep_text(const AnimationSettings& settings, const Sweepable& thing) {
  if (is_number(thing))
    return thing.name + "=" + settings.from + ":" + settings.to + (settings.step.empty() ? "" : ":" + settings.step);
  const bool all = thing.parameter.kind == Parameter::Kind::choice && settings.values.empty();
  return all ? thing.name : thing.name + "=" + settings.values;
}

Result<std::optional<double>> rate_of(const AnimationSettings& settings) {
  if (settings.rate.empty()) return std::optional<double>();
  const std::optional<double> rate = parse_real(settings.rate);
  if (rate && *rate >= kSlowestFrames && *rate <= kFastestFrames) return rate;
  return fail("frames per second: " + quoted_text(settings.rate) + " is not allowed; allowed: numbers from " +
              exact_text(kSlowestFrames) + " to " + exact_text(kFastestFrames));
}

std::string path_for_format(const std::string& path, AnimationFormat format) {
  const auto* const entry = std::ranges::find(kAnimationFormats, format, &AnimationFormatEntry::format);
  return std::filesystem::path(path).replace_extension(entry->extension).string();
}

}  // namespace attnscope::ui
