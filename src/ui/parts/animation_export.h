// An animation of the view: what its dialog shows, and the file that is being written.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ui/dialogs/animation_dialog.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// Frames and files are made in the background; one animation is written at a time.
class AnimationExport {
 public:
  explicit AnimationExport(Shared& shared) : shared_(shared) {}

  void open_dialog(const std::string& stem);
  /// What the dialog shows; nothing while it is closed. Call it once a frame.
  std::optional<AnimationShown> update();
  /// The animation of the open dialog; null while its settings are wrong or it is being prepared.
  [[nodiscard]] const Animation* animation() const {
    return preview_ && preview_->made ? preview_->made->animation.get() : nullptr;
  }
  /// The frame that the open dialog shows, or null.
  [[nodiscard]] const Figure* frame() const {
    return preview_ && preview_->made && preview_->made->figure ? &*preview_->made->figure : nullptr;
  }

  /// Writes the animation as the confirmed dialog says, asks first whether files are to be replaced, or stops writing.
  void carry_out(const DialogResult& result);
  /// Reports an animation that was written since the last frame.
  void take_written();
  /// "writing a.gif 40 %"; empty: nothing is being written.
  [[nodiscard]] std::string writing_text() const;
  [[nodiscard]] bool busy() const;

 private:
  /// Lives as long as the dialog is open.
  struct Preview {
    explicit Preview(const std::function<void()>& wake) : maker(wake) {}

    std::vector<std::pair<Sweepable, std::optional<Index>>> things;
    std::optional<FigureRequest> things_of;
    std::optional<FrameRequest> requested;
    std::optional<MadeFrame> made;
    std::uint64_t number = 0;
    HeatmapBatch batch;
    platform::LineLayer lines;
    bool has_ffmpeg = false;
    FrameMaker maker;
  };

  void list_things();
  void choose_usual_thing();
  [[nodiscard]] std::optional<FrameRequest> wanted_frame() const;
  Result<void> write(const std::string& path);

  Shared& shared_;
  std::optional<Preview> preview_;
  std::optional<AnimationJob> writing_;
  std::string writing_name_;  ///< of its file
};

}  // namespace attnscope::ui
