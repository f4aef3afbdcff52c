#include "app/session/text_edits.h"

#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/models/models.h"
#include "io/models/model_texts.h"

namespace attnscope {
namespace {

Result<std::vector<Index>> parse_ids(std::string_view field, std::string_view typed) {
  constexpr std::string_view kBetween = " ,;\t\r\n";
  std::vector<Index> ids;
  for (;;) {
    const std::size_t begin = typed.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return ids;
    typed.remove_prefix(begin);
    const std::string_view word = typed.substr(0, typed.find_first_of(kBetween));
    Index id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size()) {
      return fail(std::string(field) + ": " + quoted_text(std::string(word)) +
                  " is not a token id; this model has no tokenizer, write ids: 1, 2, 3");
    }
    ids.push_back(id);
    typed.remove_prefix(word.size());
  }
}

std::string field_of(int which) { return which == 1 ? "text" : which == 2 ? "text2" : "patch_text"; }

Result<GivenText> given_text(const Experiment& experiment, int which, const std::string& typed) {
  if (experiment.model->has_tokenizer()) return GivenText{typed, std::nullopt};
  Result<std::vector<Index>> ids = parse_ids(field_of(which), typed);
  if (!ids) return tl::unexpected(ids.error());
  return GivenText{std::nullopt, std::move(*ids)};
}

}  // namespace

const ModelText& model_text(const Experiment& experiment, int which) {
  return which == 1 ? experiment.text : which == 2 ? experiment.text2 : experiment.patch_text;
}

bool is_unknown_token(const ModelText& text, std::size_t i, std::optional<Index> unknown) {
  const bool is_special = i < text.special.size() && text.special[i];  // written as such
  return !is_special && text.ids[i] == unknown;
}

Index unknown_tokens(const Experiment& experiment, int which) {
  const std::optional<Index> unknown = experiment.model != nullptr ? experiment.model->unknown_token() : std::nullopt;
  if (!unknown) return 0;
  const ModelText& text = model_text(experiment, which);
  Index count = 0;
  for (std::size_t i = 0; i < text.ids.size(); ++i) count += is_unknown_token(text, i, unknown) ? 1 : 0;
  return count;
}

std::vector<std::string> warnings_of_unknown_tokens(const Experiment& experiment) {
  std::vector<std::string> warnings;
  for (const int which : {1, 2, 3}) {
    const Index unknown = unknown_tokens(experiment, which);
    if (unknown == 0) continue;
    const Index all = std::ssize(model_text(experiment, which).ids);
    warnings.push_back(field_of(which) + ": " + grouped_text(unknown) + " of " + grouped_text(all) +
                       (all == 1 ? " token is " : " tokens are ") +
                       quoted_text(experiment.model->token_text(*experiment.model->unknown_token())) +
                       ": the vocabulary has no such words");
  }
  return warnings;
}

std::string typed_text(const Experiment& experiment, int which) {
  const ModelText& text = model_text(experiment, which);
  if (experiment.model == nullptr || experiment.model->has_tokenizer()) return text.text;
  std::vector<std::string> ids;
  ids.reserve(text.ids.size());
  for (const Index id : text.ids) ids.push_back(std::to_string(id));
  return join(ids, ", ");
}

std::string text_refusal(const Experiment& experiment, int which, const std::string& error) {
  if (experiment.model == nullptr) return error;
  std::string refusal = error;
  for (const std::string& place : {experiment.model->folder() + ": ", field_of(which) + ": "}) {
    if (refusal.starts_with(place)) refusal.erase(0, place.size());
  }
  if (refusal == kNoTokens) return "Type at least one token.";
  if (const std::size_t at = refusal.find(kTooManyTokens); at != std::string::npos)
    refusal.replace(at, kTooManyTokens.size(), " tokens; " + experiment.model->name() + " reads at most ");
  return refusal;
}

Result<void> set_model_text(Experiment& experiment, int which, const std::string& typed) {
  if (experiment.model == nullptr) return fail("text: " + experiment.system + " reads no text");
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return tl::unexpected(family.error());
  Result<GivenText> given = given_text(experiment, which, typed);
  if (!given) return tl::unexpected(given.error());
  if (which == 3) return set_patch_text(experiment, *given);
  if ((*family)->input != ModelInput::pair)
    return which == 1 ? set_texts(experiment, *given, {}) : set_texts(experiment, {}, *given);
  // The texts of a pair are read together.
  Result<GivenText> other = given_text(experiment, 3 - which, typed_text(experiment, 3 - which));
  if (!other) return tl::unexpected(other.error());
  GivenText& first = which == 1 ? *given : *other;
  GivenText& second = which == 1 ? *other : *given;
  const bool alone = second.text ? second.text->empty() : second.ids->empty();
  return set_texts(experiment, first, alone ? GivenText() : second);
}

}  // namespace attnscope
