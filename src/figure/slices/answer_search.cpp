#include "figure/slices/answer_search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

#include "figure/slices/model_answers.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

std::string folded(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string label_of(const Model& model, Index answer) {
  const std::string number = std::to_string(answer);
  const auto found = model.config().find("id2label." + number);
  const auto* const label = found == model.config().end() ? nullptr : std::get_if<std::string>(&found->second);
  return label != nullptr ? *label : number;
}

/// The name that a search looks at.
std::string searched_name(const Model& model, AnswerKind kind, Index answer) {
  return kind == AnswerKind::label ? label_of(model, answer) : model.token_text(answer);
}

std::string_view without_space(std::string_view name) {
  return name.size() > 1 && name.front() == ' ' ? name.substr(1) : name;
}

/// How well a name fits what was typed; the smaller the better.
enum class Fit : std::size_t { is_number, same, same_but_for_case, begins, contains, none };

Fit fit_of(std::string_view name, std::string_view typed, std::string_view folded_typed) {
  if (name == typed) return Fit::same;
  const std::size_t at = folded(name).find(folded_typed);
  if (at == std::string::npos) return Fit::none;
  if (at > 0) return Fit::contains;
  return name.size() > typed.size() ? Fit::begins : Fit::same_but_for_case;
}

/// −1: it is no number.
Index number_of(std::string_view typed) {
  if (typed.starts_with('#')) typed.remove_prefix(1);
  Index number = -1;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  return error == std::errc() && end == typed.data() + typed.size() ? number : -1;
}

}  // namespace

std::string answer_text(const Experiment& experiment, Index answer) {
  const Model& model = *experiment.model;
  if (answer_kind(experiment) == AnswerKind::label) return label_of(model, answer);
  return vocabulary_text(model.token_text(answer), answer);
}

std::vector<Index> answers_named(const Experiment& experiment, std::string_view typed, Index count, std::size_t most) {
  const std::string_view wanted = without_space(typed);
  if (wanted.empty()) return {};
  const std::string folded_wanted = folded(wanted);
  std::array<std::vector<Index>, static_cast<std::size_t>(Fit::none)> by_fit;
  const Index number = number_of(typed);
  const AnswerKind kind = answer_kind(experiment);
  for (Index answer = 0; answer < count; ++answer) {
    const std::string name = searched_name(*experiment.model, kind, answer);
    const Fit fit = answer == number ? Fit::is_number : fit_of(without_space(name), wanted, folded_wanted);
    if (fit == Fit::none) continue;
    std::vector<Index>& fitting = by_fit[static_cast<std::size_t>(fit)];
    if (fitting.size() < most) fitting.push_back(answer);
  }
  std::vector<Index> found;
  for (const std::vector<Index>& fitting : by_fit)
    found.insert(found.end(), fitting.begin(),
                 fitting.begin() + static_cast<std::ptrdiff_t>(std::min(fitting.size(), most - found.size())));
  return found;
}

}  // namespace attnscope
