// What Unicode says about characters, as the Hugging Face tokenizers library understands it.
#pragma once

#include "io/tokenizers/aligned_text.h"

namespace attnscope {

/// The property White_Space.
bool is_whitespace(char32_t point);
/// ASCII punctuation and symbols, and the general category P.
bool is_punctuation(char32_t point);
/// Control, format, private and unassigned characters, but not tab and line ends, which are white space to BERT.
bool is_control(char32_t point);
/// The blocks of Han characters that BERT treats as words.
bool is_han(char32_t point);
/// The general category N.
bool is_numeric(char32_t point);
/// The general category M, or only its part Mn.
bool is_mark(char32_t point);
bool is_nonspacing_mark(char32_t point);
/// A letter, mark, digit or connector: \w.
bool is_word_character(char32_t point);
/// Appends the lower case of `point`, which may be two characters.
void append_lowercase(std::string& to, char32_t point);
/// The text in lower case.
std::string lowercase_text(std::string_view text);

enum class NormalForm { nfc, nfd, nfkc, nfkd };

/// The text in a normal form. Characters that do not affect each other keep their own origins.
AlignedText normal_form(const AlignedText& text, NormalForm form);

}  // namespace attnscope
