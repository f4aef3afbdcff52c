#include "io/experiments/lesson_texts.h"

#include <algorithm>
#include <cctype>
#include <system_error>
#include <utility>

#include "core/base/text.h"
#include "io/base/file.h"
#include "io/base/printable.h"
#include "io/experiments/lesson_fields.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr const char* kTextsFormat = "attnscope-lesson-texts/1";
constexpr std::size_t kMaxLanguages = 100;
constexpr std::size_t kMaxTranslated = 200;
constexpr std::size_t kMaxLanguageBytes = 20;
constexpr std::string_view kNumber = "{}";

std::string lesson_place(const std::string& lesson) { return "lessons: " + quoted_text(lesson) + ": "; }

Result<LessonStepTexts> read_step_texts(const json& object) {
  if (!object.is_object()) return fail(json_excerpt(object) + " is not allowed; allowed: an object");
  static const std::vector<std::string> keys = {"title", "text", "look"};
  if (const Result<void> known = check_keys(object, keys, ""); !known) return tl::unexpected(known.error());
  LessonStepTexts step;
  Result<void> read = read_lesson_text(object, "title", kMaxLessonLine, step.title);
  if (read) read = read_lesson_text(object, "text", kMaxLessonText, step.text);
  if (read) read = read_lesson_text(object, "look", kMaxLessonText, step.look);
  if (!read) return tl::unexpected(read.error());
  return step;
}

Result<LessonTexts> read_translated_lesson(const json& object) {
  if (!object.is_object()) return fail(json_excerpt(object) + " is not allowed; allowed: an object");
  static const std::vector<std::string> keys = {"title", "summary", "steps"};
  if (const Result<void> known = check_keys(object, keys, ""); !known) return tl::unexpected(known.error());
  LessonTexts lesson;
  Result<void> read = read_lesson_text(object, "title", kMaxLessonLine, lesson.title);
  if (read) read = read_lesson_text(object, "summary", kMaxLessonText, lesson.summary);
  if (!read) return tl::unexpected(read.error());
  const Result<const json*> steps = lesson_steps(object);
  if (!steps) return tl::unexpected(steps.error());
  for (const json& each : **steps) {
    Result<LessonStepTexts> step = read_step_texts(each);
    if (!step) return tl::unexpected(error_in("steps[" + std::to_string(lesson.steps.size()) + "]: ", step.error()));
    lesson.steps.push_back(std::move(*step));
  }
  return lesson;
}

/// Where the next two {} begin; npos: there is none.
std::pair<std::size_t, std::size_t> places_in(std::string_view text) {
  const std::size_t first = text.find(kNumber);
  return {first, first == std::string_view::npos ? first : text.find(kNumber, first + kNumber.size())};
}

Result<LessonWords> read_words(const json& document) {
  LessonWords words;
  const auto found = document.find("words");
  if (found == document.end()) return words;
  if (!found->is_object()) return lesson_not_allowed("words", *found, "an object");
  static const std::vector<std::string> keys = {"look", "place"};
  Result<void> read = check_keys(*found, keys, "");
  if (read) read = read_lesson_text(*found, "look", kMaxLessonLine, words.look);
  if (read) read = read_lesson_text(*found, "place", kMaxLessonLine, words.place);
  if (!read) return tl::unexpected(error_in("words: ", read.error()));
  const auto [first, second] = places_in(words.place);
  if (second == std::string::npos || words.place.find(kNumber, second + kNumber.size()) != std::string::npos)
    return lesson_not_allowed("words: place", words.place, "a text with {} twice");
  return words;
}

Result<TranslatedLessons> read_texts_document(const json& document) {
  static const std::vector<std::string> keys = {"format", "language", "name", "words", "lessons"};
  if (const Result<void> known = check_keys(document, keys, ""); !known) return tl::unexpected(known.error());
  TranslatedLessons texts;
  constexpr const char* kAllowed = R"(a code like "de" or "pt-BR", but not "en")";
  Result<const json*> language = lesson_member(document, "language", kAllowed);
  if (!language) return tl::unexpected(language.error());
  if (!(*language)->is_string() || !is_translation_language((*language)->get_ref<const std::string&>()))
    return lesson_not_allowed("language", **language, kAllowed);
  texts.language = (*language)->get<std::string>();
  if (const Result<void> read = read_lesson_text(document, "name", kMaxLessonLine, texts.name); !read)
    return tl::unexpected(read.error());
  const Result<LessonWords> words = read_words(document);
  if (!words) return tl::unexpected(words.error());
  const std::string some = "an object with 1 to " + std::to_string(kMaxTranslated) + " lessons";
  const Result<const json*> lessons = lesson_member(document, "lessons", some);
  if (!lessons) return tl::unexpected(lessons.error());
  if (!(*lessons)->is_object() || (*lessons)->empty() || (*lessons)->size() > kMaxTranslated)
    return lesson_not_allowed("lessons", **lessons, some);
  for (const auto& [name, value] : (*lessons)->items()) {
    Result<LessonTexts> lesson = read_translated_lesson(value);
    if (!lesson) return tl::unexpected(error_in(lesson_place(name), lesson.error()));
    lesson->words = *words;
    texts.lessons.emplace(name, std::move(*lesson));
  }
  return texts;
}

/// The files in a folder that end with .json, in the order of their names.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") paths.push_back(entry->path());
  }
  std::ranges::sort(paths);
  return paths;
}

/// Whether the file is called like its language, and its lessons like files beside it.
Result<void> check_names(const TranslatedLessons& texts, const std::string& language,
                         const std::vector<std::string>& lessons) {
  if (texts.language != language)
    return lesson_not_allowed("language", texts.language, quoted_text(language) + ", as the file is called");
  for (const auto& [name, lesson] : texts.lessons) {
    if (std::ranges::find(lessons, name) == lessons.end())
      return fail(lesson_place(name) + "there is no such lesson" + suggestion_text(name, lessons));
  }
  return {};
}

Result<std::shared_ptr<const TranslatedLessons>> read_lesson_texts(const std::filesystem::path& path,
                                                                   const std::vector<std::string>& lessons) {
  const Result<std::string> text = read_file(path, kMaxLessonBytes);
  if (!text) return tl::unexpected(text.error());
  Result<TranslatedLessons> texts = parse_lesson_texts(*text, path_text(path));
  if (!texts) return tl::unexpected(texts.error());
  if (const Result<void> fits = check_names(*texts, path.stem().string(), lessons); !fits)
    return tl::unexpected(error_in(path_text(path) + ": ", fits.error()));
  return std::make_shared<const TranslatedLessons>(std::move(*texts));
}

}  // namespace

std::string place_text(const LessonWords& words, std::size_t step, std::size_t count) {
  const auto [first, second] = places_in(words.place);
  const std::size_t between = first + kNumber.size();
  return words.place.substr(0, first) + std::to_string(step + 1) + words.place.substr(between, second - between) +
         std::to_string(count) + words.place.substr(second + kNumber.size());
}

bool is_translation_language(std::string_view language) {
  const auto plain = [](char byte) { return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '-'; };
  return !language.empty() && language.size() <= kMaxLanguageBytes && language != kLessonLanguage &&
         std::ranges::all_of(language, plain);
}

Result<TranslatedLessons> parse_lesson_texts(std::string_view text, std::string_view name) {
  Result<TranslatedLessons> texts =
      lesson_document(text, kTextsFormat, "texts of lessons").and_then(read_texts_document);
  if (!texts) return tl::unexpected(error_in(std::string(name) + ": ", texts.error()));
  return texts;
}

std::vector<LessonTextsFile> lesson_texts_beside(const std::filesystem::path& lessons) {
  // As of a lesson in the current folder.
  const std::filesystem::path folder = lessons.empty() ? "." : lessons;
  std::vector<std::filesystem::path> paths = json_files(folder / "translations");
  if (paths.empty()) return {};
  if (paths.size() > kMaxLanguages) paths.resize(kMaxLanguages);
  std::vector<std::string> names;
  for (const std::filesystem::path& path : json_files(folder)) names.push_back(path.stem().string());
  std::vector<LessonTextsFile> files;
  files.reserve(paths.size());
  for (const std::filesystem::path& path : paths)
    files.push_back({path.stem().string(), path, read_lesson_texts(path, names)});
  return files;
}

}  // namespace attnscope
