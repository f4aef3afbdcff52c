// Reading the fields of an object in a tokenizer's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/tokenizers/regular_expression.h"

namespace attnscope {

/// The fields of one object. The first field that is wrong is remembered, and `checked` reports it; the others then
/// have their fallbacks.
class Fields {
 public:
  /// `where` is the object's place in messages: "normalizer".
  Fields(const nlohmann::json& object, std::string where);

  /// A missing field and null are the fallback; without one, they are wrong.
  bool flag(const char* name, std::optional<bool> fallback = std::nullopt);
  std::string text(const char* name, const std::optional<std::string>& fallback = std::nullopt);
  /// A whole number from 0 to `most`.
  int number(const char* name, int most, std::optional<int> fallback = std::nullopt);
  /// A list, which lives as long as the object; empty if it is missing.
  const nlohmann::json& list(const char* name);
  /// An object, likewise.
  const nlohmann::json& object(const char* name);
  [[nodiscard]] bool has(const char* name) const;

  [[nodiscard]] const std::string& where() const { return where_; }
  /// The first thing that was wrong.
  [[nodiscard]] Result<void> checked() const;
  /// Says that the value of `name` is not allowed.
  void refuse(const char* name, const std::string& allowed);

 private:
  [[nodiscard]] const nlohmann::json* find(const char* name) const;

  const nlohmann::json& object_;
  std::string where_;
  std::optional<std::string> trouble_;
};

/// The field `pattern`: {"Regex": "…"} or {"String": "…"}.
Result<RegularExpression> parse_pattern(Fields& fields);

}  // namespace attnscope
