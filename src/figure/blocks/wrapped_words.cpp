#include "figure/blocks/wrapped_words.h"

#include <algorithm>
#include <cmath>

#include "figure/model/figure.h"

namespace attnscope {
namespace {

constexpr double kLine = 1.7;  // relative to the type
constexpr double kHairline = 1;
constexpr double kBetweenLines = 2;
constexpr double kLeastWidth = 6;
constexpr double kMaxPiece = 240;
constexpr double kSpecialType = 0.85;
constexpr double kSpecialPadding = 4;
constexpr double kSpecialDistance = 4;

class Wrapper {
 public:
  Wrapper(const std::vector<TextPiece>& pieces, double width, double size)
      : pieces_(pieces),
        width_(width),
        size_(size),
        space_(text_width(" ", size)),
        padding_(std::ceil(space_ / 2)),
        line_(std::ceil(kLine * size)) {}

  WrappedWords wrapped() {
    for (std::size_t i = 0; i < pieces_.size();) {
      const std::size_t end = end_of_word(i);
      double word = 0;
      for (std::size_t k = i; k < end; ++k) word += place(k).box.width + kHairline;
      if (x_ > 0 && x_ + word - kHairline > width_) break_line();
      for (; i < end; ++i) add(i);
    }
    out_.height = y_ + (x_ > 0 || out_.pieces.empty() ? line_ : 0) - kBetweenLines;
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t end_of_word(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < pieces_.size() && !pieces_[end].begins_word && pieces_[end - 1].spaces == 0 &&
           !pieces_[end - 1].ends_line)
      ++end;
    return end;
  }

  /// The size of a piece; half of the space between two words belongs to each of them.
  [[nodiscard]] PlacedPiece place(std::size_t i) const {
    const TextPiece& piece = pieces_[i];
    PlacedPiece placed;
    placed.size = piece.special ? std::round(kSpecialType * size_) : size_;
    placed.text = shortened_text(piece.text, std::min(kMaxPiece, width_ - 2 * kSpecialPadding), placed.size);
    const double width = text_width(placed.text, placed.size) + space_ * static_cast<double>(piece.spaces);
    const bool ends_word = i + 1 == pieces_.size() || pieces_[i + 1].begins_word || piece.ends_line;
    const double before = piece.special ? kSpecialPadding : piece.begins_word ? padding_ : 0;
    const double after = piece.special ? kSpecialPadding : ends_word ? padding_ : 0;
    const double all = std::max(kLeastWidth, std::ceil(before + width + after));
    // What rounding adds is on both sides.
    placed.indent = before + (all - before - width - after) / 2;
    placed.box = {0, 0, all, line_ - kBetweenLines};
    return placed;
  }

  void add(std::size_t i) {
    PlacedPiece placed = place(i);
    if (pieces_[i].special && x_ > 0) x_ += kSpecialDistance;
    if (x_ > 0 && x_ + placed.box.width > width_) break_line();
    placed.box.x = x_;
    placed.box.y = y_;
    out_.width = std::max(out_.width, placed.box.right());
    x_ += placed.box.width + kHairline + (pieces_[i].special ? kSpecialDistance : 0);
    out_.pieces.push_back(std::move(placed));
    if (pieces_[i].ends_line) break_line();
  }

  void break_line() {
    x_ = 0;
    y_ += line_;
  }

  const std::vector<TextPiece>& pieces_;
  double width_;
  double size_;
  double space_;
  double padding_;
  double line_;
  double x_ = 0;
  double y_ = 0;
  WrappedWords out_;
};

}  // namespace

WrappedWords wrapped_words(const std::vector<TextPiece>& pieces, double width, double size) {
  return Wrapper(pieces, width, size).wrapped();
}

}  // namespace attnscope
