// Interventions: what takes the place of a part of a trained model while it computes.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Replaces what a head, an MLP or a layer puts out, or masks scores of a head. Source: Wang et al. 2022, Interpretability
/// in the Wild (mean); Meng et al. 2022, Locating and Editing Factual Associations in GPT (patching); Geva et al. 2023,
/// Dissecting Recall of Factual Associations in Auto-Regressive Language Models (masking).
struct Intervention {
  enum class Kind {
    off,      ///< 0
    mean,     ///< its mean over the text
    patched,  ///< what the model makes of the experiment's other text, at the same position
    masked,   ///< −∞ before the softmax; of scores only, for which nothing else is allowed
  };

  std::string tensor;              ///< "layer2.head_outputs", "decoder.layer1.mlp_out", "layer2.out", "layer2.scores"
  std::optional<Index> head = {};  ///< from 0; set if and only if the tensor has heads
  std::optional<Index> position = {};  ///< from 0; otherwise all positions. Of scores, the query
  Kind kind = Kind::off;
  std::optional<Index> key = {};  ///< from 0; set if and only if the tensor is scores

  friend bool operator==(const Intervention&, const Intervention&) = default;
};

/// The most interventions of one experiment.
inline constexpr std::size_t kMaxInterventions = 4096;

inline constexpr std::array<std::string_view, 4> kInterventionKinds = {"off", "mean", "patched", "masked"};

/// "off", "mean", "patched", "masked": as in files and on the command line.
std::string_view kind_name(Intervention::Kind kind);
std::optional<Intervention::Kind> intervention_kind(std::string_view name);

/// What an intervention acts on as a person writes it, counted from 1: "layer2.head3", "decoder.layer1.cross_head2",
/// "layer2.mlp", "layer2.out", each also with a position: "layer2.head3@5". Scores have a query, or *, and a key:
/// "layer2.head3@5:2", "layer2.head3@*:2".
std::string part_name(const Intervention& intervention);
/// The reverse; the kind is `masked` for scores, otherwise `off`. The error says what is allowed.
Result<Intervention> intervention_on(std::string_view part);

/// The same in words: "Layer 2, head 3", "Decoder layer 1, cross-attention, head 2, position 5", "Layer 2, MLP",
/// "Layer 2, head 3, query 5, key 2", "Layer 2, head 3, key 2".
std::string part_title(const Intervention& intervention);

/// What is done to several parts: "layer 2, head 3 off; layer 2, MLP mean; and 3 more" where at most two are named.
std::string parts_text(std::span<const Intervention> interventions, std::size_t most_named);

/// Those that mean the same for any text: off and mean, at all positions.
std::vector<Intervention> on_any_text(std::span<const Intervention> interventions);

/// The one that acts on the same part; null: none.
const Intervention* same_part(const std::vector<Intervention>& all, const Intervention& one);

/// Whether the tensor can be replaced: outputs of heads and MLPs, and the residual stream after a layer.
bool can_intervene(std::string_view tensor);

/// Whether the tensor is the scores of a layer's heads, which can be masked.
bool can_mask(std::string_view tensor);

/// The scores "layer2.scores" from which "layer2.weights", "layer2.masked_scores" or "layer2.biased_scores" are made; empty
/// for any other tensor.
std::string scores_of_heads(std::string_view tensor);

/// Begins the names of what a model makes of the experiment's other text.
inline constexpr const char* kPatchPrefix = "patch.";

/// "layer2.changed_head_outputs": the tensor with its interventions.
std::string changed_name(std::string_view tensor);

}  // namespace attnscope
