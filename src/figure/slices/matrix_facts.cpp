#include "figure/slices/matrix_facts.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/operations/import.h"
#include "core/plan/plan.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

struct NameAndMeaning {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kMeanings = std::to_array<NameAndMeaning>({
    {"x", "input: one row per token"},
    {"x2", "target tokens: the queries of cross-attention come from them"},
    {"positions", "positional encodings: one row per position"},
    {"positioned_x", "input with the positions added"},
    {"x_q", "input of the queries"},
    {"x_k", "input of the keys"},
    {"x_v", "input of the values"},
    {"normed", "normalized input"},
    {"tokens", "pixels as tokens: one row per pixel"},
    {"w_q", "weights of the projection to queries"},
    {"w_k", "weights of the projection to keys"},
    {"w_v", "weights of the projection to values"},
    {"w_qkv", "weights of the projection to queries, keys and values at once"},
    {"w_o", "weights of the output projection: they mix the heads"},
    {"w_o_rows", "weights of the output projection, all heads in one matrix"},
    {"w_o_heads", "weights of the output projection, one matrix per head"},
    {"w_out", "weights of the output projection: they mix the heads"},
    {"w_proj", "weights of the output projection"},
    {"w_attention_out", "weights of the output projection: they mix the heads"},
    {"w_a_q", "weights of the scoring network, for queries"},
    {"w_a_k", "weights of the scoring network, for keys"},
    {"w_a_v", "weights of the scoring network's last layer"},
    {"w_logits", "unembedding: one row per entry of the vocabulary"},
    {"q", "queries: what each token looks for"},
    {"k", "keys: what each token is matched by"},
    {"v", "values: what each token passes on"},
    {"qkv", "queries, keys and values, stacked"},
    {"projected_q", "queries of all heads"},
    {"projected_k", "keys of all heads"},
    {"projected_v", "values of all heads"},
    {"scaled_q", "queries, divided before the product"},
    {"rotated_q", "queries, rotated by their positions"},
    {"rotated_k", "keys, rotated by their positions"},
    {"normed_q", "normalized queries"},
    {"normed_k", "normalized keys"},
    {"repeated_k", "keys, repeated for the query heads that share them"},
    {"repeated_v", "values, repeated for the query heads that share them"},
    {"additive_q", "the queries' part of the scoring network's hidden layer"},
    {"additive_k", "the keys' part of the scoring network's hidden layer"},
    {"additive", "hidden layer of the scoring network, for every query and key"},
    {"scores", "how well each key matches each query, before the softmax"},
    {"biased_scores", "scores with a bias for the distance between query and key"},
    {"masked_scores", "scores with those of masked pairs replaced"},
    {"weights", "attention weights: how much each query attends to each key; each row sums to 1"},
    {"dropped_weights", "attention weights after dropout"},
    {"mean_weights", "attention weights, averaged over the heads"},
    {"weighted_values", "what each key contributes to each query's output"},
    {"head_outputs", "output of each head: the values, summed with the attention weights"},
    {"kept_head_outputs", "output of each head; 0 where a head is off"},
    {"head_parts", "what each head adds to the output"},
    {"head_norms", "length of what each head adds to the output"},
    {"merged", "outputs of all heads, concatenated"},
    {"projected", "heads, after the output projection"},
    {"projected_image", "heads, after the output projection, as a picture"},
    {"attention_out", "output of the attention"},
    {"out", "output"},
    {"b_out", "bias of the output projection"},
    {"b_o", "bias of the output projection"},
    {"b_proj", "bias of the output projection"},
    {"b_attention_out", "bias of the output projection"},
    {"token_ids", "ids of the tokens in the vocabulary"},
    {"embedded", "token embeddings: one row per token"},
    {"token_embeddings", "embeddings of the tokens"},
    {"type_embeddings", "embeddings of which text each token belongs to"},
    {"position_embeddings", "embeddings of the positions"},
    {"position_embeddings_stored", "embeddings of the positions, as the file has them"},
    {"embedding_sum", "sum of the embeddings"},
    {"embedding_sum_with_types", "sum of all embeddings"},
    {"pixels", "pixels of the picture, scaled and normalized"},
    {"cropped_pixels", "pixels that patches cover"},
    {"patch_pixels", "pixels of each patch"},
    {"patches", "embeddings of the patches"},
    {"class_token", "embedding of the class token"},
    {"class_token_stored", "embedding of the class token, as the file has it"},
    {"final_class_token", "normalized output for the class token"},
    {"both", "sum of attention and MLP"},
    {"mlp_sum", "input plus the output of the MLP"},
    {"head_hidden", "hidden layer before the logits"},
    {"head_activated", "hidden layer before the logits, after the activation"},
    {"head_normed", "hidden layer before the logits, normalized"},
    {"position_bias", "bias of each head for the distance between query and key"},
    {"bias_table", "biases of the heads, one row per range of distances"},
    {"middle", "residual stream after the attention"},
    {"attention_sum", "input plus the output of the attention"},
    {"mlp_normed", "normalized input of the MLP"},
    {"mlp_hidden", "hidden layer of the MLP"},
    {"mlp_gate", "gate of the MLP"},
    {"mlp_gate_activated", "gate of the MLP, after the activation"},
    {"mlp_activated", "hidden layer of the MLP, after the activation"},
    {"mlp_out", "output of the MLP"},
    {"final", "normalized output of the last layer"},
    {"logits", "a number per token and entry of the vocabulary, before the softmax"},
    {"probabilities", "probability of each entry of the vocabulary"},
});

std::string meaning_of_name(std::string_view name, const Step& step) {
  const auto found = std::ranges::find(kMeanings, name, &NameAndMeaning::name);
  if (found != kMeanings.end()) return std::string(found->meaning);
  constexpr auto kOf = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"w_", "weights that make "},
      {"b_", "bias of "},
      {"scale_", "factors of the normalization that makes "},
  });
  for (const auto& [prefix, words] : kOf) {
    if (name.starts_with(prefix)) return std::string(words) + std::string(name.substr(prefix.size()));
  }
  if (constexpr std::string_view kChanged = "changed_"; name.starts_with(kChanged))
    return meaning_of_name(name.substr(kChanged.size()), step) + ", after the interventions";
  if (constexpr std::string_view kCross = "cross_"; name.starts_with(kCross))
    return "cross-attention: " + meaning_of_name(name.substr(kCross.size()), step);
  return is<ImportOperation>(step.operation) ? "numbers from a file" : "result of " + step.operation->name();
}

/// What an id of a text has after that of its matrix.
constexpr std::array<std::string_view, 5> kHeadings = {".symbol", ".formula", ".shape", ".title", ".place"};

}  // namespace

std::string tensor_meaning(const Step& step) {
  std::string_view name = step.name;
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  if (name == "x" && find_axis(step.axes, "channel") != nullptr) return "input picture: one row per channel";
  return meaning_of_name(name, step);
}

std::string named_shape(const Axes& axes) {
  std::string text;
  for (const Axis& axis : axes) text += (text.empty() ? "" : " × ") + axis.name + " " + std::to_string(axis.size);
  return text;
}

std::string formula_text(const Trace& trace, const Step& step) {
  const std::span<const PlannedStep> steps = trace.plan()->steps;
  const auto number = static_cast<std::size_t>(&step - trace.steps().data());
  return step.operation->formula({steps, steps[number]});
}

std::string matrix_facts(const Trace& trace, const Step& step, std::string_view meaning) {
  std::string text = meaning.empty() ? tensor_meaning(step) : std::string(meaning);
  text += "\n" + step.name + ": " + named_shape(step.axes);
  if (const std::string formula = formula_text(trace, step); !formula.empty())
    text += (step.inputs.empty() ? "\n" : "\n= ") + formula;
  return text;
}

const Step* headed_step(const Figure& figure, const Trace& trace, const TextMark& text) {
  std::string_view id = text.id;
  const auto ending = std::ranges::find_if(kHeadings, [&](std::string_view each) { return id.ends_with(each); });
  const bool heads_all = text.id == "title";
  if (ending == kHeadings.end() && !heads_all) return nullptr;
  if (!heads_all) id.remove_suffix(ending->size());
  const Step* found = nullptr;
  for (const HeatmapMark& mark : figure.heatmaps) {
    if (mark.step < 0) continue;
    const Step& step = trace.step(mark.step);
    if (mark.id == id) return &step;
    // A heading of several matrices says what they are if they are of one tensor.
    if (heads_all && found != nullptr && found != &step) return nullptr;
    if (heads_all || step.name == id) found = &step;
  }
  return found;
}

const Step* headed_step_at(const Figure& figure, const Trace& trace, const FigureTransform& transform, Point at) {
  for (const TextMark& text : figure.texts) {
    const Point start = transform.apply(text.at);
    const double size = text.size * transform.type_scale;
    if (text.angle != 0 || at.y < start.y - size || at.y > start.y + size * kFontDescent) continue;
    const double width = markup_width(text.markup, size, text.weight);
    const double left = text.horizontal == HorizontalAlign::left     ? start.x
                        : text.horizontal == HorizontalAlign::center ? start.x - width / 2
                                                                     : start.x - width;
    if (at.x < left || at.x > left + width) continue;
    if (const Step* step = headed_step(figure, trace, text)) return step;
  }
  return nullptr;
}

}  // namespace attnscope
