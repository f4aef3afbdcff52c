#include "io/experiments/lesson_file.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/studies/equivalence.h"
#include "figure/views/view.h"
#include "io/base/data_files.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr const char* kLessonFormat = "attnscope-lesson/1";
constexpr std::uint64_t kMaxLessonBytes = 2'000'000;
constexpr std::size_t kMaxSteps = 60;
constexpr std::size_t kMaxLineBytes = 200;
constexpr std::size_t kMaxTextBytes = 4000;
constexpr std::size_t kMaxReference = 16;
constexpr std::size_t kMaxReferenceRows = 64;
constexpr std::size_t kMaxReferenceBytes = 32;

Error within(std::string_view where, const Error& error) { return {std::string(where) + error.message, error.kind}; }

tl::unexpected<Error> lesson_not_allowed(std::string_view field, const json& value, std::string_view allowed) {
  return fail(std::string(field) + ": " + json_excerpt(value) + " is not allowed; allowed: " + std::string(allowed));
}

/// The member of that name; an error if it is missing.
Result<const json*> member(const json& object, const char* name, std::string_view allowed) {
  const auto found = object.find(name);
  if (found == object.end()) return fail(std::string(name) + " is missing; allowed: " + std::string(allowed));
  return &*found;
}

Result<void> read_text(const json& object, const char* name, std::size_t most, std::string& to) {
  const std::string allowed = "a string of 1 to " + std::to_string(most) + " bytes";
  const Result<const json*> value = member(object, name, allowed);
  if (!value) return tl::unexpected(value.error());
  const auto* text = (*value)->get_ptr<const std::string*>();
  if (text == nullptr || text->empty() || text->size() > most) return lesson_not_allowed(name, **value, allowed);
  to = *text;
  return {};
}

// Printed numbers.

/// "-0.1520" as "−0.1520", the way computed numbers are written.
Result<std::string> digits(const json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  const bool plain = text != nullptr && !text->empty() && text->size() <= kMaxReferenceBytes &&
                     text->find_first_not_of("-.0123456789") == std::string::npos && parse_real(*text);
  if (!plain) return lesson_not_allowed("printed", value, "decimal numbers as strings, like \"-0.1520\"");
  return text->front() == '-' ? "−" + text->substr(1) : *text;
}

Result<std::vector<std::string>> digit_row(const json& values) {
  if (values.size() > kMaxReferenceRows || values.empty())
    return lesson_not_allowed("printed", values, "rows of 1 to " + std::to_string(kMaxReferenceRows) + " numbers");
  std::vector<std::string> row;
  for (const json& value : values) {
    Result<std::string> text = digits(value);
    if (!text) return tl::unexpected(text.error());
    row.push_back(std::move(*text));
  }
  return row;
}

/// A number, a row of them or rows of them.
Result<void> read_digits(const json& value, ReferenceValues& printed) {
  const bool matrix = value.is_array() && !value.empty() && value.front().is_array();
  if (matrix && value.size() > kMaxReferenceRows)
    return lesson_not_allowed("printed", value, "at most " + std::to_string(kMaxReferenceRows) + " rows");
  const json rows = matrix ? value : json::array({value.is_array() ? value : json::array({value})});
  for (const json& each : rows) {
    if (!each.is_array()) return lesson_not_allowed("printed", each, "rows that are all lists");
    Result<std::vector<std::string>> row = digit_row(each);
    if (!row) return tl::unexpected(row.error());
    printed.rows.push_back(std::move(*row));
  }
  return {};
}

Result<void> read_index(const json& object, ReferenceValues& printed) {
  const auto index = object.find("index");
  if (index == object.end()) return {};
  constexpr const char* kAllowed = "a list of at most 8 whole numbers";
  if (!index->is_array() || index->size() > 8) return lesson_not_allowed("index", *index, kAllowed);
  for (const json& each : *index) {
    if (!each.is_number_unsigned()) return lesson_not_allowed("index", each, kAllowed);
    printed.index.push_back(each.get<Index>());
  }
  return {};
}

Result<ReferenceValues> read_reference_values(const json& object, std::span<const PlannedStep> steps) {
  if (!object.is_object()) return fail(json_excerpt(object) + " is not allowed; allowed: an object");
  static const std::vector<std::string> keys = {"tensor", "index", "statistic", "printed"};
  if (const Result<void> known = check_keys(object, keys, ""); !known) return tl::unexpected(known.error());
  ReferenceValues printed;
  Result<void> read = read_text(object, "tensor", kMaxLineBytes, printed.tensor);
  if (read) read = read_index(object, printed);
  if (!read) return tl::unexpected(read.error());
  if (const auto statistic = object.find("statistic"); statistic != object.end()) {
    if (*statistic != "mean" && *statistic != "std") return lesson_not_allowed("statistic", *statistic, "mean or std");
    if (!printed.index.empty()) return fail("statistic and index: only one of them is allowed");
    printed.statistic = statistic->get<std::string>();
  }
  const Result<const json*> numbers =
      member(object, "printed", "a number as a string, a list of them or a list of lists");
  if (!numbers) return tl::unexpected(numbers.error());
  if (!printed.statistic.empty() && !(*numbers)->is_string())
    return lesson_not_allowed("printed", **numbers, "one number as a string, because of the statistic");
  read = read_digits(**numbers, printed);
  if (read) read = check_reference(steps, printed);
  if (!read) return tl::unexpected(read.error());
  return printed;
}

// Steps.

/// Only models in the folder "models" beside that of the lessons are read.
Result<void> check_model_path(const json& experiment) {
  const auto found = experiment.find("model");
  if (found == experiment.end()) return {};
  const auto* text = found->get_ptr<const std::string*>();
  const std::filesystem::path path = text != nullptr ? std::filesystem::path(*text).lexically_normal() : "";
  const std::vector<std::filesystem::path> parts(path.begin(), path.end());
  const bool inside = parts.size() >= 3 && parts[0] == ".." && parts[1] == "models" && !parts[2].empty();
  if (!inside) return lesson_not_allowed("model", *found, "the path of a bundled model, like \"../models/stories\"");
  return {};
}

/// A lesson elsewhere than in the folder of those that come along means the models that come along, unless it has its
/// own beside it.
void set_model(json& experiment, const std::filesystem::path& folder) {
  const auto model = experiment.find("model");
  std::error_code error;
  if (model == experiment.end() || std::filesystem::exists(folder / model->get<std::string>(), error)) return;
  if (const Result<std::filesystem::path> bundled = data_file("assets/lessons"); bundled)
    *model = (*bundled / model->get<std::string>()).lexically_normal().string();
}

Result<Experiment> read_step_experiment(const json& object, const std::filesystem::path& folder) {
  const Result<const json*> value = member(object, "experiment", "an experiment");
  if (!value) return tl::unexpected(value.error());
  if (!(*value)->is_object()) return lesson_not_allowed("experiment", **value, "an experiment");
  if (const Result<void> inside = check_model_path(**value); !inside)
    return tl::unexpected(within("experiment: ", inside.error()));
  json found = **value;
  set_model(found, folder);
  Result<Experiment> experiment = experiment_from_json(found, folder);
  if (!experiment) return tl::unexpected(within("experiment: ", experiment.error()));
  if (const Result<void> valid = validate(*experiment); !valid)
    return tl::unexpected(within("experiment: ", valid.error()));
  if (const Result<ViewOptions> view = view_options(experiment->view); !view)
    return tl::unexpected(within("experiment: ", view.error()));
  return experiment;
}

Result<void> read_cell(const json& object, std::span<const PlannedStep> steps, LessonStep& step) {
  const auto cell = object.find("cell");
  if (cell == object.end()) return {};
  if (!cell->is_string()) return lesson_not_allowed("cell", *cell, "a string like \"weights[0,1]\"");
  const Result<CellReference> reference = parse_cell(steps, cell->get_ref<const std::string&>());
  if (!reference) return tl::unexpected(within("cell: ", reference.error()));
  step.cell = LessonCell{steps[static_cast<std::size_t>(reference->step)].name, reference->index};
  return {};
}

Result<void> read_all_reference_values(const json& object, std::span<const PlannedStep> steps, LessonStep& step) {
  const auto list = object.find("printed");
  if (list == object.end()) return {};
  if (!list->is_array() || list->size() > kMaxReference)
    return lesson_not_allowed("printed", *list, "a list of at most " + std::to_string(kMaxReference) + " objects");
  for (const json& each : *list) {
    Result<ReferenceValues> printed = read_reference_values(each, steps);
    if (!printed)
      return tl::unexpected(within("printed[" + std::to_string(step.printed.size()) + "]: ", printed.error()));
    step.printed.push_back(std::move(*printed));
  }
  return {};
}

Result<void> read_equivalence(const json& object, LessonStep& step) {
  const auto name = object.find("equivalence");
  if (name == object.end()) return {};
  std::vector<std::string> names;
  for (const Equivalence& each : equivalences()) names.push_back(each.name);
  const auto* text = name->get_ptr<const std::string*>();
  const Equivalence* equivalence = text == nullptr ? nullptr : find_equivalence(*text);
  if (equivalence == nullptr) return lesson_not_allowed("equivalence", *name, join(names, ", "));
  step.equivalence = *text;
  if (const Result<EquivalenceSides> sides = equivalence_sides(*equivalence, step.experiment); !sides)
    return tl::unexpected(within("equivalence: ", sides.error()));
  return {};
}

Result<LessonStep> read_step(const json& object, const std::filesystem::path& folder) {
  if (!object.is_object()) return fail(json_excerpt(object) + " is not allowed; allowed: an object");
  static const std::vector<std::string> keys = {"title", "text",    "look",       "experiment",
                                                "cell",  "printed", "equivalence"};
  if (const Result<void> known = check_keys(object, keys, ""); !known) return tl::unexpected(known.error());
  LessonStep step;
  Result<void> read = read_text(object, "title", kMaxLineBytes, step.title);
  if (read) read = read_text(object, "text", kMaxTextBytes, step.text);
  if (read) read = read_text(object, "look", kMaxTextBytes, step.look);
  if (!read) return tl::unexpected(read.error());
  Result<Experiment> experiment = read_step_experiment(object, folder);
  if (!experiment) return tl::unexpected(experiment.error());
  step.experiment = std::move(*experiment);
  const std::vector<PlannedStep> steps = plan(step.experiment).steps;
  read = read_cell(object, steps, step);
  if (read) read = read_all_reference_values(object, steps, step);
  if (read) read = read_equivalence(object, step);
  if (!read) return tl::unexpected(read.error());
  return step;
}

/// Gives the step the model of an earlier step if that is the same one: numbers that do not change are then reused.
void share_model(const std::vector<LessonStep>& earlier, Experiment& experiment) {
  if (experiment.model == nullptr) return;
  const auto same = std::ranges::find_if(earlier, [&](const LessonStep& step) {
    return step.experiment.model != nullptr && step.experiment.model->folder() == experiment.model->folder();
  });
  if (same != earlier.end()) experiment.model = same->experiment.model;
}

Result<Lesson> read_document(const json& document, const std::filesystem::path& folder) {
  if (!document.is_object()) return fail("the file holds " + json_excerpt(document) + "; allowed: an object");
  const std::string allowed = std::string("\"") + kLessonFormat + "\"";
  const Result<const json*> format = member(document, "format", allowed);
  if (!format) return tl::unexpected(format.error());
  if (**format != kLessonFormat) return lesson_not_allowed("format", **format, allowed);
  static const std::vector<std::string> keys = {"format", "title", "source", "summary", "steps"};
  if (const Result<void> known = check_keys(document, keys, ""); !known) return tl::unexpected(known.error());
  Lesson lesson;
  Result<void> read = read_text(document, "title", kMaxLineBytes, lesson.title);
  if (read) read = read_text(document, "source", kMaxLineBytes, lesson.source);
  if (read) read = read_text(document, "summary", kMaxTextBytes, lesson.summary);
  if (!read) return tl::unexpected(read.error());
  const std::string some = "a list of 1 to " + std::to_string(kMaxSteps) + " steps";
  const Result<const json*> steps = member(document, "steps", some);
  if (!steps) return tl::unexpected(steps.error());
  if (!(*steps)->is_array() || (*steps)->empty() || (*steps)->size() > kMaxSteps)
    return lesson_not_allowed("steps", **steps, some);
  for (const json& each : **steps) {
    Result<LessonStep> step = read_step(each, folder);
    if (!step) return tl::unexpected(within("steps[" + std::to_string(lesson.steps.size()) + "]: ", step.error()));
    share_model(lesson.steps, step->experiment);
    lesson.steps.push_back(std::move(*step));
  }
  return lesson;
}

}  // namespace

Result<Lesson> parse_lesson(std::string_view text, std::string_view name, const std::filesystem::path& folder) {
  const std::string prefix = std::string(name) + ": ";
  if (text.empty()) return fail(prefix + "the file is empty; allowed: a lesson, format \"" + kLessonFormat + "\"");
  if (const std::string what = stand_in(text); !what.empty()) return fail(prefix + "this is " + what);
  const Result<json> document = parse_json(text, {32, 200'000});
  if (!document) return tl::unexpected(within(prefix, document.error()));
  Result<Lesson> lesson = read_document(*document, folder);
  if (!lesson) return tl::unexpected(within(prefix, lesson.error()));
  return lesson;
}

bool is_lesson_file(const std::filesystem::path& path) {
  constexpr std::string_view kAnyVersion = "attnscope-lesson/";
  const Result<std::string> text = read_file(path, kMaxLessonBytes);
  if (!text || text->find(kAnyVersion) == std::string::npos) return false;
  const Result<json> document = parse_json(*text, {32, 200'000});
  if (!document || !document->is_object()) return false;
  const auto format = document->find("format");
  return format != document->end() && format->is_string() &&
         format->get_ref<const std::string&>().starts_with(kAnyVersion);
}

Result<Lesson> read_lesson(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path, kMaxLessonBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_lesson(*text, path_text(path), folder_of(path));
}

std::vector<LessonFile> lessons_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") paths.push_back(entry->path());
  }
  // By the numbers that the names begin with: 10 comes after 9.
  const auto number = [](const std::filesystem::path& path) {
    const std::string name = path.stem().string();
    return parse_integer(name.substr(0, name.find('-'))).value_or(0);
  };
  std::ranges::sort(paths, {}, [&](const std::filesystem::path& path) { return std::pair(number(path), path); });
  std::vector<LessonFile> files;
  files.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    files.push_back({path.stem().string(), read_lesson(path).map([](Lesson lesson) {
                       return std::shared_ptr<const Lesson>(std::make_shared<const Lesson>(std::move(lesson)));
                     })});
  }
  return files;
}

std::vector<LessonFile> find_lessons() {
  const Result<std::filesystem::path> folder = data_file("assets/lessons");
  return folder ? lessons_in(*folder) : std::vector<LessonFile>();
}

}  // namespace attnscope
