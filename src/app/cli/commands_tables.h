// Parameters as JSON and tables, for the commands that list systems and views.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/experiment/parameter.h"

namespace attnscope {

/// Everything a user interface needs to know about a parameter: name, label, kind, default, range, choices, help.
nlohmann::ordered_json parameter_json(const Parameter& parameter);

/// Rows of cells, every column as wide as its widest cell.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace attnscope
