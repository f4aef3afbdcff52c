#include "io/experiments/mask_json.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kForms = "2, 3 or 4 levels of lists";

std::string place_text(std::span<const Index> index) {
  std::string text = "mask";
  for (const Index i : index) text += "[" + std::to_string(i) + "]";
  return text;
}

/// A list of many booleans is packed; see `parse_json`.
bool is_list(const json& value) { return value.is_array() || value.is_binary(); }

Index size_of(const json& list) {
  return static_cast<Index>(list.is_binary() ? list.get_binary().size() : list.size());
}

/// The lengths of the first list of every level.
Result<std::vector<Index>> shape_of(const json& array) {
  std::vector<Index> shape;
  for (const json* level = &array; is_list(*level); level = &level->front()) {
    shape.push_back(size_of(*level));
    if (level->is_binary()) break;
    if (level->empty())
      return fail(place_text(std::vector<Index>(shape.size() - 1, 0)) +
                  ": an empty list is not allowed; allowed: " + kForms);
  }
  if (shape.size() < 2 || shape.size() > 4) {
    return fail("mask: " + std::to_string(shape.size()) + (shape.size() == 1 ? " level" : " levels") +
                " of lists; allowed: " + kForms);
  }
  return shape;
}

/// Appends the values of `part`, which is at `index` and `depth` levels deep.
Result<void> append(const json& part, std::vector<Index>& index, Mask& mask) {
  const std::size_t depth = index.size();
  if (depth == mask.shape.size()) {
    if (!part.is_boolean())
      return fail(place_text(index) + ": " + json_excerpt(part) + " is not allowed; allowed: true or false");
    mask.keep.push_back(part.get<bool>());
    return {};
  }
  if (!is_list(part)) return fail(place_text(index) + ": " + json_excerpt(part) + " is not allowed; allowed: a list");
  if (size_of(part) != mask.shape[depth]) {
    return fail(place_text(index) + ": a list of " + std::to_string(size_of(part)) +
                " is not allowed; allowed: " + std::to_string(mask.shape[depth]) + ", as in the first one");
  }
  if (part.is_binary()) {
    if (depth + 1 < mask.shape.size()) {
      const bool first = part.get_binary().front() != 0;
      return fail(place_text(index) + "[0]: " + (first ? "true" : "false") + " is not allowed; allowed: a list");
    }
    for (const std::uint8_t each : part.get_binary()) mask.keep.push_back(each != 0);
    return {};
  }
  index.push_back(0);
  for (const json& each : part) {
    if (Result<void> appended = append(each, index, mask); !appended) return appended;
    ++index.back();
  }
  index.pop_back();
  return {};
}

ordered_json nested(const Mask& mask, std::size_t depth, std::size_t& at) {
  if (depth == mask.shape.size()) return bool{mask.keep[at++]};
  ordered_json list = ordered_json::array();
  for (Index i = 0; i < mask.shape[depth]; ++i) list.push_back(nested(mask, depth + 1, at));
  return list;
}

}  // namespace

Result<Mask> mask_from_json(const json& array) {
  if (!is_list(array)) return fail("mask: " + json_excerpt(array) + " is not allowed; allowed: " + kForms);
  Result<std::vector<Index>> shape = shape_of(array);
  if (!shape) return tl::unexpected(shape.error());
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = std::move(*shape);
  std::vector<Index> index;
  if (const Result<void> appended = append(array, index, mask); !appended) return tl::unexpected(appended.error());
  return mask;
}

ordered_json mask_to_json(const Mask& mask) {
  if (mask.kind != Mask::Kind::array) return mask_text(mask);
  std::size_t at = 0;
  return nested(mask, 0, at);
}

}  // namespace attnscope
