// Plays the computation that the open view shows, moment by moment. Where it is belongs to the window, not to the
// experiment: no step of the history, nothing in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ui/panels/panels.h"
#include "ui/parts/remembered.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

class Playback {
 public:
  Playback(Shared& shared, Remembered& remembered)
      : shared_(shared), remembered_(remembered), pace_(remembered.state().pace) {}

  /// Whether the view on screen has moments.
  [[nodiscard]] bool can_play() const { return moments() > 0; }
  /// Starts, goes on, or pauses. After the last moment it starts again.
  void toggle();
  /// Whether it was started, and shows a moment.
  [[nodiscard]] bool has_started() const { return moment_.has_value(); }
  /// Goes so many moments on, or back, and pauses.
  void go(Index steps);
  /// Shows the finished computation again; whether it was playing or paused.
  bool end();

  /// At the beginning of a frame: goes on to the moment that is due, and ends where another view was opened.
  void update();
  /// In how many seconds the next moment is due; nothing: it is not playing.
  [[nodiscard]] std::optional<double> due_in() const;
  /// The open experiment, whose view shows the moment.
  [[nodiscard]] Experiment shown() const;

  /// Its controls, behind what stands in the row of options if `behind`.
  void controls(const Style& style, bool behind);

 private:
  /// What it was started in.
  struct Place {
    std::uint64_t document = 0;
    std::size_t lesson_step = 0;
    std::string view;

    friend bool operator==(const Place&, const Place&) = default;
  };

  [[nodiscard]] Place place() const;
  /// The number of moments that the view has for the trace on screen.
  [[nodiscard]] Index moments() const;
  /// The moment on screen; 0: none.
  [[nodiscard]] Index moment() const;
  void show(Index moment, bool playing);
  void pace_control(const Style& style);

  Shared& shared_;
  Remembered& remembered_;
  double pace_;                  ///< moments in a second; remembered when the slider is let go
  std::optional<Index> moment_;  ///< nothing: the one that the experiment has
  Place place_;
  bool playing_ = false;
  mutable std::weak_ptr<const Trace> counted_for_;
  mutable Index count_ = 0;  ///< of its moments
  double since_ = 0;         ///< ImGui time at which the moment began
};

}  // namespace attnscope::ui
