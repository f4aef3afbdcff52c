// The command line: finds the subcommand, runs it, prints its output, and turns the outcome into an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// The output of a successful command.
struct CommandOutput {
  std::string text;                   ///< for standard output
  std::vector<std::string> warnings;  ///< one line each on standard error
};

/// What a command does once its arguments are read.
using CommandAction = std::function<Result<CommandOutput>()>;

/// The program's subcommands. Exit codes: 0 success, 1 failure, 2 wrong usage; the last two with one line on standard
/// error. Text from outside is escaped before it is printed and cannot control the terminal.
class CommandLine {
 public:
  explicit CommandLine(const std::string& version);

  /// Adds a subcommand and returns it; the caller adds its options. `action` runs when the user calls the subcommand.
  CLI::App& add(const std::string& name, const std::string& summary, CommandAction action);
  /// Sets the action without a subcommand, which is a usage error otherwise. Its options are added to `program`.
  void otherwise(CommandAction action) { otherwise_ = std::move(action); }
  [[nodiscard]] CLI::App& program() { return program_; }

  /// The names of the subcommands, in the order of `add`.
  [[nodiscard]] std::vector<std::string> commands() const;
  /// Fails if the first argument can only be a mistyped command: it is neither a file nor a system and does not look
  /// like a path. `alone`: no argument follows it. The message suggests similar names.
  [[nodiscard]] Result<void> check_first_word(const std::string& word, bool alone) const;

  /// Runs the command that the arguments name and returns the exit code.
  int run(int argc, const char* const* argv);

 private:
  Result<CommandOutput> parse_and_act(int argc, const char* const* argv);
  [[nodiscard]] const CLI::App& called() const;
  [[nodiscard]] Result<void> check_leftovers() const;

  CLI::App program_;
  std::map<const CLI::App*, CommandAction> actions_;
  CommandAction otherwise_;
};

}  // namespace attnscope
