// Byte-pair encoding: characters, merged in the order of the ranks of their pairs.
#include <queue>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/base/json_value.h"
#include "io/tokenizers/fields.h"
#include "io/tokenizers/token_model.h"

namespace attnscope {
namespace {

using nlohmann::json;

/// What a pair of tokens becomes.
struct Merge {
  std::uint32_t rank;
  int id;
};

std::uint64_t pair_key(int left, int right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32U | static_cast<std::uint32_t>(right);
}

struct BpeSettings {
  std::optional<int> unknown;
  std::string continuing_prefix;  ///< of the vocabulary's pieces that continue a word
  std::string end_suffix;         ///< of those that end one
  bool fuse_unknown = false;
  bool byte_fallback = false;
  bool ignore_merges = false;
};

/// A token of the word so far, linked to its neighbours; -1: there is none.
struct Symbol {
  int id;
  ByteRange range;
  int previous;
  int next;
};

/// A pair that can be merged: the symbol at `place` with the next one.
struct Candidate {
  std::uint32_t rank;
  int place;
  int id;

  bool operator<(const Candidate& other) const {  // the largest is the first in a priority_queue
    return rank != other.rank ? rank > other.rank : place > other.place;
  }
};

class BpeModel final : public TokenModel {
 public:
  BpeModel(Vocabulary vocabulary, std::unordered_map<std::uint64_t, Merge> merges, BpeSettings settings)
      : vocabulary_(std::move(vocabulary)),
        merges_(std::move(merges)),
        settings_(std::move(settings)),
        fallback_(settings_.byte_fallback ? ByteFallback(vocabulary_) : ByteFallback()) {}

  void tokenize(std::string_view word, std::vector<WordToken>& to) const override {
    if (settings_.ignore_merges) {
      if (const std::optional<int> id = vocabulary_.id(word)) {
        to.push_back({*id, {0, word.size()}});
        return;
      }
    }
    const std::size_t begin = to.size();
    append_characters(word, to);
    merge(begin, to);
  }

  [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
  [[nodiscard]] std::optional<int> unknown() const override { return settings_.unknown; }

 private:
  void append_characters(std::string_view word, std::vector<WordToken>& to) const {
    const std::size_t begin = to.size();
    bool after_unknown = false;
    std::string piece;
    for (std::size_t at = 0; at < word.size();) {
      const ByteRange range = {at, at + first_character(word.substr(at)).bytes};
      at = range.to;
      piece = range.from > 0 ? settings_.continuing_prefix : "";
      piece += range.in(word);
      if (range.to == word.size()) piece += settings_.end_suffix;
      if (const std::optional<int> id = vocabulary_.id(piece)) {
        to.push_back({*id, range});
        after_unknown = false;
      } else if (fallback_.append(word, range, to)) {
        after_unknown = false;
      } else if (settings_.unknown) {
        if (after_unknown && settings_.fuse_unknown && to.size() > begin) {
          to.back().range.to = range.to;
        } else {
          to.push_back({*settings_.unknown, range});
        }
        after_unknown = true;
      }
    }
  }

  /// Merges the tokens from `begin` on.
  void merge(std::size_t begin, std::vector<WordToken>& tokens) const {
    const int count = static_cast<int>(tokens.size() - begin);
    if (count < 2) return;
    std::vector<Symbol> symbols;
    symbols.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const WordToken& token = tokens[begin + static_cast<std::size_t>(i)];
      symbols.push_back({token.id, token.range, i - 1, i + 1 < count ? i + 1 : -1});
    }
    std::priority_queue<Candidate> queue;
    for (int i = 0; i + 1 < count; ++i) consider(symbols, i, queue);
    while (!queue.empty()) {
      const Candidate best = queue.top();
      queue.pop();
      const Merge* const found = merge_at(symbols, best.place);
      // The pair may have become another one since.
      if (found != nullptr && found->id == best.id) apply(best, symbols, queue);
    }
    tokens.resize(begin);
    for (int i = 0; i >= 0; i = symbols[static_cast<std::size_t>(i)].next) {
      const Symbol& symbol = symbols[static_cast<std::size_t>(i)];
      tokens.push_back({symbol.id, symbol.range});
    }
  }

  /// The merge of the symbol at `place` with the next one; nullptr if there is none.
  [[nodiscard]] const Merge* merge_at(const std::vector<Symbol>& symbols, int place) const {
    const Symbol& symbol = symbols[static_cast<std::size_t>(place)];
    if (symbol.id < 0 || symbol.next < 0) return nullptr;
    const auto found = merges_.find(pair_key(symbol.id, symbols[static_cast<std::size_t>(symbol.next)].id));
    return found == merges_.end() ? nullptr : &found->second;
  }

  void consider(const std::vector<Symbol>& symbols, int place, std::priority_queue<Candidate>& queue) const {
    if (const Merge* const found = merge_at(symbols, place)) queue.push({found->rank, place, found->id});
  }

  void apply(const Candidate& best, std::vector<Symbol>& symbols, std::priority_queue<Candidate>& queue) const {
    Symbol& left = symbols[static_cast<std::size_t>(best.place)];
    Symbol& right = symbols[static_cast<std::size_t>(left.next)];
    left.id = best.id;
    left.range.to = right.range.to;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].previous = best.place;
    if (left.previous >= 0) consider(symbols, left.previous, queue);
    consider(symbols, best.place, queue);
  }

  Vocabulary vocabulary_;
  std::unordered_map<std::uint64_t, Merge> merges_;
  BpeSettings settings_;
  ByteFallback fallback_;
};

/// The two pieces of "a b" or ["a", "b"].
std::optional<std::pair<std::string_view, std::string_view>> pieces_of(const json& merge) {
  if (const auto* const text = merge.get_ptr<const std::string*>()) {
    const std::size_t space = text->find(' ');
    if (space == std::string::npos || text->find(' ', space + 1) != std::string::npos) return std::nullopt;
    return std::pair(std::string_view(*text).substr(0, space), std::string_view(*text).substr(space + 1));
  }
  if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string()) return std::nullopt;
  return std::pair<std::string_view, std::string_view>(merge[0].get_ref<const std::string&>(),
                                                       merge[1].get_ref<const std::string&>());
}

Result<std::unordered_map<std::uint64_t, Merge>> parse_merges(const json& list, const Vocabulary& vocabulary,
                                                              const std::string& continuing_prefix) {
  std::unordered_map<std::uint64_t, Merge> merges;
  merges.reserve(list.size());
  std::uint32_t rank = 0;
  for (const json& each : list) {
    const std::string where = "model.merges[" + std::to_string(rank) + "]: ";
    const auto pieces = pieces_of(each);
    if (!pieces) return fail(where + json_excerpt(each) + " is not allowed; allowed: two pieces");
    const std::size_t prefix = pieces->second.starts_with(continuing_prefix) ? continuing_prefix.size() : 0;
    const std::string merged = std::string(pieces->first) + std::string(pieces->second.substr(prefix));
    const std::optional<int> left = vocabulary.id(pieces->first);
    const std::optional<int> right = vocabulary.id(pieces->second);
    const std::optional<int> whole = vocabulary.id(merged);
    if (!left || !right || !whole) {
      return fail(where +
                  quoted_text(!left    ? pieces->first
                              : !right ? pieces->second
                                       : std::string_view(merged)) +
                  " is not in the vocabulary");
    }
    merges.insert_or_assign(pair_key(*left, *right), Merge{rank++, *whole});
  }
  return merges;
}

}  // namespace

Result<std::unique_ptr<TokenModel>> parse_bpe(const json& value) {
  Result<Vocabulary> vocabulary = parse_vocabulary(value);
  if (!vocabulary) return tl::unexpected(vocabulary.error());
  Fields fields(value, "model");
  BpeSettings settings;
  settings.continuing_prefix = fields.text("continuing_subword_prefix", "");
  settings.end_suffix = fields.text("end_of_word_suffix", "");
  settings.fuse_unknown = fields.flag("fuse_unk", false);
  settings.byte_fallback = fields.flag("byte_fallback", false);
  settings.ignore_merges = fields.flag("ignore_merges", false);
  if (fields.has("unk_token")) {
    settings.unknown = vocabulary->id(fields.text("unk_token"));
    if (!settings.unknown) fields.refuse("unk_token", "a piece of the vocabulary");
  }
  // Dropout is for training: the tokens would be random.
  if (fields.has("dropout") && value["dropout"] != 0) fields.refuse("dropout", "null");
  const json& list = fields.list("merges");
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  auto merges = parse_merges(list, *vocabulary, settings.continuing_prefix);
  if (!merges) return tl::unexpected(merges.error());
  return std::make_unique<BpeModel>(std::move(*vocabulary), std::move(*merges), std::move(settings));
}

}  // namespace attnscope
