// The dialog that writes an animation: what goes through which values, what that looks like, and how far it is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/animation/animation_job.h"
#include "ui/panels/figure_panel.h"

namespace attnscope::ui {

/// What the dialog shows besides its settings.
struct AnimationShown {
  std::span<const std::pair<Sweepable, std::optional<Index>>> things;  ///< to sweep, and how many of it there are
  const Lesson* lesson = nullptr;                                      ///< the open one, or null
  const Animation* animation = nullptr;  ///< as the settings say; null while that is found out, or wrong
  std::string trouble = {};              ///< what is wrong with it
  const Figure* figure = nullptr;        ///< the frame that is looked at; null while it is being made
  std::uint64_t number = 0;              ///< another one for every figure
  const ColorLuts& luts;
  HeatmapBatch& batch;
  platform::LineLayer& lines;
  bool has_ffmpeg = true;
  std::optional<AnimationProgress> writing = {};  ///< nothing: none is being written
};

/// What was asked for in the dialog.
enum class AnimationAnswer { none, write, stop };

/// The inside of the dialog; settings and path are in `state`.
AnimationAnswer animation_dialog(const Style& style, const AnimationShown& shown, UiState& state);

}  // namespace attnscope::ui
