// Paths in JSON. A path is bytes, JSON has only Unicode text: what is no UTF-8 stands there in hexadecimal digits, so
// that the very same file is found again.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace attnscope {

/// "/tmp/x.json"; {"bytes": "2f746d702fff"} for a path that is not UTF-8.
nlohmann::ordered_json path_to_json(const std::string& path);

/// The path again; nothing where `value` is neither of the two forms.
std::optional<std::string> path_from_json(const nlohmann::json& value);

}  // namespace attnscope
