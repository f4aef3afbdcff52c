// What --help prints. CLI11's own words for it change from version to version, and newer ones fill tables in a footer
// up to paragraphs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnscope {

/// A summary, a line of usage, tables of arguments, options and commands, and the footer as it is.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  [[nodiscard]] std::string row(const std::string& left, const std::string& right) const;
  [[nodiscard]] std::string table(const std::string& title, const std::vector<const CLI::Option*>& options) const;
};

}  // namespace attnscope
