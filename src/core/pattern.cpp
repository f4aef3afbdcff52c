#include "core/pattern.h"

#include <algorithm>
#include <cassert>

namespace attnscope {
namespace {

LabelGroups parse_groups(std::string_view text) {
  LabelGroups groups;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '(' || c == ')') {
      if (c == '(') groups.emplace_back();
      if (c != ' ') inside = c == '(';
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ()", at), text.size());
    std::string label(text.substr(at, end - at));
    if (inside) {
      groups.back().push_back(std::move(label));
    } else {
      groups.push_back({std::move(label)});
    }
    at = end;
  }
  assert(!inside);
  return groups;
}

}  // namespace

Pattern parse_pattern(std::string_view text) {
  const std::size_t arrow = text.find("->");
  assert(arrow != std::string_view::npos);
  Pattern pattern;
  std::string_view left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != std::string_view::npos; comma = left.find(',')) {
    pattern.inputs.push_back(parse_groups(left.substr(0, comma)));
    left.remove_prefix(comma + 1);
  }
  pattern.inputs.push_back(parse_groups(left));
  pattern.output = parse_groups(text.substr(arrow + 2));
  return pattern;
}

}  // namespace attnscope
