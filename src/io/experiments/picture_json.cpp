#include "io/experiments/picture_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::size_t kDigitsOfAPixel = 2 * static_cast<std::size_t>(kColors);

tl::unexpected<Error> wrong_picture(const std::string& field, const std::string& shown, const std::string& allowed) {
  return fail("picture" + field + ": " + shown + " is not allowed; allowed: " + allowed);
}

Result<Index> side(const json& object, const std::string& name) {
  const json& value = object.at(name);
  const bool whole = value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 &&
                     value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMaxPictureSide);
  if (!whole)
    return wrong_picture("." + name, json_excerpt(value), "whole numbers from 1 to " + std::to_string(kMaxPictureSide));
  return value.get<Index>();
}

/// The value of a hexadecimal digit, or −1.
int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

Result<ColorPicture> picture_from_json(const json& object) {
  static const std::vector<std::string> keys = {"rows", "columns", "rgb"};
  if (!object.is_object()) return wrong_picture("", json_excerpt(object), "an object with rows, columns and rgb");
  if (const Result<void> known = check_keys(object, keys, "picture: "); !known) return tl::unexpected(known.error());
  const auto absent =
      std::find_if(keys.begin(), keys.end(), [&](const std::string& key) { return !object.contains(key); });
  if (absent != keys.end()) return fail("picture: " + *absent + " is missing");
  const Result<Index> rows = side(object, "rows");
  if (!rows) return tl::unexpected(rows.error());
  const Result<Index> columns = side(object, "columns");
  if (!columns) return tl::unexpected(columns.error());
  ColorPicture picture = {*rows, *columns, {}};
  const std::size_t wanted = static_cast<std::size_t>(picture.rows * picture.columns) * kDigitsOfAPixel;
  const std::string allowed =
      std::to_string(wanted) + " hexadecimal digits, " + std::to_string(kDigitsOfAPixel) + " for each pixel";
  const json& rgb = object.at("rgb");
  if (!rgb.is_string()) return wrong_picture(".rgb", json_excerpt(rgb), allowed);
  const auto& digits = rgb.get_ref<const std::string&>();
  if (digits.size() != wanted)
    return wrong_picture(".rgb", "a string of " + std::to_string(digits.size()) + " bytes", allowed);
  const auto stranger = std::find_if(digits.begin(), digits.end(), [](char digit) { return digit_value(digit) < 0; });
  if (stranger != digits.end())
    return wrong_picture(".rgb", "the character at position " + std::to_string(stranger - digits.begin()), allowed);
  for (std::size_t at = 0; at < wanted; at += 2)
    picture.rgb.push_back(static_cast<std::uint8_t>(16 * digit_value(digits[at]) + digit_value(digits[at + 1])));
  return picture;
}

nlohmann::ordered_json picture_to_json(const ColorPicture& picture) {
  return {{"rows", picture.rows}, {"columns", picture.columns}, {"rgb", hex_text(picture.rgb)}};
}

}  // namespace attnscope
