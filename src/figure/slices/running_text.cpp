#include "figure/slices/running_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "figure/model/labels.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";
constexpr std::string_view kSpace = "␣";
constexpr std::string_view kReturn = "↵";
constexpr std::string_view kContinued = "##";

bool same_letter(char a, char b) {
  return a == b || std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

/// The number of times that `piece` is made of `sign`, from its beginning on; 0 if anything else is in it.
Index repeated(std::string_view piece, std::string_view sign) {
  Index count = 0;
  for (; piece.starts_with(sign); piece.remove_prefix(sign.size())) ++count;
  return piece.empty() ? count : 0;
}

/// "##ing"
bool continues_word(std::string_view piece) { return piece.starts_with(kContinued) && piece != kContinued; }

/// A piece without a place in its text yet.
TextPiece piece_alone(std::string_view piece, Index id, bool special) {
  TextPiece seen;
  seen.id = id;
  seen.special = special;
  seen.spaces = std::max(repeated(piece, kSpace), repeated(piece, " "));
  if (seen.spaces > 0) return seen;
  seen.text = piece_text(piece, id);
  seen.ends_line = seen.text.ends_with(kReturn);
  return seen;
}

/// Follows the pieces through their text, to see where the spaces are.
class TextWalk {
 public:
  explicit TextWalk(const ModelText& text) : rest_(text.text) {
    spaces_in_pieces_ = std::ranges::any_of(
        text.pieces, [](const std::string& piece) { return piece.starts_with(' ') || piece.starts_with(kSpace); });
  }

  /// Whether a space is in front of the next piece.
  bool begins_word(std::string_view piece, const TextPiece& seen) {
    const Index blanks = std::max(seen.spaces, repeated(seen.text, kReturn));
    if (blanks > 0) {
      for (Index i = 0; i < blanks && !rest_.empty() && is_blank(rest_.front()); ++i) rest_.remove_prefix(1);
      return false;
    }
    std::string_view letters = seen.text;
    const bool continued = continues_word(piece);
    if (continued) letters.remove_prefix(kContinued.size());
    while (letters.ends_with(kReturn)) letters.remove_suffix(kReturn.size());
    const bool space_before = skip_blanks() || piece.starts_with(' ');
    if (take(letters)) return space_before;
    if (!seen.special && look_for(letters)) return true;
    // The text does not say it.
    return space_before || (!continued && !spaces_in_pieces_);
  }

 private:
  /// Passes these letters if they are next.
  bool take(std::string_view letters) {
    if (rest_.size() < letters.size() || !std::equal(letters.begin(), letters.end(), rest_.begin(), same_letter))
      return false;
    rest_.remove_prefix(letters.size());
    return true;
  }

  /// Passes spaces; whether there were any.
  bool skip_blanks() {
    const std::size_t before = rest_.size();
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() < before;
  }

  /// Goes on after pieces that the tokenizer changed, such as an unknown word, at the next word with these letters.
  bool look_for(std::string_view letters) {
    constexpr std::size_t kFarthest = 64;
    const std::string_view all = rest_;
    for (std::size_t i = 1; i < std::min(all.size(), kFarthest); ++i) {
      if (!is_blank(all[i - 1])) continue;
      rest_ = all.substr(i);
      if (take(letters)) return true;
    }
    rest_ = all;
    return false;
  }

  std::string_view rest_;
  bool spaces_in_pieces_ = false;  ///< they say themselves where words begin
};

void read_text(const ModelText& text, std::vector<TextPiece>& pieces) {
  TextWalk walk(text);
  bool after_special = true;
  for (std::size_t i = 0; i < text.ids.size(); ++i) {
    const std::string_view piece = i < text.pieces.size() ? std::string_view(text.pieces[i]) : std::string_view();
    TextPiece seen = piece_alone(piece, text.ids[i], i < text.special.size() && text.special[i]);
    seen.begins_word = walk.begins_word(piece, seen) || after_special || seen.special;
    after_special = seen.special;
    if (continues_word(piece) && !seen.begins_word) seen.text = seen.text.substr(kContinued.size());
    pieces.push_back(std::move(seen));
  }
}

}  // namespace

std::vector<TextPiece> running_text(const Trace& trace, std::string_view tensor, const Axis& axis, Index first,
                                    Index count, Index item) {
  const TokenNames names(trace, tensor, axis, item);
  std::vector<TextPiece> pieces;
  for (const ModelText* const text : names.texts()) read_text(*text, pieces);
  if (!pieces.empty()) return {pieces.begin() + first, pieces.begin() + first + count};
  for (Index i = first; i < first + count; ++i) {
    TextPiece piece;
    piece.text = names.of(i).value_or(position_number(i));
    piece.ends_line = piece.text.ends_with(kReturn);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace attnscope
