// Tells one saved version of a document from another.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// The SHA-256 of `bytes` in hexadecimal digits: the same for the same content, whenever and wherever it was written.
std::string content_version(std::string_view bytes);

/// The same for a file of at most `kMaxExperimentBytes`; empty if there is no file. Errors begin with its name.
Result<std::string> file_version(const std::filesystem::path& path);

}  // namespace attnscope
