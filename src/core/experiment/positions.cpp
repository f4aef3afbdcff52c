#include "core/experiment/positions.h"

namespace attnscope {

Parameter positions_parameter() {
  return choice_parameter(
      "positions", "Positions",
      "How token positions enter: added to X (sinusoidal; learned, here random), by rotating Q and K (rotary), or "
      "subtracted from the scores (ALiBi).",
      {"none", "sinusoidal", "learned", "rotary", "alibi"}, {"none", "sinusoidal", "learned", "rotary", "ALiBi"});
}

Parameter relative_positions_parameter() {
  return choice_parameter(
      "positions", "Positions",
      "How token positions enter: by rotating Q and K (rotary), or subtracted from the scores (ALiBi). Queries and "
      "keys are each counted from the start of their own sequence.",
      {"none", "rotary", "alibi"}, {"none", "rotary", "ALiBi"});
}

const std::string& positions_of(const Experiment& e) {
  static const std::string none = "none";
  const auto found = e.parameters.find("positions");
  return found == e.parameters.end() ? none : std::get<std::string>(found->second);
}

}  // namespace attnscope
