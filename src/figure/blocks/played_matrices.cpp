#include "figure/blocks/played_matrices.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "figure/layout/chart.h"
#include "figure/model/canvas.h"
#include "figure/slices/moment_terms.h"

namespace attnscope {
namespace {

using Part = Moment::Part;

constexpr double kMomentLine = 20;
constexpr double kMomentMargin = 16;
constexpr double kFrameWidth = 2;  // width of its lines

/// The highest arithmetic of all moments.
double terms_height(const Trace& trace, const PlayedQuery& played, double width) {
  double height = 0;
  for (const Moment& moment : played.moments)
    height = std::max(height, add_arithmetic(nullptr, moment_terms(trace, played, moment), {}, width));
  return height;
}

/// Per step of the trace, whether the weights have a part in it.
std::vector<bool> follows_from(const Trace& trace, const Step& weights) {
  const std::span<const Step> steps = trace.steps();
  std::vector<bool> follows(steps.size(), false);
  follows[static_cast<std::size_t>(&weights - steps.data())] = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const int input : steps[i].inputs) follows[i] = follows[i] || follows[static_cast<std::size_t>(input)];
  }
  return follows;
}

std::vector<std::string> lines_of(const PlayedQuery& played, const Moment& moment, double width) {
  const auto number = std::find(played.moments.begin(), played.moments.end(), moment) - played.moments.begin() + 1;
  const std::string text = std::to_string(number) + " of " + std::to_string(played.moments.size()) + " · query " +
                           std::to_string(played.numbers.query() + 1) + ": " + moment_text(played, moment);
  return wrapped_text(text, width, TypeSize::kBody, FontWeight::regular);
}

/// The height of the most lines that a moment has.
double lines_height(const PlayedQuery& played, double width) {
  std::size_t most = 1;
  for (const Moment& moment : played.moments) most = std::max(most, lines_of(played, moment, width).size());
  return kMomentLine * static_cast<double>(most);
}

class PlayedMatrices {
 public:
  PlayedMatrices(Figure& figure, const Trace& trace, const PlayedQuery& played, Index number)
      : figure_(figure), trace_(trace), played_(played), moment_(played.moment(number)), parts_(played.parts) {}

  void show() {
    empty_what_follows();
    frame_what_is_computed();
    if (moment_.part == Part::values && moment_.done < keys()) add_partial_sum();
    const double width = figure_.width - 2 * kMomentMargin;
    const double top = figure_.height;
    figure_.height += moment_height(trace_, played_, figure_.width);
    double baseline = top + 14;
    for (const std::string& line : lines_of(played_, moment_, width)) {
      const std::string id = "moment.line." + fixed_text(baseline - top, 0);
      figure_.texts.push_back(chart_text(id, {kMomentMargin, baseline}, line, Ink::text, TypeSize::kBody));
      baseline += kMomentLine;
    }
    add_arithmetic(&figure_, moment_terms(trace_, played_, moment_),
                   {kMomentMargin, top + lines_height(played_, width)}, width);
  }

 private:
  [[nodiscard]] Index keys() const { return played_.numbers.product.keys; }
  [[nodiscard]] int number_of(const Step& step) const { return static_cast<int>(&step - trace_.steps().data()); }

  /// Whether the moment comes before those of `part`.
  [[nodiscard]] bool is_before(Part part) const { return moment_.part < part; }

  /// The query's row of a tensor of scores or weights, from one key to before another.
  [[nodiscard]] Region scores_region(const Step& step, Index from, Index to) const {
    Region region = single_cell(number_of(step), played_.numbers.at);
    region.begin.back() = from;
    region.end.back() = to;
    return region;
  }

  void empty(const Region& region) {
    for (HeatmapMark& mark : figure_.heatmaps) {
      if (mark.step == region.step) mark.not_yet.push_back(region);
    }
  }

  /// The query's row is empty, or the whole matrix where queries are no rows of it.
  void empty_row(const Step& step) {
    empty(query_row(played_, trace_, step).value_or(whole_region(number_of(step), step.axes)));
  }

  void empty_what_follows() {
    if (!(Part::scores < moment_.part)) {
      const Index done = moment_.part == Part::scores ? moment_.done : 0;
      if (done < keys()) empty(scores_region(*parts_.scores, done, keys()));
    }
    const auto wait_for = [this](const Step* step, Part part) {
      if (step != nullptr && is_before(part)) empty(scores_region(*step, 0, keys()));
    };
    wait_for(parts_.biased, Part::biased);
    wait_for(parts_.masked, Part::masked);
    wait_for(parts_.weights, Part::weights);
    wait_for(parts_.dropped, Part::dropped);
    const std::vector<bool> follows = follows_from(trace_, *parts_.weights);
    for (std::size_t i = 0; i < follows.size(); ++i) {
      const Step& step = trace_.steps()[i];
      if (follows[i] && &step != parts_.weights && &step != parts_.dropped && is_waiting(step)) empty_row(step);
    }
  }

  /// Whether a tensor that follows from the weights is not computed yet.
  [[nodiscard]] bool is_waiting(const Step& step) const {
    const bool is_sum = !parts_.heads.empty() && &step == parts_.heads.front();
    if (is_sum) return is_before(Part::merged) && !(moment_.part == Part::values && moment_.done == keys());
    if (std::find(parts_.heads.begin(), parts_.heads.end(), &step) != parts_.heads.end() || &step == parts_.merged)
      return is_before(Part::merged);
    return is_before(Part::output);
  }

  /// The last matrix of the figure that shows the step; null: none does.
  [[nodiscard]] const HeatmapMark* mark_of(int step) const {
    const auto found = std::find_if(figure_.heatmaps.rbegin(), figure_.heatmaps.rend(),
                                    [step](const HeatmapMark& mark) { return mark.step == step; });
    return found == figure_.heatmaps.rend() ? nullptr : &*found;
  }

  void frame(const Region& region) {
    const HeatmapMark* const mark = mark_of(region.step);
    if (mark == nullptr) return;
    const std::optional<Rect> box = region_box(*mark, mark->box, region);
    if (!box) return;
    const std::string id = "moment.frame." + mark->id;
    const Rect around = box->grown(kFrameWidth / 2);
    const std::array<Point, 5> corners = {{{around.x, around.y},
                                           {around.right(), around.y},
                                           {around.right(), around.bottom()},
                                           {around.x, around.bottom()},
                                           {around.x, around.y}}};
    CurveMark curve = {id, {corners.begin(), corners.end()}, Shade::of(Ink::accent), kFrameWidth};
    figure_.curves.push_back(std::move(curve));
  }

  void frame_row(const Step* step) {
    if (step == nullptr) return;
    if (const std::optional<Region> row = query_row(played_, trace_, *step)) frame(*row);
  }

  /// The elements `from` to before `to` of the query, or of a key.
  void frame_factor(bool is_query, Index key, Index from, Index to) {
    const DotProduct& p = played_.numbers.product;
    std::vector<Index> at = played_.numbers.at;
    at.back() = key;
    Region region = single_cell(is_query ? p.q : p.k, is_query ? p.q_index(at, from) : p.k_index(at, from));
    const std::vector<Index> last = is_query ? p.q_index(at, to - 1) : p.k_index(at, to - 1);
    for (std::size_t axis = 0; axis < last.size(); ++axis) region.end[axis] = last[axis] + 1;
    frame(region);
  }

  /// The number of terms or keys that were done at the moment before.
  [[nodiscard]] Index done_before() const {
    Index done = 0;
    for (const Moment& each : played_.moments) {
      if (each.part == moment_.part && each.done < moment_.done) done = each.done;
    }
    return done;
  }

  void frame_what_is_computed() {
    const Index before = done_before();
    const Index dims = played_.numbers.product.dims;
    switch (moment_.part) {
      case Part::products:
        frame_factor(true, 0, before, moment_.done);
        frame_factor(false, 0, before, moment_.done);
        return frame(scores_region(*parts_.scores, 0, 1));
      case Part::scores:
        frame_factor(true, 0, 0, dims);
        for (Index key = before; key < moment_.done && moment_.done - before < 4; ++key)
          frame_factor(false, key, 0, dims);
        return frame(scores_region(*parts_.scores, before, moment_.done));
      case Part::biased: return frame_rows(parts_.scores, parts_.biased);
      case Part::masked: return frame_rows(parts_.biased != nullptr ? parts_.biased : parts_.scores, parts_.masked);
      case Part::powers: return frame_rows(&trace_.step(logits()), nullptr);
      case Part::weights: return frame_rows(&trace_.step(logits()), parts_.weights);
      case Part::dropped: return frame_rows(parts_.weights, parts_.dropped);
      case Part::values: return frame_values(before);
      case Part::merged: return frame_rows(parts_.heads.back(), parts_.merged);
      case Part::output:
        return frame_rows(parts_.merged != nullptr ? parts_.merged : parts_.heads.back(), parts_.output);
    }
  }

  [[nodiscard]] int logits() const { return played_.numbers.product.logits(); }

  void frame_rows(const Step* from, const Step* to) {
    frame_row(from);
    frame_row(to);
  }

  void frame_values(Index before) {
    frame(scores_region(played_.factors(), before, moment_.done));
    const TensorRows& values = *played_.values;
    Region rows = single_cell(values.step, values.index(before, 0));
    rows.end[values.row_axis] = moment_.done;
    rows.end[values.dim_axis] = values.dims;
    frame(rows);
    frame_row(parts_.heads.front());
  }

  /// The sum of the weighted values so far, in the place of the output that it becomes.
  void add_partial_sum() {
    const HeatmapMark* const whole = mark_of(number_of(*parts_.heads.front()));
    const std::optional<Region> row = query_row(played_, trace_, *parts_.heads.front());
    if (whole == nullptr || !row) return;
    const std::optional<Rect> box = region_box(*whole, whole->box, *row);
    if (!box) return;
    const std::vector<double> sums = blended_values(trace_, played_, moment_.done);
    const auto count = static_cast<Index>(sums.size());
    const Axis one = {"query", 1};
    const Axis dims = {"dim", count};
    auto numbers = std::make_shared<Tensor>(whole->transposed ? Axes{dims, one} : Axes{one, dims});
    for (std::size_t i = 0; i < sums.size(); ++i) numbers->values()[i] = static_cast<float>(sums[i]);
    HeatmapMark mark;
    mark.id = "moment.sum";
    mark.box = *box;
    mark.step = -1;
    mark.axes = numbers->axes();
    mark.scale = whole->scale;
    mark.about = "sum so far";
    mark.source = slice_of(std::move(numbers), mark);
    figure_.heatmaps.push_back(std::move(mark));
  }

  Figure& figure_;
  const Trace& trace_;
  const PlayedQuery& played_;
  const Moment& moment_;
  const AttentionParts& parts_;
};

}  // namespace

double moment_height(const Trace& trace, const PlayedQuery& played, double width) {
  const double inner = width - 2 * kMomentMargin;
  return lines_height(played, inner) + terms_height(trace, played, inner) + kMomentMargin / 2;
}

void show_moment(Figure& figure, const Trace& trace, const PlayedQuery& played, Index number) {
  PlayedMatrices(figure, trace, played, number).show();
}

}  // namespace attnscope
