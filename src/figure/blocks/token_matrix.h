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

/// Whether it is another one at another query, or another key; embeddings alone have no positions.
bool depends_on_query(const Trace& trace, TokenMatrixKind kind);
bool depends_on_key(const Trace& trace, TokenMatrixKind kind);

/// The circuit as a figure; empty once stopped. The error says in one sentence why there is none.
Result<Figure> token_matrix_figure(const Trace& trace, const ScoreChoice& choice, TokenMatrixKind kind,
                                   const ViewOptions& options);

}  // namespace attnscope
