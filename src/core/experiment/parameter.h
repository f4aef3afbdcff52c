// Parameters: name, range and meaning. One table drives sliders, command line, file format and validation.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/experiment/mask.h"

namespace attnscope {

using ParameterValue = std::variant<Index, double, std::string, Mask>;
using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

/// The values of another parameter with which a parameter has an effect.
struct OnlyWith {
  std::string parameter;
  std::vector<std::string> values;  ///< any of them
};

struct Parameter {
  enum class Kind { integer, real, choice, mask, order };

  std::string name;   ///< as in files and on the command line
  std::string label;  ///< as shown next to the slider
  std::string help;   ///< one sentence for the tooltip and `attnscope systems`
  Kind kind = Kind::integer;
  ParameterValue default_value = Index{0};
  double minimum = 0;  ///< the smallest and largest allowed value
  double maximum = 0;
  double slider_minimum = 0;  ///< the range of the slider
  double slider_maximum = 0;
  bool minus_infinity = false;        ///< real: −∞ is allowed too
  std::string divides;                ///< integer: must divide the parameter of this name
  std::optional<OnlyWith> only_with;  ///< otherwise the parameter has no effect
  std::vector<std::string> choices;   ///< choice: the allowed words
  std::vector<std::string>
      choice_labels;  ///< choice: display names of `choices`; integer: those of its smallest values, if they have any
};

/// An integer from `minimum` to 2,147,483,647; the slider goes from `minimum` to `slider_maximum`.
Parameter integer_parameter(std::string name, std::string label, std::string help, Index default_value, Index minimum,
                            Index slider_maximum);

/// A real number from `minimum` to `maximum`, which is also the range of the slider.
Parameter real_parameter(std::string name, std::string label, std::string help, double default_value, double minimum,
                         double maximum);

/// One of `choices`, shown as `labels`.
Parameter choice_parameter(std::string name, std::string label, std::string help, std::vector<std::string> choices,
                           std::vector<std::string> labels);

/// A permutation of the tokens, as `parse_order` reads it.
Parameter order_parameter(std::string name, std::string label, std::string help, std::string default_value);

/// The parameters of every system: mask, masked_fill, temperature, dropout.
std::vector<Parameter> common_parameters();

/// "whole numbers from 1 to 2147483647", "none or sqrt_head_dim", …
std::string allowed_text(const Parameter& parameter);

/// Checks the kind and range of `value`; the message names the parameter, the value and what is allowed.
Result<void> check_value(const Parameter& parameter, const ParameterValue& value);

/// Parses and checks a value of this parameter. Explicit mask arrays are JSON and not read here.
Result<ParameterValue> parse_value(const Parameter& parameter, std::string_view text);

/// The value as `parse_value` reads it.
std::string value_text(const ParameterValue& value);

/// An integer as people read it: the display name of a small value, otherwise the number.
std::string integer_text(const Parameter& parameter, Index value);

/// The divisors of a positive number, smallest first.
std::vector<Index> divisors(Index number);

const Parameter* find_parameter(std::span<const Parameter> parameters, std::string_view name);

}  // namespace attnscope
