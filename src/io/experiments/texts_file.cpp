#include "io/experiments/texts_file.h"

#include <string>
#include <utility>

#include "io/base/printable.h"
#include "io/experiments/string_list.h"
#include "io/models/model_texts.h"

namespace attnscope {
namespace {

constexpr StringListKind kTextList = {
    .one = "text", .field = "texts", .most = kMaxTexts, .most_bytes = kMaxTextBytes, .numbers_lines = true};

Result<std::vector<StudyText>> texts_of(Result<StringList> list, const std::filesystem::path& path) {
  if (!list) return tl::unexpected(list.error());
  std::vector<StudyText> texts;
  for (std::size_t i = 0; i < list->strings.size(); ++i) {
    std::string& string = list->strings[i];
    if (list->is_json) {
      texts.push_back({"texts[" + std::to_string(i) + "]", std::move(string)});
    } else if (string.find_first_not_of(" \t\v\f\r") != std::string::npos) {
      texts.push_back({"line " + std::to_string(i + 1), std::move(string)});
    }
  }
  if (texts.empty()) return fail(path_text(path) + ": all lines are empty; allowed: one text per line");
  return texts;
}

}  // namespace

Result<std::vector<StudyText>> read_texts_file(const std::filesystem::path& path) {
  return texts_of(read_string_list(path, kTextList), path);
}

Result<std::vector<StudyText>> parse_texts(std::string_view text, const std::filesystem::path& path) {
  return texts_of(parse_string_list(text, path, kTextList), path);
}

}  // namespace attnscope
