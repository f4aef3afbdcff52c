#include "core/experiment/positions.h"

namespace attnscope {

Parameter positions_parameter() {
  return choice_parameter(
      "positions", "Positions",
      "How the order of the tokens is known: added to X (sinusoidal, or learned and here drawn), turned into Q and K "
      "(rotary), or taken off the scores (ALiBi).",
      {"none", "sinusoidal", "learned", "rotary", "alibi"}, {"none", "sinusoidal", "learned", "rotary", "ALiBi"});
}

Parameter relative_positions_parameter() {
  return choice_parameter(
      "positions", "Positions",
      "How the order is known: turned into Q and K (rotary), or taken off the scores (ALiBi); both count each from 0.",
      {"none", "rotary", "alibi"}, {"none", "rotary", "ALiBi"});
}

const std::string& positions_of(const Experiment& e) {
  static const std::string none = "none";
  const auto found = e.parameters.find("positions");
  return found == e.parameters.end() ? none : std::get<std::string>(found->second);
}

}  // namespace attnscope
