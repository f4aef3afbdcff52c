#include "ui/parts/shown_figure.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "figure/slices/moments.h"
#include "ui/panels/near_place.h"

namespace attnscope::ui {
namespace {

// Seconds in which matrices reach their new size: short enough that the figure keeps up with a drag.
constexpr double kEaseSeconds = 0.12;
// Blending more marks than this takes longer than the frames that show it.
constexpr std::size_t kMaxMoving = 3000;

}  // namespace

ShownFigure::ShownFigure(Shared& shared, Remembered& remembered)
    : shared_(shared), playback_(shared, remembered), builder_(shared.wake) {
  batch_.renderer = &shared.heatmaps;
}

void ShownFigure::update(double width, double height) {
  FigureRequest now = shared_.traces.figure_request(width, height);
  const std::span<const std::string> enlarged = presented_.enlarged();
  now.tensors.assign(enlarged.begin(), enlarged.end());
  if (presents_moment_) now.tensors = tensors_of_moment(now);
  if (requested_ != now) {
    if (!is_building()) requested_since_ = ImGui::GetTime();
    if (!requested_ || requested_->view.name != now.view.name) awaited_ = true;
    builder_.request(now);
    requested_ = std::move(now);
    // A slider and its figure move together, as long as that takes no longer than a part of a frame.
    if (awaited_) awaited_ = builder_.wait(shared_.patience);
  }
  if (std::optional<BuiltFigure> built = builder_.take(); built && built->request.view.name == requested_->view.name) {
    awaited_ = built->seconds < std::chrono::duration<double>(shared_.patience).count();
    show(built->request, std::move(built->figure));
  }
  if (!moving_) return;
  const double share = std::clamp((ImGui::GetTime() - moved_since_) / kEaseSeconds, 0.0, 1.0);
  moving_ = share < 1;
  if (moving_) {
    shown_ = blend(from_, target_, 1 - (1 - share) * (1 - share));
  } else {
    // They hold the last trace.
    from_ = {};
    shown_ = {};
  }
}

const std::vector<std::string>& ShownFigure::tensors_of_moment(const FigureRequest& now) {
  if (!moment_tensors_ || moment_tensors_->trace.lock() != now.trace || moment_tensors_->view != now.view)
    moment_tensors_ = MomentTensors{now.trace, now.view, played_tensors(*now.trace, *view_options(now.view))};
  return moment_tensors_->tensors;
}

const std::vector<int>& ShownFigure::sources_of_spoken() {
  const std::shared_ptr<const Trace>& trace = built_for_->trace;
  if (sources_.trace.lock() == trace && sources_.step == presented_.step()) return sources_.steps;
  sources_ = {trace, presented_.step(), {}};
  std::vector<int>& steps = sources_.steps;
  for (const std::string& tensor : presented_.tensors()) {
    if (const Step* const spoken_of = trace->find(tensor); spoken_of != nullptr)
      steps.insert(steps.end(), spoken_of->inputs.begin(), spoken_of->inputs.end());
  }
  const std::vector<int> at_once = steps;
  for (const int step : at_once) {
    const std::vector<int>& inputs = trace->step(step).inputs;
    steps.insert(steps.end(), inputs.begin(), inputs.end());
  }
  return steps;
}

void ShownFigure::show(const FigureRequest& what, Figure figure) {
  // A new window size or view is shown at once; a new size of matrices is moved to.
  const bool same_place = built_for_ && built_for_->width == what.width && built_for_->height == what.height &&
                          built_for_->view.name == what.view.name;
  from_ = std::move(moving_ ? shown_ : target_);
  target_ = std::move(figure);
  share_sources(from_, target_);
  const HeatmapMark* const first = first_matrix_of(target_, *what.trace, what.tensors);
  first_spoken_ = first != nullptr ? first->box : Rect{};
  ++built_;
  const bool is_other = document_ != shared_.session().document();
  if (built_for_ && (is_other || built_for_->view.name != what.view.name)) shared_.state.camera = {};
  document_ = shared_.session().document();
  built_for_ = what;
  moving_ = same_place && std::max(mark_count(from_), mark_count(target_)) <= kMaxMoving;
  moved_since_ = ImGui::GetTime();
  if (moving_) {
    shown_ = blend(from_, target_, 0);
  } else {
    from_ = {};
    shown_ = {};
  }
}

void ShownFigure::panel(const Style& style, const Inspection* inspection, UiIntents& intents) {
  if (!built_for_) {
    ImGui::TextDisabled("Building the figure…");
    return;
  }
  // The figure of another view stays until the wanted one is built; clicks on it would set options of the wrong view.
  UiIntents ignored;
  const bool stale = built_for_->view.name != shared_.session().experiment().view.name;
  if (token_search_.is_open()) token_search_.search(target_, *built_for_->trace, built_);
  const bool is_symbol_lit = !formula_line_.lit().empty();
  const FigurePanelContent content = {figure(),
                                      *built_for_->trace,
                                      built_for_->trace_number,
                                      inspection,
                                      token_search_.found(),
                                      token_search_.current(),
                                      token_search_.arrived(),
                                      is_symbol_lit ? formula_line_.lit() : presented_.tensors(),
                                      is_symbol_lit ? std::span<const int>() : sources_of_spoken(),
                                      presents_anew() ? std::optional(presented_.enlarged()) : std::nullopt};
  figure_panel(style, shared_.luts, content, batch_, lines_, shared_.state, stale ? ignored : intents);
}

void ShownFigure::present(const LessonStep* step, bool all) {
  if (presented_.set(step, all)) shared_.state.camera = {};
}

bool ShownFigure::presents_anew() {
  const Experiment& open = shared_.session().experiment();
  const bool shows_step = presented_.step() != nullptr && !moving_ && shows(shared_.traces.trace()) &&
                          same_computation(built_for_->trace->experiment(), open) && built_for_->view == open.view &&
                          std::ranges::equal(built_for_->tensors, presented_.enlarged());
  return shows_step &&
         presented_.arrives_at({presented_.step(), target_.width, target_.height, first_spoken_, built_for_->width,
                                built_for_->height}) &&
         !presented_.shows_all();
}

bool ShownFigure::is_building() const {
  constexpr double kNoticed = 0.15;
  return builder_.busy() && ImGui::GetTime() > requested_since_ + kNoticed;
}

bool ShownFigure::animating() const { return moving_ || batch_.quick || shared_.heatmaps.uploads_waiting(); }

bool ShownFigure::busy() const { return shared_.heatmaps.loading() || builder_.busy(); }

double ShownFigure::drawn_share() const {
  const std::vector<HeatmapMark>& heatmaps = figure().heatmaps;
  if (!shared_.heatmaps.loading() || heatmaps.empty()) return 1;
  double share = 0;
  for (const HeatmapMark& mark : heatmaps) share += colored(mark)->progress();
  return share / static_cast<double>(heatmaps.size());
}

void ShownFigure::finish() { drawn_ = drawn_share(); }

}  // namespace attnscope::ui
