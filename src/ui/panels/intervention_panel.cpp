// What takes the place of parts of a trained model: the list of interventions, and what adds one.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/models/models.h"
#include "core/plan/plan.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

using Kind = Intervention::Kind;

constexpr const char* kAbout =
    "What takes the place of a head's outputs, or of an MLP's: 0, their mean over the text, or what the model makes of "
    "another text at the same position. M masks the score under the mouse.";

/// "Layer 2" and "head 3" of "Layer 2, head 3".
std::pair<std::string, std::string> split_title(const std::string& title) {
  const std::size_t comma = title.find(", ");
  return {title.substr(0, comma), title.substr(comma + 2)};
}

void add_part(ModelParts& parts, const Intervention& part) {
  auto [layer, title] = split_title(part_title(part));
  if (parts.layers.empty() || parts.layers.back().title != layer) parts.layers.push_back({layer, {}});
  parts.layers.back().parts.push_back({capitalized(title), part});
}

ModelParts parts_of(const Experiment& experiment) {
  ModelParts parts;
  Experiment bare = experiment;
  bare.interventions.clear();
  for (const PlannedStep& step : plan(bare).steps) {
    if (!can_intervene(step.name)) continue;
    const Axis* const heads = find_axis(step.axes, "head");
    if (heads == nullptr) add_part(parts, {step.name, {}, {}, {}});
    for (Index head = 0; heads != nullptr && head < heads->size; ++head) add_part(parts, {step.name, head, {}, {}});
  }
  return parts;
}

class InterventionControls {
 public:
  InterventionControls(const Style& style, const Experiment& experiment, ModelParts& parts, UiIntents& intents)
      : style_(style), all_(experiment.interventions), parts_(parts), intents_(intents) {
    can_patch_ = !takes_picture(experiment);
  }

  void add() {
    std::vector<std::string> layers;
    for (const ModelParts::Layer& each : parts_.layers) layers.push_back(each.title);
    parts_.layer = std::min(parts_.layer, layers.size() - 1);
    if (const auto picked = choice(style_, "Layer", "The layer whose part is replaced.", layers, parts_.layer))
      parts_.layer = *picked;
    const ModelParts::Layer& layer = parts_.layers[parts_.layer];
    std::vector<std::string> titles;
    for (const ModelParts::Part& each : layer.parts) titles.push_back(each.title);
    parts_.part = std::min(parts_.part, titles.size() - 1);
    if (const auto picked = choice(style_, "Part", kAbout, titles, parts_.part)) parts_.part = *picked;
    buttons(layer.parts[parts_.part].part);
  }

  void list() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      row(all_[i]);
      ImGui::PopID();
    }
  }

 private:
  void set(const Intervention& part, std::optional<Kind> kind) {
    intents_.actions.push_back({SetIntervention{part, kind}, 0});
  }

  /// Of those that replace a part, which come before `masked`.
  [[nodiscard]] std::size_t kinds() const {
    return static_cast<std::size_t>(can_patch_ ? Kind::masked : Kind::patched);
  }

  /// What the selected part can be replaced by, side by side.
  void buttons(const Intervention& part) {
    static constexpr std::array<const char*, 3> kHelp = {
        "Replaces the part by 0.", "Replaces the part at every position by its mean over the text.",
        "Replaces the part by what the model makes of another text, at the same position."};
    const auto count = static_cast<float>(kinds());
    const float gap = style_.px(4);
    const auto words = [](std::size_t i) { return capitalized(std::string(kInterventionKinds[i])); };
    const auto text_width = [&](std::size_t i) { return ImGui::CalcTextSize(words(i).c_str()).x; };
    // All have as much room around their words: equal buttons would cut the longest one in a narrow panel.
    float room = ImGui::GetContentRegionAvail().x - gap * (count - 1);
    for (std::size_t i = 0; i < kinds(); ++i) room -= text_width(i);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style_.px(2), ImGui::GetStyle().FramePadding.y));
    for (std::size_t i = 0; i < kinds(); ++i) {
      if (i > 0) ImGui::SameLine(0, gap);
      if (ImGui::Button((words(i) + "##add").c_str(), ImVec2(text_width(i) + room / count, 0)))
        set(part, static_cast<Kind>(i));
      tooltip(kHelp[i]);
    }
    ImGui::PopStyleVar();
  }

  void row(const Intervention& intervention) {
    const std::string title = part_title(intervention);
    // Scores are masked or not; what replaces other parts can be chosen.
    const bool is_masked = intervention.kind == Kind::masked;
    const std::size_t first = is_masked ? static_cast<std::size_t>(Kind::masked) : 0;
    const std::size_t count = is_masked ? 1 : kinds();
    std::vector<std::string> items;
    for (std::size_t i = 0; i < count; ++i) items.emplace_back(kInterventionKinds[first + i]);
    items.emplace_back("remove");
    // A long name has a line of its own.
    const bool fits = ImGui::CalcTextSize(title.c_str()).x <= ImGui::GetContentRegionAvail().x * 0.48F;
    if (!fits) {
      ImGui::PushTextWrapPos(0);
      ImGui::TextUnformatted(title.c_str());
      ImGui::PopTextWrapPos();
    }
    const std::string label = fits ? title : "is";
    const auto picked =
        choice(style_, label.c_str(), title, items, static_cast<std::size_t>(intervention.kind) - first);
    if (!picked) return;
    set(intervention, *picked < count ? std::optional(static_cast<Kind>(first + *picked)) : std::nullopt);
  }

  const Style& style_;
  const std::vector<Intervention>& all_;
  ModelParts& parts_;
  UiIntents& intents_;
  bool can_patch_ = true;
};

}  // namespace

void intervention_panel(const Style& style, const Experiment& experiment, UiState& state, UiIntents& intents) {
  std::optional<ModelParts>& parts = known_facts(experiment.model, state).parts;
  if (!parts) parts = parts_of(experiment);
  if (parts->layers.empty()) return;
  section_title(style, "INTERVENTIONS");
  tooltip(kAbout);
  InterventionControls controls(style, experiment, *parts, intents);
  controls.list();
  controls.add();
}

}  // namespace attnscope::ui
