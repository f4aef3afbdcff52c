#include "core/experiment/parameter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "core/experiment/order.h"

namespace attnscope {
namespace {

// Larger than any size in use; the memory budget sets the real limit.
constexpr Index kMaxSize = 2147483647;

Error out_of_range(const Parameter& parameter, const std::string& value) {
  return {parameter.name + ": " + value + " is not allowed; allowed: " + allowed_text(parameter), Error::Kind::failure};
}

}  // namespace

Parameter integer_parameter(std::string name, std::string label, std::string help, Index default_value, Index minimum,
                            Index slider_maximum) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.label = std::move(label);
  parameter.help = std::move(help);
  parameter.default_value = default_value;
  parameter.minimum = parameter.slider_minimum = static_cast<double>(minimum);
  parameter.maximum = static_cast<double>(kMaxSize);
  parameter.slider_maximum = static_cast<double>(slider_maximum);
  return parameter;
}

Parameter real_parameter(std::string name, std::string label, std::string help, double default_value, double minimum,
                         double maximum) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.label = std::move(label);
  parameter.help = std::move(help);
  parameter.kind = Parameter::Kind::real;
  parameter.default_value = default_value;
  parameter.minimum = parameter.slider_minimum = minimum;
  parameter.maximum = parameter.slider_maximum = maximum;
  return parameter;
}

Parameter choice_parameter(std::string name, std::string label, std::string help, std::vector<std::string> choices,
                           std::vector<std::string> labels) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.label = std::move(label);
  parameter.help = std::move(help);
  parameter.kind = Parameter::Kind::choice;
  parameter.default_value = choices.front();
  parameter.choices = std::move(choices);
  parameter.choice_labels = std::move(labels);
  return parameter;
}

Parameter order_parameter(std::string name, std::string label, std::string help, std::string default_value) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.label = std::move(label);
  parameter.help = std::move(help);
  parameter.kind = Parameter::Kind::order;
  parameter.default_value = std::move(default_value);
  return parameter;
}

std::vector<Parameter> common_parameters() {
  Parameter mask;
  mask.name = "mask";
  mask.label = "Mask";
  mask.help =
      "Keys that a query may attend to: all, none after its own position (causal), a window around it, or the first L "
      "(padding).";
  mask.kind = Parameter::Kind::mask;
  mask.default_value = Mask{};

  Parameter fill;
  fill.name = "masked_fill";
  fill.label = "Masked fill";
  fill.help =
      "Replaces every masked score. If all keys of a query are masked, its weights are uniform with −9e15 and 0 with "
      "−inf.";
  fill.kind = Parameter::Kind::real;
  fill.default_value = -9e15;
  fill.minimum = -std::numeric_limits<float>::max();
  fill.slider_minimum = -9e15;
  fill.minus_infinity = true;

  Parameter temperature;
  temperature.name = "temperature";
  temperature.label = "Temperature";
  temperature.help = "Divides the scores before the softmax: below 1 sharpens the weights, above 1 flattens them.";
  temperature.kind = Parameter::Kind::real;
  temperature.default_value = 1.0;
  temperature.minimum = 0.001;
  temperature.maximum = 1000;
  temperature.slider_minimum = 0.1;
  temperature.slider_maximum = 10;

  Parameter dropout;
  dropout.name = "dropout";
  dropout.label = "Dropout";
  dropout.help =
      "Probability p of setting a weight to 0 after the softmax; the rest are divided by 1 − p. The random stream is "
      "attnscope's, not PyTorch's.";
  dropout.kind = Parameter::Kind::real;
  dropout.default_value = 0.0;
  dropout.maximum = 0.99;
  dropout.slider_maximum = 0.9;

  return {mask, fill, temperature, dropout};
}

std::string allowed_text(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      return "whole numbers from " + exact_text(parameter.minimum) + " to " +
             std::to_string(static_cast<Index>(parameter.maximum));
    case Parameter::Kind::real:
      return "numbers from " + exact_text(parameter.minimum) + " to " + exact_text(parameter.maximum) +
             (parameter.minus_infinity ? ", or -inf" : "");
    case Parameter::Kind::choice: return join(parameter.choices, " or ");
    case Parameter::Kind::mask:
      return "none, causal, window:R, padding:L, padding:L1,L2,… or an array of true and false";
    case Parameter::Kind::order: return "token numbers from 1, each at most once, separated by spaces";
  }
  return {};
}

Result<void> check_value(const Parameter& parameter, const ParameterValue& value) {
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      if (const Index* integer = std::get_if<Index>(&value)) {
        const auto real = static_cast<double>(*integer);
        if (real >= parameter.minimum && real <= parameter.maximum) return {};
      }
      break;
    case Parameter::Kind::real:
      if (const double* real = std::get_if<double>(&value)) {
        if (*real >= parameter.minimum && *real <= parameter.maximum) return {};
        if (parameter.minus_infinity && std::isinf(*real) && *real < 0) return {};
      }
      break;
    case Parameter::Kind::choice:
      if (const std::string* text = std::get_if<std::string>(&value)) {
        if (std::find(parameter.choices.begin(), parameter.choices.end(), *text) != parameter.choices.end()) return {};
        Error error = out_of_range(parameter, quoted_text(*text));
        error.message += suggestion_text(*text, parameter.choices);
        return tl::unexpected(error);
      }
      break;
    case Parameter::Kind::mask:
      if (std::holds_alternative<Mask>(value)) return {};
      break;
    case Parameter::Kind::order:
      if (const std::string* text = std::get_if<std::string>(&value); text != nullptr && parse_order(*text)) return {};
      break;
  }
  const std::string* text = std::get_if<std::string>(&value);
  return tl::unexpected(out_of_range(parameter, text != nullptr ? quoted_text(*text) : value_text(value)));
}

Result<ParameterValue> parse_value(const Parameter& parameter, std::string_view text) {
  ParameterValue value = std::string(text);
  if (parameter.kind == Parameter::Kind::integer) {
    if (const std::optional<Index> integer = parse_integer(text)) value = *integer;
  } else if (parameter.kind == Parameter::Kind::real) {
    if (const std::optional<double> real = parse_real(text)) value = *real;
  } else if (parameter.kind == Parameter::Kind::mask) {
    Result<Mask> mask = parse_mask(text);
    if (!mask) return tl::unexpected(mask.error());
    value = std::move(*mask);
  }
  if (const Result<void> checked = check_value(parameter, value); !checked) return tl::unexpected(checked.error());
  return value;
}

std::string value_text(const ParameterValue& value) {
  if (const Index* integer = std::get_if<Index>(&value)) return std::to_string(*integer);
  if (const double* real = std::get_if<double>(&value)) return exact_text(*real);
  if (const Mask* mask = std::get_if<Mask>(&value)) return mask_text(*mask);
  return std::get<std::string>(value);
}

std::string integer_text(const Parameter& parameter, Index value) {
  const Index at = value - static_cast<Index>(parameter.minimum);
  return at >= 0 && at < std::ssize(parameter.choice_labels) ? parameter.choice_labels[static_cast<std::size_t>(at)]
                                                             : std::to_string(value);
}

std::vector<Index> divisors(Index number) {
  std::vector<Index> found;
  for (Index i = 1; i <= number / i; ++i) {
    if (number % i == 0) found.push_back(i);
  }
  for (std::size_t i = found.size(); i-- > 0;) {
    if (found[i] != number / found[i]) found.push_back(number / found[i]);
  }
  return found;
}

const Parameter* find_parameter(std::span<const Parameter> parameters, std::string_view name) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace attnscope
