// The dialog that writes an animation: settings, preview and progress.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/animation/animation_job.h"
#include "ui/panels/figure_panel.h"

namespace attnscope::ui {

/// What the dialog shows in addition to its settings.
struct AnimationShown {
  std::span<const std::pair<Sweepable, std::optional<Index>>>
      things;                            ///< to sweep, with the largest value where the trace has one
  const Lesson* lesson = nullptr;        ///< the open one, or null
  const Animation* animation = nullptr;  ///< of the settings; null while they are wrong or it is being prepared
  std::string trouble = {};              ///< what is wrong with it
  const Figure* figure = nullptr;        ///< the frame in the preview; null while it is being made
  std::uint64_t number = 0;              ///< unique to the figure
  const ColorLuts& luts;
  HeatmapBatch& batch;
  platform::LineLayer& lines;
  bool has_ffmpeg = true;
  std::optional<AnimationProgress> writing = {};  ///< progress; nothing: no animation is being written
};

/// What the user asked for in the dialog.
enum class AnimationAnswer { none, write, stop };

/// The content of the dialog; settings and path are in `state`.
AnimationAnswer animation_dialog(const Style& style, const AnimationShown& shown, UiState& state);

}  // namespace attnscope::ui
