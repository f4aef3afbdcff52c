// The subcommands. Each function adds one to the command line: its name, options and action.
#pragma once

#include <span>
#include <string>

#include "app/cli/commands_line.h"

namespace attnscope {

/// `trace EXPERIMENT [--set NAME=VALUE]… -o OUT`: computes, and writes every tensor to a file.
void add_trace_command(CommandLine& line);

/// `figure EXPERIMENT [--set NAME=VALUE]… [--view NAME] [--theme NAME] [--width IN] [--dpi N] -o OUT`: writes a view as
/// a figure.
void add_figure_command(CommandLine& line);

/// `animate EXPERIMENT --sweep NAME=VALUES … -o OUT` or `animate --lesson NAME -o OUT`: writes a series of PNG files, a
/// GIF or an MP4.
void add_animate_command(CommandLine& line);

/// `explain EXPERIMENT [--set NAME=VALUE]… TENSOR[i,j,…]`: the arithmetic of one number.
void add_explain_command(CommandLine& line);

/// `metrics EXPERIMENT [--set NAME=VALUE]… [--item N]`: measures of the heads; with `--texts FILE`, of a trained model's
/// heads over several texts; with `--find`, the standard test of its heads.
void add_metrics_command(CommandLine& line);

/// `script EXPERIMENT [--set NAME=VALUE]… [-o OUT.py]`: prints or writes the experiment as a PyTorch script.
void add_script_command(CommandLine& line);

/// `link EXPERIMENT [--set NAME=VALUE]… [--view NAME] [--base URL]`: prints a link that is the experiment.
void add_link_command(CommandLine& line);

/// `embed EXPERIMENT [--set NAME=VALUE]… [--view NAME] [--program URL] -o OUT.html`: writes a view as a page for browsers.
void add_embed_command(CommandLine& line);

/// `systems [SYSTEM]`: the systems, or the parameters and tensors of one.
void add_systems_command(CommandLine& line);

/// `views`: the views and their options.
void add_views_command(CommandLine& line);

/// `tokens DIR --text TEXT [--text2 TEXT] [--json]`: a text as a model gets it.
void add_tokens_command(CommandLine& line);

/// `bench [--size TOKENS,WIDTH,HEADS]… [--mask NAME] [--threads N] [--seconds S] [--large]`: the
/// limits of this machine, and how close attnscope comes to them.
void add_bench_command(CommandLine& line);

/// All of these, in the order of the help: a line for each.
void add_commands(CommandLine& line);

/// `complete WORD…`, which shells call: what the last word can become after the others, one candidate a line, with a
/// tab and a description where there is one. ":files" in the last line: a file, too.
std::string completions(CLI::App& program, std::span<const char* const> words);

}  // namespace attnscope
