#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <vector>

#include "app/animation/animation_writer.h"
#include "app/cli/commands.h"
#include "app/cli/commands_figure_options.h"
#include "app/cli/progress_line.h"
#include "core/base/background_loop.h"
#include "core/base/text.h"
#include "core/trace/run.h"
#include "figure/slices/dot_product.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/figures/animation_file.h"

namespace attnscope {
namespace {

constexpr int kUsualDpi = 144;

struct AnimateOptions : FigureOptions {
  std::string sweep;
  std::string lesson;
  std::string language;
  std::string rate;
  bool play = false;
  bool no_note = false;
  std::vector<std::string> outputs;
  std::vector<const CLI::Option*> of_an_experiment;  ///< those that a lesson has no use for
};

volatile std::sig_atomic_t interrupted = 0;

/// The first signal requests a stop; the second one ends the program.
void note_interruption(int signal) {
  interrupted = 1;
  (void)std::signal(signal, SIG_DFL);
}

/// While it exists, a signal requests a stop, and no partial output is left behind. Signals that are ignored stay so:
/// nohup ignores SIGHUP.
class Interruption {
 public:
  Interruption() {
    struct sigaction noted = {};
    noted.sa_handler = note_interruption;
    ::sigemptyset(&noted.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &noted, nullptr);
    }
  }
  ~Interruption() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] StopToken stop() const { return stop_.token(); }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

  BackgroundLoop::Rest watch() const {
    if (interrupted == 0) return std::chrono::milliseconds(50);
    stop_.request_stop();
    return std::nullopt;
  }

  std::array<struct sigaction, kSignals.size()> before_ = {};
  StopSource stop_;
  BackgroundLoop loop_{[this] { return watch(); }};
};

tl::unexpected<Error> wrong_command(const std::string& message) { return fail(message, Error::Kind::usage); }

Result<std::shared_ptr<const Lesson>> find_lesson(const std::string& name) {
  std::vector<std::string> names;
  for (const LessonFile& file : find_lessons()) {
    // "by-example" means "1-by-example": the number only orders the menu.
    if (file.name == name || file.name.substr(file.name.find('-') + 1) == name) return file.lesson;
    names.push_back(file.name);
  }
  if (name.ends_with(".json") || name.find('/') != std::string::npos) {
    Result<Lesson> lesson = read_lesson(name);
    if (!lesson) return tl::unexpected(lesson.error());
    return std::make_shared<const Lesson>(std::move(*lesson));
  }
  const std::string nearest = suggestion_text(name, names);
  return wrong_command("--lesson: " + quoted_text(name) + " is not a lesson or a file" +
                       (nearest.empty() ? "; the lessons are " + join(names, ", ") : nearest));
}

/// The lesson in the language that was asked for; English is always there.
Result<std::shared_ptr<const Lesson>> lesson_in(std::shared_ptr<const Lesson> lesson, const std::string& language) {
  if (language.empty() || language == kLessonLanguage) return lesson;
  std::vector<std::string> languages = {std::string(kLessonLanguage)};
  for (const LessonTranslation& each : lesson->translations) {
    if (each.language == language && !each.texts) return tl::unexpected(each.texts.error());
    if (each.texts) languages.push_back(each.language);
  }
  if (texts_in(*lesson, language) != nullptr) return in_language(lesson, language);
  return wrong_command("--language: the lesson is not there in " + quoted_text(language) +
                       "; allowed: " + join(languages, ", "));
}

/// Prefixes an error in the sweep with the option.
Error of_sweep(const Error& error) {
  const std::string limit = error.kind == Error::Kind::failure ? "; ATTNSCOPE_MEMORY_MB sets the limit" : "";
  return {"--sweep " + error.message + limit, error.kind};
}

/// Every file that will be written, including each file of a series.
std::vector<std::filesystem::path> written_files(const AnimateOptions& options, std::size_t frames) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path output : options.outputs) {
    if (animation_format(output) != AnimationFormat::png) {
      files.push_back(output);
    } else if (const auto names = series_names(output, frames)) {
      files.insert(files.end(), names->begin(), names->end());
    }
  }
  return files;
}

/// Fails if the animation would overwrite one of its inputs.
Result<void> check_inputs(const AnimateOptions& options, const Animation& animation,
                          std::span<const InputFile> inputs) {
  return check_spares_inputs(written_files(options, animation.size()), inputs);
}

Result<AnimationTask> lesson_task(const AnimateOptions& options, double budget) {
  const auto is_given = [](const CLI::Option* option) { return option->count() > 0; };
  if (const auto given = std::ranges::find_if(options.of_an_experiment, is_given);
      given != options.of_an_experiment.end()) {
    return wrong_command("--lesson: a lesson has its own experiments and views, without " + (*given)->get_name() +
                         "; allowed with it: --language, page options, --fps and -o");
  }
  Result<std::shared_ptr<const Lesson>> lesson = find_lesson(options.lesson);
  if (lesson) lesson = lesson_in(std::move(*lesson), options.language);
  if (!lesson) return tl::unexpected(lesson.error());
  std::vector<InputFile> inputs = {{"--lesson", options.lesson}};
  for (const LessonTranslation& each : (*lesson)->translations) inputs.push_back({"--language", each.path});
  for (const LessonStep& step : (*lesson)->steps) {
    const std::vector<InputFile> named = input_files({}, {step.experiment});
    inputs.insert(inputs.end(), named.begin(), named.end());
  }
  Result<Animation> animation = Animation::of_lesson(std::move(*lesson), budget);
  if (!animation) return fail("--lesson " + animation.error().message + "; ATTNSCOPE_MEMORY_MB sets the limit");
  if (const Result<void> spared = check_inputs(options, *animation, inputs); !spared)
    return tl::unexpected(spared.error());
  AnimationTask task = {std::move(*animation), {}};
  return task;
}

/// "moment=1:43" for the moments that the experiment's view has.
Result<std::string> sweep_of_moments(const Experiment& experiment, const ViewOptions& options, double budget) {
  const View& view = *find_view(experiment.view.name);
  if (view.moments == nullptr) {
    std::vector<std::string> names;
    for (const View& each : views()) {
      if (each.moments != nullptr) names.push_back(each.name);
    }
    return wrong_command("--play: the view " + view.name + " has nothing to play; allowed: --view " +
                         join(names, ", "));
  }
  const Result<std::shared_ptr<const Trace>> trace = Executor(budget).run(experiment);
  if (!trace) return tl::unexpected(trace.error());
  std::string missing = missing_for(view, **trace);
  const Index moments = option_limit(view, **trace, "moment", options.values);
  if (moments == 0) return fail("--play: " + (missing.empty() ? no_dot_product(**trace) : missing));
  return "moment=1:" + std::to_string(moments);
}

Result<AnimationTask> sweep_task(const AnimateOptions& options, double budget) {
  if (options.experiment.empty()) return wrong_command("animate: EXPERIMENT is missing; see attnscope animate --help");
  Result<ExperimentSource> source = load_source(options);
  if (!source) return tl::unexpected(source.error());
  Result<ViewOptions> view = selected_view(options, source->experiment);
  if (!view) return tl::unexpected(view.error());
  if (const Result<void> noted = note_pinned(options, *source, *view); !noted) return tl::unexpected(noted.error());
  std::string sweep = options.sweep;
  if (options.play) {
    Result<std::string> moments = sweep_of_moments(source->experiment, *view, budget);
    if (!moments) return tl::unexpected(moments.error());
    sweep = std::move(*moments);
  }
  Result<Animation> animation = Animation::of_sweep(source->experiment, sweep, budget);
  if (!animation) return tl::unexpected(of_sweep(animation.error()));
  if (const Result<void> spared = check_inputs(options, *animation, figure_inputs(options, *source)); !spared)
    return tl::unexpected(spared.error());
  AnimationTask task = {std::move(*animation), {}};
  task.pinned = std::move(source->pinned);
  return task;
}

Result<CommandOutput> animate_command(const AnimateOptions& options) {
  const Result<FigureFileOptions> file = file_options(options);
  if (!file) return tl::unexpected(file.error());
  for (const std::string& output : options.outputs) {
    if (const auto format = animation_format(output); !format) return tl::unexpected(format.error());
  }
  const std::optional<double> rate = parse_real(options.rate);
  if (!options.rate.empty() && !(rate && *rate >= kSlowestFrames && *rate <= kFastestFrames)) {
    return wrong_command("--fps: " + quoted_text(options.rate) + " is not allowed; allowed: numbers from " +
                         exact_text(kSlowestFrames) + " to " + exact_text(kFastestFrames));
  }
  if (options.sweep.empty() && options.lesson.empty() && !options.play)
    return wrong_command("animate: --sweep, --play or --lesson is missing; see attnscope animate --help");
  if (options.play && !options.sweep.empty())
    return wrong_command("--play: it goes through the moments of one experiment; allowed: without --sweep");
  if (options.lesson.empty() && !options.language.empty())
    return wrong_command("--language: only a lesson has languages; allowed with --lesson");
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  Result<AnimationTask> task = options.lesson.empty() ? sweep_task(options, *budget) : lesson_task(options, *budget);
  if (!task) return tl::unexpected(task.error());
  if (rate) task->animation.set_rate(*rate);
  task->file = *file;
  // A moment says itself what happens.
  task->note = !options.no_note && !options.play;
  task->memory_budget = *budget;
  task->type_matters = options.font_points.has_value();
  task->outputs.assign(options.outputs.begin(), options.outputs.end());
  const Interruption interruption;
  const ProgressLine line;
  Result<WrittenAnimation> written = write_animation(
      *task, interruption.stop(), [&](const AnimationProgress& progress) { line.show(progress.doing); });
  if (!written) return tl::unexpected(written.error());
  if (written->smaller_type) written->warnings.push_back(smaller_type_warning(*written->smaller_type, options));
  return CommandOutput{{}, std::move(written->warnings)};
}

}  // namespace

void add_animate_command(CommandLine& line) {
  const auto options = std::make_shared<AnimateOptions>();
  options->file.dpi = kUsualDpi;
  CLI::App& command =
      line.add("animate", "Write an animation: a sweep of a parameter, a computation moment by moment, or a lesson",
               [options] { return animate_command(*options); });
  add_experiment_options(command, *options);
  command.get_option("EXPERIMENT")->required(false);  // lessons have their own
  for (const CLI::Option* const each : command.get_options()) options->of_an_experiment.push_back(each);
  command
      .add_option(
          "--sweep", options->sweep,
          "The parameter and its values: temperature=0.1:2:0.1, tokens=2:12, heads=1,2,4; the name of a choice alone "
          "steps through all its values. Takes parameters, seed, discard and options of the view (view.heads if a "
          "parameter has the same name)")
      ->type_name("NAME[=FROM:TO[:STEP]]");
  command.add_flag("--play", options->play,
                   "Show how the attention of one query is computed, moment by moment, in the views flow and dot "
                   "(--view flow --option query=2)");
  command
      .add_option("--lesson", options->lesson, "Show the steps of a lesson with their text instead: a name or a file")
      ->type_name("NAME");
  command
      .add_option(
          "--language", options->language,
          "The language of a lesson's text, such as de or es (default en); what is in the figures stays English")
      ->type_name("CODE");
  command
      .add_option(
          "--fps", options->rate,
          "Frames per second of a GIF or MP4, 0.1 to 60 (default 10; 2 for integers and choices; for a lesson, the "
          "time it takes to read)")
      ->type_name("N");
  add_figure_options(command, *options);
  command.add_flag("--no-note", options->no_note, "Omit the text below each frame");
  command
      .add_option(
          "-o,--output", options->outputs,
          "The file to write: GIF or MP4 with ffmpeg; as PNG one file per frame, with its number in place of %04d "
          "or before the extension; repeatable")
      ->required()
      ->type_name(output_name(kAnimationFormats))
      ->allow_extra_args(false);
  for (const char* const each :
       {"--view", "--option", "--pinned", "--pinned-text", "--pinned-tokens", "--sweep", "--play"})
    options->of_an_experiment.push_back(command.get_option(each));
}

}  // namespace attnscope
