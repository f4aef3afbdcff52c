#include "figure/model/labels.h"

#include <algorithm>
#include <utility>

#include "figure/style/font_metrics.h"

namespace attnscope {

std::string position_number(Index position) { return std::to_string(position + 1); }

std::vector<std::string> position_numbers(Index count) {
  std::vector<std::string> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(position_number(i));
  return numbers;
}

Labels::Labels(std::vector<std::string> texts) {
  if (texts.empty()) return;
  All all = {std::move(texts), 0, true};
  for (std::size_t i = 0; i < all.texts.size(); ++i) {
    all.widest = std::max(all.widest, text_width(all.texts[i], 1000));
    all.counted = all.counted && all.texts[i] == position_number(static_cast<Index>(i));
  }
  all_ = std::make_shared<const All>(std::move(all));
}

const std::vector<std::string>& Labels::texts() const {
  static const std::vector<std::string> none;
  return all_ == nullptr ? none : all_->texts;
}

double Labels::widest(double size) const { return all_ == nullptr ? 0 : all_->widest * size / 1000; }

}  // namespace attnscope
