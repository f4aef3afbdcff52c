#include "ui/parts/playback.h"

#include <algorithm>

#include "core/base/text.h"
#include "figure/slices/moments.h"
#include "figure/views/view.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

constexpr float kScrubberWidth = 130;
constexpr float kPaceWidth = 70;

}  // namespace

Playback::Place Playback::place() const {
  const Session& session = shared_.session();
  return {session.document(), session.lesson() != nullptr ? session.lesson_step() : 0, session.experiment().view.name};
}

Index Playback::moments() const {
  const std::shared_ptr<const Trace>& trace = shared_.traces.trace();
  if (trace == nullptr) return 0;
  const ViewChoice& choice = trace->experiment().view;
  // Another view was opened in this frame, and may have nothing to play.
  if (choice.name != shared_.session().experiment().view.name) return 0;
  // Another view, option or number makes another trace.
  if (counted_for_.lock() == trace) return count_;
  const View* view = find_view(choice.name);
  count_ = view != nullptr ? option_limit(*view, *trace, "moment", view_options(choice)->values) : 0;
  counted_for_ = trace;
  return count_;
}

Index Playback::moment() const {
  if (moment_) return *moment_;
  const std::shared_ptr<const Trace>& trace = shared_.traces.trace();
  return trace == nullptr ? 0 : chosen_moment(trace->experiment().view.options);
}

void Playback::show(Index moment, bool playing) {
  moment_ = std::clamp<Index>(moment, 1, std::max<Index>(1, moments()));
  place_ = place();
  playing_ = playing;
  since_ = ImGui::GetTime();
}

void Playback::toggle() {
  if (!can_play()) return shared_.say("this view has nothing to play: Flow and Dot product have", false);
  if (playing_) return show(moment(), false);
  show(moment() >= moments() ? 1 : std::max<Index>(1, moment()), true);
}

void Playback::go(Index steps) {
  if (can_play()) show(moment() + steps, false);
}

bool Playback::end() {
  playing_ = false;
  if (!moment_) return false;
  moment_.reset();
  return true;
}

void Playback::update() {
  if (!moment_) return;
  if (place_ != place()) {
    end();
    return;
  }
  if (!playing_ || *due_in() > 0) return;
  // The trace of a new size may have fewer.
  if (*moment_ >= moments()) return show(*moment_, false);
  show(*moment_ + 1, *moment_ + 1 < moments());
}

std::optional<double> Playback::due_in() const {
  if (!playing_) return std::nullopt;
  return std::max(0.0, since_ + 1 / pace_ - ImGui::GetTime());
}

Experiment Playback::shown() const {
  Experiment shown = shared_.session().experiment();
  // A frame that opens another view is not over yet.
  if (moment_ && place_ == place()) shown.view.options["moment"] = *moment_;
  return shown;
}

void Playback::controls(const Style& style, bool behind) {
  const Index count = moments();
  if (count == 0) return;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(8), style.px(3)));
  if (behind) ImGui::SameLine(0, style.px(20));
  const Index at = moment();
  const float button = std::max(ImGui::CalcTextSize("Pause").x, ImGui::CalcTextSize("Play").x) + style.px(16);
  wrap(button + (at > 0 ? style.px(kScrubberWidth) : 0));
  if (ImGui::Button(playing_ ? "Pause###play" : "Play###play", ImVec2(button, 0))) toggle();
  tooltip("Play how the attention of one query is computed (Space). Escape shows all of it again.");
  if (at > 0) {
    ImGui::SameLine(0, style.px(8));
    ImGui::PushItemWidth(style.px(kScrubberWidth));
    auto chosen = static_cast<int>(std::min(at, count));
    const std::string text = "%d of " + std::to_string(count);
    if (ImGui::SliderInt("##moment", &chosen, 1, static_cast<int>(count), text.c_str(), ImGuiSliderFlags_AlwaysClamp))
      show(chosen, false);
    tooltip("The moment that is shown; , and . go to the one before and the next one");
    ImGui::PopItemWidth();
    pace_control(style);
  }
  ImGui::PopStyleVar();
}

void Playback::pace_control(const Style& style) {
  ImGui::SameLine(0, style.px(8));
  wrap(style.px(kPaceWidth));
  ImGui::PushItemWidth(style.px(kPaceWidth));
  auto pace = static_cast<float>(pace_);
  if (ImGui::SliderFloat("##pace", &pace, static_cast<float>(kSlowestPace), static_cast<float>(kFastestPace),
                         "%.1f / s", ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic))
    pace_ = static_cast<double>(pace);
  if (ImGui::IsItemDeactivatedAfterEdit()) remembered_.set_pace(pace_);
  tooltip("How many moments there are in a second");
  ImGui::PopItemWidth();
  if (!moment_) return;
  ImGui::SameLine(0, style.px(8));
  wrap(ImGui::CalcTextSize("Whole").x + style.px(16));
  if (ImGui::Button("Whole")) end();
  tooltip("Show the finished computation again (Escape)");
}

}  // namespace attnscope::ui
