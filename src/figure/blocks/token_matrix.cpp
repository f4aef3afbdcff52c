#include "figure/blocks/token_matrix.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/residual/token_circuits.h"
#include "figure/blocks/value_row.h"
#include "figure/layout/chart.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/slices/chosen_pair.h"
#include "figure/slices/selected.h"
#include "figure/slices/token_names.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kAround = 16;
constexpr double kTitleRoom = 28;
constexpr double kLegendRoom = 44;
constexpr double kAroundCaption = 12;
constexpr double kColumnsApart = 36;
constexpr double kListWidth = 340;
constexpr double kPairName = 180;
constexpr double kLeastMatrix = 160;
constexpr double kWidestLabel = 90;
constexpr double kEndsApart = 12;
constexpr std::size_t kMostPairs = 12;  // of each end
constexpr std::size_t kLeastPairs = 3;

/// A circuit and its extremes.
struct FoundCircuit {
  TokenCircuit circuit;
  TokenPairs pairs;
};
using CircuitResult = Result<FoundCircuit>;

/// Null when it was stopped.
std::shared_ptr<const CircuitResult> circuit_of(const Trace& trace, const ScoreChoice& choice, TokenMatrixKind kind,
                                                const ViewOptions& options) {
  const auto make = [&]() -> std::shared_ptr<const CircuitResult> {
    const auto found = [&]() -> CircuitResult {
      Result<TokenCircuit> circuit = kind == TokenMatrixKind::query_key
                                         ? query_key_circuit(trace, choice, options.stop)
                                         : output_value_circuit(trace, choice, options.stop);
      if (!circuit) return tl::unexpected(circuit.error());
      Result<TokenPairs> pairs = extreme_pairs(*circuit, kMostPairs, options.stop, options.progress);
      if (!pairs) return tl::unexpected(pairs.error());
      return FoundCircuit{std::move(*circuit), std::move(*pairs)};
    };
    auto result = std::make_shared<const CircuitResult>(found());
    return options.stop.stop_requested() ? nullptr : result;
  };
  if (options.cache == nullptr) return make();
  // Without positions, scores are of the model and not of the text: typing leaves them.
  const PairSource of_text =
      depends_on_query(trace, kind) ? pair_source(trace, choice) : PairSource({}, {}, {}, choice);
  const Experiment& experiment = trace.experiment();
  return options.cache->find_or_make<CircuitResult>(std::tuple(of_text, experiment.model, experiment.edits, kind),
                                                    make);
}

class TokenMatrixLayout {
 public:
  TokenMatrixLayout(const Trace& trace, const ViewOptions& options, const ScoreChoice& choice, TokenMatrixKind kind,
                    const FoundCircuit& found)
      : trace_(trace), options_(options), choice_(choice), kind_(kind), found_(found) {}

  Figure build() {
    make_mark();
    figure_.width = std::max({options_.width, kListWidth + 2 * kAround, title_width() + 2 * kAround});
    const double room = figure_.width - 2 * kAround;
    const double legend = legend_size(figure_.color_bars, room).width;
    const double left_of = row_label_width(mark_.row_labels);
    const bool beside = room >= std::max(legend, left_of + kLeastMatrix) + kColumnsApart + kListWidth;
    const double matrix_room = beside ? room - kColumnsApart - kListWidth : room;
    const double above = 2 * kAround + kTitleRoom + add_caption(nullptr, "", caption(), {}, room) + kAroundCaption;
    const std::size_t pairs = pairs_shown(beside, above);
    const double list = list_height(pairs);
    // Without a given height the matrix is as high as the list beside it, or as it is wide.
    const double free = options_.height > 0 ? options_.height - above - (beside ? 0 : list + kColumnsApart) : 0;
    const PanelShape shape = {mark_.rows(), mark_.columns(), left_of, column_label_height(mark_.column_labels, 0)};
    const double highest = free > 0 ? std::max(1.0, free - kLegendRoom) : std::min(matrix_room, 2 * list);
    const Grid grid = fit_grid(1, shape, matrix_room, highest);
    const double across = std::max(grid.width(), legend);
    const double matrix = grid.height() + kLegendRoom;
    const double content = beside ? std::max(matrix, list) : matrix + kColumnsApart + list;
    figure_.height = std::max(options_.height, above + content);
    const double width = beside ? across + kColumnsApart + kListWidth : std::max(across, kListWidth);
    Point at = {kAround + std::max(0.0, (room - std::max(width, title_width())) / 2), kAround};
    figure_.texts.push_back(title_mark("title", {at.x, at.y + 14}, title_text()));
    at.y += kTitleRoom;
    at.y += add_caption(&figure_, "caption", caption(), at, figure_.width - kAround - at.x) + kAroundCaption;
    mark_.box = {at.x + left_of, at.y + shape.top, grid.cell_width * static_cast<double>(mark_.columns()),
                 grid.cell_height * static_cast<double>(mark_.rows())};
    add_pairs(beside ? Point{at.x + across + kColumnsApart, at.y} : Point{at.x, at.y + matrix + kColumnsApart}, pairs);
    place_legend(figure_.color_bars, {at.x, mark_.box.bottom() + 16}, kAround, figure_.width - 2 * kAround);
    figure_.heatmaps.push_back(std::move(mark_));
    return std::move(figure_);
  }

 private:
  [[nodiscard]] bool seeks() const { return kind_ == TokenMatrixKind::query_key; }
  [[nodiscard]] const char* unit() const { return seeks() ? "score" : "logit"; }

  [[nodiscard]] std::string title_text() const {
    return capitalized(selected_attention(trace_, options_.values).title) + ", head " + position_number(choice_.head) +
           (seeks() ? ": which token seeks which (QK)" : ": which token raises which (OV)");
  }
  [[nodiscard]] double title_width() const {
    return markup_width(title_text(), TypeSize::kTitle, FontWeight::semibold);
  }

  [[nodiscard]] std::string caption() const {
    const std::string alone =
        "From the tokens’ embeddings alone, without what earlier layers and position embeddings add";
    const std::string query = position_number(choice_.query);
    const std::string query_place = depends_on_query(trace_, kind_) ? " at position " + query : "";
    const std::string key_place = depends_on_key(trace_, kind_) ? " at position " + position_number(choice_.key) : "";
    if (seeks())
      return "The score of the token of each row, as a query" + query_place +
             ", for the token of each column, as a key" + key_place + ". " + alone +
             (found_.circuit.fixed_norm ? ", the norms of queries and keys held fixed." : ".");
    return "What a weight of 1 on the token of each row adds to the logit of the token of each column at position " +
           query + ", through the output projection and the final norm, held fixed. " + alone + ".";
  }

  [[nodiscard]] std::string token(Index id) const {
    return vocabulary_text(trace_.experiment().model->token_text(id), id);
  }

  [[nodiscard]] Labels labels(Index count) const {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (Index id = 0; id < count; ++id) names.push_back(shortened_text(token(id), kWidestLabel, TypeSize::kSmall));
    return names;
  }

  void make_mark() {
    mark_.id = "circuit";
    mark_.step = -1;
    mark_.source = found_.circuit.matrix;
    mark_.axes = {{"row", mark_.source->rows()}, {"column", mark_.source->columns()}};
    mark_.row_labels = labels(mark_.source->rows());
    mark_.column_labels =
        mark_.source->columns() == mark_.source->rows() ? mark_.row_labels : labels(mark_.source->columns());
    mark_.about = seeks() ? "score" : "added logit";
    double largest = 0;
    for (const auto* end : {&found_.pairs.largest, &found_.pairs.smallest}) {
      if (!end->empty()) largest = std::max(largest, std::abs(static_cast<double>(end->front().value)));
    }
    largest_ = largest > 0 ? largest : 1;
    mark_.scale = {ColorMap::red_blue, -largest_, largest_};
    figure_.color_bars = {
        {"scale", {0, 0, 160, 9}, mark_.scale, unit(), short_text(mark_.scale.low), short_text(mark_.scale.high)}};
  }

  [[nodiscard]] std::size_t pairs_shown(bool beside, double above) const {
    const std::size_t all = std::min(kMostPairs, found_.pairs.largest.size());
    if (options_.height <= 0) return all;
    const double room = options_.height - above - (beside ? 0 : kLeastMatrix + kLegendRoom + kColumnsApart);
    const auto fit = static_cast<std::size_t>(std::max(0.0, std::floor((room - kEndsApart) / kValueRowHeight / 2)));
    return std::min(all, std::max(kLeastPairs, fit));
  }

  [[nodiscard]] static double list_height(std::size_t pairs) {
    return kEndsApart + 2 * kValueRowHeight * static_cast<double>(pairs);
  }

  void add_pairs(Point at, std::size_t count) {
    const auto end_of = [](const std::vector<TokenPair>& pairs) {
      return pairs.empty() ? 0 : static_cast<double>(pairs.front().value);
    };
    const double least = std::min(0.0, end_of(found_.pairs.smallest));
    const double largest = std::max(0.0, end_of(found_.pairs.largest));
    const auto add = [&](const std::string& id, const TokenPair& pair) {
      const std::string name = token(pair.row) + " → " + token(pair.column);
      const auto value = static_cast<double>(pair.value);
      const std::string about = "“" + token(pair.row) + "”, token " + std::to_string(pair.row) + ", → “" +
                                token(pair.column) + "”, token " + std::to_string(pair.column) + ": " +
                                number_text(value);
      add_value_row(figure_, {id, name, about, value, least, largest}, at, kListWidth, kPairName);
      at.y += kValueRowHeight;
    };
    const auto take = [&](const std::vector<TokenPair>& pairs) { return std::min(count, pairs.size()); };
    for (std::size_t i = 0; i < take(found_.pairs.largest); ++i)
      add("largest." + std::to_string(i), found_.pairs.largest[i]);
    at.y += kEndsApart;
    // The column is sorted from top to bottom.
    for (std::size_t i = take(found_.pairs.smallest); i-- > 0;)
      add("smallest." + std::to_string(i), found_.pairs.smallest[i]);
  }

  const Trace& trace_;
  const ViewOptions& options_;
  const ScoreChoice& choice_;
  TokenMatrixKind kind_;
  const FoundCircuit& found_;
  HeatmapMark mark_;
  double largest_ = 1;
  Figure figure_;
};

}  // namespace

bool depends_on_query(const Trace& trace, TokenMatrixKind kind) {
  // What is written goes through the final norm of the query's state.
  return kind == TokenMatrixKind::output_value || turns_queries_and_keys(trace);
}

bool depends_on_key(const Trace& trace, TokenMatrixKind kind) {
  return kind == TokenMatrixKind::query_key && turns_queries_and_keys(trace);
}

Result<Figure> token_matrix_figure(const Trace& trace, const ScoreChoice& chosen, TokenMatrixKind kind,
                                   const ViewOptions& options) {
  ScoreChoice choice = chosen;
  if (!depends_on_query(trace, kind)) choice.query = 0;
  if (!depends_on_key(trace, kind)) choice.key = 0;
  const std::shared_ptr<const CircuitResult> found = circuit_of(trace, choice, kind, options);
  if (found == nullptr) return Figure();
  if (!*found) return tl::unexpected(found->error());
  return TokenMatrixLayout(trace, options, choice, kind, **found).build();
}

}  // namespace attnscope
