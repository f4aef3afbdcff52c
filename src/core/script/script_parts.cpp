#include "core/script/script_parts.h"

#include "core/operations/ops.h"

namespace attnscope {

void write_tokens(Script& s, std::string_view picture) {
  s.code("tokens = " + std::string(picture) + ".flatten(2).transpose(1, 2)  # [batch, token, channel]");
}

void write_norm(Script& s, bool group) {
  const Experiment& e = s.experiment();
  const std::string name = group ? "nn.GroupNorm" : "nn.BatchNorm2d";
  const Index items = saturating_product(e.integer("batch"), pixel_count(e));
  if (items == 1 && (!group || e.integer("channels") == 1)) {
    s.code("normed = torch.zeros_like(x)  # a single number minus its mean; " + name + " rejects it");
  } else {
    s.code("normed = " + name + (group ? "(1, channels)(x)" : "(channels)(x)"));
  }
}

void write_head_slices(Script& s, std::string_view input) {
  s.code("qkv = to_qkv(" + std::string(input) + ")");
  s.code(R"(
# Split into heads first; each head's slice is its q, k and v in turn.
q, k, v = qkv.unflatten(-1, (heads, 3 * head_dim)).transpose(1, 2).chunk(3, dim=-1)
)");
}

void write_attention(Script& s, const ScoreAxes& axes, std::string_view scores) {
  const Experiment& e = s.experiment();
  s.section(mask_code(e, axes));
  s.section(scores);
  s.code(weights_code(e));
  s.code("head_outputs = " + weights_name(e) + " @ v");
}

void write_merged(Script& s) {
  s.section(heads_code(s.experiment(), "head_outputs", 1));
  s.section("merged = " + heads_name(s.experiment()) + ".transpose(1, 2).flatten(2)");
}

void write_picture_sum(Script& s, std::string_view input) {
  s.code("projected = proj(" + std::string(input) + ")");
  s.code(R"(
projected_image = projected.transpose(1, 2).reshape(x.shape)
out = x + projected_image
)");
}

ScoreAxes pixel_scores(bool heads) {
  using Names = std::vector<std::string>;
  return {heads ? Names{"batch", "head"} : Names{"batch"}, "height * width", "height * width"};
}

}  // namespace attnscope
