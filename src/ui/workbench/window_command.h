// The command that opens the window.
#pragma once

#include "app/cli/commands_line.h"

namespace attnscope::ui {

/// What the program does without a subcommand: `[FILE] [--labels FILE] [--theme NAME] [--ui-scale N]`.
void add_window_command(CommandLine& line);

}  // namespace attnscope::ui
