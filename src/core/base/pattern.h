// Patterns of axis labels, as in einsum and einops, with words for labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// One axis in a pattern: its labels, slowest first; more than one where the pattern has parentheses.
using LabelGroup = std::vector<std::string>;

/// One operand or result: its axes.
using LabelGroups = std::vector<LabelGroup>;

/// "head query dim, head key dim -> head query key" or "head query dim -> query (head dim)". An axis of the result is
/// named after its labels, "head·dim", unless the pattern names it: "channel token=(row column)".
struct Pattern {
  std::vector<LabelGroups> inputs;
  LabelGroups output;
  std::vector<std::string> output_names;  ///< per axis of the result
};

/// The words of a pattern or of a part of one, in order; without parentheses they are the axes.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// The next word; empty after the last one.
  std::string_view next();

 private:
  std::string_view rest_;
};

/// The operands and the result of a pattern without parentheses, such as einsum's. Allocates nothing.
struct PlainPattern {
  std::string_view a, b, out;
};
PlainPattern split_pattern(std::string_view text);

/// Patterns are written in the source of a system, so a malformed one is a bug and asserts.
Pattern parse_pattern(std::string_view text);

}  // namespace attnscope
