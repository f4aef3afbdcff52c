// The last settings of the animation dialog.
#pragma once

#include <optional>
#include <string>

#include "app/animation/animation.h"
#include "io/figures/animation_file.h"
#include "ui/panels/export_settings.h"

namespace attnscope::ui {

/// As typed; the functions below report what is wrong with it.
struct AnimationSettings {
  bool lesson = false;  ///< the open lesson, instead of a sweep
  std::string name;     ///< of the swept thing; see `Sweepable::name`
  std::string from;     ///< for numbers
  std::string to;
  std::string step;    ///< empty: automatic
  std::string values;  ///< for everything else, separated by commas; empty: every choice
  std::string rate;    ///< frames a second; empty: automatic
  bool note = true;
  int frame = 1;  ///< in the preview, from 1
  AnimationFormat format = AnimationFormat::gif;
  ExportSettings page = usual_page();

  static ExportSettings usual_page();
};

/// Whether its values are numbers, with from, to and step.
bool is_number(const Sweepable& thing);

/// Resets the settings for another thing to sweep: its slider's range, up to `largest` where the trace has a limit.
void choose_sweep(AnimationSettings& settings, const Sweepable& thing, std::optional<Index> largest);

/// The sweep as on the command line.
std::string sweep_text(const AnimationSettings& settings, const Sweepable& thing);

/// Frames a second, in range; nothing: automatic.
Result<std::optional<double>> rate_of(const AnimationSettings& settings);

/// `path` with the format's ending.
std::string path_for_format(const std::string& path, AnimationFormat format);

}  // namespace attnscope::ui
