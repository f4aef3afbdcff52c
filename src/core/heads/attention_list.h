// The attentions of a trace, by the names of their weights: those of one layer after the other, and of a model's encoder
// and decoder.
#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Which tokens attend to which.
enum class AttentionKind {
  self,     ///< of a system with one part
  encoder,  ///< within the first text
  decoder,  ///< within the second text
  cross,    ///< from the second text to the first
};

/// One attention of several that follow one another.
struct LayerAttention {
  int weights = 0;  ///< step
  AttentionKind kind = AttentionKind::self;
  Index layer = 1;  ///< of its part; layers count from 1
};

/// The attentions in the order of the computation: "weights", "layer2.weights", … of a system; "layer1.weights", … of a
/// model, with two parts "encoder.layer1.weights", …, "decoder.layer1.weights", "decoder.layer1.cross_weights", …
/// Cross-attention beside a single layer, and other stages of a system, are not among them.
std::vector<LayerAttention> layer_attentions(const Trace& trace);
/// The same of a plan, before anything is computed; `of_model`: the plan is that of a trained model.
std::vector<LayerAttention> layer_attentions(const Plan& plan, bool of_model);

/// What the names of its tensors begin with: "", "layer2.", "decoder.layer1.cross_".
std::string prefix_of(const Trace& trace, const LayerAttention& attention);

/// "layer 2", "encoder layer 1", "decoder layer 1", "decoder layer 1, cross-attention".
std::string title_of(const LayerAttention& attention);

}  // namespace attnscope
