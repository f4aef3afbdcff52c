// Find heads: the standard test of a trained model's heads. The model reads random tokens, repeated, and the measures say
// which heads look at the previous token, at the earlier copy of a token, or at what followed it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/experiment/experiment.h"
#include "core/heads/measure.h"

namespace attnscope {

// The texts: random tokens, all different, and the same tokens once more. Fewer where the model reads no longer text, or
// has no more tokens; with fewer than the least, places to look at would coincide.
inline constexpr Index kRepeatedTokens = 25;
inline constexpr Index kLeastRepeatedTokens = 4;
/// Number of texts; the seeds of their tokens are 1, 2, …
inline constexpr int kFinderSeeds = 4;

// A head is named after a measure that is at least `kNamedValue`: at most one measure has more than half of a head's
// attention. It also has to exceed uniform attention and, if it depends on the tokens, shuffled tokens by `kNamedMargin`.
inline constexpr double kNamedValue = 0.5;
inline constexpr double kNamedMargin = 0.25;

/// The measures of the test in display order: previous, next and first token, duplicate token and induction, each the
/// mean over the queries in the second copy, where every token has exactly one earlier copy. There, induction is the
/// prefix matching score: the attention to the token after the earlier copy of the query's token.
/// Source: Olsson et al. 2022, In-context Learning and Induction Heads.
std::span<const Measure> finder_measures();

/// Whether one of these measures depends on the tokens, not only on their positions.
bool depends_on_tokens(const Measure& measure);

/// One measure of a head.
struct FoundValue {
  double mean = 0;     ///< over the seeds; NaN if no row of weights is finite
  double spread = 0;   ///< standard deviation over the seeds (n − 1)
  double uniform = 0;  ///< of uniform attention under the same mask
  /// Shuffled tokens: the weights at the same places when the first copy has its tokens in another order, none at its
  /// own place. The model reads that text anew: a head that always looks back equally far keeps its value, one that
  /// follows the tokens loses it. (Other labels for the same weights could not tell the two apart.)
  double shuffled = 0;

  [[nodiscard]] double over_uniform() const { return mean - uniform; }
  [[nodiscard]] double over_shuffled() const { return mean - shuffled; }
};

struct FoundHead {
  std::string tensor;  ///< the weights: "layer1.weights", "encoder.layer1.weights"
  Index layer = 1;     ///< from 1
  Index head = 0;      ///< from 0
  /// [measure of `finder_measures`]: after the model's first token, if it has one.
  std::vector<FoundValue> values = {};
  std::vector<FoundValue> without_first = {};  ///< the same without that token; empty: the model has none
  std::optional<std::size_t> name = {};        ///< of `finder_measures`; nothing: the head does none of this clearly
};

struct FoundHeads {
  Index tokens = 0;                              ///< random tokens in each copy
  std::optional<Index> first_token = {};         ///< id of the token that begins a text; nothing: the model has none
  bool encoder = false;                          ///< of a model with two parts, only the encoder is tested
  std::vector<Intervention> interventions = {};  ///< with which it was tested
  std::vector<CellEdit> edits = {};              ///< of weights, likewise
  std::vector<FoundHead> heads = {};             ///< layer by layer
};

/// The measure to name a head after, given its `values` in the order of `finder_measures`; see `kNamedValue`.
std::optional<std::size_t> named_measure(std::span<const FoundValue> values);

/// "off" or "mean": what takes the place of the head's outputs in the test; its weights, and so its measures, are those
/// that it would have. Empty: nothing does.
std::string_view replaced_in_test(const FoundHeads& found, const FoundHead& head);

/// The measure with the largest mean.
std::size_t largest_measure(const FoundHead& head);

struct Finding {
  std::vector<Intervention> interventions = {};  ///< on the model while it is tested; see `on_any_text`
  std::vector<CellEdit> edits = {};              ///< of its weights
  double memory_budget = kDefaultMemoryBudget;   ///< bytes, as for Executor
  StopToken stop = {};
  std::function<void(int run, int runs)> progress = {};  ///< before each run of the model; may be empty
};

/// Why this test does not apply to a model: one that sees pictures has no tokens to repeat. Empty: it applies.
std::string no_finding(const Model& model);

/// Tests all heads of a model that reads text; of one with two parts, those of its encoder. The texts begin with the token
/// that the tokenizer puts first or, of a model that continues a text, with `bos_token_id`; the test is repeated without
/// it. Special tokens are not drawn. Fails if `no_finding` says so, if the model reads too short a text or has too few
/// tokens, if its weights cannot be read, if it has no such part to intervene on, or if stopped. The same model gives the
/// same numbers.
Result<FoundHeads> find_heads(const std::shared_ptr<const Model>& model, const Finding& finding = {});

}  // namespace attnscope
