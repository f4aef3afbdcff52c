#include "app/session/session.h"

#include <algorithm>
#include <utility>

#include "app/session/text_edits.h"
#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "figure/views/view.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {
namespace {

// Experiments are small: this many steps take a few hundred kilobytes, with pictures a few megabytes.
constexpr std::size_t kMaxHistory = 500;

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// A view with the options set that it has.
ViewChoice choice_with(const std::string& name, const ParameterValues& options) {
  ViewChoice choice = {name, {}};
  const View* view = find_view(name);
  for (const auto& [option, value] : options) {
    const Parameter* parameter = view != nullptr ? find_parameter(view->options, option) : nullptr;
    if (parameter != nullptr && check_value(*parameter, value)) choice.options[option] = value;
  }
  return choice;
}

void put_by_hand(Experiment& experiment, const SetCell& set) {
  std::vector<CellEdit>& edits = experiment.edits;
  const auto same = std::find_if(edits.begin(), edits.end(), [&](const CellEdit& edit) {
    return edit.tensor == set.tensor && edit.index == set.index;
  });
  if (!set.value) {
    if (same != edits.end()) edits.erase(same);
  } else if (same != edits.end()) {
    same->value = *set.value;
  } else {
    edits.push_back({set.tensor, set.index, *set.value});
  }
}

Result<void> paint_mask(Experiment& experiment, const PaintMask& paint) {
  const MaskCell& cell = paint.cell;
  Result<Mask> painted = with_pair(experiment.mask(), find_system(experiment.system)->mask_sizes(experiment),
                                   cell.batch, cell.head, cell.query, cell.key, paint.keep);
  if (!painted) return tl::unexpected(painted.error());
  return set_parameter(experiment, "mask", std::move(*painted));
}

void switch_head(Experiment& experiment, const SwitchHead& set) {
  std::vector<Index>& off = experiment.heads_off;
  const auto at = std::lower_bound(off.begin(), off.end(), set.head);
  const bool is_off = at != off.end() && *at == set.head;
  if (set.on && is_off) off.erase(at);
  if (!set.on && !is_off) off.insert(at, set.head);
}

void set_intervention(Experiment& experiment, const SetIntervention& set) {
  std::vector<Intervention>& all = experiment.interventions;
  const Intervention* const known = same_part(all, set.part);
  const auto at = known == nullptr ? all.end() : all.begin() + (known - all.data());
  if (!set.kind) {
    if (at != all.end()) all.erase(at);
  } else if (at != all.end()) {
    at->kind = *set.kind;
  } else {
    all.push_back(set.part);
    all.back().kind = *set.kind;
  }
  // A text to patch from has to be there: at first the text itself, which changes nothing.
  if (set.kind == Intervention::Kind::patched && experiment.patch_text.ids.empty())
    experiment.patch_text = experiment.text;
}

/// Drops interventions on positions and keys that no longer exist.
void drop_missing_positions(Experiment& experiment) {
  const Index text = std::ssize(experiment.text.ids);
  const Index text2 = std::ssize(experiment.text2.ids);
  const auto is_missing = [&](const Intervention& each) {
    const bool in_encoder = each.tensor.starts_with("encoder.");
    const bool in_decoder = each.tensor.starts_with("decoder.");
    const bool is_cross = each.tensor.find(".cross_") != std::string::npos;
    // Where there is one part only, a pair of texts is one sequence.
    const Index positions = in_encoder ? text : in_decoder ? text2 : text + text2;
    const Index keys = in_encoder || is_cross ? text : positions;
    return (each.position && *each.position >= positions) || (each.key && *each.key >= keys);
  };
  // Without a text it reads a picture, whose patches stay as many.
  if (text > 0) std::erase_if(experiment.interventions, is_missing);
}

/// Drops heads that no longer exist.
void drop_missing_heads(Experiment& experiment) {
  if (experiment.heads_off.empty()) return;
  const Index heads = switchable_heads(experiment);
  std::erase_if(experiment.heads_off, [&](Index head) { return head >= heads; });
}

/// Resizes a painted mask with the number of tokens.
void fit_mask(Experiment& experiment) {
  if (experiment.mask().kind != Mask::Kind::array) return;
  const MaskSizes sizes = find_system(experiment.system)->mask_sizes(experiment);
  const Index pairs =
      saturating_product(saturating_product(sizes.queries, sizes.keys), saturating_product(sizes.batch, sizes.heads));
  if (pairs <= kMaxMaskPairs) experiment.parameters["mask"] = fitted(experiment.mask(), sizes);
}

/// Keeps the picture for another system that attends to pixels.
void keep_picture(const Experiment& from, Experiment& to) {
  const auto chosen = from.parameters.find("picture");
  if (chosen == from.parameters.end() || !to.parameters.contains("picture")) return;
  to.parameters["picture"] = chosen->second;
  to.picture = from.picture;
}

/// Refuses labels that a file could not contain.
Result<void> check_labels(const std::vector<std::string>& labels) {
  if (labels.size() > kMaxLabels) {
    return fail("labels: " + std::to_string(labels.size()) + " labels are not allowed; allowed: at most " +
                std::to_string(kMaxLabels));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].size() <= kMaxLabelBytes) continue;
    return fail("labels[" + std::to_string(i) + "]: " + std::to_string(labels[i].size()) +
                " bytes are not allowed; allowed: strings of at most " + std::to_string(kMaxLabelBytes) + " bytes");
  }
  return {};
}

/// Labels set the number of tokens.
Result<void> count_tokens(Experiment& experiment) {
  const bool counts = find_parameter(find_system(experiment.system)->parameters, "tokens") != nullptr;
  if (!counts || experiment.labels.empty()) return {};
  Result<void> done = set_parameter(experiment, "tokens", static_cast<Index>(experiment.labels.size()));
  if (done) fit_mask(experiment);
  return done;
}

/// Whether the edit may change the sizes of tensors.
bool resizes(const Edit& edit) {
  return std::holds_alternative<SetParameter>(edit) || std::holds_alternative<SetLabels>(edit) ||
         std::holds_alternative<SetText>(edit);
}

/// Whether they differ in nothing but the view.
bool same_work(const Experiment& a, const Experiment& b) {
  const auto tensors = [](const Experiment& each) { return each.tensors != nullptr ? each.tensors->file() : ""; };
  const auto model = [](const Experiment& each) { return each.model != nullptr ? each.model->folder() : ""; };
  return a.system == b.system && a.seed == b.seed && a.discard == b.discard && a.parameters == b.parameters &&
         a.edits == b.edits && a.heads_off == b.heads_off && a.labels == b.labels && a.picture == b.picture &&
         tensors(a) == tensors(b) && model(a) == model(b) && a.text == b.text && a.text2 == b.text2 &&
         a.interventions == b.interventions && a.patch_text == b.patch_text;
}

}  // namespace

Session::Session(Experiment experiment, std::string file, double memory_budget, std::string version)
    : memory_budget_(memory_budget) {
  opened_.document = {0, std::move(file), std::move(version), experiment};
  opened_.experiment = std::move(experiment);
}

void Session::note_change() {
  ++revision_;
  modified_ = !same_work(experiment(), opened_.document.saved) &&
              (lesson_ == nullptr || !same_work(experiment(), lesson_->steps[step_].experiment));
}

std::optional<Session::Covered> Session::unsaved_under_lesson() const {
  if (!under_lesson_ || same_work(under_lesson_->experiment, under_lesson_->document.saved)) return std::nullopt;
  const Document& document = under_lesson_->document;
  return Covered{under_lesson_->experiment, document.file, document.version, document.number};
}

Experiment Session::edited_from(const Action& action) const {
  const bool goes_on = action.gesture != 0 && action.gesture == gesture_ && !opened_.undo.empty();
  return goes_on && resizes(action.edit) ? opened_.undo.back().experiment : experiment();
}

Result<Experiment> Session::edited(const Action& action) const {
  const Edit& edit = action.edit;
  Experiment next = edited_from(action);
  Result<void> done;
  std::visit(Overloaded{
                 [&](const SetSystem& set) {
                   Result<Experiment> fresh = default_experiment(set.name);
                   if (!fresh) {
                     done = tl::unexpected(fresh.error());
                     return;
                   }
                   next = std::move(*fresh);
                   next.seed = experiment().seed;
                   next.view.name = experiment().view.name;
                   keep_picture(experiment(), next);
                 },
                 [&](const SetParameter& set) {
                   done = set_parameter(next, set.name, set.value);
                   if (done && set.name != "mask") fit_mask(next);
                 },
                 [&](const PaintMask& paint) { done = paint_mask(next, paint); },
                 [&](const SwitchHead& set) { switch_head(next, set); },
                 [&](const SetIntervention& set) { set_intervention(next, set); },
                 [&](const SetSeed& set) { next.seed = set.seed; },
                 [&](const SetCell& set) { put_by_hand(next, set); },
                 [&](const SetLabels& set) {
                   done = check_labels(set.labels);
                   next.labels = set.labels;
                   if (done) done = count_tokens(next);
                 },
                 [&](const SetPicture& set) { done = set_picture(next, set.picture); },
                 [&](const SetModel& set) { next.model = set.model; },
                 [&](const SetText& set) { done = set_model_text(next, set.which, set.text); },
                 [&](const SetView& set) { next.view = choice_with(set.name, kept_options()); },
                 [&](const SetViewOption& set) { next.view.options[set.name] = set.value; },
                 [](const Undo&) {},
                 [](const Redo&) {},
                 [&](const OpenLesson& open) { next = open.lesson->steps.front().experiment; },
                 [&](const GoToStep& go) {
                   const std::size_t steps = lesson_ != nullptr ? lesson_->steps.size() : 0;
                   if (go.step < steps) {
                     next = lesson_->steps[go.step].experiment;
                   } else {
                     done = fail("step " + std::to_string(go.step + 1) + " is not in the lesson; it has " +
                                 std::to_string(steps));
                   }
                 },
                 [&](const BackToLesson&) {
                   if (lesson_ != nullptr) next = lesson_->steps[step_].experiment;
                 },
                 [](const CloseLesson&) {},
             },
             edit);
  if (done) done = fit_and_validate(edit, next);
  if (!done) return tl::unexpected(done.error());
  return next;
}

Result<void> Session::fit_and_validate(const Edit& edit, Experiment& next) const {
  if (!same_computation(next, experiment())) {
    if (resizes(edit)) drop_missing_positions(next);
    if (resizes(edit) && (!next.edits.empty() || !next.heads_off.empty())) {
      // With fewer tokens some edited numbers no longer exist. Undo restores them.
      Experiment bare = next;
      bare.edits.clear();
      bare.heads_off.clear();
      if (Result<void> valid = validate(bare, memory_budget_); !valid) return valid;
      drop_missing_heads(next);
      drop_edits_without_cell(next);
    }
    if (Result<void> valid = validate(next, memory_budget_); !valid) return valid;
  }
  if (const Result<ViewOptions> options = view_options(next.view); !options) return tl::unexpected(options.error());
  return {};
}

ParameterValues Session::kept_options() const {
  ParameterValues kept = opened_.options;
  for (const Parameter& option : find_view(experiment().view.name)->options) {
    const auto set = experiment().view.options.find(option.name);
    if (set != experiment().view.options.end()) {
      kept[option.name] = set->second;
    } else {
      kept.erase(option.name);
    }
  }
  return kept;
}

void Session::step_back(std::vector<State>& from, std::vector<State>& to) {
  if (from.empty()) return;
  to.push_back({experiment(), step_, opened_.document});
  State state = std::move(from.back());
  from.pop_back();
  opened_.experiment = std::move(state.experiment);
  // Undo within a document does not change what its file contains.
  if (state.document.number != opened_.document.number) opened_.document = std::move(state.document);
  step_ = state.step;
  gesture_ = 0;
}

void Session::open_lesson(std::shared_ptr<const Lesson> lesson) {
  Experiment first = lesson->steps.front().experiment;
  ParameterValues options = kept_options();
  if (!under_lesson_) under_lesson_ = std::move(opened_);
  opened_ = {first, {++documents_, {}, {}, first}, std::move(options)};
  lesson_ = std::move(lesson);
  step_ = 0;
  gesture_ = 0;
}

void Session::close_lesson() {
  if (!under_lesson_) return;
  opened_ = std::move(*under_lesson_);
  under_lesson_.reset();
  lesson_.reset();
  step_ = 0;
  gesture_ = 0;
}

Result<void> Session::apply(const Action& action) {
  Result<void> done = carry_out(action);
  if (done) note_change();
  return done;
}

Result<void> Session::carry_out(const Action& action) {
  if (std::holds_alternative<Undo>(action.edit)) {
    step_back(opened_.undo, opened_.redo);
    return {};
  }
  if (std::holds_alternative<Redo>(action.edit)) {
    step_back(opened_.redo, opened_.undo);
    return {};
  }
  if (std::holds_alternative<CloseLesson>(action.edit)) {
    close_lesson();
    return {};
  }
  Result<Experiment> next = edited(action);
  if (!next) return tl::unexpected(next.error());
  if (const auto* lesson = std::get_if<OpenLesson>(&action.edit)) {
    open_lesson(lesson->lesson);
    return {};
  }
  if (std::holds_alternative<SetView>(action.edit)) opened_.options = kept_options();
  State before = {std::move(opened_.experiment), step_, opened_.document};
  opened_.experiment = std::move(*next);
  if (const auto* go = std::get_if<GoToStep>(&action.edit)) step_ = go->step;
  // Two steps of a lesson may have the same experiment.
  if (experiment() == before.experiment && step_ == before.step) return {};
  const bool same_gesture = action.gesture != 0 && action.gesture == gesture_;
  if (!same_gesture) remember(std::move(before));
  opened_.redo.clear();
  gesture_ = action.gesture;
  // A drag back to its start is not an edit.
  if (same_gesture && !opened_.undo.empty() && opened_.undo.back().experiment == experiment()) {
    opened_.undo.pop_back();
    gesture_ = 0;
  }
  return {};
}

void Session::remember(State before) {
  opened_.undo.push_back(std::move(before));
  if (opened_.undo.size() > kMaxHistory) opened_.undo.erase(opened_.undo.begin());
  opened_.redo.clear();
}

void Session::open(Experiment experiment, std::string file, std::string version) {
  close_lesson();
  remember({std::move(opened_.experiment), step_, std::move(opened_.document)});
  opened_.document = {++documents_, std::move(file), std::move(version), experiment};
  opened_.experiment = std::move(experiment);
  gesture_ = 0;
  note_change();
}

void Session::reload(Experiment experiment, bool own_file, std::string version) {
  const bool saved = own_file || !modified();
  if (own_file) {
    opened_.document.version = std::move(version);
    opened_.document.saved = experiment;
  }
  if (experiment == opened_.experiment) return note_change();
  remember({std::move(opened_.experiment), step_, opened_.document});
  opened_.experiment = std::move(experiment);
  if (saved) opened_.document.saved = opened_.experiment;
  gesture_ = 0;
  note_change();
}

void Session::restore(Experiment experiment, std::string file, std::string version) {
  open(std::move(experiment), std::move(file), std::move(version));
  opened_.document.saved = {};  // equal to no experiment
  opened_.undo.clear();
  note_change();
}

void Session::mark_saved(std::string file, std::string version) {
  opened_.document.saved = opened_.experiment;
  gesture_ = 0;  // the next edit is a step of its own
  if (lesson_ == nullptr) {
    opened_.document.file = std::move(file);
    opened_.document.version = std::move(version);
  }
  note_change();
}

}  // namespace attnscope
