// Completions of a command line, for shells (scripts/packaging). Everything comes from the options, systems and views
// themselves: no list can be out of date.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "app/animation/sweep.h"
#include "app/cli/commands.h"
#include "app/cli/commands_experiment.h"
#include "core/experiment/system.h"
#include "core/heads/metrics.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "figure/style/colormap.h"
#include "figure/style/palette.h"
#include "figure/views/view.h"
#include "io/base/printable.h"
#include "io/experiments/lesson_file.h"
#include "io/figures/figure_preset.h"

namespace attnscope {
namespace {

/// The words before the one to complete.
struct TypedWords {
  CLI::App* command = nullptr;
  std::vector<std::string> positionals;
  std::string view;                    ///< the value of --view
  CLI::Option* open_option = nullptr;  ///< the option whose value comes next
};

struct Candidate {
  std::string word;
  std::string help;
};

using Candidates = std::vector<Candidate>;

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

CLI::Option* option_of(CLI::App& command, const std::string& name) {
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_positional() && option->check_name(name)) return option;
  }
  return nullptr;
}

CLI::App* find_command(CLI::App& program, const std::string& name) {
  for (CLI::App* const command : program.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

TypedWords read_words(CLI::App& program, std::span<const char* const> words) {
  TypedWords typed{.command = &program, .positionals = {}, .view = {}, .open_option = nullptr};
  for (const std::string word : words) {
    if (typed.open_option != nullptr) {
      if (typed.open_option->check_name("--view")) typed.view = word;
      typed.open_option = nullptr;
    } else if (word.size() > 1 && word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      if (word.starts_with("--view=")) typed.view = word.substr(equals + 1);
      CLI::Option* const option = option_of(*typed.command, word.substr(0, equals));
      if (option != nullptr && takes_value(*option) && equals == std::string::npos) typed.open_option = option;
    } else if (CLI::App* const command = find_command(program, word);
               command != nullptr && typed.command == &program && typed.positionals.empty()) {
      typed.command = command;
    } else {
      typed.positionals.push_back(word);
    }
  }
  return typed;
}

/// The experiment on the command line; nothing if there is none yet, or if it cannot be read.
std::optional<Experiment> named_experiment(const TypedWords& typed) {
  if (typed.positionals.empty()) return std::nullopt;
  const std::string& name = typed.positionals.front();
  std::error_code error;
  if (find_system(name) == nullptr && !std::filesystem::is_regular_file(name, error)) return std::nullopt;
  Result<ExperimentSource> source = load_source({name, {}});
  return source ? std::optional(std::move(source->experiment)) : std::nullopt;
}

/// Each name followed by an equals sign, and every value of a choice.
void add_settings(const Parameter& parameter, Candidates& to) {
  to.push_back({parameter.name + "=", parameter.help});
  for (const std::string& choice : parameter.choices) to.push_back({parameter.name + "=" + choice, parameter.help});
}

/// Settings of the named system, or of all systems.
Candidates setting_words(const TypedWords& typed) {
  const std::optional<Experiment> experiment = named_experiment(typed);
  Candidates all;
  std::set<std::string> known;
  const auto add = [&](const System& system) {
    for (const Parameter& parameter : system.parameters) {
      if (known.insert(parameter.name).second) add_settings(parameter, all);
    }
  };
  if (experiment) {
    if (const System* const system = find_system(experiment->system)) add(*system);
  } else {
    for (const System& system : systems()) add(system);
  }
  add_settings(seed_parameter(), all);
  add_settings(discard_parameter(), all);
  return all;
}

/// Options of the view that --view or the experiment names.
Candidates view_setting_words(const TypedWords& typed) {
  std::string name = typed.view;
  if (const auto experiment = name.empty() ? named_experiment(typed) : std::nullopt) name = experiment->view.name;
  Candidates all;
  const View* const view = find_view(name);
  if (view == nullptr) return all;
  for (const Parameter& option : view->options) add_settings(option, all);
  return all;
}

Candidates system_names() {
  Candidates all;
  for (const System& system : systems()) all.push_back({system.name, system.summary});
  return all;
}

Candidates tensor_names(const TypedWords& typed) {
  Candidates all;
  const std::optional<Experiment> experiment = named_experiment(typed);
  if (!experiment || !validate(*experiment)) return all;
  for (const PlannedStep& step : plan(*experiment).steps) all.push_back({step.name, {}});
  return all;
}

Candidates view_names() {
  Candidates all;
  for (const View& view : views()) all.push_back({view.name, view.summary});
  return all;
}

Candidates theme_names(bool for_paper) {
  Candidates all;
  for (const Theme theme : {Theme::dark, Theme::light}) all.push_back({std::string(theme_name(theme)), {}});
  if (for_paper) all.push_back({std::string(theme_name(Theme::paper)), {}});
  return all;
}

Candidates color_map_names() {
  Candidates all;
  for (const ColorMap map : color_maps())
    all.push_back({std::string(color_map_name(map)), is_grey_safe(map) ? "" : "not in grey print"});
  return all;
}

Candidates font_names() {
  Candidates all;
  for (const FigureFont font : {FigureFont::inter, FigureFont::serif, FigureFont::latex})
    all.push_back({std::string(font_name(font)), {}});
  return all;
}

Candidates preset_names() {
  Candidates all;
  for (const FigurePreset& preset : kFigurePresets) all.push_back({std::string(preset.name), preset.size});
  return all;
}

Candidates lesson_names() {
  Candidates all;
  for (const LessonFile& file : find_lessons()) {
    if (file.lesson) all.push_back({file.name, (*file.lesson)->title});
  }
  return all;
}

Candidates language_names() {
  std::map<std::string, std::string> names = {{std::string(kLessonLanguage), "English"}};
  for (const LessonFile& file : find_lessons()) {
    if (!file.lesson) continue;
    for (const LessonTranslation& each : (*file.lesson)->translations) {
      if (each.texts) names.emplace(each.language, each.name);
    }
  }
  Candidates all;
  for (const auto& [language, name] : names) all.push_back({language, name});
  return all;
}

Candidates measure_names() {
  Candidates all;
  for (const Measure& measure : measures()) all.push_back({std::string(measure.name), std::string(measure.definition)});
  return all;
}

/// The completions of a word, and whether it may also be a file.
struct Possible {
  Candidates candidates;
  bool files = false;
};

Possible value_words(const TypedWords& typed, const CLI::Option& option, bool in_program) {
  const std::string name = option.get_name();
  if (name == "--set" || name == "--sweep") {
    Possible possible{setting_words(typed), false};
    if (name == "--sweep") std::ranges::copy(view_setting_words(typed), std::back_inserter(possible.candidates));
    return possible;
  }
  if (name == "--option") return {view_setting_words(typed), false};
  if (name == "--view") return {view_names(), false};
  if (name == "--theme") return {theme_names(!in_program), false};
  if (name == "--colormap") return {color_map_names(), false};
  if (name == "--font") return {font_names(), false};
  if (name == "--preset") return {preset_names(), false};
  if (name == "--lesson") return {lesson_names(), true};
  if (name == "--language") return {language_names(), false};
  if (name == "--pinned") return {system_names(), true};
  if (name == "--sort") return {measure_names(), false};
  if (name == "--only") return {tensor_names(typed), false};
  if (name == "--mask") return {{{"none", {}}, {"causal", {}}}, false};
  return {{}, name == "--output" || name == "--labels" || name == "--texts" || name == "--picture"};
}

Possible option_words(const CLI::App& command) {
  Possible possible;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames())
      possible.candidates.push_back({"--" + name, option->get_description()});
  }
  return possible;
}

Possible positional_words(const TypedWords& typed, CLI::App& program) {
  const std::size_t place = typed.positionals.size();
  std::vector<std::string> names;
  for (const CLI::Option* const option : typed.command->get_options()) {
    if (option->get_positional()) names.push_back(option->get_name());
  }
  if (place >= names.size()) return {};
  if (names[place] == "CELL") return {tensor_names(typed), false};
  if (names[place] == "DIR") return {{}, true};
  Possible possible{system_names(), names[place] != "SYSTEM"};
  if (typed.command == &program) {
    for (const CLI::App* const command : program.get_subcommands({}))
      possible.candidates.push_back({command->get_name(), command->get_description()});
  }
  return possible;
}

Possible possible_words(CLI::App& program, std::span<const char* const> words, const std::string& begun) {
  const TypedWords typed = read_words(program, words);
  const bool in_program = typed.command == &program;
  if (typed.open_option != nullptr) return value_words(typed, *typed.open_option, in_program);
  const std::size_t equals = begun.find('=');
  if (begun.starts_with("--") && equals != std::string::npos) {
    CLI::Option* const option = option_of(*typed.command, begun.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return {};
    Possible possible = value_words(typed, *option, in_program);
    for (Candidate& candidate : possible.candidates) candidate.word.insert(0, begun.substr(0, equals + 1));
    return possible;
  }
  if (begun.starts_with('-')) return option_words(*typed.command);
  return positional_words(typed, program);
}

}  // namespace

std::string completions(CLI::App& program, std::span<const char* const> words) {
  const std::string begun = words.empty() ? "" : words.back();
  const Possible possible = possible_words(program, words.first(words.empty() ? 0 : words.size() - 1), begun);
  std::string text;
  for (const Candidate& candidate : possible.candidates) {
    if (!candidate.word.starts_with(begun)) continue;
    text += printable(candidate.word) + (candidate.help.empty() ? "" : "\t" + printable(candidate.help)) + "\n";
  }
  return text + (possible.files ? ":files\n" : "");
}

}  // namespace attnscope
