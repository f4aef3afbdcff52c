#include "figure/blocks/layer_grid.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/plan/plan.h"
#include "core/plan/region.h"
#include "figure/blocks/map_grid.h"
#include "figure/layout/page.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

constexpr Index kMaxAcross = 128;  // heads of a layer on one page

std::vector<ShownAttention> layers_of(const Trace& trace, const ParameterValues& options) {
  std::vector<ShownAttention> layers;
  for (const LayerAttention& each : wanted_attentions(trace, options)) {
    const Step& weights = trace.step(each.weights);
    const Axis* const heads = find_axis(weights.axes, "head");
    layers.push_back({weights.name, title_of(each), heads != nullptr ? heads->size : 1});
  }
  return layers;
}

Index most_heads(const std::vector<ShownAttention>& attentions) {
  Index most = 1;
  for (const ShownAttention& each : attentions) most = std::max(most, each.heads);
  return most;
}

/// Layers and heads of a page.
struct LayerPages {
  explicit LayerPages(const std::vector<ShownAttention>& layers) {
    heads_on_one = std::min(most_heads(layers), kMaxAcross);
    layers_on_one = std::min<Index>(std::ssize(layers), kMaxMaps / heads_on_one);
    head_pages = page_count(most_heads(layers), heads_on_one);
    layer_pages = page_count(std::ssize(layers), layers_on_one);
  }
  [[nodiscard]] Index count() const { return head_pages * layer_pages; }

  Index heads_on_one = 1;
  Index layers_on_one = 1;
  Index head_pages = 1;
  Index layer_pages = 1;
};

std::string run_text(const std::string& things, const Page& page) {
  return things + " " + grouped_text(page.first + 1) + "–" + grouped_text(page.end()) + " of " + grouped_text(page.of);
}

}  // namespace

Index layer_grid_pages(const Trace& trace, const ParameterValues& options) {
  return LayerPages(layers_of(trace, options)).count();
}

Figure layer_grid(const Trace& trace, Index item, const ViewOptions& options) {
  const std::vector<ShownAttention> layers = layers_of(trace, options.values);
  const LayerPages pages(layers);
  const Index most = most_heads(layers);
  const Index number = std::clamp<Index>(options.integer("page"), 1, pages.count());
  const Page of_layers = page_of(std::ssize(layers), pages.layers_on_one, (number - 1) / pages.head_pages + 1);
  const Page of_heads = page_of(most, pages.heads_on_one, (number - 1) % pages.head_pages + 1);
  std::vector<MapRow> rows;
  for (Index layer = of_layers.first; layer < of_layers.end(); ++layer) {
    const ShownAttention& each = layers[static_cast<std::size_t>(layer)];
    const Index heads = std::clamp<Index>(each.heads - of_heads.first, 0, of_heads.count);
    rows.push_back({each.tensor, each.title, of_heads.first, heads});
  }
  MapCaptions captions;
  // Layers of a decoder have two.
  const std::string rows_name = has_both_kinds(trace) ? "attentions" : "layers";
  captions.title = std::to_string(layers.size()) + " " + rows_name + ", " + std::to_string(most) +
                   (most == 1 ? " head" : " heads") + " each";
  captions.names_the_heads = true;
  if (pages.count() > 1) {
    captions.page = (of_layers.is_all() ? "" : run_text(rows_name, of_layers) + " · ") +
                    (of_heads.is_all() ? "" : run_text("heads", of_heads) + " · ") + "page " + grouped_text(number) +
                    " of " + grouped_text(pages.count());
  }
  return map_grid(trace, rows, captions, item, options);
}

namespace {

Index heads_on_a_page(const std::vector<ShownAttention>& attentions) {
  return std::max<Index>(1, kMaxPanels / std::max<Index>(1, std::ssize(attentions)));
}

/// The rows of the page with `across` heads side by side.
std::vector<MapRow> rows_of(const std::vector<ShownAttention>& attentions, const Page& page, Index across) {
  std::vector<MapRow> rows;
  for (const ShownAttention& each : attentions) {
    const Index end = std::min(page.end(), each.heads);
    for (Index first = page.first; first < end; first += across) {
      const Index heads = std::min(across, end - first);
      std::string name = attentions.size() > 1 ? each.title + (each.heads > 1 ? " · " : "") : "";
      if (each.heads > 1) name += grouped_text(first + 1) + "–" + grouped_text(first + heads);
      rows.push_back({each.tensor, std::move(name), first, heads});
    }
  }
  return rows;
}

/// The number of heads side by side that makes them largest.
Index best_across(const std::vector<ShownAttention>& attentions, const Page& page, const ViewOptions& options) {
  Index best = 1;
  double largest = 0;
  for (Index across = 1; across <= page.count; ++across) {
    Index down = 0;
    for (const ShownAttention& each : attentions)
      down += page_count(std::clamp<Index>(each.heads - page.first, 0, page.count), across);
    const double pitch = map_pitch(across, down, options);
    if (pitch > largest) largest = pitch, best = across;
  }
  return best;
}

}  // namespace

Index head_grid_pages(const std::vector<ShownAttention>& attentions) {
  return page_count(most_heads(attentions), heads_on_a_page(attentions));
}

Figure head_grid(const Trace& trace, const std::vector<ShownAttention>& attentions, Index item,
                 const ViewOptions& options) {
  const Page page = page_of(most_heads(attentions), heads_on_a_page(attentions), options.integer("page"));
  MapCaptions captions;
  captions.title = attentions.size() > 1 ? "Attention" : attentions.front().title;
  if (page.is_all()) captions.title += ", " + grouped_text(page.of) + " heads";
  captions.page = page.text("heads");
  const Index across = best_across(attentions, page, options);
  return map_grid(trace, rows_of(attentions, page, across), captions, item, options);
}

}  // namespace attnscope
