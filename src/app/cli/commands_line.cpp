#include "app/cli/commands_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/help_format.h"
#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/kernels/isa/instruction_set.h"
#include "figure/views/view.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_link.h"

namespace attnscope {
namespace {

constexpr const char* kFooter =
    "\nAn EXPERIMENT is a JSON file, a figure, a link (attnscope link makes one), a tensor file, the folder of a\n"
    "model, or the name of a system (attnscope systems lists them).\n"
    "\n"
    "Environment:\n"
    "  ATTNSCOPE_MEMORY_MB   memory for the tensors of an experiment, in MB of 1,000,000 bytes (2000);\n"
    "                        beyond it, the largest tensors are computed on demand\n"
    "  ATTNSCOPE_DATA        folder of the files that come with attnscope\n"
    "  ATTNSCOPE_KERNELS     instruction set: baseline, avx2 or avx512 (the fastest available)\n"
    "  ATTNSCOPE_FILE_DIALOG dialog that asks for files: portal, zenity, kdialog or own (the first that works)\n"
    "\n"
    "Exit codes: 0 success; 1 failure; 2 wrong usage.\n";

/// Opens closed standard streams on /dev/null, in a mode that fails: otherwise a file that is opened later could take
/// the number of one of them, and receive what is printed.
void hold_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF) (void)::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

/// "; did you mean --help?", or "; did you mean --set mask=…?" where it is the name of a parameter or of an option of a
/// view, and the command can set those. `names`: of the command's options.
std::string option_suggestion(const std::string& written, std::span<const std::string> names) {
  const std::string name = written.substr(std::min<std::size_t>(2, written.size()));
  const auto has = [&](std::span<const Parameter> all) {
    return std::ranges::find(all, name, &Parameter::name) != all.end();
  };
  const auto can = [&](const char* option) { return std::ranges::find(names, option) != names.end(); };
  if (can("--option") && std::ranges::any_of(views(), [&](const View& view) { return has(view.options); }))
    return "; did you mean --option " + name + "=…?";
  if (can("--set") && std::ranges::any_of(systems(), [&](const System& system) { return has(system.parameters); }))
    return "; did you mean --set " + name + "=…?";
  return suggestion_text(written, names);
}

/// Writes all of `text`; returns 0 or errno.
int write_all(int stream, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(stream, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Prints one line on standard error; a failure to do so is ignored.
void complain(std::string_view message) { (void)write_all(STDERR_FILENO, "attnscope: " + printable(message) + "\n"); }

Result<CommandOutput> usage(const std::string& message) { return fail(message, Error::Kind::usage); }

/// Every name of every option of a command.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

CommandLine::CommandLine(const std::string& version) : program_("A desktop instrument for attention.", "attnscope") {
  program_.set_version_flag("--version", "attnscope " + version, "Print the version and exit");
  program_.set_help_flag("-h,--help", "Print this help and exit");
  program_.formatter(std::make_shared<HelpFormat>());
  program_.footer(kFooter);
  program_.allow_extras();  // our messages say more about them than the parser's
}

CLI::App& CommandLine::add(const std::string& name, const std::string& summary, CommandAction action) {
  CLI::App& command = *program_.add_subcommand(name, summary);
  command.footer("");
  command.allow_extras();
  actions_[&command] = std::move(action);
  return command;
}

std::vector<std::string> CommandLine::commands() const {
  std::vector<std::string> names;
  for (const CLI::App* command : program_.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

Result<void> CommandLine::check_first_word(const std::string& word, bool alone) const {
  std::error_code error;
  const bool looks_like_a_path = word.find('/') != std::string::npos || word.find('.') != std::string::npos;
  if (word.empty() || word == "-" || looks_like_a_path || is_experiment_link(word) || find_system(word) != nullptr ||
      std::filesystem::exists(word, error)) {
    return {};
  }
  const std::vector<std::string> all = commands();
  std::vector<std::string> names = all;
  if (alone) {
    for (const System& system : systems()) names.push_back(system.name);
  }
  const std::string nearest = suggestion_text(word, names);
  const std::string what = attnscope::quoted_text(word);
  return fail((alone ? what + " is not a command, a file or a system" : "unknown command " + what) +
                  (nearest.empty() ? "; the commands are " + join(all, ", ") : nearest),
              Error::Kind::usage);
}

const CLI::App& CommandLine::called() const {
  const std::vector<CLI::App*> commands = program_.get_subcommands();
  return commands.empty() ? program_ : *commands.front();
}

Result<void> CommandLine::check_leftovers() const {
  const CLI::App& command = called();
  const std::vector<std::string> leftovers = command.remaining();
  if (leftovers.empty()) return {};
  // A mistyped option turns its value into a leftover too; the message should name the option.
  const auto option =
      std::find_if(leftovers.begin(), leftovers.end(), [](const std::string& each) { return each.starts_with('-'); });
  const std::string culprit = option == leftovers.end() ? leftovers.front() : *option;
  const bool in_program = &command == &program_;
  if (in_program) {
    // A mistyped command looks like a file to open, and its options like the window's.
    for (const CLI::Option* each : program_.get_options()) {
      if (!each->get_positional() || each->count() == 0) continue;
      const std::string& word = each->results().front();
      const bool may_be_a_value = option != leftovers.end() && nearest_names(word, commands()).empty();
      if (Result<void> known = check_first_word(word, false); !known && !may_be_a_value) return known;
    }
  }
  const std::vector<std::string> names = option_names(command);
  if (culprit.starts_with('-')) {
    const std::string written = culprit.substr(0, culprit.find('='));
    return fail("option " + attnscope::quoted_text(written) + " is unknown" +
                    (in_program ? "" : " to " + command.get_name()) + option_suggestion(written, names) +
                    "; see attnscope " + (in_program ? "" : command.get_name() + " ") + "--help",
                Error::Kind::usage);
  }
  return fail((in_program ? "" : command.get_name() + ": ") + attnscope::quoted_text(culprit) + ": unexpected argument",
              Error::Kind::usage);
}

Result<CommandOutput> CommandLine::parse_and_act(int argc, const char* const* argv) {
  // Not a subcommand: the words are those of another command line, to which no rule of this one applies.
  if (argc > 1 && std::string_view(argv[1]) == "complete") {
    const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
    return CommandOutput{completions(program_, words.subspan(2)), {}};
  }
  try {
    program_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return CommandOutput{program_.help(), {}};
  } catch (const CLI::CallForVersion& version) {
    return CommandOutput{std::string(version.what()) + "\n", {}};
  } catch (const CLI::ParseError& error) {
    if (const Result<void> leftovers = check_leftovers(); !leftovers) return tl::unexpected(leftovers.error());
    const CLI::App& command = called();
    const std::string name = &command == &program_ ? "" : command.get_name();
    return usage((name.empty() ? "" : name + ": ") + error.what() + "; see attnscope " +
                 (name.empty() ? "" : name + " ") + "--help");
  }
  if (const Result<void> leftovers = check_leftovers(); !leftovers) return tl::unexpected(leftovers.error());
  if (const Result<void> allowed = check_wanted_kernels(); !allowed) return tl::unexpected(allowed.error());
  const auto action = actions_.find(&called());
  if (action != actions_.end()) return action->second();
  if (otherwise_) return otherwise_();
  return usage("missing command; see attnscope --help");
}

int CommandLine::run(int argc, const char* const* argv) {
  constexpr int failed = 1;
  constexpr int wrong_command = 2;
  hold_standard_streams();
  (void)std::signal(SIGPIPE, SIG_IGN);  // writing reports a closed reader
  (void)std::signal(SIGXFSZ, SIG_IGN);  // and a file beyond the limit of the shell
  Result<CommandOutput> output;
  try {
    output = parse_and_act(argc, argv);
  } catch (const std::bad_alloc&) {
    output = fail("out of memory");
  } catch (const std::exception& error) {
    output = fail(std::string("unexpected error: ") + error.what());
  }
  if (!output) {
    complain(output.error().message);
    return output.error().kind == Error::Kind::usage ? wrong_command : failed;
  }
  for (const std::string& warning : output->warnings) complain("warning: " + warning);
  const int error = write_all(STDOUT_FILENO, output->text);
  // A reader such as `head` may close the pipe early: that is success.
  if (error == 0 || error == EPIPE) return 0;
  complain("standard output: " + std::generic_category().message(error));
  return failed;
}

}  // namespace attnscope
