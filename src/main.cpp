// attnscope: the command line, whose subcommands are in app/cli/commands.cpp, and the window.
#include <cstdio>
#include <exception>

#include "app/cli/commands.h"
#include "ui/workbench/window_command.h"

int main(int argc, char** argv) {
  try {
    attnscope::CommandLine line(ATTNSCOPE_VERSION);
    attnscope::add_commands(line);
    attnscope::ui::add_window_command(line);
    return line.run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attnscope: %s\n", error.what());
    return 1;
  }
}
