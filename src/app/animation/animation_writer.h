// Animations as files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/animation/animation.h"
#include "core/base/stop.h"
#include "core/trace/run.h"
#include "figure/views/view.h"
#include "io/figures/figure_file.h"

namespace attnscope {

/// What is written, and how.
struct AnimationTask {
  Animation animation;
  FigureFileOptions file;                           ///< of every frame, in range
  bool note = true;                                 ///< whether it says below each frame what that is
  std::optional<Experiment> pinned = std::nullopt;  ///< what the view compares with
  std::vector<std::filesystem::path> outputs = {};  ///< names that end in .png, .gif or .mp4; one series at most
  double memory_budget = kDefaultMemoryBudget;
  bool type_matters = false;  ///< whether to say how large type is where it is smaller than the options ask for
};

struct AnimationProgress {
  float fraction = 0;      ///< 0 to 1
  std::string doing = {};  ///< "frame 3 of 51", "out.gif"
};

struct WrittenAnimation {
  std::vector<std::filesystem::path> files;  ///< all of them, in the order of the outputs' kinds: videos, then frames
  std::vector<std::string> warnings;         ///< of the computations, each once
  std::optional<SmallerType> smaller_type;   ///< of the frame with the smallest, if it matters
};

/// Whether the outputs can be written as far as that is known before: their endings, the numbers in names, one series
/// at most, ffmpeg where it is needed, a rate that GIF knows, and no more pixels than a PNG may have.
Result<void> check_outputs(const AnimationTask& task);

/// Computes, draws and writes every frame. All of them have the size that the options ask for; without a height, that
/// which the highest of them needs. Each PNG file holds its experiment. What fails or is stopped leaves nothing behind,
/// and files of those names as they were. `report` is called from this thread.
Result<WrittenAnimation> write_animation(const AnimationTask& task, const StopToken& stop,
                                         const std::function<void(const AnimationProgress&)>& report);

/// What a frame is built of.
struct AnimationFrame {
  std::shared_ptr<const Trace> trace;
  const Trace* pinned = nullptr;  ///< may be null
  ViewCache* cache = nullptr;     ///< may be null
  StopToken stop = {};
  std::optional<LessonCell> cell = std::nullopt;  ///< framed, with what it is computed from
};

/// How high a page has to be for the frame, logical pixels: that which the options say, otherwise as high as it comes
/// out with `room` below it.
Result<double> frame_height(const AnimationFrame& frame, const FigureFileOptions& options, double room);

/// The frame on a page so high (logical pixels), of which the note takes `room`. Where the options leave the height
/// open it stands at the top, so that frames of unlike heights begin at the same place.
Result<Figure> frame_figure(const AnimationFrame& frame, const FigureFileOptions& options, double height,
                            const FigureNote& note, double room);

}  // namespace attnscope
