// One line above the figure: the equation of the attention that it shows, and a sentence on what it shows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure/slices/attention_formula.h"
#include "figure/style/markup.h"
#include "ui/imgui/style.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// Height of the line, with the gap below it, logical pixels.
inline constexpr double kFormulaLine = 23;

/// What stands in the line, at which place. The sentence gives way first, then the notes, the output, the equation.
struct FormulaLayout {
  struct Word {
    std::vector<TextSpan> spans;
    double x = 0;  ///< logical pixels, as all lengths here
    double width = 0;
    int symbol = -1;   ///< see FormulaPiece
    bool dim = false;  ///< a note
  };
  std::vector<Word> words;
  double sentence_x = 0;
  std::string sentence;  ///< as much as there is room for
};
/// The width of a piece of markup.
using MeasureMarkup = std::function<double(const std::string& markup)>;
/// `formula` may be null: there is only the sentence.
FormulaLayout formula_layout(const AttentionFormula* formula, const std::string& sentence, double width,
                             const MeasureMarkup& measure);

/// Placed before the figure, whose matrices it lights, and painted after it, when the inspected number is known.
class FormulaLine {
 public:
  /// Puts the line at the cursor of the current ImGui window, as wide as the window has room.
  void show(const Style& style, const std::shared_ptr<const Trace>& trace);
  /// There is no room for it in this frame: nothing is lit.
  void leave_out() { under_mouse_ = -1; }
  /// Paints it, with the symbols lit that stand for the tensor of that cell.
  void paint(const Style& style, const std::optional<NamedCell>& inspected) const;

  /// The tensors of the symbol under the mouse or the keyboard.
  [[nodiscard]] std::span<const std::string> lit() const;
  [[nodiscard]] const std::optional<AttentionFormula>& formula() const { return formula_; }
  [[nodiscard]] const FormulaLayout& layout() const { return layout_; }
  /// Whether a symbol was painted as lit.
  [[nodiscard]] bool is_lit(const FormulaSymbol& symbol, const std::optional<NamedCell>& inspected) const;
  /// How often the equation was made since the start.
  [[nodiscard]] std::uint64_t made() const { return made_; }

 private:
  void update(const Style& style, const std::shared_ptr<const Trace>& trace, double width);

  std::weak_ptr<const Trace> trace_;
  std::optional<AttentionFormula> formula_;
  std::string sentence_;
  double width_ = 0;  ///< that it was laid out for, logical pixels, at that scale
  float scale_ = 0;
  FormulaLayout layout_;
  ImVec2 at_;
  int under_mouse_ = -1;
  std::uint64_t made_ = 0;
};

}  // namespace attnscope::ui
