#include "core/models/config_reader.h"

#include <cmath>
#include <utility>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr Index kMaxConfigSize = Index{1} << 24U;

/// The file of a field, and its name there.
std::string place(std::string_view field) {
  if (field.starts_with(kPreprocessor))
    return "preprocessor_config.json: " + std::string(field.substr(kPreprocessor.size()));
  return "config.json: " + std::string(field);
}

}  // namespace

std::string shown_value(const ConfigValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return exact_text(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return quoted_text(*text);
  return "a list";
}

void ConfigReader::fail(std::string message) {
  if (!error_) error_ = model_.folder() + ": " + std::move(message);
}

const ConfigValue* ConfigReader::find(std::string_view field) const {
  const auto found = model_.config().find(field);
  return found == model_.config().end() ? nullptr : &found->second;
}

template <typename T>
const T* ConfigReader::typed(std::string_view field, const char* allowed) {
  const ConfigValue* const value = find(field);
  if (value == nullptr) return nullptr;
  const T* const as_type = std::get_if<T>(value);
  if (as_type == nullptr) fail(place(field) + ": " + shown_value(*value) + " is not allowed; allowed: " + allowed);
  return as_type;
}

Index ConfigReader::integer(std::string_view field, std::optional<Index> default_value) {
  return whole_number(field, 1, default_value);
}

Index ConfigReader::index(std::string_view field, Index default_value) { return whole_number(field, 0, default_value); }

Index ConfigReader::whole_number(std::string_view field, Index least, std::optional<Index> default_value) {
  const std::string allowed = "whole numbers from " + std::to_string(least) + " to " + grouped_text(kMaxConfigSize);
  const auto* number = typed<double>(field, allowed.c_str());
  if (number == nullptr) {
    if (!default_value) fail(place(field) + " is missing");
    return default_value.value_or(1);
  }
  if (*number >= static_cast<double>(least) && *number <= static_cast<double>(kMaxConfigSize) &&
      std::floor(*number) == *number)
    return static_cast<Index>(*number);
  fail(place(field) + ": " + exact_text(*number) + " is not allowed; allowed: " + allowed);
  return 1;
}

double ConfigReader::real(std::string_view field, std::optional<double> default_value) {
  const auto* number = typed<double>(field, "a number");
  if (number != nullptr) return *number;
  if (!default_value) fail(place(field) + " is missing");
  return default_value.value_or(1);
}

double ConfigReader::positive(std::string_view field, std::optional<double> default_value) {
  const double number = real(field, default_value);
  if (number > 0) return number;
  fail(place(field) + ": " + exact_text(number) + " is not allowed; allowed: above 0");
  return 1;
}

bool ConfigReader::flag(std::string_view field, bool default_value) {
  const auto* value = typed<bool>(field, "true or false");
  return value != nullptr ? *value : default_value;
}

std::string ConfigReader::choice(std::string_view field, std::string_view default_value) {
  const auto* value = typed<std::string>(field, "a string");
  if (value == nullptr && default_value.empty()) fail(place(field) + " is missing");
  return value != nullptr ? *value : std::string(default_value);
}

const std::vector<std::string>* ConfigReader::texts(std::string_view field) {
  return typed<std::vector<std::string>>(field, "a list of strings");
}

const std::vector<double>* ConfigReader::numbers(std::string_view field) {
  return typed<std::vector<double>>(field, "a list of numbers");
}

Activation ConfigReader::activation(std::string_view field, std::string_view default_value) {
  const std::string name = choice(field, default_value);
  if (const std::optional<Activation> known = activation_called(name)) return *known;
  fail(place(field) + ": " + quoted_text(name) +
       " is not known; allowed: relu, gelu, gelu_new, gelu_pytorch_tanh, quick_gelu, silu, tanh");
  return Activation::relu;
}

void ConfigReader::divides(std::string_view part, Index parts, std::string_view whole, Index of) {
  if (of % parts == 0) return;
  fail("config.json: " + std::string(part) + " " + std::to_string(parts) + " does not divide " + std::string(whole) +
       " " + std::to_string(of));
}

}  // namespace attnscope
