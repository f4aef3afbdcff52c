// JSON from outside, read strictly; JSON for people, written readably.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/base/parse_budget.h"

namespace attnscope {

/// What a text may hold at most, so that a small file cannot take much memory.
struct JsonLimits {
  std::size_t depth = 64;           ///< arrays and objects within each other
  std::size_t values = 20'000'000;  ///< values of every kind together, objects and arrays included
};

/// One JSON value (RFC 8259) and nothing else: no comments, no key twice in one object, no number beyond double
/// precision, no bytes that are not UTF-8. A byte-order mark in front is accepted. Errors begin with line and column.
///
/// What the value takes is charged to `budget` as it grows and stays charged; without one, the text has a budget of its
/// own. A list of at least `kPackedList` booleans and nothing else becomes binary data, a byte for each (0 or 1): masks
/// have millions of them.
Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits = {}, ParseBudget* budget = nullptr);

inline constexpr std::size_t kPackedList = 16;

/// Takes a member of the outermost object; false ends the reading.
using TakeJsonMember = std::function<bool(const std::string& name, const nlohmann::json& value)>;

/// The same of a text that is one object, whose members are handed over one by one, in the order of the text, and not
/// kept. False where `take` ended it.
Result<bool> parse_json_members(std::string_view text, const JsonLimits& limits, ParseBudget& budget,
                                const TakeJsonMember& take);

/// `value` over several lines, two blanks of indent: what fits stays on one line, and so does every list of plain
/// values. Numbers are the shortest that read back the same; real ones keep a point or an exponent. No newline at the
/// end.
std::string pretty_json(const nlohmann::ordered_json& value);

/// `value` on one line.
std::string compact_json(const nlohmann::ordered_json& value);

/// A real number; JSON has none for what is not finite, which becomes "NaN", "Infinity" and "-Infinity".
nlohmann::ordered_json json_number(double value);

/// What stands in messages for a value: small ones themselves, "a list" and "an object" for others.
std::string json_excerpt(const nlohmann::json& value);

/// Whether all keys of `object` are among `allowed`; the message names the stranger and the nearest name. `where` is
/// the object's place with a point behind it ("params.", or nothing at the top).
Result<void> check_keys(const nlohmann::json& object, std::span<const std::string> allowed, std::string_view where);

}  // namespace attnscope
