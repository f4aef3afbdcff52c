// What each part of a model carries over from another text. Source: Vig et al. 2020, Investigating Gender Bias in Language
// Models Using Causal Mediation Analysis; Wang et al. 2022, Interpretability in the Wild.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/residual/importance.h"

namespace attnscope {

/// Which two answers are told apart, at which position. Everything counts from 0.
struct PatchingChoice {
  Index position = 0;
  Index answer = 0;  ///< of the text itself
  Index other = 0;   ///< of the other text

  friend bool operator==(const PatchingChoice&, const PatchingChoice&) = default;
};

/// Of a long text, positions are patched in a window that ends at the answer's, or as many from the first on as fit.
inline constexpr Index kMostPatchedPositions = 64;

/// The difference of two logits, `answer` − `other`, and how far each part alone moves it from what it is in the text
/// to what it is in the other one: 0 not at all, 1 all of the way. NaN if it is the same in both.
struct Patching {
  std::vector<LayerImportance> layers;  ///< shares of the way, for heads and MLPs at all positions
  /// [state][position]: of the residual stream, see ResidualStream::states.
  std::vector<std::vector<double>> positions;
  Index first = 0;   ///< the first of these positions
  double here = 0;   ///< the difference in the text
  double there = 0;  ///< and in the other text
};

/// The same experiment with the other text, `patch_text`, in place of its own. Null if stopped or not computable.
std::shared_ptr<const Trace> other_trace(const Trace& trace, const StopToken& stop = {});

/// Why nothing can be patched, in one sentence; empty: it can. Both texts need equally many tokens.
std::string no_patching(const Experiment& experiment);

/// Patches every part alone. `other` is a trace of the same steps. `progress` as in `importance`. Nothing if stopped.
std::optional<Patching> patching(const Trace& trace, const Trace& other, const ResidualStream& stream,
                                 const PatchingChoice& choice, const StopToken& stop = {},
                                 const std::function<void(double)>& progress = {});

}  // namespace attnscope
