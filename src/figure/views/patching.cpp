// What the parts of a model carry over from another text.
#include "core/residual/patching.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/residual/contributions.h"
#include "core/residual/lens.h"
#include "figure/blocks/change_text.h"
#include "figure/blocks/part_map.h"
#include "figure/layout/chart.h"
#include "figure/slices/matrix.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace patching_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 26;
constexpr double kBetween = 22;
constexpr double kMapTitle = 22;
constexpr double kLegendHeight = 54;
constexpr double kLowLegendHeight = 42;  // without a caption
constexpr double kWidest = 880;
constexpr double kLeastWidth = 360;
constexpr double kMinCell = 10;
constexpr double kMaxCell = 72;
constexpr double kRow = 22;
constexpr double kMinRow = 12;

constexpr PartWords kWords = {"share of the way", " carries over ", ""};

/// Both texts' traces, and what came of patching from one to the other.
struct Patched {
  std::shared_ptr<const Trace> other;
  PatchingChoice choice;
  bool is_second = false;  ///< whether the other text answers alike, so that the other answer is its second one
  Patching found;
};

using Source =
    std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const LazyTensors>, ModelText, Index, Index, Index>;

class PatchingLayout {
 public:
  PatchingLayout(const Trace& trace, const ResidualStream& stream, const ViewOptions& options)
      : trace_(trace),
        stream_(stream),
        options_(options),
        position_(selected_position(trace, stream, options.values)) {}

  Figure build() {
    const std::shared_ptr<const Patched> made = patched();
    if (made == nullptr) return {};  // stopped
    if (made->found.here == made->found.there) {
      return reason_figure("Both texts answer alike: " + line(*made) +
                               " There is nothing that a part could carry over; change the text to patch from.",
                           options_);
    }
    const Contributions parts = as_parts(made->found);
    PartMap map(trace_, parts, kWords);
    for (const std::vector<double>& shares : made->found.positions) {
      for (const double share : shares) map.reach(std::isfinite(share) ? std::abs(share) : 0);
    }
    HeatmapMark positions = position_map(made->found);
    const double title = text_width(title_text(*made), TypeSize::kTitle, FontWeight::semibold);
    const double labels = row_label_width(positions.row_labels);
    const auto columns = static_cast<double>(positions.columns());
    const double least = std::max({kLeastWidth, map.least_width(), title, labels + columns * kMinCell});
    figure_.width = std::max(options_.width, least + 2 * kMargin);
    width_ = std::max(least, std::min(figure_.width - 2 * kMargin, kWidest));
    const double cell = std::clamp((width_ - labels) / columns, kMinCell, kMaxCell);
    name_positions(positions, made->found.first, cell);
    const double above = column_label_height(positions.column_labels, cell);
    const std::string result = literal_markup(line(*made));
    const double explained = add_caption(nullptr, "", caption(), {}, width_);
    double fixed = 2 * kMargin + kTitle + add_result(nullptr, "", result, {}, width_) + 2 * kMapTitle + kBetween +
                   above + kLegendHeight + explained;
    const auto rows = static_cast<double>(positions.rows());
    map.fit(width_, 1);
    // Letters that can be read are worth more than the explanation.
    const bool is_low = options_.in_window() && fixed + map.height() + kMinRow * rows > options_.height;
    const double legend = is_low ? kLowLegendHeight : kLegendHeight;
    if (is_low) fixed -= explained + kLegendHeight - legend;
    // Both maps share what room there is.
    const double row =
        options_.height <= 0 ? kRow : std::floor(std::clamp((options_.height - fixed) / (2 * rows + 1), kMinRow, kRow));
    map.fit(width_, options_.height <= 0 ? 0 : std::max(1.0, options_.height - fixed - row * rows));
    const double height = fixed + map.height() + row * rows;
    figure_.height = std::max(options_.height, height);
    Point at = {(figure_.width - width_) / 2, kMargin + (figure_.height - height) / 2};
    figure_.texts.push_back(title_mark("title", {at.x, at.y + 13}, literal_markup(title_text(*made))));
    at.y += kTitle;
    at.y += add_result(&figure_, "line", result, at, width_);
    subtitle("heads", at, "Heads and MLPs, at all positions");
    at.y += kMapTitle;
    map.add(figure_, at);
    at.y += map.height() + kBetween;
    subtitle("positions", at, "The residual stream after each layer, at one position" + window_text(made->found));
    at.y += kMapTitle + above;
    positions.box = {at.x + labels, at.y, cell * columns, row * rows};
    positions.scale = map.scale();
    at.y = positions.box.bottom();
    figure_.heatmaps.push_back(std::move(positions));
    map.add_legend(figure_, "patching", at, kMargin);
    if (!is_low) add_caption(&figure_, "caption", caption(), {at.x, at.y + legend}, width_);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] std::string caption() const {
    return "Each cell: only this part is taken from the other text; how far that moves the difference of the two "
           "logits, from its value here (0) to its value in the other text (1). The share is not limited to that." +
           changes_sentence(trace_);
  }

  [[nodiscard]] std::string name(Index answer) const { return "“" + answer_name(trace_, answer) + "”"; }

  [[nodiscard]] std::shared_ptr<const Patched> patched() const {
    const auto make = [&]() -> std::shared_ptr<const Patched> {
      auto made = std::make_shared<Patched>();
      made->other = other_trace(trace_, options_.stop);
      if (made->other == nullptr) return nullptr;
      choose(*made);
      std::optional<Patching> found =
          patching(trace_, *made->other, stream_, made->choice, options_.stop, options_.progress);
      if (!found) return nullptr;
      made->found = std::move(*found);
      return made;
    };
    if (options_.cache == nullptr) return make();
    const Source source = {trace_.step(stream_.logits).tensor, trace_.lazy(),
                           trace_.experiment().patch_text,     position_,
                           options_.integer("token"),          options_.integer("other_token")};
    return options_.cache->find_or_make<Patched>(source, make);
  }

  /// The answers that the options say, by default the most probable one of each text, or the second one of the other
  /// text where both have the same.
  void choose(Patched& made) const {
    const Index last = trace_.step(stream_.logits).axes.back().size - 1;
    PatchingChoice choice = {position_, options_.integer("token"), options_.integer("other_token")};
    if (choice.answer < 0) choice.answer = output_answers(trace_, stream_, position_, 1).front().number;
    if (choice.other < 0) {
      const std::vector<Answer> two = output_answers(*made.other, stream_, position_, 2);
      made.is_second = two.front().number == choice.answer;
      choice.other = (made.is_second ? two.back() : two.front()).number;
    }
    made.choice = {position_, std::min(choice.answer, last), std::min(choice.other, last)};
  }

  [[nodiscard]] static Contributions as_parts(const Patching& found) {
    Contributions parts;
    for (const LayerImportance& each : found.layers)
      parts.layers.push_back({each.weights, each.heads, std::nullopt, each.mlp});
    return parts;
  }

  [[nodiscard]] std::string title_text(const Patched& made) const {
    if (made.is_second) return "What moves the answer away from " + name(made.choice.answer);
    return "What carries " + name(made.choice.other) + " over from the other text";
  }

  [[nodiscard]] std::string line(const Patched& made) const {
    return "Logit of " + name(made.choice.answer) + " minus that of " + name(made.choice.other) + " " +
           position_text(trace_, stream_, position_) + ": " + number_text(made.found.here) + " here, " +
           number_text(made.found.there) + " in the other text." +
           (made.is_second ? " That text answers " + name(made.choice.answer) + " too, and " + name(made.choice.other) +
                                 " is its second."
                           : "");
  }

  void subtitle(const std::string& id, Point at, const std::string& words) {
    figure_.texts.push_back(title_mark(id + ".title", {at.x, at.y + 11}, words, TypeSize::kBody));
  }

  [[nodiscard]] HeatmapMark position_map(const Patching& found) const {
    const auto states = static_cast<Index>(found.positions.size());
    const auto columns = static_cast<Index>(found.positions.front().size());
    auto numbers = std::make_shared<Tensor>(Axes{{"layer", states}, {"position", columns}});
    auto to = numbers->values().begin();
    for (const std::vector<double>& row : found.positions)
      to = std::transform(row.begin(), row.end(), to, [](double x) { return static_cast<float>(x); });
    HeatmapMark mark;
    mark.id = "positions";
    mark.step = -1;
    mark.axes = numbers->axes();
    mark.about = kWords.about;
    std::vector<std::string> rows = {"embeddings"};
    for (Index layer = 1; layer < states; ++layer) rows.push_back("layer " + std::to_string(layer));
    mark.row_labels = std::move(rows);
    mark.source = slice_of(std::move(numbers), mark);
    return mark;
  }

  /// Which positions there are, if not all.
  [[nodiscard]] std::string window_text(const Patching& found) const {
    const Index all = trace_.step(stream_.states.front()).axes.front().size;
    const Index count = std::ssize(found.positions.front());
    if (count == all) return "";
    return " (" + grouped_text(found.first + 1) + "–" + grouped_text(found.first + count) + " of " + grouped_text(all) +
           ")";
  }

  /// The tokens of the text, above cells of that width.
  void name_positions(HeatmapMark& mark, Index first, double cell) const {
    const Step& state = trace_.step(stream_.states.front());
    std::vector<std::string> names;
    for (Index i = 0; i < mark.columns(); ++i) {
      const std::string word =
          label_of(trace_, state.name, state.axes.front(), first + i).value_or(position_number(first + i));
      names.push_back(cell < 30 ? word : shortened_text(word, cell - 4, TypeSize::kSmall));
    }
    mark.column_labels = std::move(names);
  }

  const Trace& trace_;
  const ResidualStream& stream_;
  const ViewOptions& options_;
  Index position_;
  double width_ = 0;
  Figure figure_;
};

Figure build(const Trace& trace, const ViewOptions& options) {
  const ResidualStream stream = *residual_stream(trace);
  Figure figure = PatchingLayout(trace, stream, options).build();
  figure.title = trace.experiment().model->name() + ": what parts carry over from another text";
  return figure;
}

std::string missing(const Trace& trace) {
  if (std::string none = no_output(trace, "it patches a model from another text"); !none.empty()) return none;
  return no_patching(trace.experiment());
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  return option_limit(trace, option, chosen) > 1;
}

}  // namespace
}  // namespace patching_view_parts

View patching_view() {
  Parameter token =
      integer_parameter("token", "Token", "The id of the text's answer; −1: its most probable one.", -1, -1, 1000);
  token.choice_labels = {"most probable"};
  Parameter other = integer_parameter(
      "other_token", "Other token",
      "The id of the other text's answer; −1: its most probable one, or the second if both have the same.", -1, -1,
      1000);
  other.choice_labels = {"most probable"};
  View view = {"patching",
               "Patching",
               "What parts of a model carry over from another text: heads, MLPs and positions.",
               {position_option(), token, other},
               patching_view_parts::applies,
               patching_view_parts::build,
               patching_view_parts::missing};
  view.opens_heads = true;
  return view;
}

}  // namespace attnscope
