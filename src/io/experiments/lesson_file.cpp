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
#include "io/base/path_json.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/experiments/lesson_fields.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr const char* kLessonFormat = "attnscope-lesson/1";
constexpr std::size_t kMaxReference = 16;
constexpr std::size_t kMaxReferenceRows = 64;
constexpr std::size_t kMaxReferenceBytes = 32;

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
  Result<void> read = read_lesson_text(object, "tensor", kMaxLessonLine, printed.tensor);
  if (read) read = read_index(object, printed);
  if (!read) return tl::unexpected(read.error());
  if (const auto statistic = object.find("statistic"); statistic != object.end()) {
    if (*statistic != "mean" && *statistic != "std") return lesson_not_allowed("statistic", *statistic, "mean or std");
    if (!printed.index.empty()) return fail("statistic and index: only one of them is allowed");
    printed.statistic = statistic->get<std::string>();
  }
  const Result<const json*> numbers =
      lesson_member(object, "printed", "a number as a string, a list of them or a list of lists");
  if (!numbers) return tl::unexpected(numbers.error());
  if (!printed.statistic.empty() && !(*numbers)->is_string())
    return lesson_not_allowed("printed", **numbers, "one number as a string, because of the statistic");
  read = read_digits(**numbers, printed);
  if (read) read = check_reference(steps, printed);
  if (!read) return tl::unexpected(read.error());
  return printed;
}

// Steps.

/// Only models in the folder "models" beside that of the lessons are read, and tensors in the lesson's own folder.
Result<void> check_paths(const json& experiment) {
  if (const auto tensors = experiment.find("tensors"); tensors != experiment.end()) {
    const std::optional<std::string> name = path_from_json(*tensors);
    const std::filesystem::path path = name ? std::filesystem::path(*name).lexically_normal() : "";
    if (path.empty() || path.is_absolute() || *path.begin() == "..")
      return lesson_not_allowed("tensors", *tensors, "the path of a file in the lesson's folder, like \"weights.npz\"");
  }
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
  const Result<const json*> value = lesson_member(object, "experiment", "an experiment");
  if (!value) return tl::unexpected(value.error());
  if (!(*value)->is_object()) return lesson_not_allowed("experiment", **value, "an experiment");
  if (const Result<void> inside = check_paths(**value); !inside)
    return tl::unexpected(error_in("experiment: ", inside.error()));
  json found = **value;
  set_model(found, folder);
  Result<Experiment> experiment = experiment_from_json(found, folder);
  if (!experiment) return tl::unexpected(error_in("experiment: ", experiment.error()));
  if (const Result<void> valid = validate(*experiment); !valid)
    return tl::unexpected(error_in("experiment: ", valid.error()));
  if (const Result<ViewOptions> view = view_options(experiment->view); !view)
    return tl::unexpected(error_in("experiment: ", view.error()));
  return experiment;
}

Result<void> read_cell(const json& object, std::span<const PlannedStep> steps, LessonStep& step) {
  const auto cell = object.find("cell");
  if (cell == object.end()) return {};
  if (!cell->is_string()) return lesson_not_allowed("cell", *cell, "a string like \"weights[0,1]\"");
  const Result<CellReference> reference = parse_cell(steps, cell->get_ref<const std::string&>());
  if (!reference) return tl::unexpected(error_in("cell: ", reference.error()));
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
      return tl::unexpected(error_in("printed[" + std::to_string(step.printed.size()) + "]: ", printed.error()));
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
    return tl::unexpected(error_in("equivalence: ", sides.error()));
  return {};
}

Result<LessonStep> read_step(const json& object, const std::filesystem::path& folder) {
  if (!object.is_object()) return fail(json_excerpt(object) + " is not allowed; allowed: an object");
  static const std::vector<std::string> keys = {"title", "text",    "look",       "experiment",
                                                "cell",  "printed", "equivalence"};
  if (const Result<void> known = check_keys(object, keys, ""); !known) return tl::unexpected(known.error());
  LessonStep step;
  Result<void> read = read_lesson_text(object, "title", kMaxLessonLine, step.title);
  if (read) read = read_lesson_text(object, "text", kMaxLessonText, step.text);
  if (read) read = read_lesson_text(object, "look", kMaxLessonText, step.look);
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
  static const std::vector<std::string> keys = {"format", "title", "source", "summary", "steps"};
  if (const Result<void> known = check_keys(document, keys, ""); !known) return tl::unexpected(known.error());
  Lesson lesson;
  Result<void> read = read_lesson_text(document, "title", kMaxLessonLine, lesson.title);
  if (read) read = read_lesson_text(document, "source", kMaxLessonLine, lesson.source);
  if (read) read = read_lesson_text(document, "summary", kMaxLessonText, lesson.summary);
  if (!read) return tl::unexpected(read.error());
  const Result<const json*> steps = lesson_steps(document);
  if (!steps) return tl::unexpected(steps.error());
  for (const json& each : **steps) {
    Result<LessonStep> step = read_step(each, folder);
    if (!step) return tl::unexpected(error_in("steps[" + std::to_string(lesson.steps.size()) + "]: ", step.error()));
    share_model(lesson.steps, step->experiment);
    lesson.steps.push_back(std::move(*step));
  }
  return lesson;
}

/// The texts that the files of translations have for the lesson in the file of that name.
std::vector<LessonTranslation> translations_for(const std::vector<LessonTextsFile>& files, const std::string& name,
                                                const Lesson& lesson) {
  std::vector<LessonTranslation> translations;
  for (const LessonTextsFile& file : files) {
    if (!file.texts) {
      translations.push_back({file.language, printable(file.language), file.path, tl::unexpected(file.texts.error())});
      continue;
    }
    const auto found = (*file.texts)->lessons.find(name);
    if (found == (*file.texts)->lessons.end()) continue;
    translations.push_back({file.language, (*file.texts)->name, file.path, found->second});
    const std::size_t steps = found->second.steps.size();
    if (steps == lesson.steps.size()) continue;
    translations.back().texts =
        fail(path_text(file.path) + ": lessons: " + quoted_text(name) + ": steps: there are " + std::to_string(steps) +
             ", but the lesson has " + std::to_string(lesson.steps.size()));
  }
  return translations;
}

Result<Lesson> read_lesson(const std::filesystem::path& path, const std::vector<LessonTextsFile>& translations) {
  const Result<std::string> text = read_file(path, kMaxLessonBytes);
  if (!text) return tl::unexpected(text.error());
  Result<Lesson> lesson = parse_lesson(*text, path_text(path), folder_of(path));
  if (lesson) lesson->translations = translations_for(translations, path.stem().string(), *lesson);
  return lesson;
}

}  // namespace

Result<Lesson> parse_lesson(std::string_view text, std::string_view name, const std::filesystem::path& folder) {
  const auto read = [&](const json& document) { return read_document(document, folder); };
  Result<Lesson> lesson = lesson_document(text, kLessonFormat, "a lesson").and_then(read);
  if (!lesson) return tl::unexpected(error_in(std::string(name) + ": ", lesson.error()));
  return lesson;
}

bool is_lesson_file(const std::filesystem::path& path) {
  constexpr std::string_view kAnyVersion = "attnscope-lesson/";
  const Result<std::string> text = read_file(path, kMaxLessonBytes);
  if (!text || text->find(kAnyVersion) == std::string::npos) return false;
  const Result<json> document = parse_json(*text, kLessonJson);
  if (!document || !document->is_object()) return false;
  const auto format = document->find("format");
  return format != document->end() && format->is_string() &&
         format->get_ref<const std::string&>().starts_with(kAnyVersion);
}

Result<Lesson> read_lesson(const std::filesystem::path& path) {
  return read_lesson(path, lesson_texts_beside(folder_of(path)));
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
  const std::vector<LessonTextsFile> translations = lesson_texts_beside(folder);
  std::vector<LessonFile> files;
  files.reserve(paths.size());
  for (const std::filesystem::path& path : paths) {
    files.push_back({path.stem().string(), read_lesson(path, translations).map([](Lesson lesson) {
                       return std::shared_ptr<const Lesson>(std::make_shared<const Lesson>(std::move(lesson)));
                     })});
  }
  return files;
}

const LessonTexts* texts_in(const Lesson& lesson, std::string_view language) {
  const auto found = std::ranges::find(lesson.translations, language, &LessonTranslation::language);
  return found != lesson.translations.end() && found->texts ? &*found->texts : nullptr;
}

std::shared_ptr<const Lesson> in_language(const std::shared_ptr<const Lesson>& lesson, std::string_view language) {
  const LessonTexts* texts = texts_in(*lesson, language);
  if (texts == nullptr) return lesson;
  auto translated = std::make_shared<Lesson>(*lesson);
  translated->title = texts->title;
  translated->summary = texts->summary;
  translated->words = texts->words;
  for (std::size_t i = 0; i < texts->steps.size(); ++i) {
    LessonStep& step = translated->steps[i];
    step.title = texts->steps[i].title;
    step.text = texts->steps[i].text;
    step.look = texts->steps[i].look;
  }
  return translated;
}

std::vector<LessonFile> find_lessons() {
  const Result<std::filesystem::path> folder = data_file("assets/lessons");
  return folder ? lessons_in(*folder) : std::vector<LessonFile>();
}

}  // namespace attnscope
