#include "figure/blocks/layers_table.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_rows.h"
#include "figure/blocks/head_table.h"
#include "figure/slices/measured_heads.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

// Measuring more weights takes minutes: left to the command line, where nobody waits for a figure.
constexpr double kMaxNumbers = 1 << 30;

const Step& attention_weights_of(const Trace& trace, const LayerAttention& attention) {
  return trace.step(attention.weights);
}

double weights_to_measure(const Trace& trace) {
  double numbers = 0;
  for (const LayerAttention& each : layer_attentions(trace)) {
    const Axes& axes = attention_weights_of(trace, each).axes;
    numbers += static_cast<double>(heads_in(axes)) * static_cast<double>(axes[axes.size() - 2].size) *
               static_cast<double>(axes.back().size);
  }
  return numbers;
}

/// The masks that imported weights show, if they are the same in all layers.
std::string note_on(const std::vector<MeasuredLayer>& layers) {
  std::set<std::string> masks;
  Index left_out = 0;
  for (const MeasuredLayer& each : layers) {
    masks.insert(each.measures.mask);
    left_out += each.measures.left_out;
  }
  std::string note = masks.size() > 1 ? "masks that differ between the layers" : *masks.begin();
  if (left_out > 0)
    note += (note.empty() ? "" : "; ") + grouped_text(left_out) +
            (left_out == 1 ? " row that is not finite left out" : " rows that are not finite left out");
  return note + (note.empty() ? "" : "; ") + "marks on the bars: uniform attention";
}

std::string about_cell(const HeadTableRow& row, std::size_t measure) {
  const HeadTableCell& cell = row.cells[measure];
  return capitalized(std::string(measures()[measure].title)) + " of " + row.layer + ", head " +
         std::to_string(row.head + 1) + (cell.value ? ": " + number_text(*cell.value) : " does not apply") +
         (cell.uniform ? "\nuniform attention: " + number_text(*cell.uniform) : "");
}

}  // namespace

Index layers_pages(const Trace& trace) {
  Index heads = 0;
  for (const LayerAttention& each : layer_attentions(trace)) heads += heads_in(attention_weights_of(trace, each).axes);
  return head_table_pages(heads);
}

std::string too_many_weights(const Trace& trace) {
  return weights_to_measure(trace) > kMaxNumbers
             ? "Measuring so many weights takes too long here; use `attnscope metrics`."
             : "";
}

Figure layers_figure(const Trace& trace, const ViewOptions& options) {
  const Slice slice = selected_slice(trace, options.values);
  const auto layers = measured_layers(trace, options, slice.item);
  if (layers == nullptr) return {};
  const std::string item = item_count(trace) > 1 ? ", item " + std::to_string(slice.item + 1) : "";
  HeadTable table = {.id = "all",
                     .title = "Every head of every layer" + item,
                     .note = note_on(*layers),
                     .measures = measures(),
                     .about = about_cell};
  for (const MeasuredLayer& each : *layers) {
    const auto line = static_cast<Index>(&each - layers->data());
    for (std::size_t head = 0; head < each.measures.heads.size(); ++head) {
      HeadTableRow row = {each.measures.tensor, title_of(each.attention), line, static_cast<Index>(head)};
      for (std::size_t i = 0; i < measures().size(); ++i)
        row.cells.push_back({each.measures.heads[head][i], each.measures.uniform[i]});
      table.rows.push_back(std::move(row));
    }
  }
  return head_table_figure(trace, table, options);
}

}  // namespace attnscope
