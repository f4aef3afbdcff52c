#include "figure/blocks/score_map.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "figure/blocks/part_map.h"
#include "figure/layout/chart.h"
#include "figure/slices/chosen_pair.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr PartWords kScoreWords = {"contribution to the score", " adds ", " add ", "norm and projection biases"};

using ScoreResult = Result<Contributions>;

ScoreChoice chosen_score(const Trace& trace, const ViewOptions& options) {
  ScoreChoice choice = chosen_pair(trace, options.values);
  choice.side = options.choice("to") == "key" ? ScoreSide::key : ScoreSide::query;
  return choice;
}

class ScoreLayout {
 public:
  ScoreLayout(const Trace& trace, const Contributions& parts, const ViewOptions& options)
      : trace_(trace),
        parts_(parts),
        options_(options),
        choice_(chosen_score(trace, options)),
        layer_(selected_attention(trace, options.values).title) {}

  Figure build() {
    PartMap map(trace_, parts_, kScoreWords);
    const std::string note = caption();
    const std::string sum = sum_text();
    const double least = std::max({kLeastWidth, map.least_width(), text_width(sum, TypeSize::kBody),
                                   markup_width(title_text(), TypeSize::kTitle, FontWeight::semibold)});
    figure_.width = std::max(options_.width, least + 2 * kMargin);
    const double width = std::max(least, std::min(figure_.width - 2 * kMargin, kWidest));
    const double fixed =
        2 * kMargin + kTitle + kLine + kBetween + kLegendHeight + add_caption(nullptr, "", note, {}, width);
    map.fit(width, options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0);
    const double height = fixed + map.height();
    figure_.height = std::max(options_.height, height);
    Point at = {(figure_.width - width) / 2, kMargin + (figure_.height - height) / 2};
    figure_.texts.push_back(title_mark("title", {at.x, at.y + 13}, title_text()));
    at.y += kTitle;
    figure_.texts.push_back(chart_text("sum", {at.x, at.y + 11}, sum, Ink::text, TypeSize::kBody));
    at.y += kLine + kBetween;
    map.add(figure_, at);
    at.y += map.height();
    map.add_legend(figure_, "contribution", at, kMargin);
    add_caption(&figure_, "caption", note, {at.x, at.y + kLegendHeight}, width);
    return std::move(figure_);
  }

 private:
  static constexpr double kMargin = 16;
  static constexpr double kTitle = 26;
  static constexpr double kLine = 26;
  static constexpr double kBetween = 16;
  static constexpr double kLegendHeight = 54;
  static constexpr double kWidest = 880;
  static constexpr double kLeastWidth = 360;

  [[nodiscard]] bool by_query() const { return choice_.side == ScoreSide::query; }

  [[nodiscard]] std::string title_text() const {
    return "What wrote the score of " + pair_token(trace_, choice_, ScoreSide::query) + " and " +
           pair_token(trace_, choice_, ScoreSide::key) + ", " + layer_ + ", head " + std::to_string(choice_.head + 1);
  }

  [[nodiscard]] std::string sum_text() const {
    return "Through the " + std::string(by_query() ? "query" : "key") + ", the parts sum to " +
           fixed_text(parts_.sum, 5) + "; the score q · k is " + fixed_text(parts_.traced, 5) + ".";
  }

  [[nodiscard]] std::string caption() const {
    std::string words = "Each part is what it adds to the residual stream at the ";
    words += by_query() ? "query’s token, as a query, times the key." : "key’s token, as a key, times the query.";
    if (parts_.divisor)
      words += " The norm before the layer is linearized: its divisor here, " + number_text(*parts_.divisor) +
               ", is held fixed.";
    return words;
  }

  const Trace& trace_;
  const Contributions& parts_;
  const ViewOptions& options_;
  ScoreChoice choice_;
  std::string layer_;
  Figure figure_;
};

}  // namespace

std::shared_ptr<const Result<Contributions>> chosen_score_parts(const Trace& trace, const ViewOptions& options) {
  const ScoreChoice choice = chosen_score(trace, options);
  const auto make = [&]() -> std::shared_ptr<const ScoreResult> {
    auto made = std::make_shared<const ScoreResult>(score_parts(trace, choice, options.stop));
    return options.stop.stop_requested() ? nullptr : made;
  };
  if (options.cache == nullptr) return make();
  // The weights of the layer depend on everything that is split here.
  const std::shared_ptr<const Tensor>& weights = trace.steps()[static_cast<std::size_t>(choice.weights)].tensor;
  return options.cache->find_or_make<ScoreResult>(std::tuple(weights, trace.lazy(), choice), make);
}

Figure score_map_figure(const Trace& trace, const Contributions& parts, const ViewOptions& options) {
  return ScoreLayout(trace, parts, options).build();
}

}  // namespace attnscope
