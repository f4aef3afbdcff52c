#include "io/traces/lens_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/experiment/intervention.h"

namespace attnscope {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

/// Of a layer, whatever the norm.
const Names& layer_names() {
  static const Names names = {{"q", "attn.hook_q"},
                              {"k", "attn.hook_k"},
                              {"v", "attn.hook_v"},
                              {"rotated_q", "attn.hook_rot_q"},
                              {"rotated_k", "attn.hook_rot_k"},
                              {"weights", "attn.hook_pattern"},
                              {"head_outputs", "attn.hook_z"},
                              {"attention_out", "hook_attn_out"},
                              {"cross_q", "cross_attn.hook_q"},
                              {"cross_k", "cross_attn.hook_k"},
                              {"cross_v", "cross_attn.hook_v"},
                              {"cross_weights", "cross_attn.hook_pattern"},
                              {"cross_head_outputs", "cross_attn.hook_z"},
                              {"cross_attention_out", "hook_cross_attn_out"},
                              {"mlp_gate", "mlp.hook_pre"},
                              {"mlp_activated", "mlp.hook_post"},
                              {"mlp_out", "hook_mlp_out"}};
  return names;
}

/// Of a layer whose norms come before attention and MLP, or after the sums.
const Names& residual_names(bool norm_follows) {
  static const Names before = {
      {"middle", "hook_resid_mid"}, {"cross_middle", "hook_resid_mid_cross"}, {"out", "hook_resid_post"}};
  static const Names after = {{"attention_sum", "hook_resid_mid"},
                              {"middle", "ln1.hook_normalized"},
                              {"mlp_sum", "hook_resid_post"},
                              {"out", "hook_normalized_resid_post"}};
  return norm_follows ? after : before;
}

/// A name of ours: "decoder.layer2.q" is the tensor "q" of "decoder.layer2.", which is there the block "decoder.1.".
struct LayerTensor {
  std::string layer;
  std::string block;
  std::string next_block;
  std::string tensor;
};

std::optional<LayerTensor> layer_tensor(const std::string& name) {
  const std::size_t at = name.starts_with("layer") ? 0 : name.find(".layer") + 1;
  if (at == 0 && !name.starts_with("layer")) return std::nullopt;
  const std::size_t digits = at + std::string_view("layer").size();
  const std::size_t dot = name.find('.', digits);
  if (dot == std::string::npos) return std::nullopt;
  int number = 0;
  std::from_chars(name.data() + digits, name.data() + dot, number);
  const std::string part = at == 0 ? "blocks." : name.substr(0, at);
  return LayerTensor{name.substr(0, dot + 1), part + std::to_string(number - 1) + ".",
                     part + std::to_string(number) + ".", name.substr(dot + 1)};
}

constexpr std::string_view kChanged = "changed_";

class Namer {
 public:
  explicit Namer(std::span<const Step> steps) : steps_(steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) places_.emplace(steps[i].name, static_cast<int>(i));
  }

  std::map<int, std::vector<std::string>> names() {
    for (int i = 0; i < static_cast<int>(steps_.size()); ++i) {
      const std::string& name = step(i).name;
      // A hook gives what an intervention has made of a tensor; what is patched from has no name.
      if (step(i).operation->traits().is_weight || name.starts_with(kPatchPrefix) || has(changed_name(name))) continue;
      if (std::optional<LayerTensor> of = layer_tensor(name)) {
        if (of->tensor.starts_with(kChanged)) of->tensor.erase(0, kChanged.size());
        name_in_layer(i, *of);
      } else {
        name_outside(i);
      }
    }
    return std::move(names_);
  }

 private:
  [[nodiscard]] const Step& step(int number) const { return steps_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool has(const std::string& name) const { return places_.contains(name); }
  /// There, what an RMS norm gives is named before it is multiplied by its weights, which we have no tensor of.
  [[nodiscard]] bool is_layer_norm(int number) const { return step(number).operation->name() == "layer_norm"; }

  void name_in_layer(int number, const LayerTensor& of) {
    const auto name = [&](const std::string& hook) { names_[number].push_back(of.block + hook); };
    for (const Names& known : {layer_names(), residual_names(has(of.layer + "attention_sum"))}) {
      if (const auto found = known.find(of.tensor); found != known.end()) name(found->second);
    }
    if (of.tensor == "mlp_hidden") name(has(of.layer + "mlp_gate") ? "mlp.hook_pre_linear" : "mlp.hook_pre");
    if (of.tensor == "normed" && is_layer_norm(number)) name("ln1.hook_normalized");
    if (of.tensor == "mlp_normed" && is_layer_norm(number)) name("ln2.hook_normalized");
    // The scores as softmax gets them, with what a mask or a bias has done to them.
    if (of.tensor == "weights") names_[step(number).inputs[0]].push_back(of.block + "attn.hook_attn_scores");
    if (of.tensor == "cross_weights")
      names_[step(number).inputs[0]].push_back(of.block + "cross_attn.hook_attn_scores");
    if (of.tensor == "out" && has_layer(of.next_block)) names_[number].push_back(of.next_block + "hook_resid_pre");
  }

  /// Whether a layer of ours is the block.
  [[nodiscard]] bool has_layer(const std::string& block) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](const Step& each) {
      const std::optional<LayerTensor> of = layer_tensor(each.name);
      return of && of->block == block;
    });
  }

  void name_outside(int number) {
    const std::string& name = step(number).name;
    const bool encodes = has("type_embeddings") || has("layer1.attention_sum");  // BERT and its relatives
    const std::string embed = encodes ? "embed." : "";
    std::vector<std::string>& names = names_[number];
    if (name == "token_embeddings") names.push_back(embed + "hook_embed");
    if (name == "position_embeddings") names.push_back(embed + "hook_pos_embed");
    if (name == "type_embeddings") names.emplace_back("embed.hook_token_type_embed");
    if (name == "embedded" && !has("token_embeddings") && !has("pixels")) names.emplace_back("hook_embed");
    if (name == "embedded" && encodes) names.emplace_back("hook_full_embed");
    if (name == "embedded") names.emplace_back("blocks.0.hook_resid_pre");
    for (const char* const part : {"encoder.", "decoder."}) {
      if (name == std::string(part) + "embedded") names.push_back(std::string(part) + "0.hook_resid_pre");
    }
    if (name == "final" && is_layer_norm(number)) names.emplace_back("ln_final.hook_normalized");
    if (name == "logits") names.emplace_back("logits");
  }

  std::span<const Step> steps_;
  std::map<std::string_view, int> places_;
  std::map<int, std::vector<std::string>> names_;
};

/// [head, position, dim] as [position, head, dim].
std::shared_ptr<const Tensor> heads_behind(const Tensor& tensor, Axes axes) {
  auto moved = std::make_shared<Tensor>(std::move(axes));
  const Index heads = tensor.size(0);
  const Index positions = tensor.size(1);
  const Index dim = tensor.size(2);
  for (Index head = 0; head < heads; ++head) {
    for (Index position = 0; position < positions; ++position) {
      const auto row = tensor.values().subspan(static_cast<std::size_t>((head * positions + position) * dim),
                                               static_cast<std::size_t>(dim));
      std::copy(row.begin(), row.end(), moved->values().begin() + (position * heads + head) * dim);
    }
  }
  return moved;
}

}  // namespace

std::map<int, std::vector<std::string>> lens_names(std::span<const Step> steps) { return Namer(steps).names(); }

TraceMember with_lens_layout(TraceMember member, std::string name) {
  member.name = std::move(name);
  const bool move = member.axes.size() == 3 && member.axes[0].name == "head" && member.axes[2].name == "dim";
  Axes axes = {{"batch", 1}};
  axes.insert(axes.end(), member.axes.begin(), member.axes.end());
  if (move) std::swap(axes[1], axes[2]);
  if (member.tensor != nullptr && move) member.tensor = heads_behind(*member.tensor, axes);
  member.axes = std::move(axes);
  return member;
}

}  // namespace attnscope
