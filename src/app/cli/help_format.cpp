#include "app/cli/help_format.h"

namespace attnscope {

std::string HelpFormat::row(const std::string& left, const std::string& right) const {
  std::string text = "  " + left;
  if (text.size() >= get_column_width()) text += "\n" + std::string(get_column_width(), ' ');
  if (text.size() < get_column_width()) text.resize(get_column_width(), ' ');
  return text + right + "\n";
}

std::string HelpFormat::table(const std::string& title, const std::vector<const CLI::Option*>& options) const {
  if (options.empty()) return "";
  std::string text = "\n" + title + ":\n";
  for (const CLI::Option* option : options) {
    const std::string name = make_option_name(option, option->get_positional());
    text += row(name + make_option_opts(option), option->get_description());
  }
  return text;
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return "";
  std::string text;
  if (!option->get_type_name().empty()) text += " " + option->get_type_name();
  if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
  if (option->get_expected_max() > 1) text += " ...";
  if (option->get_required()) text += " REQUIRED";
  return text;
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const {
  const auto positionals = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
  const auto options = app->get_options([](const CLI::Option* option) { return option->nonpositional(); });
  const auto commands = app->get_subcommands([](const CLI::App* /*command*/) { return true; });
  std::string text = app->get_description() + "\nUsage: " + name;
  if (!options.empty()) text += " [OPTIONS]";
  for (const CLI::Option* option : positionals) text += " " + make_option_usage(option);
  if (!commands.empty()) text += " [SUBCOMMAND]";
  text += "\n" + table("Positionals", positionals) + table("Options", options);
  if (!commands.empty()) text += "\nSubcommands:\n";
  for (const CLI::App* command : commands) text += row(command->get_name(), command->get_description());
  return text + app->get_footer();
}

}  // namespace attnscope
