#include "figure/blocks/score_map.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "figure/blocks/part_page.h"
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

std::string title_text(const Trace& trace, const ScoreChoice& choice, const ViewOptions& options) {
  return "What wrote the score of " + pair_token(trace, choice, ScoreSide::query) + " and " +
         pair_token(trace, choice, ScoreSide::key) + ", " + selected_attention(trace, options.values).title +
         ", head " + position_number(choice.head);
}

std::string caption(const Contributions& parts, bool by_query) {
  std::string words = "Each part is what it adds to the residual stream at the ";
  words += by_query ? "query’s token, as a query, times the key." : "key’s token, as a key, times the query.";
  if (parts.divisor)
    words += " Norms on the way are linearized: the divisor of the layer’s norm here, " + number_text(*parts.divisor) +
             ", is held fixed.";
  return words;
}

}  // namespace

std::shared_ptr<const Result<Contributions>> chosen_score_parts(const Trace& trace, const ViewOptions& options) {
  const ScoreChoice choice = chosen_score(trace, options);
  const auto make = [&]() -> std::shared_ptr<const ScoreResult> {
    auto made = std::make_shared<const ScoreResult>(score_parts(trace, choice, options.stop));
    return options.stop.stop_requested() ? nullptr : made;
  };
  if (options.cache == nullptr) return make();
  // The weights of the layer depend on everything that is split here.
  const std::shared_ptr<const Tensor>& weights = trace.step(choice.weights).tensor;
  return options.cache->find_or_make<ScoreResult>(std::tuple(weights, trace.lazy(), choice), make);
}

Figure score_map_figure(const Trace& trace, const Contributions& parts, const ViewOptions& options) {
  const ScoreChoice choice = chosen_score(trace, options);
  const bool by_query = choice.side == ScoreSide::query;
  PartMap map(trace, parts, kScoreWords);
  PartPage page;
  page.title = [title = title_text(trace, choice, options)](Figure* figure, Point at) {
    if (figure != nullptr) figure->texts.push_back(title_mark("title", {at.x, at.y + 13}, title));
    return markup_width(title, TypeSize::kTitle, FontWeight::semibold);
  };
  page.line_id = "sum";
  page.line = "Through the " + std::string(by_query ? "query" : "key") + ", the parts sum to " +
              fixed_text(parts.sum, 5) + "; the score is " + fixed_text(parts.traced, 5) + ".";
  page.legend_id = "contribution";
  page.caption = caption(parts, by_query);
  return part_page(map, page, options);
}

}  // namespace attnscope
