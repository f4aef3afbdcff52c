// Texts for a model from a file.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/studies/text_study.h"

namespace attnscope {

/// The most texts in a file.
inline constexpr std::size_t kMaxTexts = 65'536;

/// Reads texts, at least one and each of at most `kMaxTextBytes`: one per line, called "line 3", with lines of blanks left
/// out; or a JSON list of strings, called "texts[2]", with none left out. Everything else in a line belongs to its text,
/// blanks at its ends too. Errors are one line that begins with the file's name.
Result<std::vector<StudyText>> read_texts_file(const std::filesystem::path& path);

/// The same from the contents of a file of that name.
Result<std::vector<StudyText>> parse_texts(std::string_view text, const std::filesystem::path& path);

}  // namespace attnscope
