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

/// Limits for a text: a small file cannot take much memory.
struct JsonLimits {
  std::size_t depth = 64;           ///< of nested arrays and objects
  std::size_t values = 20'000'000;  ///< of every kind, objects and arrays included
};

/// One JSON value (RFC 8259) and nothing else: no comments, no key twice in one object, no number beyond double
/// precision, no bytes that are not UTF-8. A byte-order mark in front is accepted. Errors begin with line and column.
///
/// The memory of the value is charged to `budget` as it grows and stays charged; without a budget, the text gets one. A
/// list of at least `kPackedList` booleans and nothing else becomes binary data with one byte (0 or 1) for each: masks
/// have millions of them.
Result<nlohmann::json> parse_json(std::string_view text, const JsonLimits& limits = {}, ParseBudget* budget = nullptr);

inline constexpr std::size_t kPackedList = 16;

/// Receives a member of the outermost object; false ends the reading.
using TakeJsonMember = std::function<bool(const std::string& name, const nlohmann::json& value)>;

/// The same for a text that is one object: its members are handed over one by one, in the order of the text, and not
/// kept. False if `take` ended it.
Result<bool> parse_json_members(std::string_view text, const JsonLimits& limits, ParseBudget& budget,
                                const TakeJsonMember& take);

/// `value` over several lines, indented by two blanks. What fits stays on one line, and so does every list of plain
/// values. Numbers are the shortest that read back the same; real ones keep a point or an exponent. No newline at the
/// end.
std::string pretty_json(const nlohmann::ordered_json& value);

/// `value` on one line.
std::string compact_json(const nlohmann::ordered_json& value);

/// A real number. JSON has none that are not finite: they become "NaN", "Infinity" and "-Infinity".
nlohmann::ordered_json json_number(double value);

/// A value for messages: small ones in full, "a list" or "an object" for others.
std::string json_excerpt(const nlohmann::json& value);

/// Whether all keys of `object` are among `allowed`; the message names the unknown key and the nearest allowed one.
/// `where` is the object's place followed by a dot ("params."), empty at the top.
Result<void> check_keys(const nlohmann::json& object, std::span<const std::string> allowed, std::string_view where);

}  // namespace attnscope
