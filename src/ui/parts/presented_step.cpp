#include "ui/parts/presented_step.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/experiment/system.h"
#include "figure/model/figure.h"
#include "io/tokenizers/unicode.h"

namespace attnscope::ui {
namespace {

bool is_of_name(char each) {
  return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '_' || each == '.';
}

/// Adds a tensor that is not there yet.
void add_once(std::string tensor, std::vector<std::string>& tensors) {
  if (std::ranges::find(tensors, tensor) == tensors.end()) tensors.push_back(std::move(tensor));
}

/// Adds the tensors that are followed by an index, as in "weights[0,1]".
void add_quoted(std::string_view text, std::vector<std::string>& tensors) {
  for (std::size_t end = text.find('['); end != std::string_view::npos; end = text.find('[', end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && is_of_name(text[begin - 1])) --begin;
    std::string name(text.substr(begin, end - begin));
    if (!name.empty()) add_once(std::move(name), tensors);
  }
}

/// Adds the matrices X, X₂, Q, K and V that `look` names, of the same layer and attention as the step's cell.
void add_named(std::string_view look, const std::string& cell, std::vector<std::string>& tensors) {
  const std::string layer = cell.substr(0, cell.rfind('.') + 1);
  const bool is_cross = std::string_view(cell).substr(layer.size()).starts_with("cross_");
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kSymbols = {
      {{"X", "x"}, {"X₂", "x2"}, {"Q", "q"}, {"K", "k"}, {"V", "v"}}};
  const auto is_part_of_word = [&](std::size_t at) {
    const char each = at < look.size() ? look[at] : ' ';
    const bool is_of_quotes = static_cast<unsigned char>(each) >= 0x80;
    return (each != '.' && is_of_name(each)) || (each >= 'A' && each <= 'Z') || is_of_quotes;
  };
  for (const auto& [symbol, name] : kSymbols) {
    for (std::size_t at = look.find(symbol); at != std::string_view::npos; at = look.find(symbol, at + 1)) {
      if ((at > 0 && is_part_of_word(at - 1)) || is_part_of_word(at + symbol.size())) continue;
      const std::string before = name[0] == 'x' ? "" : name[0] == 'q' && is_cross ? layer + "cross_" : layer;
      add_once(before + name, tensors);
      break;
    }
  }
}

/// Whether the words, which begin and end with letters, are in `text`, and not a part of longer ones.
bool has_words(std::string_view text, std::string_view words) {
  const auto is_letter = [&](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + words.size())) return true;
  }
  return false;
}

/// The sentences that tell somebody to change something, from that verb on, in lower case.
std::string told_changes(std::string_view look) {
  constexpr std::array<std::string_view, 6> kVerbs = {"drag", "set", "change", "choose", "switch", "try"};
  const std::string text = lowercase_text(look);
  std::string told;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(".:?;", begin), text.size() - 1) + 1;
    const std::string_view sentence = std::string_view(text).substr(begin, end - begin);
    std::size_t first = sentence.size();
    for (const std::string_view verb : kVerbs) {
      if (has_words(sentence, verb)) first = std::min(first, sentence.find(verb));
    }
    told += sentence.substr(first);
    begin = end;
  }
  return told;
}

}  // namespace

std::vector<std::string> controls_of_step(const LessonStep& step) {
  const System* const system = find_system(step.experiment.system);
  if (system == nullptr) return {};
  const std::string told = told_changes(step.look);
  std::vector<std::string> names;
  for (const Parameter& parameter : system->parameters) {
    if (has_words(told, lowercase_text(parameter.label))) names.push_back(parameter.name);
  }
  // That one belongs to the control of the mask.
  if (names.empty() && has_words(told, "window radius")) names.emplace_back("mask");
  if (system->uses_seed && has_words(told, "seed")) names.emplace_back("seed");
  if (has_words(told, "labels")) names.emplace_back("labels");
  const bool switches = has_words(told, "switch") && (has_words(told, "off") || has_words(told, "on"));
  if (switches && system->name == "transformer") names.emplace_back("interventions");
  return names;
}

bool speaks_of_inspector(const LessonStep& step) { return has_words(lowercase_text(step.look), "inspector"); }

std::vector<std::string> tensors_of_step(const LessonStep& step) {
  std::vector<std::string> tensors;
  if (step.cell) tensors.push_back(step.cell->tensor);
  add_quoted(step.text, tensors);
  add_quoted(step.look, tensors);
  if (step.cell) add_named(step.look, step.cell->tensor, tensors);
  return tensors;
}

double presenting_size(double width, double height) {
  const double letters = kPresentedLetters / TypeSize::kSmall;
  return letters * std::max(1.0, std::min(width / kPresentedWidth, height / kPresentedHeight));
}

bool PresentedStep::set(const LessonStep* step, bool all) {
  if (step == step_ && all == all_) return false;
  if (step != step_) tensors_ = step != nullptr ? tensors_of_step(*step) : std::vector<std::string>();
  step_ = step;
  all_ = all;
  place_ = {};
  return step == nullptr || all;
}

bool PresentedStep::arrives_at(Place place) {
  if (place == place_) return false;
  place_ = place;
  return true;
}

}  // namespace attnscope::ui
