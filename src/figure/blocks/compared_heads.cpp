#include "figure/blocks/compared_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_rows.h"
#include "figure/layout/chart.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

constexpr double kComparedMargin = 16;
constexpr double kComparedTitle = 26;
constexpr double kComparedNumbers = 18;
constexpr double kComparedBelowNote = 10;
constexpr double kComparedBetween = 32;
constexpr double kComparedLegend = 44;
constexpr double kComparedListRow = 20;
constexpr double kComparedListHeading = 24;
constexpr double kComparedListBar = 90;
constexpr double kComparedListNumber = 64;
constexpr std::size_t kComparedMostListed = 12;
constexpr std::size_t kComparedMostTargets = 4096;
constexpr double kComparedLeastCell = 5;
constexpr double kComparedMostCell = 44;
constexpr double kComparedMostRow = 28;
constexpr double kComparedLeastWidth = 320;

class ComparedLayout {
 public:
  ComparedLayout(const Trace& trace, const std::vector<ComparedHead>& heads, const ComparedWith& with,
                 const ViewOptions& options)
      : heads_(heads), with_(with), options_(options), has_cross_(trace.find("cross_weights") != nullptr) {
    Index number = 0;
    for (const LayerAttention& each : layer_attentions(trace))
      layers_[each.weights] = {capitalized(title_of(each)), ++number, false};
    if (const Step* cross = trace.find("cross_weights"); cross != nullptr && has_cross_)
      layers_.try_emplace(static_cast<int>(cross - trace.steps().data()), Layer{"Cross-attention", 1, true});
    for (const ComparedHead& head : heads) {
      if (rows_.empty() || rows_.back() != head.place.weights) rows_.push_back(head.place.weights);
      columns_ = std::max(columns_, head.place.head + 1);
      if (std::isfinite(head.divergence)) largest_ = std::max(largest_, head.divergence);
    }
    left_out_ = -std::ssize(heads);
    for (const auto& [step, layer] : layers_) left_out_ += heads_in(trace.step(step).axes);
    list_ = listed();
  }

  Figure build() {
    figure_.title = with_.title;
    for (const int row : rows_) names_ = std::max(names_, text_width(layers_.at(row).title, TypeSize::kSmall));
    names_ += kLabelDistance;
    for (const ComparedHead& head : list_)
      list_names_ = std::max(list_names_, text_width(name(head), TypeSize::kSmall));
    const double list_width = list_names_ + 12 + kComparedListBar + kComparedListNumber;
    const ColorBarMark bar = legend();
    const double least_map =
        names_ + std::max(legend_size({&bar, 1}, 0).width, static_cast<double>(columns_) * kComparedLeastCell);
    const bool beside = options_.width - 2 * kComparedMargin >= least_map + kComparedBetween + list_width;
    const double least = std::max(
        {kComparedLeastWidth, least_map, list_width, text_width(with_.title, TypeSize::kTitle, FontWeight::semibold)});
    figure_.width = std::max(options_.width, least + 2 * kComparedMargin);
    const double room = figure_.width - 2 * kComparedMargin - (beside ? kComparedBetween + list_width : 0);
    cell_ = std::clamp((room - names_) / static_cast<double>(columns_), kComparedLeastCell, kComparedMostCell);
    const double map_width = std::max(least_map, names_ + cell_ * static_cast<double>(columns_));
    const double content =
        beside ? map_width + kComparedBetween + list_width : std::max({map_width, list_width, least});
    const double left = std::max(kComparedMargin, (figure_.width - content) / 2);
    const double note = add_caption(nullptr, "", note_text(), {}, content) + kComparedBelowNote;
    const double list_height = kComparedListHeading + kComparedListRow * static_cast<double>(list_.size());
    const double others = 2 * kComparedMargin + kComparedTitle + note + kComparedNumbers + kComparedLegend +
                          (beside ? 0 : kComparedBetween + list_height);
    const auto rows = static_cast<double>(rows_.size());
    const double wanted = options_.height > 0 ? (options_.height - others) / rows : kComparedMostRow;
    row_ = std::clamp(std::floor(wanted), kComparedLeastCell, std::min(kComparedMostRow, std::max(cell_, 12.0)));
    const double map = kComparedNumbers + row_ * rows + kComparedLegend;
    const double block = beside ? std::max(map, list_height) : map + kComparedBetween + list_height;
    figure_.height = std::max(options_.height, 2 * kComparedMargin + kComparedTitle + note + block);
    double y = kComparedMargin;
    figure_.texts.push_back(title_mark("title", {left, y + 14}, with_.title));
    y += kComparedTitle;
    y += add_caption(&figure_, "note", note_text(), {left, y}, content) + kComparedBelowNote;
    add_map({left, y});
    add_list(beside ? Point{left + map_width + kComparedBetween, y} : Point{left, y + map + kComparedBetween});
    return std::move(figure_);
  }

 private:
  struct Layer {
    std::string title;
    Index number = 1;
    bool cross = false;
  };

  [[nodiscard]] std::string note_text() const {
    std::string text =
        "Jensen–Shannon divergence of the weights, mean over the queries: 0 where both are the same, at most ln 2 = " +
        number_text(std::log(2)) + " nats.";
    if (left_out_ > 0)
      text += " Left out: " + grouped_text(left_out_) + (left_out_ == 1 ? " head" : " heads") + ", whose weights " +
              (with_.itself ? "have another size." : "have another size in the baseline or are not there.");
    return text;
  }

  [[nodiscard]] std::string name(const ComparedHead& head) const {
    return layers_.at(head.place.weights).title + " · head " + std::to_string(head.place.head + 1);
  }

  [[nodiscard]] std::vector<ComparedHead> listed() const {
    std::vector<ComparedHead> list;
    std::ranges::copy_if(heads_, std::back_inserter(list), [&](const ComparedHead& head) {
      return std::isfinite(head.divergence) && head.place != with_.itself;
    });
    std::ranges::stable_sort(list, [&](const ComparedHead& a, const ComparedHead& b) {
      return with_.alike ? a.divergence < b.divergence : a.divergence > b.divergence;
    });
    list.resize(std::min(list.size(), kComparedMostListed));
    return list;
  }

  [[nodiscard]] ColorBarMark legend() const {
    const ColorScale scale = {ColorMap::magma, 0, largest_ > 0 ? largest_ : std::log(2)};
    return {"scale", {0, 0, 140, 9}, scale, "divergence, nats", "0", number_text(scale.high, 3)};
  }

  void add_map(Point at) {
    const auto rows = static_cast<Index>(rows_.size());
    auto numbers = std::make_shared<Tensor>(Axes{{"layer", rows}, {"head", columns_}});
    std::ranges::fill(numbers->values(), std::numeric_limits<float>::quiet_NaN());
    HeatmapMark map;
    map.id = "map";
    map.step = -1;
    map.axes = numbers->axes();
    map.box = {at.x + names_, at.y + kComparedNumbers, cell_ * static_cast<double>(columns_),
               row_ * static_cast<double>(rows)};
    map.scale = legend().scale;
    std::vector<std::string> names;
    for (const int row : rows_) names.push_back(layers_.at(row).title);
    map.row_labels = std::move(names);
    map.column_labels = position_numbers(columns_);
    map.about = "Jensen–Shannon divergence, mean over the queries";
    Index row = -1;
    int weights = -1;
    for (const ComparedHead& head : heads_) {
      if (head.place.weights != weights) weights = head.place.weights, ++row;
      numbers->values()[static_cast<std::size_t>(row * columns_ + head.place.head)] =
          static_cast<float>(head.divergence);
      if (heads_.size() > kComparedMostTargets) continue;
      add_target("map." + id_of(head),
                 {map.box.x + static_cast<double>(head.place.head) * cell_, map.box.y + static_cast<double>(row) * row_,
                  cell_, row_},
                 head);
    }
    map.source = slice_of(std::move(numbers), map);
    ColorBarMark bar = legend();
    place_legend({&bar, 1}, {map.box.x, map.box.bottom() + 16}, kComparedMargin, figure_.width - 2 * kComparedMargin);
    figure_.color_bars.push_back(std::move(bar));
    figure_.heatmaps.push_back(std::move(map));
  }

  void add_list(Point at) {
    figure_.texts.push_back(
        title_mark("list.title", {at.x, at.y + 12}, with_.alike ? "Most alike" : "Differ most", TypeSize::kBody));
    double y = at.y + kComparedListHeading;
    for (const ComparedHead& head : list_) {
      const std::string id = "list." + id_of(head);
      figure_.texts.push_back(chart_text(id, {at.x, y + kComparedListRow / 2}, name(head), Ink::text, TypeSize::kSmall,
                                         HorizontalAlign::left, VerticalAlign::middle));
      const double share = largest_ > 0 ? head.divergence / largest_ : 0;
      figure_.bars.push_back(
          {id,
           {at.x + list_names_ + 12, y + kComparedListRow / 2 - 4, std::max(1.0, share * kComparedListBar), 8},
           Shade::of(Ink::accent)});
      figure_.texts.push_back(chart_text(
          id + ".number", {at.x + list_names_ + 12 + kComparedListBar + kComparedListNumber, y + kComparedListRow / 2},
          number_text(head.divergence, 3), Ink::text, TypeSize::kSmall, HorizontalAlign::right, VerticalAlign::middle));
      add_target(id, {at.x - 4, y, list_names_ + 16 + kComparedListBar + kComparedListNumber, kComparedListRow}, head);
      y += kComparedListRow;
    }
  }

  [[nodiscard]] static std::string id_of(const ComparedHead& head) {
    return std::to_string(head.place.weights) + "." + std::to_string(head.place.head);
  }

  void add_target(const std::string& id, const Rect& box, const ComparedHead& head) {
    const Layer& layer = layers_.at(head.place.weights);
    TargetMark target;
    target.id = id;
    target.box = box;
    target.about = name(head) + ": " + number_text(head.divergence) + " nats\nClick to see the difference";
    SetOptions options = {with_.click};
    options.values["head"] = head.place.head + 1;
    if (has_cross_) options.values["attention"] = std::string(layer.cross ? "cross" : "self");
    if (layers_.size() > 1 && !layer.cross) options.values["layer"] = layer.number;
    target.click = std::move(options);
    figure_.targets.push_back(std::move(target));
  }

  const std::vector<ComparedHead>& heads_;
  const ComparedWith& with_;
  const ViewOptions& options_;
  bool has_cross_;
  std::map<int, Layer> layers_;  ///< by the steps of their weights
  std::vector<int> rows_;        ///< the steps of the weights that have heads to show
  std::vector<ComparedHead> list_;
  Index columns_ = 1;
  Index left_out_ = 0;
  double largest_ = 0;
  double names_ = 0;
  double list_names_ = 0;
  double cell_ = 0;
  double row_ = 0;
  Figure figure_;
};

}  // namespace

Figure compared_heads_figure(const Trace& trace, const std::vector<ComparedHead>& heads, const ComparedWith& with,
                             const ViewOptions& options) {
  return ComparedLayout(trace, heads, with, options).build();
}

}  // namespace attnscope
