#include "ui/parts/formula_line.h"

#include <algorithm>
#include <cmath>

#include "figure/views/view.h"
#include "ui/imgui/imgui_canvas.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// Logical pixels.
constexpr double kSize = TypeSize::kBody;
constexpr double kSection = 18;         // between equation, notes and sentence
constexpr double kBeforeOutput = 14;    // between both equations
constexpr double kLeastSentence = 150;  // before the notes and the output give way
constexpr double kSomeSentence = 60;    // less of it says nothing
constexpr double kHeight = 19;
constexpr double kTextBaseline = 14;

double width_of_pieces(const std::vector<FormulaPiece>& pieces, const MeasureMarkup& measure) {
  double width = 0;
  for (const FormulaPiece& piece : pieces) width += measure(piece.markup);
  return width;
}

/// Puts the pieces in a row from `x` on; returns where it ends.
double append_words(FormulaLayout& layout, const std::vector<FormulaPiece>& pieces, const MeasureMarkup& measure,
                    double x, bool dim) {
  for (const FormulaPiece& piece : pieces) {
    const double width = measure(piece.markup);
    layout.words.push_back({parse_markup(piece.markup), x, width, piece.symbol, dim});
    x += width;
  }
  return x;
}

/// As much of the sentence as has room: its first clauses as a sentence of their own, or whole words and an ellipsis;
/// nothing where that would be a word or two.
std::string fitting_sentence(const std::string& sentence, double width) {
  constexpr std::ptrdiff_t kLeastWords = 3;
  const auto beginning_up_to = [&](const char* breaks, const char* behind) {
    for (std::size_t end = sentence.find_last_of(breaks); end != std::string::npos && end > 0;
         end = sentence.find_last_of(breaks, end - 1)) {
      std::string words = sentence.substr(0, end);
      if (std::ranges::count(words, ' ') + 1 < kLeastWords) break;
      words += behind;
      if (text_width(words, kSize) <= width) return words;
    }
    return std::string();
  };
  if (text_width(sentence, kSize) <= width) return sentence;
  const std::string clauses = beginning_up_to(",:;", ".");
  return clauses.empty() ? beginning_up_to(" ", " …") : clauses;
}

std::string button_id(const FormulaSymbol& symbol) { return "symbol " + symbol.id; }

/// What a symbol stands for, at once where the keyboard is on it.
void symbol_tooltip(const Style& style, const FormulaSymbol& symbol) {
  if (!is_navigating()) return tooltip(symbol.about);
  const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + style.px(4));
  ImGui::SetNextWindowPos(below);
  show_tooltip(symbol.about);
}

}  // namespace

FormulaLayout formula_layout(const AttentionFormula* formula, const std::string& sentence, double width,
                             const MeasureMarkup& measure) {
  FormulaLayout layout;
  double x = 0;
  if (formula != nullptr && width_of_pieces(formula->attention, measure) <= width) {
    x = append_words(layout, formula->attention, measure, 0, false);
    const double least = kSection + std::min(kLeastSentence, text_width(sentence, kSize));
    const auto add = [&](const std::vector<FormulaPiece>& pieces, double gap, bool dim) {
      if (x + gap + width_of_pieces(pieces, measure) + least > width) return;
      x = append_words(layout, pieces, measure, x + gap, dim);
    };
    if (!formula->output.empty()) add(formula->output, kBeforeOutput, false);
    if (!formula->notes.empty()) add({{formula->notes, -1}}, kSection, true);
    x += kSection;
  }
  layout.sentence_x = x;
  if (width - x >= std::min(kSomeSentence, text_width(sentence, kSize)))
    layout.sentence = fitting_sentence(sentence, width - x);
  return layout;
}

void FormulaLine::update(const Style& style, const std::shared_ptr<const Trace>& trace, double width) {
  const bool same = trace_.lock() == trace;
  if (same && width == width_ && style.scale == scale_) return;
  if (!same) {
    const ViewChoice& choice = trace->experiment().view;
    const View& view = *find_view(choice.name);
    sentence_ = view.summary;
    formula_.reset();
    if (shows_attention(view) && missing_for(view, *trace).empty())
      formula_ = attention_formula(*trace, shown_attention(*trace, view_options(choice)->values));
    ++made_;
  }
  trace_ = trace;
  width_ = width;
  scale_ = style.scale;
  PlacedText text;
  text.size = static_cast<double>(style.px(kSize));
  layout_ = formula_layout(formula_ ? &*formula_ : nullptr, sentence_, width, [&](const std::string& markup) {
    text.spans = parse_markup(markup);
    return static_cast<double>(drawn_width(style, text) / style.scale);
  });
}

void FormulaLine::show(const Style& style, const std::shared_ptr<const Trace>& trace) {
  const auto unit = static_cast<double>(style.scale);
  update(style, trace, std::floor(static_cast<double>(ImGui::GetContentRegionAvail().x) / unit));
  const ImVec2 start = ImGui::GetCursorPos();
  at_ = ImGui::GetCursorScreenPos();
  under_mouse_ = -1;
  const auto item_at = [&](double x) { ImGui::SetCursorPos(ImVec2(start.x + style.px(x), start.y)); };
  for (const FormulaLayout::Word& word : layout_.words) {
    if (word.symbol < 0) continue;
    const FormulaSymbol& symbol = formula_->symbols[static_cast<std::size_t>(word.symbol)];
    item_at(word.x);
    invisible_button(button_id(symbol).c_str(), ImVec2(style.px(word.width), style.px(kHeight)));
    if (!ImGui::IsItemHovered() && !(ImGui::IsItemFocused() && is_navigating())) continue;
    under_mouse_ = word.symbol;
    symbol_tooltip(style, symbol);
  }
  if (!layout_.sentence.empty()) {
    item_at(layout_.sentence_x);
    const double width = text_width(layout_.sentence, kSize);
    mouse_area("sentence", ImVec2(style.px(width), style.px(kHeight)));
    if (layout_.sentence != sentence_) tooltip(sentence_);
  }
  ImGui::SetCursorPos(ImVec2(start.x, start.y + style.px(kFormulaLine)));
}

void FormulaLine::paint(const Style& style, const std::optional<NamedCell>& inspected) const {
  if (trace_.expired()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto place = [&](double x, double y) {
    return Point{static_cast<double>(at_.x + style.px(x)), static_cast<double>(at_.y + style.px(y))};
  };
  PlacedText text;
  text.size = static_cast<double>(style.px(kSize));
  for (const FormulaLayout::Word& word : layout_.words) {
    const bool lit = word.symbol >= 0 && is_lit(formula_->symbols[static_cast<std::size_t>(word.symbol)], inspected);
    text.at = place(word.x, kTextBaseline);
    text.spans = word.spans;
    text.color = lit ? style.palette.accent : word.dim ? style.palette.dim : style.palette.text;
    draw_text(list, style, text);
    if (!lit) continue;
    const ImVec2 from(static_cast<float>(text.at.x), std::round(at_.y + style.px(kHeight - 1)));
    list.AddRectFilled(from, ImVec2(from.x + style.px(word.width), from.y + style.px(1)), color(style.palette.accent));
  }
  text.at = place(layout_.sentence_x, kTextBaseline);
  text.spans = {{layout_.sentence, TextSpan::Level::base}};
  text.color = style.palette.dim;
  draw_text(list, style, text);
}

std::span<const std::string> FormulaLine::lit() const {
  if (under_mouse_ < 0) return {};
  return formula_->symbols[static_cast<std::size_t>(under_mouse_)].tensors;
}

bool FormulaLine::is_lit(const FormulaSymbol& symbol, const std::optional<NamedCell>& inspected) const {
  // Also what stands for the same matrix elsewhere in the equation.
  const std::span<const std::string> tensors = lit();
  if (!tensors.empty()) return symbol.stands_for(tensors.front());
  return inspected && symbol.has_number_of(inspected->tensor);
}

}  // namespace attnscope::ui
