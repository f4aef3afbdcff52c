#include <memory>

#include "app/cli/commands.h"
#include "app/cli/commands_tables.h"
#include "figure/views/view.h"
#include "io/base/json_value.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

std::string views_json() {
  ordered_json list = ordered_json::array();
  for (const View& view : views()) {
    ordered_json options = ordered_json::array();
    for (const Parameter& option : view.options) options.push_back(parameter_json(option));
    list.push_back(
        {{"name", view.name}, {"title", view.title}, {"summary", view.summary}, {"options", std::move(options)}});
  }
  return pretty_json(list) + "\n";
}

std::string views_text() {
  std::vector<std::vector<std::string>> rows;
  for (const View& view : views()) {
    rows.push_back({view.name, "", view.summary});
    for (const Parameter& option : view.options) {
      rows.push_back({"", option.name, option.help + " Allowed: " + allowed_text(option) + "."});
    }
  }
  return table_text(rows) + "\nSet options with --option NAME=VALUE, or in an experiment under \"view\".\n";
}

}  // namespace

void add_views_command(CommandLine& line) {
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = line.add("views", "List the views and their options", [json]() -> Result<CommandOutput> {
    return CommandOutput{*json ? views_json() : views_text(), {}};
  });
  command.add_flag("--json", *json, "Print JSON, sufficient to build a user interface");
}

}  // namespace attnscope
