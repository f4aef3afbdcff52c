// Query tokens at the left, key tokens at the right, and a line for every weight between them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/heads/row_statistics.h"
#include "core/plan/region.h"
#include "figure/blocks/line_legend.h"
#include "figure/layout/page.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/weight_lines.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace lines_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 24;
constexpr double kLine = 16;          // of small text
constexpr double kColumnTitle = 28;   // with the distance to the title
constexpr double kTokenDistance = 8;  // from a token to the lines
constexpr double kWeightColumn = 48;  // the weights of one query
constexpr double kLegendDistance = 20;
constexpr double kMinGap = 96;
constexpr double kMaxLabel = 160;
constexpr double kMinType = 9;
constexpr double kLinePitch = 1.1;  // of labels, relative to their size

double widest(const std::vector<std::string>& texts, double size, FontWeight weight = FontWeight::regular) {
  double width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text, size, weight));
  return width;
}

/// A column of tokens.
struct Tokens {
  std::vector<Index> numbers;       ///< positions, in order
  std::vector<std::string> names;   ///< in full, as in a sentence
  std::vector<std::string> words;   ///< in full, as they are
  std::vector<std::string> labels;  ///< shortened
  double x = 0;                     ///< end of the lines
  double y = 0;                     ///< top of the first token

  [[nodiscard]] Index count() const { return std::ssize(numbers); }
};

class LinesLayout {
 public:
  LinesLayout(const Trace& trace, const WeightLines& shown, const WeightRows& rows, const ViewOptions& options)
      : trace_(trace), shown_(shown), rows_(rows), options_(options), legend_(shown) {
    const Axes& axes = trace.step(shown.step).axes;
    std::vector<Index> queries(static_cast<std::size_t>(shown.queries.count));
    std::iota(queries.begin(), queries.end(), shown.queries.first);
    queries_ = tokens(std::move(queries), axes[axes.size() - 2]);
    keys_ = tokens(shown.keys.keys, axes.back());
  }

  Figure build() {
    add_strands();
    if (options_.stop.stop_requested()) return {};
    notes_ = notes();
    place_columns();
    place_strands();
    add_header();
    add_tokens(queries_, true);
    add_tokens(keys_, false);
    if (shown_.query >= 0) add_weights();
    legend_.add(figure_, {left_, bottom_}, figure_.width - left_ - kMargin);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] Tokens tokens(std::vector<Index> numbers, const Axis& axis) const {
    Tokens tokens;
    tokens.numbers = std::move(numbers);
    const std::string& tensor = shown_.of.weights->name;
    const std::vector<std::string> all = axis_labels(trace_, tensor, axis, shown_.item);
    const bool has_gaps =
        !tokens.numbers.empty() && tokens.numbers.back() - tokens.numbers.front() + 1 > tokens.count();
    for (const Index i : tokens.numbers) {
      tokens.names.push_back(token_text(trace_, tensor, axis, i, shown_.item));
      tokens.words.push_back(label_of(trace_, tensor, axis, i, shown_.item).value_or(position_number(i)));
      std::string label = all.empty() ? position_number(i) : all[static_cast<std::size_t>(i)];
      // Where neighbours are not, words alone do not say where they stand.
      if (has_gaps && !all.empty()) label.insert(0, position_number(i) + " ");
      tokens.labels.push_back(shortened_text(label, kMaxLabel, TypeSize::kBody));
    }
    return tokens;
  }

  /// Adds the lines between the tokens, without places yet.
  void add_strands() {
    for (Index head = shown_.heads.first; head < shown_.heads.end(); ++head) {
      StrandsMark mark;
      mark.id = "head." + std::to_string(head);
      mark.shade = Shade::of_hue(head);
      for (Index query = shown_.queries.first; query < shown_.queries.end(); ++query) {
        if (options_.stop.stop_requested()) return;
        if (!shown_.shows_query(query)) continue;
        const std::span<const float> row = rows_.row(head, query);
        std::vector<Index> keys = keys_that_hold(row, shown_.mass);
        // Sorted, so that a line keeps its place in the list when the weights change.
        std::sort(keys.begin(), keys.end());
        for (const Index key : keys) {
          const Index place = shown_.keys.place(key);
          if (place < 0) continue;
          const float weight = row[static_cast<std::size_t>(key)];
          largest_ = std::max(largest_, weight);
          mark.strands.push_back({{},
                                  {},
                                  weight,
                                  static_cast<int>(query - shown_.queries.first),
                                  static_cast<int>(shown_.queries.count + place)});
        }
      }
      drawn_ += std::ssize(mark.strands);
      figure_.strands.push_back(std::move(mark));
    }
    // The selected head is on top.
    const auto chosen = figure_.strands.begin() + (shown_.head - shown_.heads.first);
    std::rotate(chosen, chosen + 1, figure_.strands.end());
  }

  [[nodiscard]] std::string title() const {
    std::string title = "Attention";
    if (shown_.of.has_heads) {
      title = shown_.has_one_head()
                  ? capitalized(head_title(trace_.experiment(), shown_.of.weights->name, shown_.head))
                  : (shown_.heads.is_all() ? "All " : "") + std::to_string(shown_.heads.count) + " heads";
    }
    if (shown_.has_one_head())
      title = with_head_state(std::move(title), trace_.experiment(), shown_.of.weights->name, shown_.head);
    return title + attention_text(trace_, shown_.of, shown_.item);
  }

  /// The lines below the title: how much of everything is shown.
  [[nodiscard]] std::vector<std::string> notes() const {
    const Index rows = shown_.query >= 0 ? 1 : shown_.queries.count;
    std::vector<std::string> lines = {grouped_text(drawn_) + " of " +
                                      grouped_text(shown_.heads.count * rows * shown_.keys.count()) + " weights"};
    if (shown_.mass < 1) {
      const std::string share = short_text(shown_.mass) + " of each row's weight";
      lines.front() += shown_.keys.is_all() ? ", at least " + share : ", those of the keys with " + share;
    }
    // Among many keys the lines are faint, as the weights are small: say so.
    constexpr float kFaint = 0.1F;
    if (largest_ > 0 && largest_ < kFaint)
      lines.front() += ", largest " + number_text(static_cast<double>(largest_), 2);
    if (!shown_.heads.is_all() && !shown_.has_one_head()) lines.push_back(shown_.heads.text("heads"));
    if (!shown_.queries.is_all()) lines.push_back(shown_.queries.text("queries"));
    if (!shown_.keys.is_all()) lines.push_back(keys_text() + share_text());
    return lines;
  }

  /// "keys 65 to 128 of 512", "the 64 strongest of 512 keys"
  [[nodiscard]] std::string keys_text() const {
    const ShownKeys& keys = shown_.keys;
    if (options_.choice("keys") == "strongest")
      return "the " + grouped_text(keys.count()) + " strongest of " + grouped_text(keys.of) + " keys";
    return IndexWindow{keys.keys.front(), keys.count(), keys.of}.text("keys");
  }

  /// The share of the selected row that the shown keys hold, or of all shown rows of the selected head.
  [[nodiscard]] std::string share_text() const {
    double sum = 0;
    Index rows = 0;
    for (Index query = shown_.queries.first; query < shown_.queries.end(); ++query) {
      if (!shown_.shows_query(query)) continue;
      const std::span<const float> row = rows_.row(shown_.head, query);
      for (const Index key : shown_.keys.keys) sum += static_cast<double>(row[static_cast<std::size_t>(key)]);
      ++rows;
    }
    return ", with " + fixed_text(sum / static_cast<double>(rows), 3) +
           (shown_.query < 0 ? " of the rows' weight" : " of the row's weight");
  }

  [[nodiscard]] double header_height() const {
    return kTitle + kLine * static_cast<double>(notes_.size()) + kColumnTitle;
  }

  void place_columns() {
    const auto most = static_cast<double>(std::max(queries_.count(), keys_.count()));
    // Measured in bold, so that selecting a token does not widen the column.
    const double left = std::max(widest(queries_.labels, TypeSize::kBody, FontWeight::semibold), 36.0);
    const double right = std::max(widest(keys_.labels, TypeSize::kBody), 36.0);
    const double room = options_.width - 2 * kMargin;
    const double fixed = left + right + 2 * kTokenDistance + kWeightColumn;
    const double gap = std::clamp(room - fixed, kMinGap, std::max(240.0, std::min(520.0, room * 0.5)));
    double header = text_width(title(), TypeSize::kTitle, FontWeight::semibold);
    for (const std::string& note : notes_) header = std::max(header, text_width(note, TypeSize::kSmall));
    const double block = std::max({fixed + gap, header, legend_.least_width()});
    figure_.width = std::max(options_.width, block + 2 * kMargin);
    left_ = std::round((figure_.width - block) / 2);
    const double below = kLegendDistance + legend_.height(figure_.width - left_ - kMargin);
    const double rest = 2 * kMargin + header_height() + below;
    // The height of a file is free: lines as in a book.
    const double free = most <= 24 ? 28 : std::max(11.0, 672 / most);
    pitch_ =
        options_.height > 0 ? std::clamp((options_.height - rest) / most, options_.for_file ? 6.0 : 2.5, 44.0) : free;
    figure_.height = std::max(options_.height, rest + most * pitch_);
    top_ = kMargin + std::floor((figure_.height - rest - most * pitch_) / 2);
    const double first = top_ + header_height();
    // The shorter column is centred.
    const auto start = [&](Index count) { return first + (most - static_cast<double>(count)) * pitch_ / 2; };
    queries_.x = left_ + left + kTokenDistance;
    keys_.x = queries_.x + gap;
    queries_.y = start(queries_.count());
    keys_.y = start(keys_.count());
    bottom_ = first + most * pitch_ + kLegendDistance;
    weights_right_ = keys_.x + kTokenDistance + right + kWeightColumn;
  }

  [[nodiscard]] double middle(const Tokens& tokens, Index i) const {
    return tokens.y + (static_cast<double>(i) + 0.5) * pitch_;
  }

  void place_strands() {
    // Lines of several heads run next to each other.
    const auto heads = static_cast<double>(shown_.heads.count);
    const double apart = std::min(3.0, pitch_ * 0.6 / heads);
    const double widest = pitch_ >= 20 ? 2.5 : pitch_ >= 11 ? 1.75 : 1.25;
    for (StrandsMark& mark : figure_.strands) {
      mark.width = shown_.has_one_head() ? widest : std::clamp(apart, 1.0, widest);
      const double aside = (static_cast<double>(mark.shade.hue - shown_.heads.first) - (heads - 1) / 2) * apart;
      for (Strand& strand : mark.strands) {
        strand.from = {queries_.x, middle(queries_, strand.from_end) + aside};
        strand.to = {keys_.x, middle(keys_, strand.to_end - queries_.count()) + aside};
      }
    }
  }

  void add_header() {
    add_text("title", {left_, top_ + 13}, title(), TypeSize::kTitle, FontWeight::semibold, Ink::text);
    double y = top_ + kTitle + 11;
    for (std::size_t i = 0; i < notes_.size(); ++i, y += kLine)
      add_text("note." + std::to_string(i), {left_, y}, notes_[i], TypeSize::kSmall, FontWeight::regular, Ink::dim);
    y = top_ + header_height() - 8;
    add_text("query.title", {queries_.x - kTokenDistance, y}, "query", TypeSize::kSmall, FontWeight::regular, Ink::dim,
             HorizontalAlign::right);
    add_text("key.title", {keys_.x + kTokenDistance, y}, "key", TypeSize::kSmall, FontWeight::regular, Ink::dim);
    if (shown_.query < 0) return;
    // With several heads, these are the weights of the selected one.
    const std::string whose = shown_.has_one_head() ? "weight" : "head " + std::to_string(shown_.head + 1);
    add_text("weight.title", {weights_right_, y}, whose, TypeSize::kSmall, FontWeight::regular, Ink::dim,
             HorizontalAlign::right);
  }

  /// Labels shrink before some are left out.
  [[nodiscard]] double label_size() const { return std::clamp(pitch_ / kLinePitch, kMinType, TypeSize::kBody); }
  /// Whether shown token `i` has a label: every one, or every second, …, and always the selected one.
  [[nodiscard]] bool is_written(const Tokens& tokens, Index i) const {
    const auto step = std::max<Index>(1, static_cast<Index>(std::ceil(kMinType * kLinePitch / pitch_)));
    const bool has_selected = &tokens == &queries_ && shown_.query >= 0;
    return (i - (has_selected ? shown_.query - tokens.numbers.front() : 0)) % step == 0;
  }

  void add_tokens(const Tokens& tokens, bool left) {
    const std::string kind = left ? "query" : "key";
    for (Index i = 0; i < tokens.count(); ++i) {
      const Index number = tokens.numbers[static_cast<std::size_t>(i)];
      const bool chosen = left && number == shown_.query;
      const bool fades = left && shown_.query >= 0 && !chosen;
      const std::string id = kind + "." + std::to_string(number);
      const auto at = static_cast<std::size_t>(i);
      const double width = text_width(tokens.labels[at], label_size());
      const Rect box = {left ? left_ - 4 : tokens.x + 2, tokens.y + static_cast<double>(i) * pitch_,
                        left ? tokens.x - 2 - left_ + 4 : std::max(width, 36.0) + kTokenDistance, pitch_};
      if (chosen) figure_.bars.push_back({"chosen", box, Shade::of(Ink::control)});
      if (is_written(tokens, i)) {
        add_text(id, {tokens.x + (left ? -kTokenDistance : kTokenDistance), box.center().y},
                 literal_markup(tokens.labels[at]), label_size(), chosen ? FontWeight::semibold : FontWeight::regular,
                 fades ? Ink::dim : Ink::text, left ? HorizontalAlign::right : HorizontalAlign::left,
                 VerticalAlign::middle);
      }
      TargetMark target;
      target.id = id;
      target.box = box;
      target.about = kind + " " + tokens.names[at];
      target.token = NamedToken{number, tokens.words[at]};
      if (left) {
        target.about += chosen ? "; click to show all queries" : "; click to show only its weights";
        target.click = SetOptions{{{"query", chosen ? Index{0} : number + 1}}};
      }
      // Its lines are hidden.
      if (!fades) target.isolates = static_cast<int>(left ? i : queries_.count() + i);
      figure_.targets.push_back(std::move(target));
    }
  }

  /// The weights of the selected query, right of the keys.
  void add_weights() {
    const Axes& axes = trace_.step(shown_.step).axes;
    const std::span<const float> row = rows_.row(shown_.head, shown_.query);
    const std::vector<Strand>& drawn = figure_.strands.back().strands;
    for (Index i = 0; i < keys_.count(); ++i) {
      if (!is_written(keys_, i)) continue;
      const Index key = keys_.numbers[static_cast<std::size_t>(i)];
      const std::string id = "weight." + std::to_string(key);
      const bool is_drawn = std::any_of(drawn.begin(), drawn.end(), [&](const Strand& strand) {
        return strand.to_end == static_cast<int>(queries_.count() + i);
      });
      const double y = middle(keys_, i);
      add_text(id, {weights_right_, y}, fixed_text(static_cast<double>(row[static_cast<std::size_t>(key)]), 3),
               std::min(label_size(), TypeSize::kSmall), FontWeight::regular, is_drawn ? Ink::text : Ink::dim,
               HorizontalAlign::right, VerticalAlign::middle);
      TargetMark target;
      target.id = id;
      const double height = std::min(pitch_, 24.0);
      target.box = {weights_right_ - 36, y - height / 2, 40, height};
      std::vector<Index> index = leading_index(axes, 2, shown_.head, shown_.item);
      index.push_back(shown_.query);
      index.push_back(key);
      target.cell = TensorCell{shown_.step, std::move(index)};
      figure_.targets.push_back(std::move(target));
    }
  }

  void add_text(std::string id, Point at, std::string markup, double size, FontWeight weight, Ink ink,
                HorizontalAlign horizontal = HorizontalAlign::left, VerticalAlign vertical = VerticalAlign::baseline) {
    figure_.texts.push_back({std::move(id), at, std::move(markup), size, weight, ink, horizontal, vertical, 0});
  }

  const Trace& trace_;
  const WeightLines& shown_;
  const WeightRows& rows_;
  const ViewOptions& options_;
  LineLegend legend_;
  Figure figure_;
  Tokens queries_;
  Tokens keys_;
  std::vector<std::string> notes_;
  Index drawn_ = 0;
  float largest_ = 0;  ///< drawn weight
  double left_ = 0;
  double top_ = 0;
  double bottom_ = 0;  ///< of the tokens, plus the distance to the legend
  double pitch_ = 0;   ///< from token to token
  double weights_right_ = 0;
};

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "heads") return leaves_choice(trace, "head");
  if (option == "keys") return leaves_out_keys(trace, chosen);
  if (option == "page") {
    const auto query = chosen.find("query");
    return (query == chosen.end() || query->second == ParameterValue(Index{0})) && line_pages(trace, chosen) > 1;
  }
  return option == "query" || leaves_choice(trace, option == "mass" ? "key" : option);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  WeightLines shown = weight_lines(trace, options);
  const std::shared_ptr<const WeightRows> rows = weight_rows(trace, shown, options);
  if (rows == nullptr || options.stop.stop_requested()) return {};
  if (!shown.keys.is_all() && options.choice("keys") == "strongest") shown.keys = strongest_keys(shown, *rows);
  Figure figure = LinesLayout(trace, shown, *rows, options).build();
  figure.title = trace.experiment().system + ": attention as lines";
  return figure;
}

}  // namespace
}  // namespace lines_view_parts

View lines_view() {
  const Parameter heads = choice_parameter("heads", "Heads", "One head, or all heads, each in its own colour.",
                                           {"one", "all"}, {"one", "all"});
  Parameter query = integer_parameter(
      "query", "Query", "Shows only the lines of this query, with its weights; 0: all queries.", 0, 0, 16);
  query.choice_labels = {"all"};
  const Parameter mass = real_parameter(
      "mass", "Mass shown", "Shows for each query the fewest keys that hold this share of its attention.", 1, 0, 1);
  const Parameter keys = choice_parameter(
      "keys", "Keys", "Of many keys: those with the largest weights, however far away, or those beside the queries.",
      {"strongest", "near"}, {"strongest", "beside the queries"});
  View view = {
      "lines",
      "Lines",
      "Queries and keys, joined by lines: the larger the weight, the stronger the line.",
      {attention_option(), layer_option(), head_option(), heads, item_option(), query, mass, keys, page_option()},
      lines_view_parts::applies,
      lines_view_parts::build,
      no_attention,
      layer_names};
  view.pages = line_pages;
  return view;
}

}  // namespace attnscope
