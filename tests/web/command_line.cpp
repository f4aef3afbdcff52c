// The command line as it is compiled for a browser, run by Node.js: node attnscope_node.js COMMAND …
#include "app/cli/commands.h"

int main(int argc, char** argv) {
  attnscope::CommandLine line(ATTNSCOPE_VERSION);
  attnscope::add_commands(line);
  return line.run(argc, argv);
}
