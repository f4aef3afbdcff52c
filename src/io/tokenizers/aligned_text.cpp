#include "io/tokenizers/aligned_text.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

AlignedText::AlignedText(std::string_view text) : text_(text), end_(static_cast<std::uint32_t>(text.size())) {
  origins_.reserve(text.size());
  for (std::uint32_t at = 0; at < end_; ++at) origins_.push_back({at, at + 1});
}

void AlignedText::append(const AlignedText& other, ByteRange range) {
  text_ += range.in(other.text_);
  const auto from = other.origins_.begin() + static_cast<std::ptrdiff_t>(range.from);
  origins_.insert(origins_.end(), from, from + static_cast<std::ptrdiff_t>(range.size()));
  if (!origins_.empty()) end_ = std::max(end_, origins_.back().to);
}

void AlignedText::append(std::string_view piece, const AlignedText& other, ByteRange range) {
  const ByteRange origin = other.origin(range);
  const Origin all = {static_cast<std::uint32_t>(origin.from), static_cast<std::uint32_t>(origin.to)};
  text_ += piece;
  origins_.resize(text_.size(), all);
  end_ = std::max(end_, all.to);
}

void AlignedText::reserve(std::size_t bytes) {
  text_.reserve(bytes);
  origins_.reserve(bytes);
}

ByteRange AlignedText::origin(ByteRange range) const {
  if (range.size() == 0) {
    const std::size_t place = range.from < origins_.size() ? origins_[range.from].from : end_;
    return {place, place};
  }
  ByteRange all = {origins_[range.from].from, origins_[range.from].to};
  for (std::size_t at = range.from + 1; at < range.to; ++at) {
    all.from = std::min<std::size_t>(all.from, origins_[at].from);
    all.to = std::max<std::size_t>(all.to, origins_[at].to);
  }
  return all;
}

Result<AlignedText> within_limit(AlignedText text) {
  if (text.size() <= AlignedText::kMaxBytes) return text;
  return fail("the normalized text would have more than " + grouped_text(Index{AlignedText::kMaxBytes}) +
              " bytes, which is the limit");
}

}  // namespace attnscope
