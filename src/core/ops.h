// Traced operations: each computes its result and records its name, its inputs and how it was made.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/generator.h"
#include "core/kernels/thread_pool.h"
#include "core/trace.h"

namespace attnscope {

/// A tensor of a computation under way.
struct Value {
  int step = -1;
};

/// How a computation gets on, and whether it is still wanted.
struct Progress {
  std::stop_token stop;
  std::atomic<float>* fraction = nullptr;  ///< 0 to 1; may be null
  double total_flops = 0;                  ///< what `fraction` is measured against
  ThreadPool* pool = nullptr;              ///< threads to help; may be null
  double done_flops = 0;                   ///< what was computed before, of that total
};

/// Tensors that stand in for what a computation would draw or set constant, by name.
using Substitutions = std::map<std::string, std::shared_ptr<const Tensor>, std::less<>>;

/// Collects the steps of one computation. In `plan` mode only names and shapes are recorded and nothing is allocated,
/// so that the cost of an experiment is known from the same code that computes it.
class Recorder {
 public:
  enum class Mode { compute, plan };

  /// Draws and constants named in `substitutions` have those numbers instead; their axes are the same. The generator
  /// goes on as if they had been drawn, and the recorded operation is still the draw.
  Recorder(Mode mode, std::uint64_t seed, Progress progress = {}, Substitutions substitutions = {});

  /// The axes of a recorded tensor.
  [[nodiscard]] const Axes& axes(Value value) const { return step(value).axes; }
  [[nodiscard]] const Step& step(Value value) const { return steps_[static_cast<std::size_t>(value.step)]; }
  /// The tensor; compute mode only.
  [[nodiscard]] const Tensor& tensor(Value value) const { return *step(value).tensor; }
  /// "q[head, query, dim]": its name and axes, as formulas write it.
  [[nodiscard]] std::string reference(Value value) const;

  /// Throws away `draws` raw numbers of the generator.
  void discard(std::uint64_t draws);

  /// Appends a step. In compute mode allocates its tensor and lets `fill` compute it, unless the computation was
  /// stopped. `flops` is what `fill` costs.
  Value record(Step step, double flops, const std::function<void(Tensor&)>& fill);

  void warn(std::string warning) { warnings_.push_back(std::move(warning)); }
  /// Whether nobody waits for the result any more; long loops ask, and leave.
  [[nodiscard]] bool stopped() const { return progress_.stop.stop_requested(); }
  [[nodiscard]] ThreadPool* pool() const { return progress_.pool; }
  [[nodiscard]] bool computes() const { return mode_ == Mode::compute; }
  [[nodiscard]] Generator& generator() { return generator_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] const Cost& cost() const { return cost_; }
  /// Numbers that the seed has given so far, including discarded ones.
  [[nodiscard]] std::uint64_t numbers_drawn() const { return numbers_drawn_; }

  [[nodiscard]] std::vector<Step> take_steps() { return std::move(steps_); }
  [[nodiscard]] std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  friend Value draw(Recorder& recorder, std::string name, Axes axes, DrawOperation operation);

  Mode mode_;
  std::uint64_t seed_;
  Progress progress_;
  Substitutions substitutions_;
  Generator generator_;
  std::vector<Step> steps_;
  std::vector<std::string> warnings_;
  Cost cost_;
  std::uint64_t numbers_drawn_ = 0;
};

/// Runs the experiment, which `validate` has accepted. Fails when it was stopped or memory ran out all the same. Every
/// one of the `substitutions` is a draw or a constant of the experiment; see Recorder.
Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress = {},
                                         const Substitutions& substitutions = {});

/// The steps of an experiment whose parameters are each within their range: names and shapes, without any number.
std::vector<Step> plan(const Experiment& experiment);

// Inputs and weights.

/// `torch.rand(axes)`, scaled to [from, to).
Value draw_uniform(Recorder& recorder, std::string name, Axes axes, double from = 0, double to = 1);

/// `torch.randn(axes)`.
Value draw_normal(Recorder& recorder, std::string name, Axes axes);

/// Weight or bias of a layer with `fan_in` inputs as PyTorch initialises it: uniform in ±1/√fan_in.
Value draw_layer(Recorder& recorder, std::string name, Axes axes, Index fan_in);

/// `torch.nn.init.xavier_uniform_` of a matrix [out, in]: uniform in ±√(6 / (in + out)).
Value draw_xavier(Recorder& recorder, std::string name, Axes axes);

/// The same number everywhere.
Value constant(Recorder& recorder, std::string name, Axes axes, double value);

// Sums and products. In the patterns every axis carries a label, a word: "head query dim, head key dim -> head query
// key". The labels of the result are its axis names.

struct ContractOptions {
  double divisor = 1;
  std::string divisor_text = {};
  Value bias = {};                ///< starts the sum; instead of a divisor
  std::string bias_pattern = {};  ///< labels of its axes
};

/// `torch.einsum(pattern, a, b) / divisor`, or `bias + torch.einsum(pattern, a, b)`.
Value contract(Recorder& recorder, std::string name, std::string_view pattern, Value a, Value b,
               const ContractOptions& options = {});

/// What divides scores in scaled dot-product attention: √size.
ContractOptions divided_by_root(Index size);

/// a + b, each repeated along the labels that it lacks; `tanh` of it where that is asked for.
Value add(Recorder& recorder, std::string name, std::string_view pattern, Value a, Value b, bool tanh = false);

/// input / √size.
Value scale_by_root(Recorder& recorder, std::string name, Value input, Index size);

/// (input − mean) / √(variance + 1e-5) over the axes of those names, as group and batch norm without learned scale.
Value normalize(Recorder& recorder, std::string name, Value input, std::span<const std::string> over);

/// Mean over the axis of that name.
Value mean(Recorder& recorder, std::string name, Value input, std::string_view axis);

// Attention.

/// `scores` with those that `field` does not keep replaced by `fill`; axes [query, key], [head, query, key] or
/// [batch, head, query, key].
Value apply_mask(Recorder& recorder, std::string name, Value scores, MaskField field, double fill);

/// Softmax over the last axis of `input / temperature`, the row maximum subtracted first.
Value softmax(Recorder& recorder, std::string name, Value input, double temperature = 1);

/// `input` with about `probability` of its elements set to 0 and the others divided by 1 − probability.
Value dropout(Recorder& recorder, std::string name, Value input, double probability);

// The same numbers elsewhere.

/// Reorders, splits and merges axes as in einops: "head query dim -> query (head dim)". A group on the left needs the
/// sizes of all its labels but one in `sizes`; a group on the right becomes one axis named "head·dim", or as the
/// pattern says: "token=(row column)". A label that the right side lacks stands still at its place in `at`: that is a
/// slice.
Value rearrange(Recorder& recorder, std::string name, std::string_view pattern, Value input,
                const std::map<std::string, Index>& sizes = {}, const std::map<std::string, Index>& at = {});

/// What stands between scores and the weighted sum in every system: the mask (when there is one), softmax with
/// temperature, dropout (when on). Records `masked_scores`, `weights` and `dropped_weights` with `prefix` in front.
Value attention_weights(Recorder& recorder, const Experiment& experiment, const std::string& prefix, Value scores,
                        const Mask& mask, MaskSizes sizes);

}  // namespace attnscope
