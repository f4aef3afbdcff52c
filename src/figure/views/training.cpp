// How the heads of a model came to do what they do: a measure of every head, and the loss, at the checkpoints of its
// training.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "figure/blocks/head_link.h"
#include "figure/layout/chart.h"
#include "figure/slices/found_heads.h"
#include "figure/slices/selected.h"
#include "figure/slices/studied_training.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace training_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kLeastWidth = 420;
constexpr double kWidest = 1100;
constexpr double kTitleLine = 24;
constexpr double kBelow = 12;
// Of the charts in a file, with one of the loss and without.
constexpr double kFileCharts = 480;
constexpr double kFileChart = 300;
constexpr double kLeastChart = 120;
constexpr double kLossShare = 0.36;
constexpr std::size_t kYTicks = 5;
constexpr double kLogarithmicFrom = 10;  // times the first step
constexpr std::size_t kMostCurves = 400;
constexpr std::size_t kMostPoints = 2000;
constexpr std::size_t kMostNamed = 5;  // heads with their name at the end of the curve
constexpr double kNameLine = 14;
constexpr double kFaint = 0.5;  // curves without a name
constexpr std::size_t kMostInLegend = 16;

class TrainingLayout {
 public:
  TrainingLayout(const Trace& trace, const ViewOptions& options, const TrainingStudy& study, TrainingText text,
                 std::size_t measure)
      : trace_(trace),
        options_(options),
        study_(study),
        text_(text),
        measure_(measure),
        about_(studied_measures(text)[measure]),
        links_(trace) {
    Index number = 0;
    for (const LayerAttention& each : layer_attentions(trace))
      layers_[trace.step(each.weights).name] = {title_of(each), number++};
    choose_heads();
  }

  Figure build() {
    if (heads_.empty())
      return reason_figure(
          "No head has a number for “" + std::string(about_.title) + "” here: it is " + std::string(about_.definition),
          options_);
    figure_.width = std::max(options_.width, kLeastWidth);
    const double width = std::min(figure_.width - 2 * kMargin, kWidest);
    const double left = (figure_.width - width) / 2;
    const double legend = add_legend(nullptr, "", entries(), {}, width) + kBelow;
    const double caption = add_caption(nullptr, "", caption_text(), {}, width) + kBelow;
    double fixed = 2 * kMargin + 2 * kTitleLine + legend + caption;
    const double least_loss = has_loss() ? kLeastChart + kBelow : 0;
    // Letters that can be read are worth more than the explanation.
    const bool is_low = options_.in_window() && fixed + kLeastChart + least_loss > options_.height;
    if (is_low) fixed -= caption;
    const double room = options_.height > 0 ? options_.height - fixed : has_loss() ? kFileCharts : kFileChart;
    const double loss = has_loss() ? std::max(least_loss, room * kLossShare) : 0;
    const double measures = std::max(kLeastChart, room - loss);
    figure_.height = std::max(options_.height, fixed + measures + loss);
    double y = kMargin;
    figure_.texts.push_back(title_mark("title", {left, y + 14}, title_text()));
    figure_.texts.push_back(chart_text("note", {left, y + kTitleLine + 8}, note_text(), Ink::dim));
    y += 2 * kTitleLine;
    y += add_legend(&figure_, "legend", entries(), {left, y}, width) + kBelow;
    measure_chart({left, y, width, measures});
    if (has_loss()) loss_chart({left, y + measures + kBelow, width, loss - kBelow});
    if (!is_low) add_caption(&figure_, "caption", caption_text(), {left, y + measures + loss + kBelow}, width);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] bool one_layer() const { return options_.choice("show") == "layer"; }

  static std::optional<double> finite(std::optional<double> value) {
    return value && std::isfinite(*value) ? value : std::nullopt;
  }
  [[nodiscard]] std::optional<double> value(const TrainingState& state, std::size_t head) const {
    return finite(state.heads[head][measure_]);
  }
  [[nodiscard]] std::optional<double> uniform() const { return finite(study_.uniform[measure_]); }

  /// Those to draw, in their order, and those to name: the largest at the end.
  void choose_heads() {
    const std::vector<LayerAttention> attentions = layer_attentions(trace_);
    const auto layer = static_cast<std::size_t>(options_.integer("layer"));
    const std::string chosen = attentions.empty()
                                   ? std::string()
                                   : trace_.step(attentions[std::min(layer, attentions.size()) - 1].weights).name;
    for (std::size_t head = 0; head < study_.heads.size(); ++head) {
      if (one_layer() && study_.heads[head].tensor != chosen) continue;
      if (std::ranges::any_of(study_.states,
                              [&](const TrainingState& state) { return value(state, head).has_value(); }))
        heads_.push_back(head);
    }
    drawn_of_ = heads_.size();
    std::vector<std::size_t> by_size = heads_;
    const auto last = [&](std::size_t head) { return value(study_.states.back(), head).value_or(-INFINITY); };
    std::ranges::stable_sort(by_size, [&](std::size_t a, std::size_t b) { return last(a) > last(b); });
    if (heads_.size() > kMostCurves) {
      heads_.assign(by_size.begin(), by_size.begin() + kMostCurves);
      std::ranges::sort(heads_);
    }
    // Those at the end that do more than uniform attention, if there are any.
    const double level = uniform().value_or(-INFINITY);
    const bool any = std::ranges::any_of(by_size, [&](std::size_t head) { return last(head) > level; });
    std::erase_if(by_size,
                  [&](std::size_t head) { return !std::isfinite(last(head)) || (any && !(last(head) > level)); });
    by_size.resize(std::min(by_size.size(), kMostNamed));
    named_ = std::move(by_size);
  }

  [[nodiscard]] bool has_loss() const {
    return std::ranges::any_of(study_.states, [](const TrainingState& state) { return state.loss.has_value(); });
  }

  [[nodiscard]] const std::string& layer_title(std::size_t head) const {
    return layers_.at(study_.heads[head].tensor).title;
  }
  [[nodiscard]] std::string head_title(std::size_t head) const {
    return layer_title(head) + " · head " + std::to_string(study_.heads[head].head + 1);
  }

  /// By layer; of one layer by head.
  [[nodiscard]] Shade shade(std::size_t head) const {
    return Shade::of_hue(one_layer() ? study_.heads[head].head : layers_.at(study_.heads[head].tensor).number);
  }

  [[nodiscard]] std::vector<LegendEntry> entries() const {
    std::vector<LegendEntry> entries;
    std::string last;
    for (const std::size_t head : heads_) {
      const std::string words = one_layer() ? "head " + std::to_string(study_.heads[head].head + 1) : layer_title(head);
      if (words == last || entries.size() == kMostInLegend) continue;
      last = words;
      entries.push_back({words, shade(head)});
    }
    if (uniform()) entries.push_back({"uniform attention", Shade::of(Ink::dim), true});
    return entries;
  }

  [[nodiscard]] std::string title_text() const {
    std::string words = capitalized(std::string(about_.title)) + " of every head during training";
    if (one_layer() && !heads_.empty()) words += ", " + layer_title(heads_.front());
    return words;
  }

  [[nodiscard]] std::string note_text() const {
    return std::to_string(study_.states.size()) + " checkpoints, " + studied_text(trace_, text_);
  }

  [[nodiscard]] std::string caption_text() const {
    std::string words = capitalized(std::string(about_.title)) + ": " + std::string(about_.definition);
    if (!about_.source.empty()) words += " " + std::string(about_.source) + ".";
    if (heads_.size() < drawn_of_)
      words += " Shown: the " + grouped_text(std::ssize(heads_)) + " heads of " +
               grouped_text(static_cast<Index>(drawn_of_)) + " that are largest at the end.";
    if (has_loss())
      words += text_ == TrainingText::given
                   ? " Loss: the mean of −ln p of this text's tokens, each given those before it."
                   : " Loss: the mean of −ln p of the tokens of the second copy after its first one.";
    if (steps().base != 0 && study_.states.front().step == 0) words += " Step 0 stands at the left end.";
    return words;
  }

  [[nodiscard]] ChartRange steps() const {
    const auto first = static_cast<double>(study_.states.front().step);
    const auto last = static_cast<double>(study_.states.back().step);
    const auto positive =
        std::ranges::find_if(study_.states, [](const TrainingState& state) { return state.step > 0; });
    if (positive == study_.states.end() || last < kLogarithmicFrom * static_cast<double>(positive->step))
      return {first, std::max(last, first + 1)};
    const auto low = static_cast<double>(positive->step);
    return {first > 0 ? low : low / 2, last, 10};
  }

  [[nodiscard]] double across(const TrainingState& state) const {
    return std::max(static_cast<double>(state.step), steps().low);
  }

  [[nodiscard]] ChartRange values() const {
    double low = 0;
    double high = uniform().value_or(0);
    for (const TrainingState& state : study_.states) {
      for (const std::size_t head : heads_) {
        low = std::min(low, value(state, head).value_or(0));
        high = std::max(high, value(state, head).value_or(0));
      }
    }
    return {low, high > low ? high + (high - low) * 0.04 : low + 1};
  }

  [[nodiscard]] ChartRange losses() const {
    double high = 0;
    for (const TrainingState& state : study_.states) high = std::max(high, finite(state.loss).value_or(0));
    return {0, high > 0 ? high * 1.04 : 1};
  }

  /// The same for both charts, so that their steps lie below each other.
  [[nodiscard]] double y_labels() const {
    return std::max(y_axis_width(values(), kYTicks), has_loss() ? y_axis_width(losses(), kYTicks) : 0);
  }

  [[nodiscard]] double names_width() const {
    double width = 0;
    for (const std::size_t head : named_) width = std::max(width, text_width(head_title(head), TypeSize::kSmall));
    return width + 10;
  }

  [[nodiscard]] Chart place(const Rect& outer, const std::string& id, const ChartRange& y, int flags) const {
    return place_chart({outer.x, outer.y, outer.width - names_width(), outer.height}, id, steps(), y, y_labels(),
                       flags);
  }

  void frame(const Chart& chart, const std::string& heading, double above) {
    figure_.texts.push_back(
        title_mark(chart.id + ".heading", {chart.box.x, chart.box.y - above}, heading, TypeSize::kBody));
    add_y_axis(figure_, chart, kYTicks);
    if (chart.id != "loss" && has_loss()) return add_x_axis(figure_, chart, "");
    add_x_axis(figure_, chart, steps().base != 0 ? "training step, logarithmic" : "training step");
  }

  void measure_chart(const Rect& outer) {
    const auto own = std::ranges::find(study_.states, trace_.experiment().model->name(), &TrainingState::name);
    const bool has_own = own != study_.states.end();
    const Chart chart = place(outer, "measure", values(), has_own ? 1 : 0);
    frame(chart, std::string(about_.title), has_own ? kFlagHeight + 12 : 12);
    if (has_own)
      add_flags(figure_, chart, {{"own", across(*own), literal_markup(own->name) + ", open here", Ink::accent}});
    if (const std::optional<double> level = uniform())
      add_curve(figure_, chart, "uniform", std::vector<Point>{{chart.x.low, *level}, {chart.x.high, *level}},
                Shade::of(Ink::dim), true);
    const bool all_points = heads_.size() * study_.states.size() <= kMostPoints;
    for (const std::size_t head : heads_) {
      const bool named = std::ranges::find(named_, head) != named_.end();
      std::vector<Point> points;
      for (const TrainingState& state : study_.states) {
        if (const std::optional<double> number = value(state, head)) points.push_back({across(state), *number});
      }
      Shade line = shade(head);
      if (!named) line.opacity = kFaint;
      add_curve(figure_, chart, id_of(head), points, line);
      for (const TrainingState& state : study_.states)
        if (all_points || named) add_value(chart, state, head);
    }
    add_names(chart);
  }

  [[nodiscard]] std::string id_of(std::size_t head) const {
    return study_.heads[head].tensor + "." + std::to_string(study_.heads[head].head);
  }

  void add_value(const Chart& chart, const TrainingState& state, std::size_t head) {
    const std::optional<double> number = value(state, head);
    if (!number) return;
    // Soft edges of points that lie on one another would add up.
    const Point place = chart.at(across(state), *number);
    const Point sharp = {std::round(2 * place.x) / 2, std::round(2 * place.y) / 2};
    add_point(figure_, chart.id + "." + id_of(head) + "." + state.name, sharp, shade(head),
              capitalized(head_title(head)) + ", step " + grouped_text(state.step) + ": " + std::string(about_.title) +
                  " " + number_text(*number));
    const std::optional<OpenView> open = links_.to(study_.heads[head].tensor, study_.heads[head].head);
    if (open) open_state(figure_.targets.back(), *trace_.experiment().model, state.name, open);
  }

  void add_names(const Chart& chart) {
    std::vector<double> places;
    places.reserve(named_.size());
    for (const std::size_t head : named_) places.push_back(chart.up(*value(study_.states.back(), head)));
    const std::vector<double> spread_out = spread(places, kNameLine);
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const std::string id = "name." + id_of(named_[i]);
      const double y = spread_out[i];
      TextMark name = chart_text(id, {chart.box.right() + 10, y}, head_title(named_[i]), Ink::text, TypeSize::kSmall,
                                 HorizontalAlign::left, VerticalAlign::middle);
      links_.add(figure_, id, {name.at.x, y - kNameLine / 2, text_width(name.markup, name.size), kNameLine},
                 study_.heads[named_[i]].tensor, study_.heads[named_[i]].head);
      figure_.texts.push_back(std::move(name));
    }
  }

  void loss_chart(const Rect& outer) {
    const Chart chart = place(outer, "loss", losses(), 0);
    frame(chart, "loss, nats per token", 12);
    const Shade line = Shade::of(Ink::text);
    std::vector<Point> points;
    for (const TrainingState& state : study_.states) {
      if (!state.loss || !std::isfinite(*state.loss)) continue;
      points.push_back({across(state), *state.loss});
      add_point(figure_, "loss." + state.name, chart.at(points.back().x, points.back().y), line,
                "Step " + grouped_text(state.step) + ": loss " + number_text(*state.loss) +
                    ", e^(−loss) = " + number_text(std::exp(-*state.loss)));
      open_state(figure_.targets.back(), *trace_.experiment().model, state.name, std::nullopt);
    }
    add_curve(figure_, chart, "loss", points, line);
  }

  const Trace& trace_;
  const ViewOptions& options_;
  const TrainingStudy& study_;
  TrainingText text_;
  std::size_t measure_;
  const Measure& about_;
  HeadLinks links_;
  struct Layer {
    std::string title;
    Index number = 0;  ///< from 0
  };
  std::map<std::string, Layer> layers_;  ///< by the names of their weights
  std::vector<std::size_t> heads_;       ///< of `study_`: those that are drawn
  std::size_t drawn_of_ = 0;
  std::vector<std::size_t> named_;
  Figure figure_;
};

TrainingText studied_text(const Trace& trace, const ParameterValues& options) {
  return finds_heads(trace, options) ? TrainingText::random : TrainingText::given;
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const TrainingText text = studied_text(trace, options.values);
  const std::span<const Measure> known = studied_measures(text);
  const auto measure = std::ranges::find(known, options.choice("measure"), &Measure::name);
  Figure figure;
  if (measure == known.end()) {
    std::string names;
    for (const Measure& each : known) names += (names.empty() ? "" : ", ") + std::string(each.title);
    figure = reason_figure("The standard test on random tokens measures only " + names + ".", options);
  } else {
    const std::shared_ptr<const Result<TrainingStudy>> study = studied_training(trace, options, text);
    if (study == nullptr) return {};
    const auto number = static_cast<std::size_t>(measure - known.begin());
    figure = *study ? TrainingLayout(trace, options, **study, text, number).build()
                    : reason_figure(study->error().message, options);
    if (!*study) figure.failure = study->error().message;
  }
  if (figure.only_says_why) return figure;
  figure.title = trace.experiment().model->name() + ": its heads during training";
  return figure;
}

std::string missing(const Trace& trace) {
  const std::shared_ptr<const Model>& model = trace.experiment().model;
  if (model == nullptr) return "This view is for trained models: it shows how heads change during training.";
  if (model->checkpoints().size() < 2)
    return model->name() +
           " has no checkpoints of its training. They are folders with weights in the model's folder or in "
           "“checkpoints” "
           "in it, such as step-1000 or checkpoint-500.";
  return no_attention(trace);
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "of") return can_find_heads(trace);
  if (option == "show") return layer_count(trace) > 1;
  if (option == "layer") return layer_count(trace) > 1 && std::get<std::string>(chosen.find("show")->second) == "layer";
  return true;
}

}  // namespace
}  // namespace training_view_parts

View training_view() {
  Parameter of = of_option();
  // A text of one's own says less about what a model has learned.
  of.default_value = std::string("random");
  View view = {"training",
               "Training",
               "A measure of every head, and the loss, at the checkpoints of the model's training.",
               {of, studied_measure_option(),
                choice_parameter("show", "Show", "The heads of all layers, or those of one layer, each in its colour.",
                                 {"all", "layer"}, {"all layers", "one layer"}),
                layer_option()},
               training_view_parts::applies,
               training_view_parts::build,
               training_view_parts::missing,
               layer_names};
  view.opens_heads = true;
  return view;
}

}  // namespace attnscope
