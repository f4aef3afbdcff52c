// The search for a token in the figure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "figure/slices/found_tokens.h"
#include "ui/imgui/style.h"

namespace attnscope::ui {

/// A row with a field for a part of the token, without regard to upper and lower case, or for its number.
class TokenSearch {
 public:
  /// Shows the row and gives its field the keyboard.
  void open();
  void close();
  [[nodiscard]] bool is_open() const { return open_; }

  /// At the cursor of the current ImGui window.
  void row(const Style& style);

  /// Searches in a figure, which has that number, where it is another one than before.
  void search(const Figure& figure, const Trace& trace, std::uint64_t number);

  /// In order; empty while it is closed.
  [[nodiscard]] std::span<const FoundToken> found() const { return found_; }
  /// The one that the user has got to, as an index into `found`.
  [[nodiscard]] std::size_t current() const { return current_; }
  /// Whether the user got there in this frame: it is to be brought into view.
  [[nodiscard]] bool arrived() const { return arrived_; }

 private:
  /// To the next one, or back.
  void go(bool back);

  bool open_ = false;
  bool focus_ = false;
  std::string text_;
  std::string searched_;           ///< what `found_` is for
  std::uint64_t searched_in_ = 0;  ///< the same, number of the figure
  std::vector<FoundToken> found_;
  bool has_more_ = false;  ///< tokens that were not looked at
  std::size_t current_ = 0;
  bool moved_ = false;  ///< since the last search
  bool arrived_ = false;
};

}  // namespace attnscope::ui
