#include "ui/parts/cell_commands.h"

#include <algorithm>
#include <utility>

#include "app/session/mask_cell.h"
#include "core/experiment/order.h"
#include "core/studies/permutation.h"
#include "figure/slices/selected.h"

namespace attnscope::ui {
namespace {

/// Whether the view has such an option.
bool has_option(const ViewChoice& view, const char* option) {
  return find_parameter(find_view(view.name)->options, option) != nullptr;
}

}  // namespace

void move_pinned_cell(Shared& shared, Index down, Index right) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  UiState& state = shared.state;
  state.by_keyboard = true;
  if (!state.pinned) {
    const ParameterValues& options = shared.session().experiment().view.options;
    const Step* weights = selected_attention(*trace, options).weights;
    if (weights == nullptr) return;
    const Slice slice = selected_slice(*trace, options);
    state.pinned = NamedCell{weights->name, leading_index(weights->axes, 0, slice.head, slice.item)};
    return;
  }
  const Step* step = trace->find(state.pinned->tensor);
  std::vector<Index>& index = state.pinned->index;
  if (step == nullptr || index.size() != step->axes.size()) return;
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
  const Trace* trace = shared.traces.trace().get();
  const Step* step = trace != nullptr && shared.state.pinned ? trace->find(shared.state.pinned->tensor) : nullptr;
  if (step == nullptr || step->axes.size() < 2 || !has_option(session.experiment().view, "key")) return;
  const Axes& axes = step->axes;
  const std::string& rows = axes[axes.size() - 2].name;
  if (axes.back().name != "key" || (rows != "query" && rows != "cross_query")) return;
  const std::vector<Index>& index = shared.state.pinned->index;
  const auto choose = [&](const char* option, ParameterValue value) {
    const ParameterValues now = view_options(session.experiment().view)->values;
    // A value that is the default anyway is not set: other views would take it for the user's choice.
    if (const auto found = now.find(option); found == now.end() || found->second == value) return;
    if (const Result<void> done = session.apply({SetViewOption{option, std::move(value)}, gesture}); !done)
      shared.say(done.error().message, true);
  };
  choose("query", index[index.size() - 2] + 1);
  choose("key", index.back() + 1);
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) choose(axes[i].name == "batch" ? "item" : "head", index[i] + 1);
  choose("attention", std::string(rows == "query" ? "self" : "cross"));
}

void toggle_mask(const Shared& shared, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  const std::optional<NamedCell>& cell = shared.state.inspected();
  if (trace == nullptr || !cell) return;
  const std::optional<MaskCell> pair = mask_cell(*trace, cell->tensor, cell->index);
  if (!pair) return shared.say("M masks a pair of query and key: point at a score or a weight", true);
  intents.actions.push_back({PaintMask{*pair, !is_kept(shared.session().experiment(), *pair)}, 0});
}

void switch_head(const Shared& shared, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  const Experiment& experiment = shared.session().experiment();
  const Result<ViewOptions> options = view_options(experiment.view);
  if (!options || !has_option(experiment.view, "head"))
    return shared.say("X turns a head off: select one in a view of single heads", true);
  const Index head = selected_slice(*trace, options->values).head;
  const std::vector<Index>& off = experiment.heads_off;
  intents.actions.push_back({SwitchHead{head, std::binary_search(off.begin(), off.end(), head)}, 0});
}

void choose_head(const Shared& shared, Index head, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  const ViewChoice& view = shared.session().experiment().view;
  if (trace == nullptr || head > option_limit(*trace, "head", view.options) || !has_option(view, "head")) return;
  intents.actions.push_back({SetViewOption{"head", head}, 0});
}

void change_view(const Shared& shared, Index by, UiIntents& intents) {
  const std::span<const View> all = views();
  const auto at = find_view(shared.session().experiment().view.name) - all.data();
  const auto count = std::ssize(all);
  intents.actions.push_back({SetView{all[static_cast<std::size_t>((at + by + count) % count)].name}, 0});
}

void move_token(Shared& shared, Index by, UiIntents& intents) {
  const Trace* trace = shared.traces.trace().get();
  if (trace == nullptr) return;
  const std::optional<NamedCell>& pinned = shared.state.pinned;
  const Index count = permutable_tokens(*trace);
  const Step* step = pinned ? trace->find(pinned->tensor) : nullptr;
  if (count == 0 || step == nullptr || step->axes.size() < 2 || step->axes[step->axes.size() - 2].size != count)
    return shared.say("Ctrl+↑ and Ctrl+↓ move a token of X: pin a cell in its row first", true);
  const Index token = pinned->index[step->axes.size() - 2];
  const ViewChoice& view = shared.session().experiment().view;
  const bool shown = view.name == "permutation";
  std::vector<Index> order = full_order(shown ? view_options(view)->choice("order") : "", count);
  const auto from = std::find(order.begin(), order.end(), token) - order.begin();
  if (from + by < 0 || from + by >= count) return;
  std::swap(order[static_cast<std::size_t>(from)], order[static_cast<std::size_t>(from + by)]);
  const std::uint64_t gesture = shown ? 0 : ++shared.state.gesture;
  if (!shown) intents.actions.push_back({SetView{"permutation"}, gesture});
  intents.actions.push_back({SetViewOption{"order", order_text(order)}, gesture});
}

void copy_matrix(const Shared& shared, MatrixFormat format) {
  const std::optional<NamedCell>& cell = shared.state.pinned;
  if (!shared.traces.trace() || !cell) return shared.say("pin a cell first: its matrix is copied", true);
  const Result<std::string> text = matrix_text(*shared.traces.trace(), cell->tensor, cell->index, format);
  if (!text) return shared.say(text.error().message, true);
  ImGui::SetClipboardText(text->c_str());
  shared.say("copied the matrix of " + cell->tensor, false);
}

}  // namespace attnscope::ui
