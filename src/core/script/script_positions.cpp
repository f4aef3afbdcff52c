#include "core/script/script_positions.h"

#include "core/experiment/positions.h"

namespace attnscope {

std::string positioned_name(const Experiment& e) {
  const std::string& kind = positions_of(e);
  return kind == "sinusoidal" || kind == "learned" ? "positioned_x" : "x";
}

std::string positions_draw_code(const Experiment& e) {
  return positions_of(e) == "learned" ? "positions = torch.randn(tokens, features)" : "";
}

std::string positions_sum_code(const Experiment& e) {
  if (positioned_name(e) == "x") return "";
  std::string code;
  if (positions_of(e) == "sinusoidal") {
    code = R"(
# Sinusoidal positions: sines in even features, cosines in odd ones.
feature = torch.arange(features)
pace = 10000 ** (feature // 2 * 2 / features).double()
angles = torch.arange(tokens, dtype=torch.double)[:, None] / pace
positions = torch.where(feature % 2 == 0, angles.sin(), angles.cos()).float()
)";
  }
  return code + "positioned_x = x + positions\n";
}

std::string rotated_code(const Experiment& e) {
  if (positions_of(e) != "rotary") return "";
  return R"(
def rotated(rows):
    """RoPE: rotates each pair of features by an angle proportional to the position."""
    dim = rows.shape[-1]
    even = torch.arange(0, dim - 1, 2, dtype=torch.double)
    angles = torch.arange(rows.shape[-2], dtype=torch.double)[:, None] / 10000 ** (even / dim)
    a, b = rows[..., 0 : 2 * len(even) : 2].double(), rows[..., 1::2].double()
    turned = (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos())
    pairs = torch.stack(turned, dim=-1).flatten(-2).float()
    return torch.cat((pairs, rows[..., 2 * len(even) :]), dim=-1)
)";
}

std::string rotated_calls(const Experiment& e) {
  return positions_of(e) == "rotary" ? "rotated_q = rotated(q)\nrotated_k = rotated(k)\n" : "";
}

std::string rotated_name(const Experiment& e, const std::string& name) {
  return positions_of(e) == "rotary" ? "rotated_" + name : name;
}

void write_rotation(Script& s) {
  const std::string code = rotated_code(s.experiment());
  if (code.empty()) return;
  s.empty_line();
  s.section(code);
  s.empty_line();
  s.section(rotated_calls(s.experiment()));
}

std::string dot_scores_code(const Experiment& e) {
  return "scores = " + rotated_name(e, "q") + " @ " + rotated_name(e, "k") +
         ".transpose(-2, -1) / math.sqrt(head_dim)\n";
}

std::string biased_scores_code(const Experiment& e, const BiasCode& code) {
  if (positions_of(e) != "alibi") return "";
  return "# ALiBi: subtract slope · distance; each head has its own slope.\nslopes = 2.0 ** (-8 * "
         "torch.arange(1, " +
         code.heads + " + 1) / " + code.heads + ")\ndistance = (torch.arange(" + code.queries +
         ")[:, None] - torch.arange(" + code.keys +
         ")).abs()\nbiased_scores = scores - (slopes[:, None, None] * distance)" + code.shaped + "\n";
}

}  // namespace attnscope
