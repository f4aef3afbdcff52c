// A circuit of a head over the whole vocabulary: the matrix, and its extreme pairs as words.
#pragma once

#include "core/base/result.h"
#include "core/residual/score_parts.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

enum class TokenMatrixKind {
  query_key,     ///< which tokens seek which
  output_value,  ///< which tokens raise the logits of which
};

/// The circuit as a figure; empty once stopped. The error says in one sentence why there is none.
Result<Figure> token_matrix_figure(const Trace& trace, const ScoreChoice& choice, TokenMatrixKind kind,
                                   const ViewOptions& options);

}  // namespace attnscope
