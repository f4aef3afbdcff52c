// attnscope: the command line, one line for each subcommand.
#include <cstdio>
#include <exception>

#include "app/cli/commands.h"
#include "ui/workbench/window_command.h"

int main(int argc, char** argv) {
  try {
    attnscope::CommandLine line(ATTNSCOPE_VERSION);
    attnscope::add_trace_command(line);
    attnscope::add_figure_command(line);
    attnscope::add_animate_command(line);
    attnscope::add_explain_command(line);
    attnscope::add_metrics_command(line);
    attnscope::add_script_command(line);
    attnscope::add_link_command(line);
    attnscope::add_embed_command(line);
    attnscope::add_systems_command(line);
    attnscope::add_views_command(line);
    attnscope::add_tokens_command(line);
    attnscope::add_bench_command(line);
    attnscope::ui::add_window_command(line);
    return line.run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attnscope: %s\n", error.what());
    return 1;
  }
}
