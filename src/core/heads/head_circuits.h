// The weights of a head as linear maps: what it reads from a token and what it writes, independent of its attention.
#pragma once

#include <memory>
#include <optional>

#include "core/trace/trace.h"

namespace attnscope {

/// The maps of one head: queries are x · w_q, keys x · w_k, values x · w_v, and a value adds weight · value · w_o to
/// the output. Biases are ignored.
/// Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits.
struct HeadCircuit {
  std::optional<Tensor> w_q;  ///< [feature, dim]; nothing with rotary positions, or without a projection
  std::optional<Tensor> w_k;  ///< [feature, dim]
  Tensor w_v;                 ///< [feature, dim]
  Tensor w_o;                 ///< [dim, output feature]
};

/// The circuit of a head of the softmax at step `weights`; nothing if the values have no projection, or the outputs of
/// the heads have no output projection.
std::optional<HeadCircuit> head_circuit(const Trace& trace, int weights, Index head);

/// The step q · k before the softmax at step `weights`, its mask and its bias; −1: the weights have another origin.
int product_before(const Trace& trace, int weights);

/// The maximum head dimension for which eigenvalues are computed.
inline constexpr Index kMaxForEigenvalues = 512;

/// How far a head writes what it reads: Re Σλ / Σ|λ| over the eigenvalues λ of w_v · w_o; 1 if all are positive, −1 if
/// all are negative. The smaller matrix w_o · w_v has the same nonzero eigenvalues. Nothing if input and output
/// features differ, all eigenvalues are 0, or the head is too large.
std::optional<double> copying(const HeadCircuit& head);

/// The input of a later head through which it reads the output of an earlier one.
enum class Composition { query, key, value };

/// A head's circuit with the products of its matrices with themselves: a composition score of two heads needs no other
/// product over the features but one.
class ComposedCircuit {
 public:
  explicit ComposedCircuit(const HeadCircuit& circuit);

  /// The composition score: ‖w_v w_o M‖ / (‖w_v w_o‖ · ‖M‖) in the Frobenius norm, where w_v w_o belongs to `earlier`,
  /// and M is w_q w_kᵀ, w_k w_qᵀ or w_v w_o of this one. Nothing if their features differ or a norm is 0.
  [[nodiscard]] std::optional<double> with(const ComposedCircuit& earlier, Composition through) const;

 private:
  struct Matrices;
  std::shared_ptr<const Matrices> matrices_;
};

}  // namespace attnscope
