// The weights of a head as maps: what it reads from a token and what it writes, whatever it looks at.
#pragma once

#include <optional>

#include "core/trace/trace.h"

namespace attnscope {

/// The maps of one head: queries are x · w_q, keys x · w_k, values x · w_v, and a value that is attended to adds
/// value · w_o to the output. Biases are left out.
/// Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits.
struct HeadCircuit {
  std::optional<Tensor> w_q;  ///< [feature, dim]; nothing where positions turn queries, or they come from no layer
  std::optional<Tensor> w_k;  ///< [feature, dim]
  Tensor w_v;                 ///< [feature, dim]
  Tensor w_o;                 ///< [dim, output feature]
};

/// That of a head of the softmax at step `weights`; nothing where values come from no layer of their own, or no layer
/// puts the heads' outputs together.
std::optional<HeadCircuit> head_circuit(const Trace& trace, int weights, Index head);

/// The largest number of dimensions of a head whose eigenvalues are computed.
inline constexpr Index kMaxForEigenvalues = 512;

/// How far a head writes what it reads: Re Σλ / Σ|λ|, λ the eigenvalues of w_v · w_o; 1 if all of them are positive,
/// −1 if all are negative. They are those of w_o · w_v, which is smaller, but for zeros. Nothing where what is written
/// is no feature of what is read, where all are 0, or the head is too large.
std::optional<double> copying(const HeadCircuit& head);

/// Through what a later head takes up what an earlier one wrote.
enum class Composition { query, key, value };

/// How much of what `earlier` writes `later` reads, as a share: ‖w_v w_o M‖ / (‖w_v w_o‖ · ‖M‖) by Frobenius' norm,
/// where M is w_q w_kᵀ, w_k w_qᵀ or w_v w_o of the later one. Nothing where they have no features in common, or one is
/// 0.
std::optional<double> composition(const HeadCircuit& earlier, const HeadCircuit& later, Composition through);

}  // namespace attnscope
