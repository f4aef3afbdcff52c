#include "core/imported/tensor_roles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/text.h"

namespace attnscope {
namespace {

struct Meaning {
  std::string_view word;
  TensorRole role;
};

/// The role of single words. "weight" is missing: it names parameters.
constexpr std::array<Meaning, 25> kMeanings = {{{"q", TensorRole::query},
                                                {"query", TensorRole::query},
                                                {"queries", TensorRole::query},
                                                {"k", TensorRole::key},
                                                {"key", TensorRole::key},
                                                {"keys", TensorRole::key},
                                                {"v", TensorRole::value},
                                                {"value", TensorRole::value},
                                                {"values", TensorRole::value},
                                                {"score", TensorRole::scores},
                                                {"scores", TensorRole::scores},
                                                {"logits", TensorRole::scores},
                                                {"energy", TensorRole::scores},
                                                {"energies", TensorRole::scores},
                                                {"weights", TensorRole::weights},
                                                {"attention", TensorRole::weights},
                                                {"attentions", TensorRole::weights},
                                                {"attn", TensorRole::weights},
                                                {"attns", TensorRole::weights},
                                                {"att", TensorRole::weights},
                                                {"probs", TensorRole::weights},
                                                {"prob", TensorRole::weights},
                                                {"probabilities", TensorRole::weights},
                                                {"pattern", TensorRole::weights},
                                                {"softmax", TensorRole::weights}}};

constexpr std::array<std::string_view, 9> kParameters = {"weight", "bias",  "norm", "ln",  "layernorm",
                                                         "kernel", "gamma", "beta", "lora"};
/// What TransformerLens's matrices W_… and biases b_… are for.
constexpr std::array<std::string_view, 10> kProjected = {"q", "k", "v", "o", "e", "u", "pos", "in", "out", "gate"};
/// After a role, these words say how the tensor was produced or captured, not what it is.
constexpr std::array<std::string_view, 13> kPassedOver = {"proj",  "projection", "layer", "output", "out",
                                                          "state", "states",     "hook",  "head",   "heads",
                                                          "cache", "embed",      "act"};
constexpr std::array<std::string_view, 9> kLayerWords = {"layer",  "layers",    "block", "blocks", "stage",
                                                         "stages", "resblocks", "h",     "l"};
constexpr std::array<std::string_view, 8> kBatchWords = {"batch",   "batches", "batched", "sample",
                                                         "samples", "item",    "items",   "examples"};
/// Words that stand for all layers where no number follows.
constexpr std::array<std::string_view, 4> kAllLayersWords = {"layer", "layers", "block", "blocks"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<TensorRole> meaning_of(std::string_view word) {
  const auto* const found =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& meaning) { return meaning.word == word; });
  return found == kMeanings.end() ? std::nullopt : std::optional(found->role);
}

std::optional<Index> number_of(std::string_view word) {
  Index number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

/// "attn_weight" and "attnWeight", but not "attn.weight": after a dot stand the parameters of a module.
bool is_attention_weight(std::string_view name, const std::vector<std::string>& words) {
  constexpr std::string_view kWeight = "weight";
  if (words.size() < 2 || words.back() != kWeight || !words[words.size() - 2].starts_with("att")) return false;
  return name.size() > kWeight.size() && name[name.size() - kWeight.size() - 1] != '.';
}

/// The words at the end of a name that say that it is a projection after or before the weighted sum; `count` is 0 if it
/// is none.
struct ProjectionWords {
  TensorRole role = TensorRole::other;
  std::size_t count = 0;
};

/// What the modules of output projections are called: in PyTorch, Llama, diffusers, BERT and GPT-2.
constexpr std::array<std::string_view, 13> kOutputNames = {
    "w o",    "wo",    "o proj",      "out proj", "output proj", "o projection",          "out projection",
    "to out", "w out", "attn c proj", "b o",      "b out",       "attention output dense"};

/// The same for what makes values. Without "weight" some of these name the values themselves.
constexpr std::array<std::string_view, 2> kValueWeights = {"w v", "wv"};
constexpr std::array<std::string_view, 5> kValueModules = {"v proj", "value proj", "v projection", "value projection",
                                                           "to v"};

ProjectionWords projection_words(const std::vector<std::string>& words) {
  std::size_t end = words.size();
  const bool has_bias = end > 0 && words.back() == "bias";
  const bool has_weight = end > 0 && (words.back() == "weight" || words.back() == "kernel");
  if (has_bias || has_weight) --end;
  // "to_out.0.weight" is the first of a sequence of modules.
  while (end > 0 && number_of(words[end - 1])) --end;
  // An MLP has an output layer, too.
  if (std::ranges::any_of(words, [](const std::string& word) { return word == "mlp" || word == "ffn"; })) return {};
  constexpr std::size_t kMaxWords = 3;
  for (std::size_t count = 1; count <= std::min(end, kMaxWords); ++count) {
    const std::string name = join(std::span(words).subspan(end - count, count), " ");
    const std::size_t all = words.size() - (end - count);
    if (is_among(kOutputNames, name))
      return {has_bias || name.starts_with("b ") ? TensorRole::output_bias : TensorRole::output, all};
    if (!has_bias && (is_among(kValueWeights, name) || (has_weight && is_among(kValueModules, name))))
      return {TensorRole::value_projection, all};
  }
  return {};
}

/// The last word with a role decides; only numbers and neutral words may follow it.
TensorRole role_of_words(std::string_view name, const std::vector<std::string>& words) {
  if (is_attention_weight(name, words)) return TensorRole::weights;
  if (const ProjectionWords projection = projection_words(words); projection.count > 0) return projection.role;
  if (is_parameter(name)) return TensorRole::other;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (const std::optional<TensorRole> role = meaning_of(*word)) {
      // GPT-2's c_attn makes queries, keys and values in one.
      const bool projects = *role == TensorRole::weights && std::next(word) != words.rend() && *std::next(word) == "c";
      return projects ? TensorRole::other : *role;
    }
    if (!is_among(kPassedOver, *word) && !number_of(*word)) return TensorRole::other;
    // The output of attention is neither its weights nor its queries.
    const bool output = *word == "output" || *word == "out";
    const auto before = std::next(word);
    if (output && before != words.rend() && meaning_of(*before) == TensorRole::weights) return TensorRole::other;
  }
  return TensorRole::other;
}

/// The indices of the words with the layer's numbers: those after words for layers, such as a stage's and a block's,
/// otherwise the only number in the name.
std::vector<std::size_t> places_of_layer(const std::vector<std::string>& words) {
  std::vector<std::size_t> of_layer;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!number_of(words[i])) continue;
    if (i > 0 && is_among(kLayerWords, words[i - 1])) of_layer.push_back(i);
    const bool of_head = i > 0 && (words[i - 1] == "head" || words[i - 1] == "heads");
    if (!of_head) others.push_back(i);
  }
  if (of_layer.empty() && others.size() == 1) return others;
  return of_layer;
}

/// An axis that may count heads or tokens is taken for heads up to this size.
constexpr Index kUsualHeads = 256;

/// Whether the first of four or five axes is likelier to count batch items than layers.
bool counts_batch(std::span<const Index> shape, FirstAxis first) {
  // A batch of one is common, a model with one layer is not.
  return first == FirstAxis::batch || (first == FirstAxis::unknown && shape[0] == 1);
}

/// The last two axes of scores and weights are queries and keys.
std::vector<AxisGuess> guesses_of_scores(std::span<const Index> shape, FirstAxis first) {
  using enum AxisRole;
  switch (shape.size()) {
    case 2: return {{query, key}};
    case 3: return {{head, query, key}, {batch, query, key}, {layer, query, key}};
    case 4:
      if (counts_batch(shape, first)) return {{batch, head, query, key}, {layer, head, query, key}};
      return {{layer, head, query, key}, {batch, head, query, key}};
    case 5:
      if (counts_batch(shape, first)) return {{batch, layer, head, query, key}, {layer, batch, head, query, key}};
      return {{layer, batch, head, query, key}, {batch, layer, head, query, key}};
    default: return {};
  }
}

/// The last axis of queries, keys and values is dim.
std::vector<AxisGuess> guesses_of_vectors(std::span<const Index> shape, FirstAxis first) {
  using enum AxisRole;
  switch (shape.size()) {
    case 2: return {{token, dim}};
    case 3:
      // There are nearly always fewer heads than tokens; an axis of size 1 is a batch.
      if (shape[0] == 1 || shape[0] > kUsualHeads) return {{batch, token, dim}, {head, token, dim}, {token, head, dim}};
      return {{head, token, dim}, {batch, token, dim}, {token, head, dim}};
    case 4: {
      std::vector<AxisGuess> guesses;
      const bool tokens_first = shape[1] > kUsualHeads && shape[2] <= kUsualHeads;
      const bool of_batch = counts_batch(shape, first);
      for (const AxisRole outer : {of_batch ? batch : layer, of_batch ? layer : batch}) {
        guesses.push_back({outer, head, token, dim});
        guesses.push_back({outer, token, head, dim});
        if (tokens_first) std::swap(guesses.back(), *std::prev(guesses.end(), 2));
      }
      return guesses;
    }
    case 5: {
      std::vector<AxisGuess> guesses = {{layer, batch, head, token, dim},
                                        {layer, batch, token, head, dim},
                                        {batch, layer, head, token, dim},
                                        {batch, layer, token, head, dim}};
      if (counts_batch(shape, first)) std::rotate(guesses.begin(), guesses.begin() + 2, guesses.end());
      return guesses;
    }
    default: return {};
  }
}

bool is_like_weights(const MatrixView& matrix, Index row, double tolerance) {
  double sum = 0;
  double largest = 0;
  for (Index column = 0; column < matrix.columns; ++column) {
    const double number = matrix.at(row, column);
    // Written for NaN to fail.
    if (!(number >= -tolerance && number <= 1 + tolerance)) return false;
    sum += number;
    largest = std::max(largest, std::abs(number));
  }
  return std::abs(sum - 1) <= tolerance || largest == 0;
}

}  // namespace

std::string_view role_name(TensorRole role) {
  constexpr std::array<std::string_view, 9> names = {
      "queries",           "keys",        "values",           "scores", "weights",
      "output projection", "output bias", "value projection", "other"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view axis_role_name(AxisRole role) {
  constexpr std::array<std::string_view, 8> names = {"layer", "batch", "head", "query", "key", "token", "dim", "other"};
  return names[static_cast<std::size_t>(role)];
}

std::vector<std::string> name_words(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::vector<std::string> words;
  char before = '\0';
  for (const char c : name) {
    const bool part = is_digit(c) || is_upper(c) || is_lower(c);
    const bool begins = !is_digit(before) && !is_upper(before) && !is_lower(before);
    if (part && (begins || is_digit(c) != is_digit(before) || (is_upper(c) && is_lower(before)))) words.emplace_back();
    if (part) words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  return words;
}

NamedRole role_of(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  NamedRole named = {role_of_words(name, words), {}};
  for (const std::size_t place : places_of_layer(words)) named.layer.push_back(*number_of(words[place]));
  return named;
}

bool is_parameter(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  if (is_attention_weight(name, words)) return false;
  if (std::ranges::any_of(words, [](const std::string& word) { return is_among(kParameters, word); })) return true;
  const std::string_view last = name.substr(name.find_last_of("./") + 1);
  // "w__" is a single word.
  if (last.size() < 3 || last[1] != '_' || words.size() < 2) return false;
  return (last[0] == 'w' || last[0] == 'W' || last[0] == 'b') && words[words.size() - 2].size() == 1 &&
         is_among(kProjected, words.back());
}

std::string group_of(std::string_view name) {
  std::vector<std::string> words = name_words(name);
  std::vector<std::size_t> places = places_of_layer(words);
  // From the end, so that the places before stay.
  std::reverse(places.begin(), places.end());
  for (const std::size_t place : places) {
    const auto number = words.begin() + static_cast<std::ptrdiff_t>(place);
    const bool has_word = place > 0 && is_among(kLayerWords, words[place - 1]);
    words.erase(has_word ? number - 1 : number, number + 1);
  }
  if (const ProjectionWords projection = projection_words(words); projection.count > 0) {
    words.resize(words.size() - projection.count);
    return join(words, " ");
  }
  const auto role =
      std::find_if(words.rbegin(), words.rend(), [](const std::string& word) { return meaning_of(word).has_value(); });
  if (role != words.rend()) words.erase(std::next(role).base());
  return join(words, " ");
}

FirstAxis first_axis_of(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  bool of_layers = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool counted = i + 1 < words.size() && number_of(words[i + 1]);
    if (is_among(kBatchWords, words[i]) || (counted && is_among(kLayerWords, words[i]))) return FirstAxis::batch;
    of_layers = of_layers || is_among(kAllLayersWords, words[i]);
  }
  return of_layers ? FirstAxis::layers : FirstAxis::unknown;
}

std::vector<AxisGuess> axis_guesses(TensorRole role, std::span<const Index> shape, FirstAxis first) {
  switch (role) {
    case TensorRole::scores:
    case TensorRole::weights: return guesses_of_scores(shape, first);
    case TensorRole::query:
    case TensorRole::key:
    case TensorRole::value: return guesses_of_vectors(shape, first);
    case TensorRole::output:  // see output_projection.h
    case TensorRole::output_bias:
    case TensorRole::value_projection:
    case TensorRole::other: break;
  }
  return {};
}

RowSums look_at_rows(const MatrixView& matrix, double tolerance) {
  RowSums sums;
  if (matrix.empty()) return sums;
  for (Index row = 0; row < matrix.rows; ++row) {
    ++sums.rows;
    if (is_like_weights(matrix, row, tolerance)) ++sums.like_weights;
  }
  return sums;
}

}  // namespace attnscope
