// Measures of the heads in a table, with those of uniform attention for comparison, and how similar the heads are.
#include <algorithm>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "figure/blocks/found_table.h"
#include "figure/blocks/layers_table.h"
#include "figure/blocks/measure_table.h"
#include "figure/layout/page.h"
#include "figure/slices/found_heads.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace metrics_view_parts {
namespace {

// Pairs of more heads, and more weights, are left to the command line, where nobody waits for a figure.
constexpr Index kMaxHeads = 512;
constexpr double kMaxNumbers = 1 << 26;

constexpr const char* kLayersOption = "layers";

bool has_layers(const Trace& trace) { return layer_attentions(trace).size() > 1; }

bool is_of_all_layers(const Trace& trace, const ParameterValues& options) {
  const auto layers = options.find(kLayersOption);
  return layers != options.end() && std::get<std::string>(layers->second) == "all" && has_layers(trace);
}

Index pages(const Trace& trace, const ParameterValues& options) {
  if (finds_heads(trace, options)) return found_pages(trace);
  if (is_of_all_layers(trace, options)) return layers_pages(trace);
  return measure_table_pages(option_limit(trace, "head", options));
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "page") return pages(trace, chosen) > 1;
  if (option == "of") return can_find_heads(trace);
  if (option == "sort" || option == "order") return true;
  if (finds_heads(trace, chosen)) return option == "show";
  if (option == kLayersOption) return has_layers(trace);
  if (is_of_all_layers(trace, chosen)) return option == "item" && leaves_choice(trace, option);
  return option != "show" && leaves_choice(trace, option);
}

std::string missing(const Trace& trace) {
  if (std::string none = no_attention(trace); !none.empty()) return none;
  if (head_count(trace) > kMaxHeads)
    return "Comparing " + grouped_text(head_count(trace)) + " heads takes too long here; use `attnscope metrics`.";
  double most = 0;
  const auto look_at = [&](const Step* step) {
    if (step == nullptr) return;
    const auto queries = static_cast<double>(step->axes[step->axes.size() - 2].size);
    most =
        std::max(most, queries * static_cast<double>(step->axes.back().size) * static_cast<double>(head_count(trace)));
  };
  for (const LayerAttention& each : layer_attentions(trace)) look_at(&trace.step(each.weights));
  look_at(trace.find("cross_weights"));
  return most > kMaxNumbers ? "Measuring so many weights takes too long here; use `attnscope metrics`." : "";
}

/// The standard test in place of the text; empty when it was stopped.
Figure build_found(const Trace& trace, const ViewOptions& options) {
  const std::shared_ptr<const Result<FoundHeads>> found = found_heads(trace, options);
  if (found == nullptr) return {};
  return *found ? found_figure(trace, **found, options) : reason_figure(found->error().message, options);
}

Figure build_layers(const Trace& trace, const ViewOptions& options) {
  const std::string reason = too_many_weights(trace);
  return reason.empty() ? layers_figure(trace, options) : reason_figure(reason, options);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const bool finds = finds_heads(trace, options.values);
  Figure figure = finds                                     ? build_found(trace, options)
                  : is_of_all_layers(trace, options.values) ? build_layers(trace, options)
                                                            : measure_table_figure(trace, options);
  figure.title = trace.experiment().system + ": measures of every head" + (finds ? " on random tokens, repeated" : "");
  return figure;
}

Parameter sort_option() {
  std::vector<std::string> names = {"head", "similarity"};
  std::vector<std::string> labels = {"head", "similarity"};
  for (const Measure& measure : measures()) {
    names.emplace_back(measure.name);
    labels.emplace_back(measure.title);
  }
  return choice_parameter("sort", "Sort", "Sorts the heads.", std::move(names), std::move(labels));
}

}  // namespace
}  // namespace metrics_view_parts

View metrics_view() {
  View view = {"metrics",
               "Metrics",
               "Measures of every head, compared with uniform attention, and which heads are similar.",
               {of_option(),
                choice_parameter(metrics_view_parts::kLayersOption, "Heads", "Those of one layer, or of all layers.",
                                 {"one", "all"}, {"of one layer", "of all layers"}),
                attention_option(), layer_option(), head_option(), metrics_view_parts::sort_option(),
                choice_parameter("order", "Order", "Largest or smallest first.", {"down", "up"}, {"↓", "↑"}),
                show_option(), item_option(), page_option()},
               metrics_view_parts::applies,
               metrics_view_parts::build};
  view.pages = metrics_view_parts::pages;
  view.missing = metrics_view_parts::missing;
  view.names = layer_names;
  return view;
}

}  // namespace attnscope
