#include "core/base/pattern.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/text.h"

namespace attnscope {
namespace {

/// `names` gets a name for each axis, empty where the pattern does not say.
LabelGroups parse_groups(std::string_view text, std::vector<std::string>& names) {
  LabelGroups groups;
  std::string name;
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '(' || c == ')') {
      if (c == '(') {
        groups.emplace_back();
        names.push_back(std::exchange(name, {}));
      }
      if (c != ' ') inside = c == '(';
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ()=", at), text.size());
    std::string label(text.substr(at, end - at));
    at = end;
    if (at < text.size() && text[at] == '=') {
      name = std::move(label);
      ++at;
    } else if (inside) {
      groups.back().push_back(std::move(label));
    } else {
      groups.push_back({std::move(label)});
      names.push_back(std::exchange(name, {}));
    }
  }
  assert(!inside && name.empty());
  return groups;
}

}  // namespace

std::string_view Words::next() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
  const std::string_view word = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(word.size());
  return word;
}

PlainPattern split_pattern(std::string_view text) {
  const std::size_t comma = text.find(',');
  const std::size_t arrow = text.find("->");
  assert(comma < arrow && arrow != std::string_view::npos);
  return {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
}

Pattern parse_pattern(std::string_view text) {
  const std::size_t arrow = text.find("->");
  assert(arrow != std::string_view::npos);
  Pattern pattern;
  std::string_view left = text.substr(0, arrow);
  std::vector<std::string> input_names;  // the operands' axes have names already
  for (std::size_t comma = left.find(','); comma != std::string_view::npos; comma = left.find(',')) {
    pattern.inputs.push_back(parse_groups(left.substr(0, comma), input_names));
    left.remove_prefix(comma + 1);
  }
  pattern.inputs.push_back(parse_groups(left, input_names));
  pattern.output = parse_groups(text.substr(arrow + 2), pattern.output_names);
  for (std::size_t i = 0; i < pattern.output.size(); ++i) {
    if (pattern.output_names[i].empty()) pattern.output_names[i] = join(pattern.output[i], "·");
  }
  return pattern;
}

}  // namespace attnscope
