// The attention of one token as it shades a text: which token and which weights options choose, and their numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/token_attention.h"
#include "figure/model/figure.h"
#include "figure/slices/selected.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The shading that the options `position`, `direction`, `heads`, `leave_out` and those of an attention choose.
struct TokenShading {
  SelectedAttention of;
  TokenQuestion question;
  Index queries = 0;
  Index keys = 0;
  std::shared_ptr<const TokenAttention> attention;  ///< null: stopped, or not read
  std::vector<bool> left_out;                       ///< [token]: has no colour; empty: none is left out

  /// Whether queries and keys are different texts.
  [[nodiscard]] bool has_two_texts() const;
  [[nodiscard]] const Axis& query_axis() const { return of.weights->axes[of.weights->axes.size() - 2]; }
  [[nodiscard]] const Axis& key_axis() const { return of.weights->axes.back(); }
  /// The axis of the chosen token, and that of the shaded ones.
  [[nodiscard]] const Axis& chosen_axis() const { return question.from ? query_axis() : key_axis(); }
  [[nodiscard]] const Axis& shaded_axis() const { return question.from ? key_axis() : query_axis(); }

  [[nodiscard]] bool is_left_out(Index token) const {
    return !left_out.empty() && left_out[static_cast<std::size_t>(token)];
  }
  [[nodiscard]] float weight(Index token) const { return attention->weights[static_cast<std::size_t>(token)]; }
  /// The largest finite number of the tokens that are not left out; 0 without any.
  [[nodiscard]] double most() const;
};

/// Rollout must be possible where it is chosen; see `no_rollout`. Numbers that take long are kept in the cache.
TokenShading token_shading(const Trace& trace, const ViewOptions& options);

/// How the option `heads` combines them.
HeadCombination head_combination(const ParameterValues& options);

/// What a shading shows: "What “mat” attends to" and, unless there is only one attention, "layer 2, head 3".
struct ShadingTitle {
  std::string question;
  std::string which;

  [[nodiscard]] std::string text() const { return which.empty() ? question : question + ": " + which; }
};
ShadingTitle shading_title(const Trace& trace, const TokenShading& shading);

/// What a number of the shading is, for a colour bar: "attention weight", "mean weight".
std::string shading_quantity(const TokenShading& shading);

/// The cell of the weights that the number of a token is: of one head, and for the maximum of the head that has it.
std::optional<TensorCell> shading_cell(const TokenShading& shading, Index token);

/// "Left out: the first token, with 0.8731."; empty where nothing is.
std::string left_out_text(const TokenShading& shading, const std::string& what);

}  // namespace attnscope
