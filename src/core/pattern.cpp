#include "core/pattern.h"

#include <cassert>
#include <sstream>

namespace attnscope {
namespace {

LabelGroups parse_groups(std::string_view text) {
  std::string spaced;
  for (const char c : text) {
    if (c == '(' || c == ')') {
      spaced += {' ', c, ' '};
    } else {
      spaced += c;
    }
  }
  LabelGroups groups;
  std::istringstream words(spaced);
  bool inside = false;
  for (std::string word; words >> word;) {
    if (word == "(") {
      inside = true;
      groups.emplace_back();
    } else if (word == ")") {
      inside = false;
    } else if (inside) {
      groups.back().push_back(word);
    } else {
      groups.push_back({word});
    }
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
