// The attention of every head on one colour scale.
#include <algorithm>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "figure/blocks/head_link.h"
#include "figure/blocks/head_sections.h"
#include "figure/blocks/layer_grid.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
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
constexpr double kSectionGap = 18;
constexpr double kLowGap = 8;  // in a window that is too low
constexpr double kLegendHeight = 40;
constexpr double kSecondLine = 14;  // of a head's name
// Cells have to grow by this factor before names of heads stand in two lines.
constexpr double kWorthTwoLines = 1.15;

HeadSection section(const Trace& trace, const std::string& tensor, const std::string& title, Index item,
                    WeightColors& colors) {
  HeadSection section = {tensor, title, {}, {}, 0, false, true};
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
    mark.row_labels = head == 0 ? short_labels(row_labels(trace, mark)) : section.heads.front().row_labels;
    mark.column_labels = head == 0 ? short_labels(column_labels(trace, mark)) : section.heads.front().column_labels;
    section.heads.push_back(std::move(mark));
    section.names.push_back(head_title(trace.experiment(), tensor, head));
  }
  section.widest_name = text_width("head 10", TypeSize::kBody, FontWeight::semibold);
  for (const std::string& name : section.names)
    section.widest_name = std::max(section.widest_name, text_width(name, TypeSize::kBody, FontWeight::semibold));
  return section;
}

/// "head 3: duplicate token" in its two parts; the second is empty where a head has only its number.
std::pair<std::string, std::string> name_lines(const std::string& name) {
  constexpr std::string_view kBetween = ": ";
  const std::size_t end = name.find(kBetween);
  if (end == std::string::npos) return {name, ""};
  return {name.substr(0, end), name.substr(end + kBetween.size())};
}

/// Puts what heads are below their number, if they are more than numbers.
bool stack_names(std::vector<HeadSection>& sections) {
  bool stacked = false;
  for (HeadSection& section : sections) {
    double widest = 0;
    for (const std::string& name : section.names) {
      const auto [number, rest] = name_lines(name);
      stacked = stacked || !rest.empty();
      widest = std::max(
          {widest, text_width(number, TypeSize::kBody, FontWeight::semibold), text_width(rest, TypeSize::kSmall)});
    }
    section.widest_name = widest;
    section.name_height += kSecondLine;
  }
  return stacked;
}

/// Gives all sections one scale, which reaches as far as that of each.
void join_scales(std::vector<HeadSection>& sections) {
  ColorScale joint = sections.front().heads.front().scale;
  for (const HeadSection& section : sections) {
    joint.low = std::min(joint.low, section.heads.front().scale.low);
    joint.high = std::max(joint.high, section.heads.front().scale.high);
  }
  for (HeadSection& section : sections) {
    for (HeatmapMark& mark : section.heads) mark.scale = joint;
  }
}

/// Places the sections below each other.
class HeadsLayout {
 public:
  HeadsLayout(std::vector<HeadSection> sections, const Trace& trace, const ViewOptions& options)
      : sections_(std::move(sections)), experiment_(trace.experiment()), options_(options) {
    if (trace.experiment().model != nullptr) links_.emplace(trace);
  }

  Figure build() {
    const double width = options_.width - 2 * kMargin;
    const auto gaps = static_cast<double>(sections_.size() - 1);
    double fixed =
        2 * kMargin + kLegendHeight + static_cast<double>(sections_.size()) * kSectionTitle + gaps * kSectionGap;
    const double room = options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0;
    arrange({width, room, options_.stop});
    figure_.lacks_words = made_.places == LabelPlaces::numbers || made_.places == LabelPlaces::nowhere;
    const bool is_low = options_.in_window() && fixed + made_.height() > options_.height;
    const double gap = is_low ? kLowGap : kSectionGap;
    const double margin = is_low ? kLowGap : kMargin;
    fixed -= gaps * (kSectionGap - gap) + 2 * (kMargin - margin);
    const double height = fixed + made_.height();
    figure_.color_bars.push_back(weights_bar(sections_.front().heads.front().scale));
    figure_.width =
        std::max(options_.width, std::max(made_.width(), legend_size(figure_.color_bars, width).width) + 2 * kMargin);
    figure_.height = std::max(options_.height, height);
    const double left = (figure_.width - made_.width()) / 2;
    double y = margin + (figure_.height - height) / 2;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      place(i, {left, y});
      y += kSectionTitle + made_.top[i] + made_.grids[i].height() + gap;
    }
    place_legend(figure_.color_bars, {left, y - gap + 16}, kMargin, figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  /// With names in one line, unless a window is too narrow for them, or cells are larger below names in two.
  void arrange(const SectionRoom& room) {
    std::vector<HeadSection> stacked = sections_;
    made_ = arrange_sections(sections_, room);
    if (room.height <= 0 || !stack_names(stacked)) return;
    SectionGrids made = arrange_sections(stacked, room);
    const bool is_too_wide = made_.width() > room.width;
    if (is_too_wide ? made.width() > made_.width() : cell_of(made) < kWorthTwoLines * cell_of(made_)) return;
    made_ = std::move(made);
    sections_ = std::move(stacked);
    has_stacked_names_ = true;
  }

  static double cell_of(const SectionGrids& made) { return made.grids.front().cell_width; }

  void place(std::size_t number, Point at) {
    const HeadSection& section = sections_[number];
    const Grid& grid = made_.grids[number];
    add_section_title(section, {at.x, at.y + 13});
    for (std::size_t i = 0; i < section.heads.size(); ++i) {
      HeatmapMark mark = section.heads[i];
      const Point corner = made_.matrix(number, i);
      mark.box = {at.x + corner.x, at.y + kSectionTitle + corner.y,
                  grid.cell_width * static_cast<double>(mark.columns()),
                  grid.cell_height * static_cast<double>(mark.rows())};
      const double title = mark.box.y - column_label_height(mark.column_labels, grid.cell_width) - 8;
      if (!section.has_heads) {
        figure_.heatmaps.push_back(std::move(mark));
        continue;
      }
      add_head_title(section, i, {mark.box.x, title}, grid.panel_width + grid.gap - made_.shapes[number].left - 4);
      if (links_)
        links_->add(figure_, mark.id, open_box(made_.shapes[number], mark, title), section.tensor,
                    static_cast<Index>(i));
      figure_.heatmaps.push_back(std::move(mark));
    }
  }

  void add_section_title(const HeadSection& section, Point at) {
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
  [[nodiscard]] static Rect open_box(const PanelShape& shape, const HeatmapMark& mark, double title) {
    const double top = title - 15;
    return {mark.box.x, top, std::max(mark.box.width, shape.least_width - shape.left), mark.box.bottom() - top};
  }

  /// The name of a head, with what it is, where `room` has both; where heads are merged, a click switches the head off.
  void add_head_title(const HeadSection& section, std::size_t head, Point at, double room) {
    const std::string& id = section.heads[head].id;
    const auto [first_line, second_line] =
        has_stacked_names_ ? name_lines(section.names[head]) : std::pair(section.names[head], std::string());
    if (has_stacked_names_) {
      TextMark what = title_mark(id + ".title.what", at, second_line, TypeSize::kSmall);
      what.weight = FontWeight::regular;
      if (!second_line.empty()) figure_.texts.push_back(std::move(what));
      at.y -= kSecondLine;
    }
    TextMark text = title_mark(id + ".title", at, first_line, TypeSize::kBody);
    const auto number = static_cast<Index>(head);
    const std::string state = head_state(experiment_, section.tensor, number);
    const bool off = !state.empty();
    const auto fits = [&](const std::string& name) {
      return text_width(name, TypeSize::kBody, FontWeight::semibold) <= room;
    };
    if (off) {
      text.ink = Ink::dim;
      for (std::string name : {first_line, name_lines(first_line).first, std::to_string(head + 1)}) {
        name.append(", ").append(state);
        if (!fits(name)) continue;
        text.markup = std::move(name);
        break;
      }
    }
    if (section.switchable) {
      TargetMark target;
      target.id = id + ".switch";
      target.box = {at.x - 4, at.y - 15, text_width(text.markup, TypeSize::kBody, FontWeight::semibold) + 8,
                    has_stacked_names_ ? 18.0 : 21.0};
      target.about = off ? "Click to switch this head on again" : "Click to switch this head off: its output becomes 0";
      target.click = ToggleHead{number};
      figure_.targets.push_back(std::move(target));
    }
    figure_.texts.push_back(std::move(text));
  }

  std::vector<HeadSection> sections_;
  const Experiment& experiment_;
  const ViewOptions& options_;
  SectionGrids made_;
  bool has_stacked_names_ = false;
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
  const std::vector<LayerAttention> layers = wanted_attentions(trace, options);
  for (const LayerAttention& each : layers) {
    const bool first = each.weights == layers.front().weights;
    if (first && attention == "cross" && has_cross) continue;
    const bool named = layers.size() > 1 || trace.experiment().model != nullptr;
    add(trace.step(each.weights).name, named       ? capitalized(title_of(each))
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
  if (layer_count(trace) >= kManyLayers) return layer_grid_pages(trace, options);
  const std::vector<ShownAttention> attentions = attentions_of(trace, options);
  return has_many_heads(attentions) ? head_grid_pages(attentions) : 1;
}

Figure grid_of_heads(const Trace& trace, const ViewOptions& options) {
  const Index item = selected_slice(trace, options.values).item;
  if (layer_count(trace) >= kManyLayers) return layer_grid(trace, item, options);
  const std::vector<ShownAttention> attentions = attentions_of(trace, options.values);
  if (has_many_heads(attentions)) return head_grid(trace, attentions, item, options);
  WeightColors colors(scale_kind(options.values));
  std::vector<HeadSection> sections;
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
  if (option == "attention" && has_both_kinds(trace)) return true;
  return option == "page" ? pages(trace, chosen) > 1 : leaves_choice(trace, option);
}

}  // namespace
}  // namespace heads_view_parts

View heads_view() {
  View view = {
      "heads",
      "Heads",
      "The weights of every head, on one colour scale.",
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
