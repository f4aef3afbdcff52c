// The texts of the test that finds heads: random tokens of a model, repeated.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

class Generator;

/// Draws the tokens that a model reads. See `find_heads`.
class RepeatedTokens {
 public:
  /// As many different tokens as `kRepeatedTokens`, the length of the model's texts and its vocabulary allow. Fails if
  /// these are fewer than `kLeastRepeatedTokens`, or if the model cannot be run in `memory_budget` bytes.
  static Result<RepeatedTokens> of(const std::shared_ptr<const Model>& model, double memory_budget);

  /// Tokens in each copy.
  [[nodiscard]] Index count() const { return count_; }
  /// The id of the token that begins the model's texts; nothing if there is none.
  [[nodiscard]] std::optional<Index> first_token() const { return first_; }

  /// Ids in two orders; both have the first token, if there is one and it is asked for, and the same second copy.
  struct Texts {
    std::vector<Index> repeated;
    std::vector<Index> shuffled;  ///< the first copy has none of its tokens at its own place
  };
  /// The texts of a seed: always the same.
  [[nodiscard]] Texts texts(int seed, bool with_first) const;

 private:
  RepeatedTokens(std::shared_ptr<const Model> model, Index vocabulary);

  [[nodiscard]] bool is_special(Index id) const;
  [[nodiscard]] std::optional<Index> token_that_begins() const;
  /// At most `most` different tokens that are not special.
  [[nodiscard]] std::vector<Index> drawn(Generator& generator, Index most) const;

  std::shared_ptr<const Model> model_;
  Index vocabulary_;
  std::vector<Index> special_;  ///< ids in config.json
  std::optional<Index> first_;
  Index count_ = 0;
};

/// The experiment in which a model reads these tokens; its decoder, if it has one, begins with the token 0.
Experiment experiment_reading(const std::shared_ptr<const Model>& model, std::vector<Index> ids);

}  // namespace attnscope
