#include "io/tokenizers/fields.h"

#include <utility>

#include "io/base/json_value.h"

namespace attnscope {

using nlohmann::json;

Fields::Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) trouble_ = where_ + ": " + json_excerpt(object) + " is not allowed; allowed: an object";
}

const json* Fields::find(const char* name) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool Fields::has(const char* name) const { return find(name) != nullptr; }

void Fields::refuse(const char* name, const std::string& allowed) {
  if (trouble_) return;
  const json* const value = find(name);
  const std::string field = where_ + (where_.empty() ? "" : ".") + name;
  trouble_ = value == nullptr ? field + " is missing; allowed: " + allowed
                              : field + ": " + json_excerpt(*value) + " is not allowed; allowed: " + allowed;
}

bool Fields::flag(const char* name, std::optional<bool> fallback) {
  const json* const value = find(name);
  if (value != nullptr && value->is_boolean()) return value->get<bool>();
  if (value != nullptr || !fallback) refuse(name, "true or false");
  return fallback.value_or(false);
}

std::string Fields::text(const char* name, const std::optional<std::string>& fallback) {
  const json* const value = find(name);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  if (value != nullptr || !fallback) refuse(name, "a string");
  return fallback.value_or("");
}

int Fields::number(const char* name, int most, std::optional<int> fallback) {
  const json* const value = find(name);
  if (value != nullptr && value->is_number_unsigned() &&
      value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most))
    return value->get<int>();
  if (value != nullptr || !fallback) refuse(name, "whole numbers from 0 to " + std::to_string(most));
  return fallback.value_or(0);
}

const json& Fields::list(const char* name) {
  static const json empty = json::array();
  const json* const value = find(name);
  if (value == nullptr) return empty;
  if (value->is_array()) return *value;
  refuse(name, "a list");
  return empty;
}

const json& Fields::object(const char* name) {
  static const json empty = json::object();
  const json* const value = find(name);
  if (value == nullptr) return empty;
  if (value->is_object()) return *value;
  refuse(name, "an object");
  return empty;
}

Result<void> Fields::checked() const {
  if (trouble_) return fail(*trouble_);
  return {};
}

Result<RegularExpression> parse_pattern(Fields& fields) {
  Fields pattern(fields.object("pattern"), fields.where() + ".pattern");
  Result<RegularExpression> expression = pattern.has("String") ? RegularExpression::literal(pattern.text("String"))
                                                               : RegularExpression::compile(pattern.text("Regex"));
  if (const Result<void> checked = fields.checked(); !checked) return tl::unexpected(checked.error());
  if (const Result<void> checked = pattern.checked(); !checked) return tl::unexpected(checked.error());
  if (!expression) return fail(pattern.where() + ": " + expression.error().message);
  return expression;
}

}  // namespace attnscope
