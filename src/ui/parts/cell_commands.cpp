#include "ui/parts/cell_commands.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/session/mark_edits.h"
#include "app/session/mask_cell.h"
#include "core/experiment/order.h"
#include "core/operations/mask.h"
#include "core/studies/permutation.h"
#include "figure/slices/found_heads.h"
#include "figure/slices/head_state.h"
#include "figure/slices/selected.h"
#include "figure/views/view_selection.h"

namespace attnscope::ui {
namespace {

/// The step that made the pinned cell's tensor; null where the trace has no such cell.
const Step* pinned_step(const Shared& shared) {
  const Trace* trace = shared.traces.trace().get();
  const std::optional<NamedCell>& pinned = shared.state.pinned;
  return trace != nullptr && pinned ? step_of(*trace, *pinned) : nullptr;
}

/// The cell under the cursor, otherwise the pinned one, where the trace has it.
const NamedCell* inspected_cell(const Shared& shared, const Trace& trace) {
  const std::optional<NamedCell>& cell = shared.state.inspected();
  return cell && step_of(trace, *cell) != nullptr ? &*cell : nullptr;
}

}  // namespace

void move_pinned_cell(Shared& shared, Index down, Index right) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  UiState& state = shared.state;
  state.by_keyboard = true;
  if (!state.pinned) {
    const ParameterValues& options = shared.session().experiment().view.options;
    const Step* weights = shown_attention(*trace, options).weights;
    if (weights == nullptr) return;
    const Slice slice = selected_slice(*trace, options);
    state.pinned = NamedCell{weights->name, leading_index(weights->axes, 0, slice.head, slice.item)};
    return;
  }
  const Step* step = pinned_step(shared);
  std::vector<Index>& index = state.pinned->index;
  if (step == nullptr) return;
  const auto move = [&](std::size_t from_last, Index by) {
    if (index.size() < from_last) return;
    const std::size_t axis = index.size() - from_last;
    index[axis] = std::clamp<Index>(index[axis] + by, 0, step->axes[axis].size - 1);
  };
  move(1, right);
  move(2, down);
}

void show_pinned_pair(Shared& shared, std::uint64_t gesture) {
  Session& session = shared.session();
  const ViewChoice& choice = session.experiment().view;
  const Step* step = pinned_step(shared);
  if (step == nullptr) return;
  // A value that is the default anyway is not set: other views would take it for the user's choice.
  const SetOptions pair =
      show_pair(*find_view(choice.name), *step, shared.state.pinned->index, view_options(choice)->values);
  for (const Edit& edit : edits_for(pair, session.experiment())) {
    if (const Result<void> done = session.apply({edit, gesture}); !done) shared.say(done.error().message, true);
  }
}

namespace {

/// The score of a trained model's head that belongs to a cell of scores or weights.
std::optional<Intervention> masked_score(const NamedCell& cell) {
  std::string scores = scores_of_heads(cell.tensor);
  if (scores.empty() || cell.index.size() != 3) return std::nullopt;
  return Intervention{std::move(scores), cell.index[0], cell.index[1], Intervention::Kind::masked, cell.index[2]};
}

/// Whether the query does not see that key anyway.
bool is_hidden(const Trace& trace, const Intervention& score) {
  const std::string layer = score.tensor.substr(0, score.tensor.size() - std::string_view("scores").size());
  const Step* const masked = trace.find(layer + "masked_scores");
  const auto* const mask = masked == nullptr ? nullptr : as<MaskOperation>(masked->operation);
  return mask != nullptr && !mask->keeps(masked->axes, std::array{*score.head, *score.position, *score.key});
}

void toggle_model_mask(const Shared& shared, const Trace& trace, const NamedCell& cell, UiIntents& intents) {
  const std::optional<Intervention> score = masked_score(cell);
  if (!score) return shared.say("M masks a query–key pair: point at a score or a weight first", true);
  const bool is_masked = same_part(shared.session().experiment().interventions, *score) != nullptr;
  if (!is_masked && is_hidden(trace, *score))
    return shared.say(part_title(*score) + ": masked already, by the model or for every query", true);
  intents.actions.push_back({SetIntervention{*score, is_masked ? std::nullopt : std::optional(score->kind)}, 0});
  shared.say(part_title(*score) + (is_masked ? ": not masked" : ": masked"), false);
}

}  // namespace

void toggle_mask(const Shared& shared, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  const NamedCell* const cell = trace != nullptr ? inspected_cell(shared, *trace) : nullptr;
  if (cell == nullptr) return;
  if (trace->experiment().model != nullptr) return toggle_model_mask(shared, *trace, *cell, intents);
  const std::optional<MaskCell> pair = mask_cell(*trace, cell->tensor, cell->index);
  const Step* const step = trace->find(cell->tensor);
  if (step != nullptr && is_imported_weights(*step))
    return shared.say("M masks scores before the softmax; this file has only the weights after it", true);
  if (!pair) return shared.say("M masks a query–key pair: point at a score or a weight first", true);
  // The numbers on screen may still be those of more tokens.
  const std::optional<bool> kept = is_kept(shared.session().experiment(), *pair);
  if (kept) intents.actions.push_back({PaintMask{*pair, !*kept}, 0});
}

namespace {

/// The head that the view shows.
std::optional<Intervention> shown_head(const Trace& trace, const ParameterValues& options) {
  const std::optional<Index> head = selected_head(*find_view(trace.experiment().view.name), trace, options);
  const Step* const weights = head ? selected_attention(trace, options).weights : nullptr;
  if (weights == nullptr) return std::nullopt;
  return Intervention{outputs_of_heads(weights->name), head, {}, {}};
}

/// The head under the cursor or the pinned one, otherwise the one that the view shows.
std::optional<Intervention> chosen_head(const Shared& shared, const Trace& trace, const ParameterValues& options) {
  const NamedCell* const cell = inspected_cell(shared, trace);
  if (cell != nullptr && cell->tensor.ends_with("weights") && cell->index.size() == 3)
    return Intervention{outputs_of_heads(cell->tensor), cell->index.front(), {}, {}};
  return shown_head(trace, options);
}

/// The head of a system whose weights are under the cursor or pinned, where heads are merged.
std::optional<Index> pointed_head(const Shared& shared, const Trace& trace) {
  const NamedCell* const cell = inspected_cell(shared, trace);
  if (cell == nullptr || cell->tensor != "weights" || trace.find("merged") == nullptr) return std::nullopt;
  const Step* const step = trace.find(cell->tensor);
  const Axis* const axis = find_axis(step->axes, "head");
  if (axis == nullptr) return std::nullopt;
  return cell->index[static_cast<std::size_t>(axis - step->axes.data())];
}

void switch_model_head(const Shared& shared, const Trace& trace, const ParameterValues& options, UiIntents& intents) {
  const std::optional<Intervention> head = chosen_head(shared, trace, options);
  if (!head) return shared.say("X switches a head off: point at its weights, or open it, first", true);
  // The numbers on screen may be those before the last press.
  const bool is_changed = same_part(shared.session().experiment().interventions, *head) != nullptr;
  intents.actions.push_back(
      {SetIntervention{*head, is_changed ? std::nullopt : std::optional(Intervention::Kind::off)}, 0});
  shared.say(part_title(*head) + (is_changed ? ": on again" : ": off"), false);
}

}  // namespace

void follow_shown_head(const Shared& shared) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr || trace->experiment().model == nullptr) return;
  if (!shared.state.model_facts || !shared.state.model_facts->parts) return;
  ModelParts& parts = *shared.state.model_facts->parts;
  const std::optional<Intervention> head = shown_head(*trace, view_options(trace->experiment().view)->values);
  if (head == parts.followed) return;
  parts.followed = head;
  for (std::size_t layer = 0; head && layer < parts.layers.size(); ++layer) {
    const auto& those = parts.layers[layer].parts;
    const auto found = std::ranges::find_if(those, [&](const ModelParts::Part& each) { return each.part == *head; });
    if (found == those.end()) continue;
    parts.layer = layer;
    parts.part = static_cast<std::size_t>(found - those.begin());
  }
}

void switch_head(const Shared& shared, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  const Experiment& experiment = shared.session().experiment();
  if (experiment.tensors != nullptr && trace->find("merged") == nullptr)
    return shared.say("X switches off a head where the heads are merged; the file has no output projection", true);
  const ParameterValues options = view_options(experiment.view)->values;
  if (experiment.model != nullptr) return switch_model_head(shared, *trace, options, intents);
  std::optional<Index> head = pointed_head(shared, *trace);
  if (!head) head = selected_head(*find_view(experiment.view.name), *trace, options);
  if (!head) return shared.say("X switches a head off: point at its weights, or open it, first", true);
  for (Edit& edit : edits_for(ToggleHead{*head}, experiment)) intents.actions.push_back({std::move(edit), 0});
  const bool was_off = std::ranges::find(experiment.heads_off, *head) != experiment.heads_off.end();
  shared.say("head " + std::to_string(*head + 1) + (was_off ? ": on again" : ": off, its output is 0"), false);
}

void choose_head(const Shared& shared, Index head, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  const Experiment& experiment = shared.session().experiment();
  const View& view = *find_view(experiment.view.name);
  const std::string pinned = shared.state.pinned ? shared.state.pinned->tensor : "";
  std::vector<Edit> edits = edits_for(show_head(view, *trace, experiment.view.options, head - 1, pinned), experiment);
  // One step for Undo.
  const std::uint64_t gesture = edits.size() > 1 ? ++shared.state.gesture : 0;
  for (Edit& edit : edits) intents.actions.push_back({std::move(edit), gesture});
}

void change_view(const Shared& shared, Index by, UiIntents& intents) {
  const std::span<const View> all = views();
  const Trace* const trace = shared.traces.trace().get();
  const auto count = std::ssize(all);
  const auto from = find_view(shared.session().experiment().view.name) - all.data();
  for (Index at = (from + by + count) % count; at != from; at = (at + by + count) % count) {
    const View& view = all[static_cast<std::size_t>(at)];
    if (trace == nullptr || missing_for(view, *trace).empty())
      return intents.actions.push_back({SetView{view.name}, 0});
  }
}

void show_found_heads(const Shared& shared, UiIntents& intents) {
  // One step for Undo.
  const std::uint64_t gesture = ++shared.state.gesture;
  intents.actions.push_back({SetView{kTestView}, gesture});
  intents.actions.push_back({SetViewOption{of_option().name, std::string(kOfRandomTokens)}, gesture});
}

void move_token(Shared& shared, Index by, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  const std::optional<NamedCell>& pinned = shared.state.pinned;
  const Index count = permutable_tokens(*trace);
  const Step* step = pinned_step(shared);
  // Features and dimensions can be as many as tokens.
  const auto counts_tokens = [](const Axis& axis) { return axis.name == "token" || axis.name == "query"; };
  if (count == 0 || step == nullptr || step->axes.size() < 2 || step->axes[step->axes.size() - 2].size != count ||
      !counts_tokens(step->axes[step->axes.size() - 2]))
    return shared.say("Ctrl+↑ and Ctrl+↓ move a token of X: pin a cell in its row first", true);
  const Index token = pinned->index[step->axes.size() - 2];
  const ViewChoice& view = shared.session().experiment().view;
  const bool shown = !find_view(view.name)->token_order.empty();
  const View& opened = shown ? *find_view(view.name) : token_order_view();
  const std::string text = shown ? view_options(view)->choice(opened.token_order) : "";
  const std::vector<Index> order = full_order(text, count);
  const auto from = std::find(order.begin(), order.end(), token) - order.begin();
  if (from + by < 0 || from + by >= count) return;
  const std::uint64_t gesture = shown ? 0 : ++shared.state.gesture;
  if (!shown) intents.actions.push_back({SetView{opened.name}, gesture});
  intents.actions.push_back({SetViewOption{opened.token_order, swapped_order(text, count, from, from + by)}, gesture});
}

void copy_matrix(const Shared& shared, MatrixFormat format) {
  const std::optional<NamedCell>& cell = shared.state.pinned;
  if (!shared.traces.trace() || !cell) return shared.say("pin a cell first, to copy its matrix", true);
  const Result<std::string> text = matrix_text(*shared.traces.trace(), cell->tensor, cell->index, format);
  if (!text) return shared.say(text.error().message, true);
  ImGui::SetClipboardText(text->c_str());
  shared.say("copied the matrix of " + cell->tensor, false);
}

}  // namespace attnscope::ui
