#include "app/cli/commands.h"

namespace attnscope {

void add_commands(CommandLine& line) {
  add_trace_command(line);
  add_figure_command(line);
  add_animate_command(line);
  add_explain_command(line);
  add_metrics_command(line);
  add_script_command(line);
  add_link_command(line);
  add_embed_command(line);
  add_systems_command(line);
  add_views_command(line);
  add_tokens_command(line);
  add_bench_command(line);
}

}  // namespace attnscope
