// Parameters: what can be set, from where to where, and what it means. One table drives the sliders, the command line,
// the file format and the validation.
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

/// A choice that has to be made for another parameter to count.
struct OnlyWith {
  std::string parameter;
  std::vector<std::string> values;  ///< any of them
};

struct Parameter {
  enum class Kind { integer, real, choice, mask, order };

  std::string name;   ///< as in files and on the command line
  std::string label;  ///< as beside the slider
  std::string help;   ///< one sentence for the tooltip and `attnscope systems`
  Kind kind = Kind::integer;
  ParameterValue default_value = Index{0};
  double minimum = 0;  ///< the smallest and largest value that the format allows
  double maximum = 0;
  double slider_minimum = 0;  ///< the comfortable range, for the slider
  double slider_maximum = 0;
  bool minus_infinity = false;             ///< real: −∞ is allowed besides the range
  std::string divides;                     ///< integer: must divide the parameter of this name
  std::optional<OnlyWith> only_with;       ///< otherwise it changes nothing
  std::vector<std::string> choices;        ///< choice: the allowed words
  std::vector<std::string> choice_labels;  ///< choice: the same for people; integer: what 0 stands for, if anything
};

/// A whole number. The format allows `minimum` to 2,147,483,647; the slider goes from `minimum` to `slider_maximum`.
Parameter integer_parameter(std::string name, std::string label, std::string help, Index default_value, Index minimum,
                            Index slider_maximum);

/// A number from `minimum` to `maximum`, on the slider as well.
Parameter real_parameter(std::string name, std::string label, std::string help, double default_value, double minimum,
                         double maximum);

/// One word out of `choices`, shown as `labels`.
Parameter choice_parameter(std::string name, std::string label, std::string help, std::vector<std::string> choices,
                           std::vector<std::string> labels);

/// An order of the tokens, as `parse_order` reads it.
Parameter order_parameter(std::string name, std::string label, std::string help, std::string default_value);

/// What every system takes: mask, masked_fill, temperature, dropout.
std::vector<Parameter> common_parameters();

/// "whole numbers from 1 to 2147483647", "none or sqrt_head_dim", …
std::string allowed_text(const Parameter& parameter);

/// Whether `value` is of the parameter's kind and within what the format allows; the message names all three.
Result<void> check_value(const Parameter& parameter, const ParameterValue& value);

/// `text` as a value of this parameter, checked. Explicit mask arrays are JSON and not read here.
Result<ParameterValue> parse_value(const Parameter& parameter, std::string_view text);

/// The value as `parse_value` reads it.
std::string value_text(const ParameterValue& value);

/// The divisors of a positive number, smallest first.
std::vector<Index> divisors(Index number);

const Parameter* find_parameter(std::span<const Parameter> parameters, std::string_view name);

}  // namespace attnscope
