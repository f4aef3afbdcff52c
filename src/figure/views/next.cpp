// What a model says at a position, and what it would say after each of its layers.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/residual/contributions.h"
#include "core/residual/lens.h"
#include "figure/blocks/answer_list.h"
#include "figure/blocks/change_text.h"
#include "figure/blocks/lens_title.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace next_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 28;
constexpr double kChangeLine = 17;  // about interventions
constexpr double kBetween = 26;
constexpr double kLowBetween = 18;
constexpr double kLensTitle = 46;  // title and a line below
constexpr double kLegendHeight = 44;
// In a low window the legend stands in place of that line.
constexpr double kLowLensTitle = 50;
constexpr double kLowLegend = 6;
constexpr double kWidest = 880;
constexpr double kMinCell = 36;
constexpr double kMaxCell = 88;
constexpr double kMinRow = 18;
constexpr double kUsualRow = 24;
constexpr double kMaxRow = 30;
constexpr Index kMaxPositions = 12;  // of the lens
constexpr Index kFewestPositions = 4;
constexpr Index kMaxListed = 50;
constexpr std::size_t kFewestListed = 3;  // in a low window

/// The positions that the lens shows: those around the chosen one, the same ones for neighbouring positions.
ShownPositions positions_around(Index position, Index all, Index most) {
  const Index count = std::min(all, most);
  return {std::min(position / most * most, all - count), count, all};
}

/// What the lens is made from.
using LensSource = std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const Tensor>,
                              std::shared_ptr<const LazyTensors>, Index, Index>;

std::shared_ptr<const Lens> lens_at(const Trace& trace, const ResidualStream& stream, const ShownPositions& window,
                                    const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const Lens> {
    std::optional<Lens> made = lens(trace, stream, window.first, window.count, options.stop);
    return made ? std::make_shared<const Lens>(std::move(*made)) : nullptr;
  };
  if (options.cache == nullptr) return make();
  const auto tensor = [&](int step) { return trace.step(step).tensor; };
  return options.cache->find_or_make<Lens>(
      LensSource{tensor(stream.logits), tensor(stream.states.back()), trace.lazy(), window.first, window.count}, make);
}

/// The last answer becomes one of the others.
void leave_out_last(AnswerList& list) {
  list.answers.pop_back();
  list.names.pop_back();
  if (!list.logits.empty()) list.logits.pop_back();
  if (!list.opens.empty()) list.opens.pop_back();
  ++list.others;
}

class NextLayout {
 public:
  NextLayout(const Trace& trace, const ResidualStream& stream, const ViewOptions& options)
      : trace_(trace),
        stream_(stream),
        options_(options),
        position_(selected_position(trace, stream, options.values)),
        state_(selected_state()),
        window_(positions_around(position_, step(stream.logits).axes.front().size, most_positions())) {}

  Figure build() {
    lens_ = lens_at(trace_, stream_, window_, options_);
    if (lens_ == nullptr) return {};  // stopped
    list_ = answer_list();
    change_ = change_text(trace_, position_, options_);
    HeatmapMark map = lens_map();
    place(map);
    const Point at = corner_;
    title(at);
    add_change({at.x, at.y + kTitle});
    add_answer_list(figure_, list_, {at.x, at.y + kTitle + change_height()}, width_);
    lens_title(map);
    targets(map);
    ring(map);
    ColorBarMark bar = {"probability", {0, 0, 140, 9}, map.scale, "probability", "0", "1"};
    const Point legend = is_low_ ? Point{corner_.x, lens_top_ + 22} : Point{map.box.x, map.box.bottom() + 16};
    place_legend({&bar, 1}, legend, kMargin, figure_.width - 2 * kMargin);
    figure_.color_bars.push_back(std::move(bar));
    figure_.heatmaps.push_back(std::move(map));
    return std::move(figure_);
  }

 private:
  [[nodiscard]] const Step& step(int number) const { return trace_.step(number); }
  [[nodiscard]] bool is_output() const { return state_ == stream_.last(); }

  /// As many as have room in the window.
  [[nodiscard]] Index most_positions() const {
    if (options_.for_file || options_.width <= 0) return kMaxPositions;
    const double room = options_.width - 2 * kMargin - row_label_width(row_names());
    return std::clamp(static_cast<Index>(room / kMinCell), kFewestPositions, kMaxPositions);
  }

  /// Of the lens.
  [[nodiscard]] Labels row_names() const {
    std::vector<std::string> rows;
    for (std::size_t state = 0; state < stream_.states.size(); ++state)
      rows.push_back(state_name(state) + (state == stream_.last() ? ", output" : ""));
    return rows;
  }

  [[nodiscard]] std::size_t selected_state() const {
    const Index chosen = options_.integer("after");
    return chosen < 0 ? stream_.last() : std::min(static_cast<std::size_t>(chosen), stream_.last());
  }

  [[nodiscard]] static std::string state_name(std::size_t state) {
    return state == 0 ? "embeddings" : "layer " + std::to_string(state);
  }

  [[nodiscard]] AnswerList answer_list() const {
    AnswerList list;
    const bool label = answer_kind(trace_.experiment()) == AnswerKind::label;
    list.heading = label ? "label" : "token";
    const Index top = options_.integer("top");
    list.answers = is_output() ? output_answers(trace_, stream_, position_, top)
                               : answers_after(trace_, stream_, state_, position_, top, options_.stop);
    list.others = step(stream_.logits).axes.back().size - std::ssize(list.answers);
    const bool adds_up = residual_sum(trace_).has_value();
    for (const Answer& each : list.answers) {
      list.names.push_back(answer_name(trace_, each.number));
      if (is_output()) list.logits.push_back({stream_.logits, {position_, each.number}});
      if (adds_up) list.opens.push_back({"contributions", {{"position", position_ + 1}, {"token", each.number}}});
    }
    return list;
  }

  [[nodiscard]] HeatmapMark lens_map() const {
    const auto states = static_cast<Index>(stream_.states.size());
    auto numbers = std::make_shared<Tensor>(Axes{{"layer", states}, {"position", window_.count}});
    std::vector<std::string> words;
    for (std::size_t i = 0; i < lens_->answers.size(); ++i) {
      numbers->values()[i] = static_cast<float>(lens_->answers[i].probability);
      words.push_back(answer_name(trace_, lens_->answers[i].number));
    }
    HeatmapMark map;
    map.id = "lens";
    map.step = -1;
    map.axes = numbers->axes();
    map.scale = {ColorMap::viridis, 0, 1};
    map.about = "most probable token after each layer";
    map.cell_texts = std::move(words);
    map.row_labels = row_names();
    map.source = slice_of(std::move(numbers), map);
    return map;
  }

  /// The tokens above cells of that width.
  [[nodiscard]] Labels position_names(double cell) const {
    if (answer_kind(trace_.experiment()) == AnswerKind::label) return {};
    const Step& logits = step(stream_.logits);
    std::vector<std::string> names;
    for (Index i = window_.first; i < window_.end(); ++i) {
      const std::string name = label_of(trace_, logits.name, logits.axes.front(), i).value_or(position_number(i));
      names.push_back(shortened_text(name, cell - 4, TypeSize::kSmall));
    }
    return names;
  }

  /// Decides on the sizes, and places the map.
  void place(HeatmapMark& map) {
    const double labels = row_label_width(map.row_labels);
    const auto across = static_cast<double>(window_.count);
    const auto down = static_cast<double>(stream_.states.size());
    const double least = std::max({answer_list_width(list_), labels + across * kMinCell, title_width(),
                                   lens_title_width(window_, !options_.for_file)});
    figure_.width = std::max(options_.width, least + 2 * kMargin);
    width_ = std::max(least, std::min(figure_.width - 2 * kMargin, kWidest));
    wrap_change();
    const double cell = std::clamp((width_ - labels) / across, kMinCell, kMaxCell);
    map.column_labels = position_names(cell);
    const double above = column_label_height(map.column_labels, cell);
    const double outside = 2 * kMargin + kTitle + change_height() + above;
    double besides = outside + kBetween + kLensTitle + kLegendHeight;
    fit_list(besides + kMinRow * down);
    is_low_ = options_.in_window() && besides + kMinRow * down + answer_list_height(list_) > options_.height;
    if (is_low_) besides = outside + kLowBetween + kLowLensTitle + kLowLegend;
    const double list = kTitle + change_height() + answer_list_height(list_);
    const double fixed = besides + answer_list_height(list_);
    double row = options_.height > 0 ? (options_.height - fixed) / down : kUsualRow;
    row = std::floor(std::clamp(row, kMinRow, kMaxRow));
    const double height = fixed + row * down;
    figure_.height = std::max(options_.height, height);
    corner_ = {(figure_.width - width_) / 2, kMargin + (figure_.height - height) / 2};
    lens_top_ = corner_.y + list + (is_low_ ? kLowBetween : kBetween);
    map.box = {corner_.x + labels, lens_top_ + (is_low_ ? kLowLensTitle : kLensTitle) + above, cell * across,
               row * down};
  }

  /// Makes the rows of the list lower where the window is, beside what else needs `others`, and lists fewer if that is
  /// not enough.
  void fit_list(double others) {
    if (options_.height <= 0) return;
    list_.row = kMinAnswerRow;
    while (list_.answers.size() > kFewestListed && others + answer_list_height(list_) > options_.height)
      leave_out_last(list_);
    list_.row = kMaxAnswerRow;
    const double over = others + answer_list_height(list_) - options_.height;
    const double rows = static_cast<double>(list_.answers.size()) + (list_.others > 0 ? 1 : 0);
    list_.row = std::floor(std::clamp(kMaxAnswerRow - over / rows, kMinAnswerRow, kMaxAnswerRow));
  }

  [[nodiscard]] std::string title_text() const {
    const AnswerKind kind = answer_kind(trace_.experiment());
    std::string words = kind == AnswerKind::label         ? "Label "
                        : kind == AnswerKind::masked_word ? "Words "
                                                          : "Next token ";
    words += position_text(trace_, stream_, position_);
    if (!is_output()) words += state_ == 0 ? ", read from the embeddings" : ", read after " + state_name(state_);
    return words;
  }
  [[nodiscard]] double title_width() const {
    return text_width(title_text(), TypeSize::kTitle, FontWeight::semibold) + 12 +
           text_width(position_count_text(trace_, stream_, position_), TypeSize::kSmall);
  }

  void small(const std::string& id, Point at, const std::string& words, Ink ink = Ink::dim,
             HorizontalAlign align = HorizontalAlign::left) {
    figure_.texts.push_back(
        {id, at, literal_markup(words), TypeSize::kSmall, FontWeight::regular, ink, align, VerticalAlign::baseline, 0});
  }

  [[nodiscard]] double change_height() const {
    return change_lines_.empty() ? 0 : kChangeLine * static_cast<double>(change_lines_.size()) + 6;
  }

  /// The interventions, and what they did to the answer.
  void add_change(Point at) {
    for (std::size_t i = 0; i < change_lines_.size(); ++i) {
      const auto& [words, ink] = change_lines_[i];
      small("change." + std::to_string(i), {at.x, at.y + 9 + kChangeLine * static_cast<double>(i)}, words, ink);
    }
  }

  void wrap_change() {
    for (std::size_t i = 0; i < change_.size(); ++i) {
      for (std::string& line : wrapped_text(change_[i], width_, TypeSize::kSmall))
        change_lines_.emplace_back(std::move(line), i == 0 ? Ink::accent : Ink::text);
    }
  }

  void title(Point at) {
    const std::string words = title_text();
    figure_.texts.push_back(title_mark("title", {at.x, at.y + 13}, literal_markup(words)));
    const std::string count = position_count_text(trace_, stream_, position_);
    const double end = at.x + text_width(words, TypeSize::kTitle, FontWeight::semibold) + 12;
    if (!count.empty()) small("position", {end, at.y + 13}, count);
  }

  /// "final → logits": the steps that the states go through.
  [[nodiscard]] std::string readout_text() const {
    std::vector<std::string> names;
    for (const int number : stream_.readout) names.push_back(step(number).name);
    return join(names, " → ");
  }

  void lens_title(const HeatmapMark& map) {
    const double y = lens_top_ + 11;
    add_lens_title(figure_, window_, !options_.for_file, {corner_.x, y}, std::max(corner_.x + width_, map.box.right()));
    if (is_low_) return;
    const std::string about =
        "The residual stream after each layer, through the model's own last steps: " + readout_text();
    small("lens.about", {corner_.x, y + 18}, shortened_text(about, width_, TypeSize::kSmall));
  }

  [[nodiscard]] static Rect cell_box(const HeatmapMark& map, std::size_t state, Index column) {
    const double width = map.box.width / static_cast<double>(map.columns());
    const double height = map.box.height / static_cast<double>(map.rows());
    return {map.box.x + static_cast<double>(column) * width, map.box.y + static_cast<double>(state) * height, width,
            height};
  }

  /// A click selects a position and a layer, whose answers are then listed.
  void targets(const HeatmapMark& map) {
    for (std::size_t state = 0; state < stream_.states.size(); ++state) {
      for (Index position = window_.first; position < window_.end(); ++position) {
        const Answer& said = lens_->at(state, position);
        TargetMark target;
        target.id = "lens." + std::to_string(state) + "." + std::to_string(position);
        target.box = cell_box(map, state, position - window_.first);
        const std::string place = window_.of > 1 ? "Position " + position_number(position) + ", " : "";
        target.about = capitalized(place + position_text(trace_, stream_, position)) + ", " + map.row_labels[state] +
                       ": “" + answer_name(trace_, said.number) + "”, probability " + number_text(said.probability) +
                       "\nClick to list the most probable ones";
        const Index after = state == stream_.last() ? -1 : static_cast<Index>(state);
        target.click = SetOptions{{{"position", position + 1}, {"after", after}}};
        figure_.targets.push_back(std::move(target));
      }
    }
  }

  /// A frame around the cell whose answers are listed.
  void ring(const HeatmapMark& map) {
    const Rect box = cell_box(map, state_, position_ - window_.first);
    const std::vector<Point> corners = {
        {box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}};
    figure_.curves.push_back({"chosen.edge", corners, Shade::of(Ink::control), 4, false});
    figure_.curves.push_back({"chosen", corners, Shade::of(Ink::accent), 2, false});
  }

  const Trace& trace_;
  const ResidualStream& stream_;
  const ViewOptions& options_;
  Index position_;
  std::size_t state_;
  ShownPositions window_;
  std::shared_ptr<const Lens> lens_;
  AnswerList list_;
  std::vector<std::string> change_;
  std::vector<std::pair<std::string, Ink>> change_lines_;  ///< the same, no wider than the figure
  Point corner_;
  double width_ = 0;
  double lens_top_ = 0;
  bool is_low_ = false;  ///< whether there is room for all but what is said about the lens
  Figure figure_;
};

Figure build(const Trace& trace, const ViewOptions& options) {
  const ResidualStream stream = *residual_stream(trace);
  Figure figure = NextLayout(trace, stream, options).build();
  figure.title = trace.experiment().model->name() + ": what it says after each layer";
  return figure;
}

std::string missing(const Trace& trace) { return no_output(trace, "it lists what a model finds most probable"); }

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  return option == "top" || (option == "position" ? option_limit(trace, option, chosen) > 1 : true);
}

}  // namespace
}  // namespace next_view_parts

View next_view() {
  Parameter after =
      integer_parameter("after", "After layer",
                        "The layer whose residual stream is read; −1: the last one, 0: the embeddings.", -1, -1, 12);
  after.choice_labels = {"last", "embeddings"};
  Parameter top = integer_parameter("top", "Tokens",
                                    "How many of the most probable tokens to list; in a low window fewer.", 10, 1, 20);
  top.maximum = static_cast<double>(next_view_parts::kMaxListed);
  return {"next",
          "Next token",
          "The most probable next tokens, and what each layer of a model would say.",
          {position_option(), after, top},
          next_view_parts::applies,
          next_view_parts::build,
          next_view_parts::missing};
}

}  // namespace attnscope
