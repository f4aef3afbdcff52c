// The command line: finds the subcommand, runs it, prints what it says, and turns the outcome into an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// What a command that was done leaves to say.
struct CommandOutput {
  std::string text;                   ///< for standard output
  std::vector<std::string> warnings;  ///< one line each on standard error
};

/// What a command does once its arguments are read.
using CommandAction = std::function<Result<CommandOutput>()>;

/// The program's subcommands and what becomes of them. Exit codes: 0 done, 1 could not be done, 2 the command was
/// wrong; the last two with one line on standard error. Nothing printed can steer a terminal: what came from outside is
/// escaped.
class CommandLine {
 public:
  explicit CommandLine(const std::string& version);

  /// Adds a subcommand and returns it, for its options to be added. The action runs when it was called for.
  CLI::App& add(const std::string& name, const std::string& summary, CommandAction action);
  /// What is done without a subcommand; until this is called that is a mistake. Options are added to `program`.
  void otherwise(CommandAction action) { otherwise_ = std::move(action); }
  [[nodiscard]] CLI::App& program() { return program_; }

  /// The names of the subcommands, in the order in which they were added.
  [[nodiscard]] std::vector<std::string> commands() const;
  /// Fails where the first word of the arguments, which stands `alone` or before others, can only be a mistyped
  /// command: it is no file, no system and does not look like a path. The message proposes what is near.
  [[nodiscard]] Result<void> check_first_word(const std::string& word, bool alone) const;

  /// Does what the arguments say and returns the exit code.
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
