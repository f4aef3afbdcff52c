#include "app/animation/animation_writer.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/jobs/figure_builder.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/experiment/experiment.h"
#include "core/explain/explain.h"
#include "core/plan/resident_steps.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/base/printable.h"
#include "io/figures/animation_file.h"
#include "io/figures/figure_source.h"

namespace attnscope {
namespace {

constexpr double kFastestGif = 50;  // what is quicker viewers show slowly
constexpr std::size_t kMaxWarnings = 10;
constexpr double kSmallestHeight = 0.5;  // inches, of a page

/// Logical pixels of the layout to an inch of the page.
double pixels_per_inch(const FigureFileOptions& options) { return layout_size(options).width / options.width_inches; }

Result<ViewOptions> options_of(const AnimationFrame& frame) {
  const ViewChoice& choice = frame.trace->experiment().view;
  Result<ViewOptions> view = view_options(choice);
  if (!view) return view;
  if (const Result<void> there = check_view(*frame.trace, choice.name, *view); !there)
    return tl::unexpected(there.error());
  view->for_file = true;
  view->pinned = frame.pinned;
  view->cache = frame.cache;
  view->stop = frame.stop;
  return view;
}

Result<Figure> build_frame(const AnimationFrame& frame, const FigureFileOptions& options) {
  Result<ViewOptions> view = options_of(frame);
  if (!view) return tl::unexpected(view.error());
  view->font = options.font;
  return figure_for_file(
      [&](double width, double height) {
        view->width = width;
        view->height = height;
        return build_view(frame.trace->experiment().view.name, *frame.trace, *view);
      },
      options);
}

/// A cell of the trace, and what it is computed from: framed as in the window, where it is pinned.
Highlights highlights_of(const Trace& trace, const LessonCell& cell) {
  const Step* const step = trace.find(cell.tensor);
  if (step == nullptr) return {};
  const auto number = static_cast<int>(step - trace.steps().data());
  return {explain(trace, number, cell.index).regions, single_cell(number, cell.index)};
}

bool is_video(const std::filesystem::path& path) { return animation_format(path) != AnimationFormat::png; }

/// Computes one frame after the other within a memory budget.
class FrameRunner {
 public:
  explicit FrameRunner(double memory_budget) : budget_(memory_budget), executor_(memory_budget) {}

  /// Whatever `cache` holds of the last frame makes room with it.
  Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, ViewCache& cache, const StopToken& stop) {
    if (stop.stop_requested()) return tl::unexpected(stopped_error());
    if (!last_ || !same_plan(*last_, experiment)) plan_ = std::make_shared<const Plan>(plan(experiment));
    make_room(experiment, cache);
    last_ = experiment;
    auto trace = executor_->run(experiment, plan_, {stop, nullptr, 0, &pool_}, {});
    if (trace) last_bytes_ = (*trace)->resident_bytes();
    return trace;
  }

 private:
  /// Lets go of the last frame's results unless they fit into memory beside those of `next`. Where both compute the
  /// same, there are no others.
  void make_room(const Experiment& next, ViewCache& cache) {
    if (!last_ || same_computation(*last_, next)) return;
    const std::vector<bool> held = resident_steps(*plan_, budget_);
    const double needed = resident_cost(*plan_, held).bytes + passing_bytes(*plan_, held);
    // Twice: what a view has computed beside the last frame, or memory of another size that is kept for later.
    if (2 * last_bytes_ + needed <= budget_) return;
    cache.forget_last();
    if (last_->seed == next.seed && last_->discard == next.discard) {
      executor_->forget_results();
    } else {
      executor_.emplace(budget_);  // nor are its random numbers of use
    }
  }

  double budget_;
  ThreadPool pool_;
  std::optional<Executor> executor_;
  std::shared_ptr<const Plan> plan_;  ///< of the last experiment
  std::optional<Experiment> last_;
  double last_bytes_ = 0;
};

class AnimationWriter {
 public:
  AnimationWriter(const AnimationTask& task, StopToken stop,
                  const std::function<void(const AnimationProgress&)>& report)
      : task_(task), stop_(std::move(stop)), report_(report), options_(task.file) {}

  Result<WrittenAnimation> write() {
    const FontScope font(task_.file.font);  // of the notes
    if (const Result<void> possible = check_outputs(task_); !possible) return tl::unexpected(possible.error());
    Result<StagedFrames> frames = StagedFrames::create_beside(first_file());
    if (!frames) return tl::unexpected(frames.error());
    Result<void> done = check_folders();
    if (done) done = pin();
    if (done) done = measure();
    if (done) done = draw(*frames);
    if (done) done = make_videos(*frames);
    if (done) done = find_room_for_type();
    if (done) done = put_in_place(*frames);
    if (!done) return tl::unexpected(done.error());
    return std::move(written_);
  }

 private:
  [[nodiscard]] const Animation& animation() const { return task_.animation; }
  [[nodiscard]] FigureNote note(std::size_t frame) const { return task_.note ? animation().note(frame) : FigureNote{}; }

  /// The first one of the series where there is one, for what is staged is moved there.
  [[nodiscard]] std::filesystem::path first_file() const {
    for (const std::filesystem::path& output : task_.outputs) {
      if (!is_video(output)) return series_names(output, 1)->front();
    }
    return task_.outputs.front();
  }

  /// Whether there are the folders, and files can be made there: known before anything is computed.
  [[nodiscard]] Result<void> check_folders() const {
    for (const std::filesystem::path& output : task_.outputs) {
      const Result<AtomicFile> file = AtomicFile::create(is_video(output) ? output : first_file());
      if (!file) return tl::unexpected(file.error());
    }
    return check_places();
  }

  /// Whether every file can have its name.
  [[nodiscard]] Result<void> check_places() const {
    for (const std::filesystem::path& output : task_.outputs) {
      const std::vector<std::filesystem::path> files = *animation_files(output, animation().size());
      for (const std::filesystem::path& file : files) {
        if (Result<void> possible = check_place(file); !possible) return possible;
      }
    }
    return {};
  }

  /// An error of a frame as one of the first file.
  [[nodiscard]] tl::unexpected<Error> of_file(const Error& error) const {
    return fail(path_text(first_file()) + ": " + error.message, error.kind);
  }

  void advance(const std::string& doing, double work) {
    // Videos are quick to make, beside all that is in them.
    const auto frames = static_cast<double>(animation().size());
    const double all = frames * (measures() ? 2 : 1) + 0.2 * frames * static_cast<double>(task_.outputs.size());
    report_({static_cast<float>(std::min(1.0, done_ / all)), doing});
    done_ += work;
  }

  [[nodiscard]] bool measures() const { return task_.file.height_inches == 0; }

  /// Computes the baseline. The frames have the memory that it leaves.
  Result<void> pin() {
    double left = task_.memory_budget;
    if (task_.pinned) {
      auto computed = FrameRunner(left).run(*task_.pinned, cache_, stop_);
      if (!computed) return tl::unexpected(computed.error());
      pinned_ = std::move(*computed);
      left = pinned_->bytes_left();
      if (Result<void> fit = check_frames_fit(left); !fit) return fit;
    }
    runner_.emplace(left);
    return {};
  }

  /// Beside the baseline; without one, whoever made the animation has checked it.
  [[nodiscard]] Result<void> check_frames_fit(double left) const {
    for (std::size_t i = 0; i < animation().size(); ++i) {
      if (stop_.stop_requested()) return tl::unexpected(stopped_error());
      if (i > 0 && same_plan(animation().experiment(i - 1), animation().experiment(i))) continue;
      if (const Result<void> fits = validate(animation().experiment(i), left); !fits)
        return fail("pinned: " + fits.error().message + " next to it; ATTNSCOPE_MEMORY_MB sets the limit");
    }
    return {};
  }

  Result<AnimationFrame> frame(std::size_t number) {
    auto computed = runner_->run(animation().experiment(number), cache_, stop_);
    if (!computed) return tl::unexpected(computed.error());
    for (const std::string& warning : (*computed)->warnings()) {
      std::vector<std::string>& all = written_.warnings;
      if (all.size() < kMaxWarnings && std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
    if (const Result<void> there = animation().check(**computed); !there) return tl::unexpected(there.error());
    return AnimationFrame{std::move(*computed), pinned_.get(), &cache_, stop_, animation().cell(number)};
  }

  [[nodiscard]] std::string number_text(std::size_t number) const {
    return "frame " + std::to_string(number + 1) + " of " + std::to_string(animation().size());
  }

  /// Finds out how high the page is, and how much of that is below the figure.
  Result<void> measure() {
    for (std::size_t i = 0; i < animation().size(); ++i)
      room_ = std::max(room_, note_height(note(i), layout_size(options_).width));
    if (!measures()) return {};
    double height = 0;
    for (std::size_t i = 0; i < animation().size(); ++i) {
      advance("measuring " + number_text(i), 1);
      const Result<AnimationFrame> computed = frame(i);
      if (!computed) return tl::unexpected(computed.error());
      const Result<double> needed = frame_height(*computed, task_.file, room_);
      if (!needed) return tl::unexpected(needed.error());
      height = std::max(height, *needed);
    }
    options_.height_inches = std::max(kSmallestHeight, height / pixels_per_inch(options_));
    if (Result<void> possible = check_figure_options(options_); !possible) return possible;
    if (const Result<void> possible = check_picture_size(options_); !possible) return of_file(possible.error());
    return {};
  }

  Result<void> draw(StagedFrames& frames) {
    for (std::size_t i = 0; i < animation().size(); ++i) {
      advance(number_text(i), 1);
      const Result<AnimationFrame> computed = frame(i);
      if (!computed) return tl::unexpected(computed.error());
      Result<Figure> figure = frame_figure(*computed, task_.file, layout_size(options_).height, note(i), room_);
      if (!figure) return tl::unexpected(figure.error());
      if (const double points = type_points(*figure, options_); points < smallest_type_)
        smallest_type_ = points, with_smallest_type_ = i;
      const ExperimentSource source =
          source_of_figure(computed->trace->experiment(), pinned_ ? &pinned_->experiment() : nullptr);
      const Result<std::string> png =
          figure_bytes(*figure, FigureFormat::png, options_, &source, folder_of(first_file()));
      // A figure that was stopped is not a whole one.
      if (stop_.stop_requested()) return tl::unexpected(stopped_error());
      if (!png) return of_file(png.error());
      if (i == 0) caption_ = figure_caption(source) + "; " + animation().about();
      if (Result<void> staged = frames.add(*png, animation().times(i)); !staged) return staged;
    }
    return {};
  }

  /// Looks for a page on which the frame with the smallest type has the type that is asked for.
  Result<void> find_room_for_type() {
    if (!task_.type_matters || smallest_type_ >= task_.file.font_points) return {};
    const Result<AnimationFrame> computed = frame(with_smallest_type_);
    if (!computed) return tl::unexpected(computed.error());
    const FigureNote said = note(with_smallest_type_);
    const auto build = [&](double width, double height) {
      FigureFileOptions page = task_.file;
      page.width_inches = width / pixels_per_inch(page);
      page.height_inches = height / pixels_per_inch(page);
      const double room = note_height(said, width);
      const Result<double> needed = frame_height(*computed, page, room);
      if (!needed) return Figure();
      Result<Figure> figure = frame_figure(*computed, page, *needed, said, room);
      return figure ? std::move(*figure) : Figure();
    };
    const auto [width, height] = layout_size(task_.file);
    written_.smaller_type = smaller_type(build, build(width, height), task_.file);
    if (stop_.stop_requested()) return tl::unexpected(stopped_error());
    return {};
  }

  Result<void> make_videos(StagedFrames& frames) {
    for (const std::filesystem::path& output : task_.outputs) {
      if (!is_video(output)) continue;
      advance(output.filename().string(), 0.2 * static_cast<double>(animation().size()));
      Result<std::filesystem::path> made =
          frames.make_video(animation().rate(), output, palette(options_.theme).background, caption_, stop_);
      if (!made) return tl::unexpected(made.error());
      videos_.emplace_back(std::move(*made), output);
    }
    return {};
  }

  /// Once all of them are made, and while all can have their names, so that there are all or none.
  Result<void> put_in_place(const StagedFrames& frames) {
    if (Result<void> possible = check_places(); !possible) return possible;
    for (const auto& [made, output] : videos_) {
      if (Result<void> moved = move_into_place(made, output); !moved) return moved;
      written_.files.push_back(output);
    }
    for (const std::filesystem::path& output : task_.outputs) {
      if (is_video(output)) continue;
      const std::vector<std::filesystem::path> names = *series_names(output, animation().size());
      if (Result<void> moved = frames.move_to(names); !moved) return moved;
      written_.files.insert(written_.files.end(), names.begin(), names.end());
    }
    return {};
  }

  const AnimationTask& task_;
  StopToken stop_;
  const std::function<void(const AnimationProgress&)>& report_;
  FigureFileOptions options_;                                       ///< with the height that all frames have
  double room_ = 0;                                                 ///< below the figure
  double smallest_type_ = std::numeric_limits<double>::infinity();  ///< points
  std::size_t with_smallest_type_ = 0;                              ///< the frame that has it
  ViewCache cache_;
  std::shared_ptr<const Trace> pinned_;
  std::optional<FrameRunner> runner_;  ///< once there is the baseline
  std::string caption_;
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> videos_;  ///< made, and where they belong
  double done_ = 0;
  WrittenAnimation written_;
};

}  // namespace

Result<void> check_outputs(const AnimationTask& task) {
  const std::filesystem::path* series = nullptr;
  const std::filesystem::path* video = nullptr;
  for (const std::filesystem::path& output : task.outputs) {
    const Result<AnimationFormat> format = animation_format(output);
    if (!format) return tl::unexpected(format.error());
    if (*format == AnimationFormat::gif && task.animation.rate() > kFastestGif) {
      return fail(path_text(output) + ": " + exact_text(task.animation.rate()) +
                      " frames per second are not allowed in a GIF file; allowed: at most " + exact_text(kFastestGif),
                  Error::Kind::usage);
    }
    if (*format != AnimationFormat::png) {
      video = &output;
      continue;
    }
    if (const auto names = series_names(output, task.animation.size()); !names) return tl::unexpected(names.error());
    if (series != nullptr) {
      return fail(path_text(output) + ": only one series of PNG files is allowed; the other is " + path_text(*series),
                  Error::Kind::usage);
    }
    series = &output;
  }
  if (const Result<void> possible = check_picture_size(task.file); !possible && !task.outputs.empty())
    return fail(path_text(task.outputs.front()) + ": " + possible.error().message);
  return video != nullptr ? check_ffmpeg(*video) : Result<void>();
}

Result<WrittenAnimation> write_animation(const AnimationTask& task, const StopToken& stop,
                                         const std::function<void(const AnimationProgress&)>& report) {
  return AnimationWriter(task, stop, report).write();
}

Result<double> frame_height(const AnimationFrame& frame, const FigureFileOptions& options, double room) {
  if (options.height_inches > 0) return layout_size(options).height;
  const Result<Figure> figure = build_frame(frame, options);
  if (!figure) return tl::unexpected(figure.error());
  // What is wider than the page is made smaller as a whole.
  return figure->height * std::min(1.0, layout_size(options).width / figure->width) + room;
}

Result<Figure> frame_figure(const AnimationFrame& frame, const FigureFileOptions& options, double height,
                            const FigureNote& note, double room) {
  constexpr double least = 48;  // pixels for the figure, beside what is said about it
  const double inch = pixels_per_inch(options);
  if (height - room < least) {
    return fail("height of " + short_text(height / inch) + " inches: must be " + short_text((room + least) / inch) +
                    " or more for the note below the figure",
                Error::Kind::usage);
  }
  FigureFileOptions upper = options;
  if (options.height_inches > 0) upper.height_inches = (height - room) / inch;
  Result<Figure> figure = build_frame(frame, upper);
  if (!figure) return figure;
  Figure page = with_note(std::move(*figure), layout_size(options).width, height, note, room);
  if (frame.cell) page.highlights = highlights_of(*frame.trace, *frame.cell);
  return page;
}

}  // namespace attnscope
