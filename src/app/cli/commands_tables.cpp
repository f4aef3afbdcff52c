#include "app/cli/commands_tables.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

const char* kind_name(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::integer: return "integer";
    case Parameter::Kind::real: return "real";
    case Parameter::Kind::choice: return "choice";
    case Parameter::Kind::mask: return "mask";
    case Parameter::Kind::order: return "order";
  }
  return "";
}

/// A bound as the parameter's kind of number.
ordered_json bound_json(const Parameter& parameter, double bound) {
  if (parameter.kind == Parameter::Kind::integer) return static_cast<Index>(bound);
  return json_number(bound);
}

}  // namespace

ordered_json parameter_json(const Parameter& parameter) {
  ordered_json json = {{"name", parameter.name}, {"label", parameter.label}, {"kind", kind_name(parameter.kind)}};
  if (const double* real = std::get_if<double>(&parameter.default_value)) {
    json["default"] = json_number(*real);
  } else if (const Index* integer = std::get_if<Index>(&parameter.default_value)) {
    json["default"] = *integer;
  } else {
    json["default"] = value_text(parameter.default_value);
  }
  if (parameter.kind == Parameter::Kind::integer || parameter.kind == Parameter::Kind::real) {
    json["minimum"] = bound_json(parameter, parameter.minimum);
    json["maximum"] = bound_json(parameter, parameter.maximum);
    json["slider_minimum"] = bound_json(parameter, parameter.slider_minimum);
    json["slider_maximum"] = bound_json(parameter, parameter.slider_maximum);
  }
  if (parameter.kind == Parameter::Kind::real) json["minus_infinity"] = parameter.minus_infinity;
  if (parameter.kind == Parameter::Kind::choice) {
    json["choices"] = ordered_json::array();
    for (std::size_t i = 0; i < parameter.choices.size(); ++i) {
      json["choices"].push_back({{"value", parameter.choices[i]}, {"label", parameter.choice_labels[i]}});
    }
  }
  if (!parameter.divides.empty()) json["divides"] = parameter.divides;
  if (parameter.only_with) json["only_with"] = {{parameter.only_with->parameter, parameter.only_with->values}};
  json["allowed"] = allowed_text(parameter);
  json["help"] = parameter.help;
  return json;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], character_count(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += "  " + row[i] + std::string(widths[i] - character_count(row[i]), ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace attnscope
