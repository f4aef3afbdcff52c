// The unigram model: of all ways to cut a word, the one whose pieces have the largest sum of scores.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/base/json_value.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/piece_trie.h"
#include "io/tokenizers/token_model.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int kUnknown = -1;
constexpr double kUnknownPenalty = 10;  // below the lowest score

class UnigramModel final : public TokenModel {
 public:
  UnigramModel(Vocabulary vocabulary, std::vector<double> scores, std::optional<int> unknown, bool byte_fallback)
      : vocabulary_(std::move(vocabulary)),
        scores_(std::move(scores)),
        unknown_(unknown),
        fallback_(byte_fallback ? ByteFallback(vocabulary_) : ByteFallback()) {
    for (int id = 0; id < static_cast<int>(scores_.size()); ++id) {
      if (const std::string_view piece = vocabulary_.piece(id); !piece.empty()) trie_.add(piece, id);
    }
    unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty;
  }

  void tokenize(std::string_view word, std::vector<WordToken>& to) const override {
    const std::vector<Step> steps = best_steps(word);
    std::vector<WordToken> tokens;  // from the last to the first
    for (std::size_t end = word.size(); end > 0;) {
      const Step& step = steps[end];
      // Unknown characters in a row are one token.
      if (step.id == kUnknown && !tokens.empty() && tokens.back().id == kUnknown) {
        tokens.back().range.from = step.from;
      } else {
        tokens.push_back({step.id, {step.from, end}});
      }
      end = step.from;
    }
    for (std::size_t i = tokens.size(); i-- > 0;) append(word, tokens[i], to);
  }

  [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
  [[nodiscard]] std::optional<int> unknown() const override { return unknown_; }

 private:
  /// The last piece of the best way to a place.
  struct Step {
    double score = -std::numeric_limits<double>::infinity();
    std::size_t from = 0;
    int id = kUnknown;
  };

  [[nodiscard]] std::vector<Step> best_steps(std::string_view word) const {
    std::vector<Step> steps(word.size() + 1);
    steps[0].score = 0;
    std::vector<bool> reached(word.size() + 1);
    const auto reach = [&](std::size_t from, std::size_t end, double score, int id) {
      const double total = steps[from].score + score;
      if (reached[end] && !(total > steps[end].score)) return;
      reached[end] = true;
      steps[end] = {total, from, id};
    };
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t bytes = first_character(word.substr(at)).bytes;
      bool has_character = false;
      trie_.each_prefix(word.substr(at), [&](std::size_t length, int id) {
        reach(at, at + length, scores_[static_cast<std::size_t>(id)], id);
        has_character = has_character || length == bytes;
      });
      if (!has_character) reach(at, at + bytes, unknown_score_, kUnknown);
      at += bytes;
    }
    return steps;
  }

  void append(std::string_view word, const WordToken& token, std::vector<WordToken>& to) const {
    if (token.id != kUnknown) {
      to.push_back(token);
    } else if (!fallback_.append(word, token.range, to) && unknown_) {
      to.push_back({*unknown_, token.range});
    }
  }

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  std::optional<int> unknown_;
  ByteFallback fallback_;
  PieceTrie trie_;
  double unknown_score_ = 0;
};

}  // namespace

Result<std::unique_ptr<TokenModel>> parse_unigram(const json& value) {
  Fields fields(value, "model");
  const json& list = fields.list("vocab");
  const int most = static_cast<int>(std::min<std::size_t>(list.size(), Vocabulary::kMaxId)) - 1;
  if (list.empty()) fields.refuse("vocab", "a list with at least one piece");
  const int unknown = fields.number("unk_id", std::max(most, 0), 0);
  const bool byte_fallback = fields.flag("byte_fallback", false);
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  Vocabulary vocabulary;
  std::vector<double> scores;
  scores.reserve(list.size());
  for (const json& each : list) {
    if (!each.is_array() || each.size() != 2 || !each[0].is_string() || !each[1].is_number()) {
      return fail("model.vocab[" + std::to_string(scores.size()) + "]: " + json_excerpt(each) +
                  " is not allowed; allowed: a piece and its score");
    }
    const auto& piece = each[0].get_ref<const std::string&>();
    if (piece.size() > PieceTrie::kMaxPieceBytes) {
      return fail("model.vocab[" + std::to_string(scores.size()) + "]: a piece of " +
                  grouped_text(static_cast<Index>(piece.size())) + " bytes is not allowed; allowed: at most " +
                  grouped_text(static_cast<Index>(PieceTrie::kMaxPieceBytes)) + " bytes");
    }
    vocabulary.add(piece, static_cast<int>(scores.size()));
    scores.push_back(each[1].get<double>());
  }
  return std::make_unique<UnigramModel>(std::move(vocabulary), std::move(scores),
                                        fields.has("unk_id") ? std::optional(unknown) : std::nullopt, byte_fallback);
}

}  // namespace attnscope
