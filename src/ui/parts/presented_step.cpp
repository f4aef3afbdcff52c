#include "ui/parts/presented_step.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string_view>
#include <utility>

#include "app/session/next_words.h"
#include "app/session/text_edits.h"
#include "core/experiment/system.h"
#include "figure/model/figure.h"
#include "figure/views/view.h"
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

/// Adds the cell's tensor in the other layers that `look` names, as in "those of layer 1".
void add_layers(std::string_view look, const std::string& cell, std::vector<std::string>& tensors) {
  constexpr std::string_view kLayer = "layer";
  const std::size_t dot = cell.find('.');
  if (!cell.starts_with(kLayer) || dot == std::string::npos) return;
  for (std::size_t at = look.find("layer "); at != std::string_view::npos; at = look.find("layer ", at + 1)) {
    const std::size_t begin = at + kLayer.size() + 1;
    const std::size_t end = std::min(look.find_first_not_of("0123456789", begin), look.size());
    if (end > begin) add_once(std::string(kLayer).append(look.substr(begin, end - begin)) + cell.substr(dot), tensors);
  }
}

/// The words, from where they begin in `text`; npos: not there, or only as a part of longer ones.
std::size_t find_words(std::string_view text, std::string_view words) {
  const auto is_letter = [&](std::size_t at) { return at < text.size() && text[at] >= 'a' && text[at] <= 'z'; };
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + words.size())) return at;
  }
  return std::string_view::npos;
}

bool has_words(std::string_view text, std::string_view words) {
  return find_words(text, words) != std::string_view::npos;
}

/// The sentences that tell somebody to change something, from that verb on to what is then seen, in lower case.
std::string told_changes(std::string_view look) {
  constexpr std::array<std::string_view, 7> kVerbs = {"drag", "set", "change", "choose", "switch", "try", "type"};
  const std::string text = lowercase_text(look);
  std::string told;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(".:?;", begin), text.size() - 1) + 1;
    const std::string_view sentence = std::string_view(text).substr(begin, end - begin);
    std::size_t first = sentence.size();
    for (const std::string_view verb : kVerbs) {
      first = std::min(first, find_words(sentence, verb));
    }
    const std::string_view change = sentence.substr(first);
    told += change.substr(0, std::min(find_words(change, "watch"), find_words(change, "see")));
    told += ". ";
    begin = end;
  }
  return told;
}

/// Removes the words wherever they are; whether they were there.
bool remove_words(std::string& text, std::string_view words) {
  const std::size_t length = text.size();
  for (std::size_t at = find_words(text, words); at != std::string::npos; at = find_words(text, words))
    text.erase(at, words.size());
  return text.size() < length;
}

/// The positions in "probabilities[16,1]", each once.
std::vector<Index> quoted_answers(const LessonStep& step) {
  constexpr std::string_view kName = "probabilities[";
  std::vector<Index> positions;
  const int which = continued_text(step.experiment);
  if (which == 0) return positions;
  const auto tokens = std::ssize(model_text(step.experiment, which).ids);
  const std::string_view text = step.text;
  for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at + 1)) {
    const std::string_view number = text.substr(at + kName.size());
    Index position = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), position);
    const bool is_read = error == std::errc() && end != number.data() + number.size() && *end == ',';
    if (!is_read || position < 0 || position >= tokens) continue;
    if (std::ranges::find(positions, position) == positions.end()) positions.push_back(position);
  }
  return positions;
}

/// Finds the controls that the step tells to use.
void find_told(const LessonStep& step, BesideStep& beside) {
  const System* const system = find_system(step.experiment.system);
  const View* const view = find_view(step.experiment.view.name);
  if (system == nullptr || view == nullptr) return;
  std::string told = told_changes(step.look);
  std::vector<std::pair<std::string, const Parameter*>> labels;
  for (const Parameter& each : system->parameters) labels.emplace_back(lowercase_text(each.label), &each);
  for (const Parameter& each : view->options) labels.emplace_back(lowercase_text(each.label), nullptr);
  // Long ones first: "Head dimension" is not the option "Head", nor "Batch item" the parameter "Batch".
  std::ranges::stable_sort(labels, std::greater(), [](const auto& each) { return each.first.size(); });
  beside.text = has_words(told, "text") || has_words(told, "type");
  std::vector<const Parameter*> told_parameters;
  for (const auto& [label, parameter] : labels) {
    if (!remove_words(told, label)) continue;
    if (parameter != nullptr) told_parameters.push_back(parameter);
    beside.options = beside.options || parameter == nullptr;
  }
  std::ranges::sort(told_parameters);  // as they stand in the system
  for (const Parameter* const each : told_parameters) beside.controls.push_back(each->name);
  // That one belongs to the control of the mask.
  if (beside.controls.empty() && has_words(told, "window radius")) beside.controls.emplace_back("mask");
  if (system->uses_seed && has_words(told, "seed")) beside.controls.emplace_back("seed");
  if (has_words(told, "labels")) beside.controls.emplace_back("labels");
  const bool switches = has_words(told, "switch") && (has_words(told, "off") || has_words(told, "on"));
  if (!switches || system->name != "transformer") return;
  // The head that is switched is not one to be chosen.
  beside.controls.emplace_back("interventions");
  beside.options = false;
}

}  // namespace

BesideStep beside_step(const LessonStep& step) {
  BesideStep beside;
  find_told(step, beside);
  beside.inspector = has_words(lowercase_text(step.look), "inspector");
  beside.answers = quoted_answers(step);
  return beside;
}

std::vector<std::string> tensors_of_step(const LessonStep& step) {
  std::vector<std::string> tensors;
  if (has_words(step.look, "every layer")) return tensors;
  if (step.cell) tensors.push_back(step.cell->tensor);
  add_quoted(step.text, tensors);
  add_quoted(step.look, tensors);
  if (step.cell) add_named(step.look, step.cell->tensor, tensors);
  if (step.cell) add_layers(step.look, step.cell->tensor, tensors);
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
