// The texts beside the rows and columns of matrices.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace attnscope {

/// Labels of one axis, one for each row or column. Copies share the texts, and what was found out about them: matrices
/// side by side have the same ones, and a figure is copied while it moves.
class Labels {
 public:
  using const_iterator = std::vector<std::string>::const_iterator;  // NOLINT(readability-identifier-naming)

  Labels() = default;
  // As a list of texts wherever one is at hand.
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

  /// The width of the widest one, set in the regular weight of that size.
  [[nodiscard]] double widest(double size) const;
  /// Whether they are the numbers from 0 on.
  [[nodiscard]] bool are_counted() const { return all_ != nullptr && all_->counted; }

  friend bool operator==(const Labels& a, const Labels& b) { return a.all_ == b.all_ || a.texts() == b.texts(); }

 private:
  struct All {
    std::vector<std::string> texts;
    double widest = 0;  ///< in 1/1000 em
    bool counted = false;
  };
  std::shared_ptr<const All> all_;  ///< null: none
};

}  // namespace attnscope
