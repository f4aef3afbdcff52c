// What the animation dialog was last set to.
#pragma once

#include <optional>
#include <string>

#include "app/animation/animation.h"
#include "io/figures/animation_file.h"
#include "ui/panels/export_settings.h"

namespace attnscope::ui {

/// As typed, so that nothing is lost on the way; what is wrong with it is said where it is read.
struct AnimationSettings {
  bool lesson = false;  ///< the open one, instead of a sweep
  std::string name;     ///< of what is swept; see `Sweepable::name`
  std::string from;     ///< of numbers
  std::string to;
  std::string step;    ///< empty: as it comes
  std::string values;  ///< of everything else, with commas between; empty: every choice
  std::string rate;    ///< frames a second; empty: as it comes
  bool note = true;
  int frame = 1;  ///< that is shown, from 1
  AnimationFormat format = AnimationFormat::gif;
  ExportSettings page = usual_page();

  static ExportSettings usual_page();
};

/// Whether it has from, to and step.
bool is_number(const Sweepable& thing);

/// Starts over with another thing to sweep: its comfortable range, up to `largest` where the trace says how many there
/// are.
void choose_sweep(AnimationSettings& settings, const Sweepable& thing, std::optional<Index> largest);

/// The sweep as it is typed on the command line.
std::string sweep_text(const AnimationSettings& settings, const Sweepable& thing);

/// Frames a second, in range; nothing where they are left open.
Result<std::optional<double>> rate_of(const AnimationSettings& settings);

/// `path` with the ending of the format.
std::string path_for_format(const std::string& path, AnimationFormat format);

}  // namespace attnscope::ui
