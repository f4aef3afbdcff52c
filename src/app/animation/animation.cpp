#include "app/animation/animation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace {

// Frames to the second: numbers that move smoothly, values that are looked at one by one, and the steps of a lesson, in
// parts of seconds.
constexpr double kSmoothRate = 10;
constexpr double kSingleRate = 2;
constexpr double kLessonRate = 2;

// To read a step: so many bytes a second, after a look at the picture.
constexpr double kLookSeconds = 3;
constexpr double kBytesPerSecond = 25;

Sweepable sweepable(std::string name, const Parameter& parameter, Sweepable::Place place) {
  return {std::move(name), parameter, place, parameter.choices, parameter.choice_labels};
}

/// The experiment with that value.
Result<Experiment> with_value(const Experiment& base, const Sweepable& swept, const ParameterValue& value) {
  Session session(base, {}, kUnlimitedMemory);
  Result<void> done;
  switch (swept.place) {
    case Sweepable::Place::parameter: done = session.apply({SetParameter{swept.parameter.name, value}, 0}); break;
    case Sweepable::Place::view_option: done = session.apply({SetViewOption{swept.parameter.name, value}, 0}); break;
    case Sweepable::Place::seed:
      done = session.apply({SetSeed{static_cast<std::uint64_t>(std::get<Index>(value))}, 0});
      break;
    case Sweepable::Place::discard: {
      Experiment changed = base;
      changed.discard = static_cast<std::uint64_t>(std::get<Index>(value));
      return changed;
    }
  }
  if (!done) return fail(done.error().message, Error::Kind::usage);
  return session.experiment();
}

Result<Sweepable> find_sweepable(const Experiment& experiment, std::string_view name) {
  std::vector<std::string> names;
  for (Sweepable& each : sweepables(experiment)) {
    if (each.name == name || (each.place == Sweepable::Place::view_option && "view." + each.parameter.name == name))
      return std::move(each);
    names.push_back(each.name);
  }
  const std::string nearest = suggestion_text(name, names);
  return fail("parameter " + quoted_text(name) + " is unknown to " + experiment.system + " and its view " +
                  experiment.view.name + (nearest.empty() ? "; allowed: " + join(names, ", ") : nearest),
              Error::Kind::usage);
}

/// All that a choice can be in this experiment.
std::vector<ParameterValue> every_choice(const Experiment& experiment, const Sweepable& swept) {
  std::vector<ParameterValue> values;
  for (const std::string& choice : swept.choices) {
    if (with_value(experiment, swept, choice)) values.emplace_back(choice);
  }
  return values;
}

Result<std::vector<ParameterValue>> values_of(const Experiment& experiment, const Sweepable& swept,
                                              std::string_view sweep) {
  const std::size_t equals = sweep.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view values = sweep.substr(equals + 1);
    // No more than there are numbers to be tried.
    constexpr Index largest = 1'000'000;
    const bool fits = swept.place == Sweepable::Place::parameter;
    return sweep_values(swept.parameter, values,
                        fits ? fitting_values(experiment, swept.parameter, largest) : std::vector<Index>());
  }
  if (swept.parameter.kind == Parameter::Kind::choice) return every_choice(experiment, swept);
  return fail(swept.name + ": its values are missing; write " + swept.name + "=FROM:TO, " + swept.name +
                  "=FROM:TO:STEP or " + swept.name + "=A,B,C",
              Error::Kind::usage);
}

/// The digits behind the point of the value that has most, as far as they help to tell them apart.
int decimals_of(const std::vector<ParameterValue>& values) {
  constexpr int most = 6;
  int decimals = 0;
  for (const ParameterValue& value : values) {
    const std::string text = value_text(value);
    const std::size_t point = text.find('.');
    if (point != std::string::npos && text.find('e') == std::string::npos)
      decimals = std::max(decimals, static_cast<int>(text.size() - point - 1));
  }
  return std::min(decimals, most);
}

std::string shown_value(const Sweepable& swept, const ParameterValue& value, int decimals) {
  if (const auto* real = std::get_if<double>(&value)) {
    const bool plain = *real == 0 || (std::abs(*real) >= std::pow(10, -decimals) && std::abs(*real) < 1e7);
    return plain ? fixed_text(*real, decimals) : number_text(*real);
  }
  if (const auto* whole = std::get_if<Index>(&value)) {
    if (std::string name = integer_text(swept.parameter, *whole); name != value_text(value)) return name;
  }
  const std::string text = value_text(value);
  const auto found = std::find(swept.choices.begin(), swept.choices.end(), text);
  const auto at = static_cast<std::size_t>(found - swept.choices.begin());
  return at < swept.choice_labels.size() ? swept.choice_labels[at] : text;
}

}  // namespace

std::vector<Sweepable> sweepables(const Experiment& experiment) {
  const System& system = *find_system(experiment.system);
  std::vector<Sweepable> all;
  for (const Parameter& parameter : system.parameters) {
    Sweepable each = sweepable(parameter.name, parameter, Sweepable::Place::parameter);
    const auto possible = system.choices != nullptr ? system.choices(experiment, parameter.name)
                                                    : std::vector<std::pair<std::string, std::string>>();
    if (!possible.empty()) each.choices.clear(), each.choice_labels.clear();
    for (const auto& [word, label] : possible) each.choices.push_back(word), each.choice_labels.push_back(label);
    all.push_back(std::move(each));
  }
  if (system.uses_seed) {
    all.push_back(sweepable("seed", seed_parameter(), Sweepable::Place::seed));
    all.push_back(sweepable("discard", discard_parameter(), Sweepable::Place::discard));
  }
  for (const Parameter& option : find_view(experiment.view.name)->options) {
    const bool taken = find_parameter(system.parameters, option.name) != nullptr;
    all.push_back(sweepable((taken ? "view." : "") + option.name, option, Sweepable::Place::view_option));
  }
  return all;
}

Result<Animation> Animation::of_sweep(const Experiment& experiment, std::string_view sweep, double memory_budget) {
  Result<Sweepable> swept = find_sweepable(experiment, sweep.substr(0, sweep.find('=')));
  if (!swept) return tl::unexpected(swept.error());
  Result<std::vector<ParameterValue>> values = values_of(experiment, *swept, sweep);
  if (!values) return tl::unexpected(values.error());
  for (const ParameterValue& value : *values) {
    const Result<Experiment> frame = with_value(experiment, *swept, value);
    if (!frame) return tl::unexpected(frame.error());
    if (const Result<void> fits = validate(*frame, memory_budget); !fits)
      return fail("with " + swept->name + " " + value_text(value) + ": " + fits.error().message);
  }
  Animation animation;
  animation.base_ = experiment;
  animation.swept_ = std::move(*swept);
  animation.sweep_ = sweep;
  animation.values_ = std::move(*values);
  animation.decimals_ = decimals_of(animation.values_);
  animation.rate_ = animation.swept_.parameter.kind == Parameter::Kind::real ? kSmoothRate : kSingleRate;
  return animation;
}

Result<Animation> Animation::of_lesson(std::shared_ptr<const Lesson> lesson, double memory_budget) {
  for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
    if (const Result<void> fits = validate(lesson->steps[i].experiment, memory_budget); !fits)
      return fail("step " + std::to_string(i + 1) + " of the lesson: " + fits.error().message);
  }
  Animation animation;
  animation.lesson_ = std::move(lesson);
  animation.resident_ = true;
  animation.rate_ = kLessonRate;
  return animation;
}

Experiment Animation::experiment(std::size_t frame) const {
  if (lesson_ != nullptr) return lesson_->steps[frame].experiment;
  // It was tried when this was made.
  return *with_value(base_, swept_, values_[frame]);
}

Result<void> Animation::check(const Trace& trace) const {
  const std::string& name = swept_.parameter.name;
  const bool is_counted = lesson_ == nullptr && swept_.place == Sweepable::Place::view_option &&
                          swept_.parameter.kind == Parameter::Kind::integer && counts_the_trace(name);
  if (!is_counted) return {};
  const ViewChoice& choice = trace.experiment().view;
  return check_option(*find_view(choice.name), trace, name, view_options(choice)->values);
}

FigureNote Animation::note(std::size_t frame) const {
  if (lesson_ == nullptr) return {swept_.parameter.label + " = " + shown_value(swept_, values_[frame], decimals_), {}};
  const LessonStep& step = lesson_->steps[frame];
  return {place_text(lesson_->words, frame, size()) + " · " + step.title,
          step.text + "\n\n" + lesson_->words.look + ": " + step.look};
}

std::optional<LessonCell> Animation::cell(std::size_t frame) const {
  return lesson_ == nullptr ? std::nullopt : lesson_->steps[frame].cell;
}

std::string Animation::about() const { return lesson_ != nullptr ? "lesson " + lesson_->title : "sweep " + sweep_; }

int Animation::times(std::size_t frame) const {
  if (!resident_) return 1;
  const LessonStep& step = lesson_->steps[frame];
  const auto bytes = static_cast<double>(step.title.size() + step.text.size() + step.look.size());
  return static_cast<int>(std::ceil((kLookSeconds + bytes / kBytesPerSecond) * kLessonRate));
}

double Animation::seconds() const {
  double frames = 0;
  for (std::size_t i = 0; i < size(); ++i) frames += times(i);
  return frames / rate_;
}

void Animation::set_rate(double rate) {
  rate_ = rate;
  resident_ = false;
}

}  // namespace attnscope
