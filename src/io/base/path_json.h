// Paths in JSON. A path is bytes, and JSON has only Unicode text: a path that is not UTF-8 is written in hexadecimal
// digits, which find the same file again.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace attnscope {

/// "/tmp/x.json"; {"bytes": "2f746d702fff"} for a path that is not UTF-8.
nlohmann::ordered_json path_to_json(const std::string& path);

/// The path; nothing if `value` has neither form.
std::optional<std::string> path_from_json(const nlohmann::json& value);

}  // namespace attnscope
