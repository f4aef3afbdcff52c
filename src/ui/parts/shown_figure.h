// The figure in the centre of the window: requested, built in the background, and blended from one size to the next.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/figure_builder.h"
#include "ui/panels/figure_panel.h"
#include "ui/parts/formula_line.h"
#include "ui/parts/playback.h"
#include "ui/parts/presented_step.h"
#include "ui/parts/shared.h"
#include "ui/parts/token_search.h"

namespace attnscope::ui {

class ShownFigure {
 public:
  ShownFigure(Shared& shared, Remembered& remembered);

  /// Requests the figure of the open view for a panel of `width` × `height` logical pixels and shows the newest one.
  void update(double width, double height);
  /// Shows it in the rest of the current ImGui window.
  void panel(const Style& style, const Inspection* inspection, UiIntents& intents);

  /// The step of a lesson that is presented, null: none is. What it speaks of is lit, and enlarged unless `all` of the
  /// figure is wanted.
  void present(const LessonStep* step, bool all);
  /// Shows only what the moment that is played computes with.
  void present_moment(bool presented) { presents_moment_ = presented; }

  /// Which moment of a computation it shows.
  [[nodiscard]] Playback& playback() { return playback_; }
  [[nodiscard]] const Playback& playback() const { return playback_; }
  /// The line above it, which lights its matrices.
  [[nodiscard]] FormulaLine& formula_line() { return formula_line_; }
  [[nodiscard]] const FormulaLine& formula_line() const { return formula_line_; }
  [[nodiscard]] TokenSearch& token_search() { return token_search_; }
  [[nodiscard]] const TokenSearch& token_search() const { return token_search_; }

  /// As it is painted: between two sizes while it moves.
  [[nodiscard]] const Figure& figure() const { return moving_ ? shown_ : target_; }
  /// What it moves to.
  [[nodiscard]] const Figure& target() const { return target_; }
  /// How often a figure was built since the start.
  [[nodiscard]] std::uint64_t built() const { return built_; }
  /// Whether the figure on screen is of that trace.
  [[nodiscard]] bool shows(const std::shared_ptr<const Trace>& trace) const {
    return trace && built_for_ && built_for_->trace == trace;
  }
  /// Whether the wanted figure takes so long to build that the user notices.
  [[nodiscard]] bool is_building() const;
  /// How much of it is done, from 0 to 1, where that is known; otherwise 0.
  [[nodiscard]] float built_share() const { return builder_.progress(); }
  /// Whether the next frame differs without input.
  [[nodiscard]] bool animating() const;
  /// Whether a figure or parts of its matrices are on the way.
  [[nodiscard]] bool busy() const;
  /// How much of its matrices the last frame had, 0 to 1.
  [[nodiscard]] double drawn() const { return drawn_; }
  /// After the frame was drawn.
  void finish();

  [[nodiscard]] const platform::HeatmapRenderer& heatmaps() const { return shared_.heatmaps; }
  [[nodiscard]] const platform::LineLayer& lines() const { return lines_; }

 private:
  /// The tensors of a moment, and what they were found for.
  struct MomentTensors {
    std::weak_ptr<const Trace> trace;
    ViewChoice view;
    std::vector<std::string> tensors;
  };
  /// The sources of the tensors of a presented step, and what they were found for.
  struct SpokenSources {
    std::weak_ptr<const Trace> trace;
    const LessonStep* step = nullptr;
    std::vector<int> steps;
  };

  void show(const FigureRequest& what, Figure figure);
  [[nodiscard]] double drawn_share() const;
  /// What the moment that is played computes with.
  const std::vector<std::string>& tensors_of_moment(const FigureRequest& now);
  /// The steps that one of the tensors which the presented step speaks of is computed from, at once or by way of one other.
  const std::vector<int>& sources_of_spoken();
  /// Whether the figure of the presented step has just arrived, or what it speaks of another size.
  [[nodiscard]] bool presents_anew();

  Shared& shared_;
  HeatmapBatch batch_;
  platform::LineLayer lines_;
  std::optional<FigureRequest> requested_;
  double requested_since_ = 0;              ///< ImGui time
  bool awaited_ = true;                     ///< the last figure of this view was built within the patience
  std::optional<FigureRequest> built_for_;  ///< what is on screen
  std::uint64_t document_ = 0;              ///< that it is of
  Figure from_, target_, shown_;            ///< `from_` and `shown_` count while it moves
  Rect first_spoken_;  ///< where its first matrix is of those that the presented step speaks of; empty: it has none
  double moved_since_ = 0;
  bool moving_ = false;
  std::uint64_t built_ = 0;
  double drawn_ = 1;
  TokenSearch token_search_;
  FormulaLine formula_line_;
  PresentedStep presented_;
  SpokenSources sources_;
  bool presents_moment_ = false;
  std::optional<MomentTensors> moment_tensors_;
  Playback playback_;
  FigureBuilder builder_;
};

}  // namespace attnscope::ui
