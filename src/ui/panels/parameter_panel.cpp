#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <sstream>

#include "app/animation/sweep.h"
#include "core/base/text.h"
#include "core/experiment/random_numbers.h"
#include "core/experiment/system.h"
#include "core/models/models.h"
#include "ui/imgui/text_field.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

constexpr const char* kOpenPicture = "Opens a PNG file. You can also drop one on the window.";

class ParameterControls {
 public:
  ParameterControls(const Style& style, const Experiment& experiment, const System& system, UiState& state,
                    UiIntents& intents)
      : style_(style), experiment_(experiment), system_(system), state_(state), intents_(intents) {}

  void show(const Parameter& parameter) {
    if (!matters(experiment_, parameter)) return;
    switch (parameter.kind) {
      case Parameter::Kind::integer: integer(parameter); break;
      case Parameter::Kind::real: real(parameter); break;
      case Parameter::Kind::choice: word(parameter); break;
      case Parameter::Kind::mask: mask(parameter); break;
      case Parameter::Kind::order: break;  // of views only
    }
  }

 private:
  void set(const std::string& name, ParameterValue value, std::uint64_t gesture) {
    intents_.actions.push_back({SetParameter{name, std::move(value)}, gesture});
  }

  /// The values that a drag goes through where not all are allowed.
  [[nodiscard]] std::vector<double> stops(const Parameter& parameter) const {
    const std::vector<Index> fitting =
        fitting_values(experiment_, parameter, static_cast<Index>(parameter.slider_maximum));
    return {fitting.begin(), fitting.end()};
  }

  /// A list of names for a whole number whose values have some; not shown where there is no choice.
  bool named(const Parameter& parameter) {
    if (system_.choices == nullptr) return false;
    const ParameterFacts::Choices& possible = choices(parameter);
    if (possible.empty()) return false;
    if (possible.size() == 1) return true;
    std::vector<std::string> labels;
    labels.reserve(possible.size());
    for (const auto& [word, label] : possible) labels.push_back(label);
    const Index chosen = std::clamp<Index>(experiment_.integer(parameter.name), 1, std::ssize(possible)) - 1;
    if (const auto picked =
            choice(style_, parameter.label.c_str(), parameter.help, labels, static_cast<std::size_t>(chosen)))
      set(parameter.name, static_cast<Index>(*picked) + 1, 0);
    return true;
  }

  [[nodiscard]] const ParameterFacts::Choices& choices(const Parameter& parameter) {
    const auto [found, is_new] = state_.parameter_facts->choices.try_emplace(parameter.name);
    if (is_new) found->second = system_.choices(experiment_, parameter.name);
    return found->second;
  }

  void integer(const Parameter& parameter) {
    if (named(parameter)) return;
    const SliderSpec spec = {parameter.label,
                             parameter.help,
                             static_cast<double>(experiment_.integer(parameter.name)),
                             parameter.slider_minimum,
                             parameter.slider_maximum,
                             true,
                             false,
                             0,
                             stops(parameter)};
    if (const auto change = slider(style_, state_, spec))
      set(parameter.name, static_cast<Index>(change->value), change->gesture);
  }

  void real(const Parameter& parameter) {
    if (parameter.minus_infinity) {
      fill(parameter);
      return;
    }
    SliderSpec spec = {parameter.label,
                       parameter.help,
                       experiment_.real(parameter.name),
                       parameter.slider_minimum,
                       parameter.slider_maximum,
                       false,
                       false,
                       2};
    spec.logarithmic = parameter.slider_minimum > 0;
    // Dragging sets the two decimals that are shown; typing sets as many as were typed.
    if (const auto change = slider(style_, state_, spec)) set(parameter.name, change->value, change->gesture);
  }

  /// What replaces masked scores.
  void fill(const Parameter& parameter) {
    if (experiment_.mask().kind == Mask::Kind::none) return;
    const std::vector<double> values = {-9e15, -1e9, -INFINITY};
    std::vector<std::string> items = {"−9e15", "−1e9", "−∞"};
    const double now = experiment_.real(parameter.name);
    auto chosen = static_cast<std::size_t>(std::find(values.begin(), values.end(), now) - values.begin());
    if (chosen == values.size()) items.push_back(short_text(now));
    if (const auto picked = choice(style_, parameter.label.c_str(), parameter.help, items, chosen);
        picked && *picked < values.size()) {
      set(parameter.name, values[*picked], 0);
    }
  }

  void word(const Parameter& parameter) {
    std::vector<std::string> words = parameter.choices;
    std::vector<std::string> labels = parameter.choice_labels;
    if (system_.choices != nullptr) {
      if (const ParameterFacts::Choices& possible = choices(parameter); !possible.empty()) {
        words.clear();
        labels.clear();
        for (const auto& [word, label] : possible) words.push_back(word), labels.push_back(label);
      }
    }
    const auto found = std::find(words.begin(), words.end(), experiment_.choice(parameter.name));
    const auto chosen = static_cast<std::size_t>(found - words.begin());
    const bool picture = parameter.name == "picture";
    if (const auto picked = choice(style_, parameter.label.c_str(), parameter.help, labels, chosen)) {
      const std::string& word = words[*picked];
      if (picture && word == "file" && experiment_.picture.empty()) {
        intents_.commands.push_back(Command::open_picture);
      } else {
        set(parameter.name, word, 0);
      }
    }
    if (!picture) return;
    if (small_button(parameter, "Open…", false)) intents_.commands.push_back(Command::open_picture);
    tooltip(kOpenPicture);
  }

  void mask(const Parameter& parameter) {
    const Mask& now = experiment_.mask();
    const MaskSizes sizes = state_.parameter_facts->mask_sizes;
    std::vector<std::string> items = {"none", "causal", "window", "padding"};
    if (now.kind == Mask::Kind::array) items.emplace_back("array");
    const auto chosen = static_cast<std::size_t>(now.kind);
    if (const auto picked = choice(style_, parameter.label.c_str(), parameter.help, items, chosen);
        picked && *picked != chosen) {
      Mask next;
      next.kind = static_cast<Mask::Kind>(*picked);
      next.radius = 1;
      if (next.kind == Mask::Kind::padding) next.lengths = {std::max<Index>(1, sizes.keys - 1)};
      set(parameter.name, next, 0);
    }
    brush(parameter);
    if (now.kind == Mask::Kind::window) {
      const SliderSpec spec = {"Window radius",
                               "How many keys a query attends to on either side.",
                               static_cast<double>(now.radius),
                               0,
                               static_cast<double>(std::max<Index>(1, sizes.keys - 1)),
                               true,
                               false,
                               0};
      if (const auto change = slider(style_, state_, spec)) {
        Mask next = now;
        next.radius = std::max<Index>(0, static_cast<Index>(change->value));
        set(parameter.name, next, change->gesture);
      }
    }
    if (now.kind == Mask::Kind::padding) {
      const SliderSpec spec = {"Unpadded keys",
                               "How many keys are not padding, counted from the first.",
                               static_cast<double>(now.lengths.front()),
                               0,
                               static_cast<double>(std::max<Index>(1, sizes.keys)),
                               true,
                               false,
                               0};
      if (const auto change = slider(style_, state_, spec)) {
        Mask next = now;
        next.lengths = {std::max<Index>(0, static_cast<Index>(change->value))};
        set(parameter.name, next, change->gesture);
      }
    }
  }

  /// Switches the brush for the mask on and off.
  void brush(const Parameter& parameter) {
    if (small_button(parameter, "Paint", state_.brush.on)) state_.brush.on = !state_.brush.on;
    tooltip("Drag over scores or weights to mask or unmask cells. M does the same for one cell.");
  }

  /// A button between a parameter's label and its list, lit while it is `on`.
  [[nodiscard]] bool small_button(const Parameter& parameter, const char* words, bool on) const {
    const float word = ImGui::CalcTextSize(parameter.label.c_str()).x;
    ImGui::SameLine(word + ImGui::GetStyle().WindowPadding.x + style_.px(8));
    for (const ImGuiCol_ which : {ImGuiCol_Button, ImGuiCol_ButtonHovered})
      ImGui::PushStyleColor(which, ImGui::GetStyleColorVec4(on ? ImGuiCol_SliderGrab : which));
    ImGui::PushStyleColor(ImGuiCol_Text, color(on ? ink_on(style_.palette.accent) : style_.palette.text));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style_.px(4), ImGui::GetStyle().FramePadding.y));
    const bool pressed = ImGui::Button(words);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(3);
    return pressed;
  }

  const Style& style_;
  const Experiment& experiment_;
  const System& system_;
  UiState& state_;
  UiIntents& intents_;
};

void system_controls(const Style& style, const System& system, UiIntents& intents) {
  section_title(style, "SYSTEM");
  ImGui::SetNextItemWidth(-1);
  const std::string title = list_text(style, system.title, ImGui::CalcItemWidth());
  if (ImGui::BeginCombo("##system", title.c_str(), ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLarge)) {
    for (const System& each : systems()) {
      if (ImGui::Selectable(each.title.c_str(), &each == &system)) intents.actions.push_back({SetSystem{each.name}, 0});
      tooltip(each.summary);
    }
    ImGui::EndCombo();
  } else {
    tooltip("Reproduces " + system.source + ".");
  }
  list_marker(style);
  ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.dim));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(system.summary.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void seed_controls(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float button = ImGui::GetFrameHeight() * 1.25F;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Seed");
  ImGui::SameLine(width * 0.48F + ImGui::GetStyle().WindowPadding.x);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - button - style.px(6));
  ImU64 seed = experiment.seed;
  // Not grouped: torch.manual_seed takes it like this.
  if (ImGui::InputScalar("##seed", ImGuiDataType_U64, &seed, nullptr, nullptr, "%llu")) {
    intents.actions.push_back({SetSeed{seed}, state.gesture});
  }
  if (ImGui::IsItemActivated()) ++state.gesture;
  tooltip("Seed of all random numbers, as in torch.manual_seed.");
  ImGui::SameLine(0, style.px(6));
  if (ImGui::Button("↻##new seed", ImVec2(button, 0))) {
    std::random_device device;
    intents.actions.push_back({SetSeed{device() % 10000}, 0});
  }
  tooltip("New random seed.");
}

void update_facts(const Experiment& experiment, const System& system, std::optional<ParameterFacts>& facts) {
  // Without a file the facts are derived quickly, and depend on more than these.
  const bool same = facts && experiment.tensors != nullptr && facts->tensors == experiment.tensors &&
                    facts->system == experiment.system && facts->parameters == experiment.parameters;
  if (same) return;
  facts =
      ParameterFacts{experiment.system, experiment.parameters, experiment.tensors, system.mask_sizes(experiment), {}};
}

/// How many labels the field holds: it is drawn in every frame, so not all of many thousands.
std::size_t labels_in_a_line(const std::vector<std::string>& labels) {
  constexpr std::size_t kMaxBytes = 4000;
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < labels.size(); ++count) {
    bytes += labels[count].size() + 1;
    if (bytes > kMaxBytes) break;
  }
  return count;
}

void label_controls(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents) {
  section_title(style, "LABELS");
  ImGui::SetNextItemWidth(-1);
  const std::vector<std::string>& all = experiment.labels;
  // While the user types, the field keeps the labels that it was typed for.
  if (!is_active("##labels") || state.labels_typed > all.size()) state.labels_typed = labels_in_a_line(all);
  const std::size_t typed = state.labels_typed;
  std::string text = join(std::span(all).first(typed), " ");
  // Labels are taken while they are typed: Escape drops none.
  const bool changed = text_field("##labels", "tokens, separated by spaces", text) && !fell_back();
  if (ImGui::IsItemActivated()) ++state.gesture;
  tooltip("The words of this sentence label the tokens. Tokens without a word show their number.");
  if (typed < all.size())
    ImGui::TextDisabled("and %s more", grouped_text(std::ssize(all) - static_cast<Index>(typed)).c_str());
  if (!changed) return;
  std::vector<std::string> labels;
  std::istringstream words(text);
  for (std::string word; words >> word;) labels.push_back(word);
  state.labels_typed = labels.size();
  labels.insert(labels.end(), all.begin() + static_cast<std::ptrdiff_t>(typed), all.end());
  intents.actions.push_back({SetLabels{std::move(labels)}, state.gesture});
}

/// What a model of pictures sees.
void picture_controls(const Style& style, UiIntents& intents) {
  ImGui::Dummy(ImVec2(0, style.px(4)));
  section_title(style, "PICTURE");
  if (ImGui::Button("Open…", ImVec2(-1, 0))) intents.commands.push_back(Command::open_picture);
  tooltip(kOpenPicture);
}

bool is_named(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void some_parameters(const Style& style, const Experiment& experiment, std::span<const std::string> names,
                     UiState& state, UiIntents& intents) {
  const System& system = *find_system(experiment.system);
  update_facts(experiment, system, state.parameter_facts);
  ParameterControls controls(style, experiment, system, state, intents);
  for (const Parameter& parameter : system.parameters) {
    if (is_named(names, parameter.name)) controls.show(parameter);
  }
  if (is_named(names, "seed")) seed_controls(style, experiment, state, intents);
  if (is_named(names, "labels")) label_controls(style, experiment, state, intents);
  if (is_named(names, "interventions") && experiment.model != nullptr)
    intervention_panel(style, experiment, state, intents);
}

void parameter_panel(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents) {
  const System& system = *find_system(experiment.system);
  update_facts(experiment, system, state.parameter_facts);
  system_controls(style, system, intents);
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (experiment.model != nullptr) {
    section_title(style, "MODEL");
    model_facts(style, experiment.model, state);
    if (takes_picture(experiment)) picture_controls(style, intents);
    ImGui::Dummy(ImVec2(0, style.px(4)));
    intervention_panel(style, experiment, state, intents);
    return;
  }
  state.model_facts.reset();  // and with them the model
  section_title(style, "PARAMETERS");
  ParameterControls controls(style, experiment, system, state, intents);
  for (const Parameter& parameter : system.parameters) {
    if (!is_of_random_numbers(parameter)) controls.show(parameter);
  }
  if (system.uses_seed) seed_controls(style, experiment, state, intents);
  // Tensors that are not attention have no tokens to label.
  if (state.parameter_facts->mask_sizes.queries > 0) {
    ImGui::Dummy(ImVec2(0, style.px(4)));
    label_controls(style, experiment, state, intents);
  }
  // Last, because they are chosen once.
  if (std::ranges::none_of(system.parameters, is_of_random_numbers)) return;
  ImGui::Dummy(ImVec2(0, style.px(4)));
  section_title(style, "RANDOM NUMBERS");
  for (const Parameter& parameter : system.parameters) {
    if (is_of_random_numbers(parameter)) controls.show(parameter);
  }
}

}  // namespace attnscope::ui
