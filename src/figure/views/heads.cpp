// The attention of every head on one colour scale.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "figure/blocks/head_link.h"
#include "figure/blocks/layer_grid.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/model/label_painter.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/weight_colors.h"
#include "figure/views/view.h"

namespace attnscope {
namespace heads_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kSectionTitle = 26;
constexpr double kPanelTitle = 20;
constexpr double kSectionGap = 18;
constexpr double kLegendHeight = 40;
// Between matrices, with labels and without.
constexpr double kGap = 22;
constexpr double kBareGap = 10;
// The smallest height of a matrix.
constexpr double kLeastExtent = 16;
// Longer labels are shortened: the matrices need the room.
constexpr double kMaxLabel = 84;
// Cells that are this much larger are worth more than some of the labels.
constexpr double kWorthLabels = 1.2;

/// The weights of all heads of one attention.
struct Section {
  std::string tensor;
  std::string title;
  std::vector<HeatmapMark> heads;
  std::vector<std::string> names;  ///< of the heads
  double widest_name = 0;
  PanelShape shape;
  bool switchable = false;  ///< whether heads can be switched off
  bool has_heads = true;    ///< otherwise a single matrix without a title
};

/// The labels, no wider than kMaxLabel.
Labels shortened(const Labels& labels) {
  if (labels.widest(TypeSize::kSmall) <= kMaxLabel) return labels;
  std::vector<std::string> texts;
  for (const std::string& text : labels) texts.push_back(shortened_text(text, kMaxLabel, TypeSize::kSmall));
  return texts;
}

Section section(const Trace& trace, const std::string& tensor, const std::string& title, Index item,
                WeightColors& colors) {
  Section section = {tensor, title, {}, {}, 0, {}, false, true};
  const Step* step = trace.find(tensor);
  const Axis* heads = find_axis(step->axes, "head");
  section.has_heads = heads != nullptr;
  section.switchable = section.has_heads && tensor == "weights" && trace.find("merged") != nullptr;
  for (Index head = 0; head < (section.has_heads ? heads->size : 1); ++head) {
    const Slice slice = {head, item};
    // All heads share one scale.
    HeatmapMark mark = head == 0 ? *matrix_mark(trace, tensor, slice) : *unscaled_mark(trace, tensor, slice);
    if (head > 0) mark.scale = section.heads.front().scale;
    colors.color(mark);
    mark.id = tensor + "." + std::to_string(head);
    mark.row_labels = head == 0 ? shortened(row_labels(trace, mark)) : section.heads.front().row_labels;
    mark.column_labels = head == 0 ? shortened(column_labels(trace, mark)) : section.heads.front().column_labels;
    section.heads.push_back(std::move(mark));
    section.names.push_back(head_title(trace.experiment(), tensor, head));
  }
  section.widest_name = text_width("head 10", TypeSize::kBody, FontWeight::semibold);
  for (const std::string& name : section.names)
    section.widest_name = std::max(section.widest_name, text_width(name, TypeSize::kBody, FontWeight::semibold));
  return section;
}

/// Gives all sections one scale, which reaches as far as that of each.
void join_scales(std::vector<Section>& sections) {
  ColorScale joint = sections.front().heads.front().scale;
  for (const Section& section : sections) {
    joint.low = std::min(joint.low, section.heads.front().scale.low);
    joint.high = std::max(joint.high, section.heads.front().scale.high);
  }
  for (Section& section : sections) {
    for (HeatmapMark& mark : section.heads) mark.scale = joint;
  }
}

/// Places the sections below each other; their heights follow from their rows of cells.
class HeadsLayout {
 public:
  HeadsLayout(std::vector<Section> sections, const Trace& trace, const ViewOptions& options)
      : sections_(std::move(sections)), experiment_(trace.experiment()), options_(options) {
    if (trace.experiment().model != nullptr) links_.emplace(trace);
  }

  Figure build() {
    const double width = options_.width - 2 * kMargin;
    const double fixed = 2 * kMargin + kLegendHeight + static_cast<double>(sections_.size()) * kSectionTitle +
                         static_cast<double>(sections_.size() - 1) * kSectionGap;
    const double room = options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0;
    std::vector<Grid> grids = fit_labelled(width, room);
    double widest = 0;
    double height = fixed;
    for (const Grid& grid : grids) {
      widest = std::max(widest, grid.width());
      height += grid.height();
    }
    figure_.color_bars.push_back(weights_bar(sections_.front().heads.front().scale));
    figure_.width =
        std::max(options_.width, std::max(widest, legend_size(figure_.color_bars, width).width) + 2 * kMargin);
    figure_.height = std::max(options_.height, height);
    const double left = (figure_.width - widest) / 2;
    double y = kMargin + (figure_.height - height) / 2;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      place(sections_[i], grids[i], {left, y});
      y += kSectionTitle + grids[i].height() + kSectionGap;
    }
    place_legend(figure_.color_bars, {left, y - kSectionGap + 16}, kMargin, figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  /// Gives the sections the shapes of their panels. Heads align across sections: all leave the same room for labels.
  void shape_panels() {
    double labels = 0;
    for (const Section& section : sections_)
      labels = std::max(labels, row_label_width(section.heads.front().row_labels));
    for (Section& section : sections_) {
      const HeatmapMark& first = section.heads.front();
      // Room for turned labels, as the width of the cells is not known yet.
      const double top = (section.has_heads ? kPanelTitle : 0) + column_label_height(first.column_labels, 0);
      const bool has_state = section.switchable && !bare_;
      const double name =
          section.widest_name + (has_state ? text_width(", off", TypeSize::kBody, FontWeight::semibold) : 0);
      section.shape = {first.rows(), first.columns(), labels, top, bare_ ? kBareGap : kGap, labels + name, 48, 2};
    }
  }

  /// The arrangement with labels; without them where there is room for some only, and the cells become much larger.
  std::vector<Grid> fit_labelled(double width, double height) {
    shape_panels();
    std::vector<Grid> labelled = fit(width, height);
    if (!leaves_labels_out(labelled)) return labelled;
    const std::vector<Section> before = sections_;
    for (Section& section : sections_) {
      for (HeatmapMark& mark : section.heads) {
        mark.row_labels.show(Labels::Shown::none);
        mark.column_labels.show(Labels::Shown::none);
      }
    }
    bare_ = true;
    shape_panels();
    std::vector<Grid> bare = fit(width, height);
    if (shown_cell(bare, width, height) >= kWorthLabels * shown_cell(labelled, width, height)) return bare;
    bare_ = false;
    sections_ = before;
    return labelled;
  }

  /// Whether words beside the cells of some section are too many for all of them.
  [[nodiscard]] bool leaves_labels_out(const std::vector<Grid>& grids) const {
    for (std::size_t i = 0; i < grids.size(); ++i) {
      const HeatmapMark& first = sections_[i].heads.front();
      const auto left_out = [](const Labels& labels, double cell) {
        return !labels.empty() && !labels.are_counted() && cell < kLeastLabelled;
      };
      if (left_out(first.row_labels, grids[i].cell_height) || left_out(first.column_labels, grids[i].cell_width))
        return true;
    }
    return false;
  }

  /// The sections with `across` heads side by side and cells of one size: the largest that fits.
  [[nodiscard]] std::vector<Grid> arrange(Index across, double width, double height) const {
    Index longest = 1;  // matrix, in cells
    for (const Section& section : sections_) longest = std::max(longest, section.shape.rows);
    for (double largest = 48;; largest = largest > 4 ? largest - 1 : largest * 0.9) {
      std::vector<Grid> grids;
      double total = 0;
      double smallest = largest;
      for (const Section& section : sections_) {
        PanelShape shape = section.shape;
        shape.largest_cell = largest;
        grids.push_back(arrange_grid(static_cast<Index>(section.heads.size()), across, shape, width, 0));
        total += grids.back().height();
        smallest = std::min(smallest, grids.back().cell_width);
      }
      double widest = 0;
      for (const Grid& grid : grids) widest = std::max(widest, grid.panel_width);
      for (Grid& grid : grids) grid.panel_width = widest;
      const bool same_size = smallest == largest || largest < 1;
      const bool least = largest * static_cast<double>(longest) < kLeastExtent;
      if ((same_size && (height <= 0 || total <= height)) || least) return grids;
    }
  }

  /// In the window the largest cells; in a file, whose height is free, as many heads side by side as are readable.
  [[nodiscard]] std::vector<Grid> fit(double width, double height) const {
    if (height > 0) return fit_into(width, height);
    const Index across = fit_grid(heads(), sections_.front().shape, width, 0).across;
    std::vector<Grid> grids = arrange(across, width, 0);
    double total = 0;
    for (const Grid& grid : grids) total += grid.height();
    // A window can be too narrow for any page.
    const double page = page_height(width);
    return total <= page || page <= 0 ? grids : fit_into(width, page);
  }

  [[nodiscard]] std::vector<Grid> fit_into(double width, double height) const {
    std::vector<Grid> best = arrange(1, width, height);
    double largest = shown_cell(best, width, height);
    for (Index across = 2; across <= heads(); ++across) {
      if (options_.stop.stop_requested()) break;
      std::vector<Grid> grids = arrange(across, width, height);
      const double cell = shown_cell(grids, width, height);
      if (cell < largest) continue;
      largest = cell;
      best = std::move(grids);
    }
    return best;
  }

  /// The width of a cell where all grids are made smaller until they fit; a height of 0 is any.
  [[nodiscard]] static double shown_cell(const std::vector<Grid>& grids, double width, double height) {
    double widest = 0;
    double total = 0;
    for (const Grid& grid : grids) {
      widest = std::max(widest, grid.width());
      total += grid.height();
    }
    const double scale = std::min({1.0, width / widest, height > 0 ? height / total : 1.0});
    return grids.front().cell_width * scale;
  }

  [[nodiscard]] Index heads() const { return static_cast<Index>(sections_.front().heads.size()); }

  void place(const Section& section, const Grid& grid, Point at) {
    add_section_title(section, {at.x, at.y + 13});
    for (std::size_t i = 0; i < section.heads.size(); ++i) {
      HeatmapMark mark = section.heads[i];
      const Point corner = grid.corner(static_cast<Index>(i));
      mark.box = {at.x + corner.x + section.shape.left, at.y + kSectionTitle + corner.y + section.shape.top,
                  grid.cell_width * static_cast<double>(mark.columns()),
                  grid.cell_height * static_cast<double>(mark.rows())};
      const double title = mark.box.y - column_label_height(mark.column_labels, grid.cell_width) - 8;
      if (!section.has_heads) {
        figure_.heatmaps.push_back(std::move(mark));
        continue;
      }
      add_head_title(section, i, {mark.box.x, title}, grid.panel_width + grid.gap - section.shape.left - 4);
      if (links_) links_->add(figure_, mark.id, open_box(section, mark, title), section.tensor, static_cast<Index>(i));
      figure_.heatmaps.push_back(std::move(mark));
    }
  }

  void add_section_title(const Section& section, Point at) {
    constexpr const char* axes = "rows: queries, columns: keys";
    figure_.texts.push_back(title_mark(section.tensor + ".title", at, section.title));
    const double after = at.x + text_width(section.title, TypeSize::kTitle, FontWeight::semibold) + 12;
    if (after + text_width(axes, TypeSize::kSmall) > figure_.width - kMargin) return;
    TextMark more = title_mark(section.tensor + ".title.more", {after, at.y}, axes, TypeSize::kSmall);
    more.weight = FontWeight::regular;
    more.ink = Ink::dim;
    figure_.texts.push_back(std::move(more));
  }

  /// The matrix of a head and its name above.
  [[nodiscard]] static Rect open_box(const Section& section, const HeatmapMark& mark, double title) {
    const double top = title - 15;
    return {mark.box.x, top, std::max(mark.box.width, section.shape.least_width - section.shape.left),
            mark.box.bottom() - top};
  }

  /// The name of a head, with what it is, where `room` has both; where heads are merged, a click switches the head off.
  void add_head_title(const Section& section, std::size_t head, Point at, double room) {
    const std::string& id = section.heads[head].id;
    TextMark text = title_mark(id + ".title", at, section.names[head], TypeSize::kBody);
    const auto number = static_cast<Index>(head);
    const std::string state = head_state(experiment_, section.tensor, number);
    const bool off = !state.empty();
    const auto fits = [&](const std::string& name) {
      return !bare_ || text_width(name, TypeSize::kBody, FontWeight::semibold) <= room;
    };
    if (off) {
      text.ink = Ink::dim;
      for (std::string name : {section.names[head], std::to_string(head + 1)}) {
        name.append(", ").append(state);
        if (!fits(name)) continue;
        text.markup = std::move(name);
        break;
      }
    }
    if (section.switchable) {
      TargetMark target;
      target.id = id + ".switch";
      target.box = {at.x - 4, at.y - 15, text_width(text.markup, TypeSize::kBody, FontWeight::semibold) + 8, 21};
      target.about = off ? "Click to switch this head on again" : "Click to switch this head off: its output becomes 0";
      target.click = ToggleHead{number};
      figure_.targets.push_back(std::move(target));
    }
    figure_.texts.push_back(std::move(text));
  }

  std::vector<Section> sections_;
  const Experiment& experiment_;
  const ViewOptions& options_;
  bool bare_ = false;               ///< without labels beside the cells, and close to each other
  std::optional<HeadLinks> links_;  ///< of a trained model; in a system a click pins a cell, or switches a head off
  Figure figure_;
};

/// The attentions from top to bottom; at least one.
std::vector<ShownAttention> attentions_of(const Trace& trace, const ParameterValues& options) {
  const auto& attention = std::get<std::string>(options.find("attention")->second);
  std::vector<ShownAttention> all;
  const bool has_cross = trace.find("cross_weights") != nullptr;
  const auto add = [&](const std::string& tensor, const std::string& title) {
    const Step* const step = trace.find(tensor);
    if (step == nullptr) return;
    const Axis* const heads = find_axis(step->axes, "head");
    all.push_back({tensor, title, heads != nullptr ? heads->size : 1});
  };
  const std::vector<LayerAttention> layers = layer_attentions(trace);
  for (const LayerAttention& each : layers) {
    const bool first = each.weights == layers.front().weights;
    if (first && attention == "cross" && has_cross) continue;
    const bool named = layers.size() > 1 || trace.experiment().model != nullptr;
    add(trace.steps()[static_cast<std::size_t>(each.weights)].name, named       ? capitalized(title_of(each))
                                                                    : has_cross ? "Self-attention"
                                                                                : "Attention");
  }
  if (attention != "self" && has_cross) add("cross_weights", "Cross-attention");
  add("mean_weights", "Mean of the heads");
  return all;
}

bool has_many_heads(const std::vector<ShownAttention>& attentions) {
  return std::any_of(attentions.begin(), attentions.end(),
                     [](const ShownAttention& each) { return each.heads > kManyHeads; });
}

Index pages(const Trace& trace, const ParameterValues& options) {
  if (layer_count(trace) >= kManyLayers) return layer_grid_pages(trace);
  const std::vector<ShownAttention> attentions = attentions_of(trace, options);
  return has_many_heads(attentions) ? head_grid_pages(attentions) : 1;
}

Figure grid_of_heads(const Trace& trace, const ViewOptions& options) {
  const Index item = selected_slice(trace, options.values).item;
  if (layer_count(trace) >= kManyLayers) return layer_grid(trace, item, options);
  const std::vector<ShownAttention> attentions = attentions_of(trace, options.values);
  if (has_many_heads(attentions)) return head_grid(trace, attentions, item, options);
  WeightColors colors(scale_kind(options.values));
  std::vector<Section> sections;
  sections.reserve(attentions.size());
  for (const ShownAttention& each : attentions)
    sections.push_back(section(trace, each.tensor, each.title, item, colors));
  join_scales(sections);
  return HeadsLayout(std::move(sections), trace, options).build();
}

Figure build(const Trace& trace, const ViewOptions& options) {
  Figure figure = grid_of_heads(trace, options);
  figure.title = trace.experiment().system + ": attention of every head";
  return figure;
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == kColorScale) return true;
  return option == "page" ? pages(trace, chosen) > 1 : leaves_choice(trace, option);
}

}  // namespace
}  // namespace heads_view_parts

View heads_view() {
  View view = {
      "heads",
      "Heads",
      "The attention weights of every head on one colour scale.",
      {choice_parameter("attention", "Attention", "Self-attention, cross-attention from the second sequence, or both.",
                        {"both", "self", "cross"}, {"both", "self", "cross"}),
       item_option(), color_scale_option(), page_option()},
      heads_view_parts::applies,
      heads_view_parts::build,
      no_attention};
  view.pages = heads_view_parts::pages;
  view.opens_heads = true;
  return view;
}

}  // namespace attnscope
