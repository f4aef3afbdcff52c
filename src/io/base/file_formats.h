// Tables of file formats: rows that have an `extension`, ".png", in lower case.
#pragma once

#include <filesystem>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "io/base/paths.h"

namespace attnscope {

/// The row with the extension of `path`, in capitals or not; null where there is none.
template <std::ranges::range Formats>
auto find_format(const Formats& formats, const std::filesystem::path& path) -> decltype(&*std::ranges::begin(formats)) {
  const std::string extension = lower_extension(path);
  for (const auto& format : formats) {
    if (format.extension == extension) return &format;
  }
  return nullptr;
}

/// The extensions as in ".png, .svg or .pdf" where `last` is " or ".
template <std::ranges::range Formats>
std::string extension_list(const Formats& formats, std::string_view last) {
  std::vector<std::string> extensions;
  extensions.reserve(std::ranges::size(formats));
  for (const auto& format : formats) extensions.emplace_back(format.extension);
  return listed(extensions, last);
}

/// The name of an output in the help of a command: "OUT.{png,svg,pdf}".
template <std::ranges::range Formats>
std::string output_name(const Formats& formats) {
  std::vector<std::string> endings;
  endings.reserve(std::ranges::size(formats));
  for (const auto& format : formats) endings.emplace_back(format.extension.substr(1));
  return "OUT.{" + join(endings, ",") + "}";
}

}  // namespace attnscope
