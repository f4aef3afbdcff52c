// The layout of --help. CLI11's own layout changes from version to version, and newer versions re-flow the tables in a
// footer into paragraphs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnscope {

/// A summary, a usage line, tables of arguments, options and commands, and the footer unchanged.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  [[nodiscard]] std::string row(const std::string& left, const std::string& right) const;
  [[nodiscard]] std::string table(const std::string& title, const std::vector<const CLI::Option*>& options) const;
};

}  // namespace attnscope
