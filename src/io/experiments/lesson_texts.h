// The texts of lessons in other languages, one JSON file a language, format "attnscope-lesson-texts/1". They are in the
// folder "translations" beside the lessons, which is the same for lessons of one's own.
//
//   {
//     "format": "attnscope-lesson-texts/1",
//     "language": "de",                                    as the file is called: "de.json"
//     "name": "Deutsch",                                   as the menu calls it
//     "words": {"look": "SCHAU HIN", "place": "Schritt {} von {}"},   around the texts of a step; may be missing
//     "lessons": {
//       "1-why-attention": {                               the lesson's file without .json
//         "title": "…", "summary": "…",
//         "steps": [{"title": "…", "text": "…", "look": "…"}]
//       }
//     }
//   }
//
// A file has some of the lessons or all. Those that it has, it has whole: as many steps as the lesson, every text, within
// the limits of lessons. Everything else is refused with one line that names file, lesson, field, value and limit; then the
// lesson is shown as it was written.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The language of the lessons themselves.
inline constexpr std::string_view kLessonLanguage = "en";

/// What stands around the texts of a step.
struct LessonWords {
  std::string look = "LOOK AT";         ///< above what to look at
  std::string place = "step {} of {}";  ///< with {} twice: the number of the step, and how many there are
};

/// "step 2 of 8", for a step that counts from 0.
std::string place_text(const LessonWords& words, std::size_t step, std::size_t count);

struct LessonStepTexts {
  std::string title;
  std::string text;
  std::string look;
};

/// The texts of one lesson in one language.
struct LessonTexts {
  std::string title;
  std::string summary;
  LessonWords words;
  std::vector<LessonStepTexts> steps;
};

/// A translation of a lesson, or what is wrong with it.
struct LessonTranslation {
  std::string language;  ///< "de"
  std::string name;      ///< "Deutsch"; the language where the file cannot be read
  std::filesystem::path path;
  Result<LessonTexts> texts;
};

/// What a file holds.
struct TranslatedLessons {
  std::string language;
  std::string name;
  std::map<std::string, LessonTexts, std::less<>> lessons;  ///< by the names of the lessons' files without .json
};

/// A file that exists, and its contents or what is wrong with it.
struct LessonTextsFile {
  std::string language;  ///< the name of the file without .json
  std::filesystem::path path;
  Result<std::shared_ptr<const TranslatedLessons>> texts;
};

/// Whether a translation can be of that language: "de", "pt-BR", but not that of the lessons themselves.
bool is_translation_language(std::string_view language);

/// The translations of the lessons in a folder, in the order of their languages; none if there is no folder of them.
std::vector<LessonTextsFile> lesson_texts_beside(const std::filesystem::path& lessons);

/// One from text; messages call the file `name`.
Result<TranslatedLessons> parse_lesson_texts(std::string_view text, std::string_view name);

}  // namespace attnscope
