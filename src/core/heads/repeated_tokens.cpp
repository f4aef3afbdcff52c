#include "core/heads/repeated_tokens.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/heads/finder.h"
#include "core/models/config_reader.h"
#include "core/models/models.h"
#include "core/plan/validate.h"
#include "core/random/generator.h"

namespace attnscope {
namespace {

constexpr std::array kSpecialFields = {"bos_token_id", "eos_token_id", "pad_token_id",  "unk_token_id",
                                       "cls_token_id", "sep_token_id", "mask_token_id", "decoder_start_token_id"};

/// A token's id in config.json; nothing if there is none in the vocabulary.
std::optional<Index> configured_id(const Model& model, std::string_view field, Index vocabulary) {
  const auto found = model.config().find(field);
  if (found == model.config().end()) return std::nullopt;
  const double* const number = std::get_if<double>(&found->second);
  if (number == nullptr || !(*number >= 0 && *number < static_cast<double>(vocabulary))) return std::nullopt;
  return static_cast<Index>(*number);
}

/// A number from 0 to `count` − 1.
std::size_t drawn_below(Generator& generator, std::size_t count) { return generator.next() % count; }

/// The places 0 … count − 1 in another order in which none is at its own: one cycle through all of them.
/// Source: Sattolo 1986, An algorithm to generate a random cyclic permutation.
std::vector<std::size_t> cyclic_order(Generator& generator, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[drawn_below(generator, i)]);
  return order;
}

/// Whether the model can read that many tokens.
Result<void> check_length(const std::shared_ptr<const Model>& model, Index tokens, double memory_budget) {
  const Experiment experiment = experiment_reading(model, std::vector<Index>(static_cast<std::size_t>(tokens), 0));
  return validate(experiment, memory_budget);
}

}  // namespace

Experiment experiment_reading(const std::shared_ptr<const Model>& model, std::vector<Index> ids) {
  Experiment experiment = experiment_on_model(model);
  experiment.text.ids = std::move(ids);
  const Result<const ModelFamily*> family = family_of(*model);
  if (family && (*family)->input == ModelInput::two_texts) experiment.text2.ids = {0};
  return experiment;
}

RepeatedTokens::RepeatedTokens(std::shared_ptr<const Model> model, Index vocabulary)
    : model_(std::move(model)), vocabulary_(vocabulary) {
  for (const char* const field : kSpecialFields) {
    if (const std::optional<Index> id = configured_id(*model_, field, vocabulary_)) special_.push_back(*id);
  }
  first_ = token_that_begins();
}

Result<RepeatedTokens> RepeatedTokens::of(const std::shared_ptr<const Model>& model, double memory_budget) {
  ConfigReader config(*model);
  const Index vocabulary = config.integer("vocab_size");
  if (config.error()) return fail(model->folder() + ": " + *config.error());
  RepeatedTokens tokens(model, vocabulary);
  const Index before = tokens.first_ ? 1 : 0;
  const Index least = before + 2 * kLeastRepeatedTokens;
  if (const Result<void> fits = check_length(model, least, memory_budget); !fits) {
    const std::string& why = fits.error().message;
    const std::size_t limit = why.find(kTooManyTokens);
    if (limit == std::string::npos) return tl::unexpected(fits.error());
    return fail(model->folder() + ": finding heads needs a text of " + std::to_string(least) +
                " tokens; allowed: at most " + why.substr(limit + kTooManyTokens.size()));
  }
  Index most = kRepeatedTokens;
  while (most > kLeastRepeatedTokens && !check_length(model, before + 2 * most, memory_budget)) --most;
  Generator generator(1);
  tokens.count_ = std::ssize(tokens.drawn(generator, most));
  if (tokens.count_ < kLeastRepeatedTokens) {
    return fail(model->folder() + ": finding heads needs " + std::to_string(kLeastRepeatedTokens) +
                " tokens that are not special; the vocabulary has " + std::to_string(tokens.count_));
  }
  return tokens;
}

std::optional<Index> RepeatedTokens::token_that_begins() const {
  // A token that is added in front of any text.
  if (const Result<ModelText> text = model_->tokens("a", std::nullopt, false);
      text && text->ids.size() > 1 && text->special.size() == text->ids.size() && text->special.front() &&
      text->ids.front() < vocabulary_)
    return text->ids.front();
  // The encoder of a translator has none, whatever its configuration says.
  const Result<const ModelFamily*> family = family_of(*model_);
  if (!family || (*family)->input != ModelInput::text) return std::nullopt;
  return configured_id(*model_, "bos_token_id", vocabulary_);
}

bool RepeatedTokens::is_special(Index id) const {
  if (std::ranges::find(special_, id) != special_.end()) return true;
  if (!model_->has_tokenizer()) return false;
  const std::string text = model_->token_text(id);
  // Vocabularies are padded with ids that no text has.
  if (text == "#" + std::to_string(id)) return true;
  const Result<ModelText> tokens = model_->tokens(text, std::nullopt, false);
  if (!tokens) return false;
  for (std::size_t i = 0; i < tokens->special.size(); ++i) {
    if (tokens->ids[i] == id && tokens->special[i]) return true;
  }
  return false;
}

std::vector<Index> RepeatedTokens::drawn(Generator& generator, Index most) const {
  std::vector<Index> left(static_cast<std::size_t>(vocabulary_));
  std::iota(left.begin(), left.end(), Index{0});
  std::vector<Index> tokens;
  while (std::ssize(tokens) < most && !left.empty()) {
    std::swap(left[drawn_below(generator, left.size())], left.back());
    if (!is_special(left.back())) tokens.push_back(left.back());
    left.pop_back();
  }
  return tokens;
}

RepeatedTokens::Texts RepeatedTokens::texts(int seed, bool with_first) const {
  Generator generator(static_cast<std::uint64_t>(seed));
  const std::vector<Index> tokens = drawn(generator, count_);
  Texts texts;
  if (with_first && first_) texts.repeated = {*first_};
  texts.shuffled = texts.repeated;
  for (const std::size_t place : cyclic_order(generator, tokens.size())) texts.shuffled.push_back(tokens[place]);
  texts.repeated.insert(texts.repeated.end(), tokens.begin(), tokens.end());
  for (std::vector<Index>* const text : {&texts.repeated, &texts.shuffled})
    text->insert(text->end(), tokens.begin(), tokens.end());
  return texts;
}

}  // namespace attnscope
