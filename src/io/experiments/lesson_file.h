// Lessons as JSON files, format "attnscope-lesson/1".
//
//   {
//     "format": "attnscope-lesson/1",
//     "title": "Attention by example",
//     "source": "a self-attention-by-example notebook",    what it retells
//     "summary": "Six tokens, from X to the output.",
//     "steps": [{
//       "title": "Six tokens",
//       "text": "…",                                       paragraphs are separated by an empty line
//       "look": "…",                                       what to look at
//       "experiment": {"format": "attnscope-experiment/1", …},
//       "cell": "weights[0,1]",                            pinned when the step is opened
//       "printed": [{"tensor": "out", "index": [0, 0], "printed": ["1.9104", "1.4186"]},
//                   {"tensor": "out", "statistic": "std", "printed": "1.0098"}],
//       "equivalence": "separate-chunked"
//     }]
//   }
//
// Paths in an experiment are relative to the lesson's folder. A model must be one of those beside it, "../models/stories":
// a lesson makes attnscope open no other folder.
//
// Texts in other languages are in the folder "translations" beside it, see lesson_texts.h.
//
// Cell, printed and equivalence may be missing. Everything else is refused with one line that names file, field, value
// and limit, and so are an experiment that cannot be computed or shown, and a cell or a printed number that it does not
// have.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/studies/reference_values.h"
#include "io/experiments/lesson_texts.h"

namespace attnscope {

/// A cell of the experiment by the name of its tensor.
struct LessonCell {
  std::string tensor;
  std::vector<Index> index;
};

struct LessonStep {
  std::string title;
  std::string text;
  std::string look;
  Experiment experiment;
  std::optional<LessonCell> cell;
  std::vector<ReferenceValues> printed;
  std::string equivalence;  ///< its name; may be empty
};

struct Lesson {
  std::string title;
  std::string source;
  std::string summary;
  std::vector<LessonStep> steps;  ///< at least one; those that name the same model share it
  LessonWords words = {};
  /// In the order of the languages; a file that cannot be read counts for every lesson beside it.
  std::vector<LessonTranslation> translations = {};
};

/// A file that exists, and its contents or what is wrong with it.
struct LessonFile {
  std::string name;  ///< of the file without .json
  Result<std::shared_ptr<const Lesson>> lesson;
};

/// The lessons that come with attnscope, in the order of their file names; none if their folder is missing.
std::vector<LessonFile> find_lessons();

/// The same for one folder.
std::vector<LessonFile> lessons_in(const std::filesystem::path& folder);

/// Whether the file says that it is a lesson, of whatever version.
bool is_lesson_file(const std::filesystem::path& path);

/// With the translations beside it.
Result<Lesson> read_lesson(const std::filesystem::path& path);

/// One from text, without translations; messages call the file `name`. Paths in the text are relative to `folder`, or to the current folder
/// if that is empty.
Result<Lesson> parse_lesson(std::string_view text, std::string_view name, const std::filesystem::path& folder = {});

/// The lesson's texts in that language; null where it has none.
const LessonTexts* texts_in(const Lesson& lesson, std::string_view language);

/// The lesson with its texts in that language; the same one where it has none.
std::shared_ptr<const Lesson> in_language(const std::shared_ptr<const Lesson>& lesson, std::string_view language);

}  // namespace attnscope
