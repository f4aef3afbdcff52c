// Labels of the rows and columns of matrices, and how people count them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// The number that people know a position by. Tokens, heads, layers, rows and columns count from 1 wherever a person
/// reads; tensor subscripts in brackets (`index_text`) count from 0.
std::string position_number(Index position);
/// "1", "2", …
std::vector<std::string> position_numbers(Index count);

/// Labels of one axis, one for each row or column. Copies share the texts and their widths: neighbouring matrices have
/// the same labels, and a figure is copied while it moves.
class Labels {
 public:
  using const_iterator = std::vector<std::string>::const_iterator;  // NOLINT(readability-identifier-naming)

  Labels() = default;
  // Implicit: a list of texts is a list of labels.
  Labels(std::vector<std::string> texts);  // NOLINT(google-explicit-constructor)
  Labels(std::initializer_list<std::string> texts) : Labels(std::vector<std::string>(texts)) {}

  [[nodiscard]] const std::vector<std::string>& texts() const;
  operator const std::vector<std::string>&() const { return texts(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return all_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return texts().size(); }
  [[nodiscard]] const std::string& operator[](std::size_t i) const { return texts()[i]; }
  [[nodiscard]] const std::string& front() const { return texts().front(); }
  [[nodiscard]] const std::string& back() const { return texts().back(); }
  [[nodiscard]] const_iterator begin() const { return texts().begin(); }
  [[nodiscard]] const_iterator end() const { return texts().end(); }
  void clear() { all_.reset(); }

  /// The width of the widest label in the regular weight of that size.
  [[nodiscard]] double widest(double size) const;
  /// Whether they are `position_numbers`.
  [[nodiscard]] bool are_counted() const { return all_ != nullptr && all_->counted; }

  /// Which of them stand beside the cells. Tooltips name all in any case.
  enum class Shown {
    some,         ///< as many as there is room for
    all_or_none,  ///< every second word would read like another text
    numbers,      ///< only their numbers, even where there is room for words
    none
  };
  [[nodiscard]] Shown shown() const { return all_ == nullptr ? Shown::none : shown_; }
  void show(Shown shown) { shown_ = shown; }

  friend bool operator==(const Labels& a, const Labels& b) { return a.all_ == b.all_ || a.texts() == b.texts(); }

 private:
  struct All {
    std::vector<std::string> texts;
    double widest = 0;  ///< in 1/1000 em
    bool counted = false;
  };
  std::shared_ptr<const All> all_;  ///< null: none
  Shown shown_ = Shown::some;
};

}  // namespace attnscope
