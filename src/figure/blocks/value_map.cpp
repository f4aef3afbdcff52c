#include "figure/blocks/value_map.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/residual/lens.h"
#include "figure/blocks/answer_chips.h"
#include "figure/blocks/part_page.h"
#include "figure/slices/chosen_pair.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr Index kOfferedAnswers = 6;

constexpr PartWords kValueWords = {"contribution through the value", " adds ", " add ", "norm and projection biases"};

using ValueResult = Result<Contributions>;

class ValueMap {
 public:
  ValueMap(const Trace& trace, const ViewOptions& options)
      : trace_(trace), options_(options), stream_(*residual_stream(trace)), pair_(chosen_pair(trace, options.values)) {
    const Axes& axes = trace.steps()[static_cast<std::size_t>(stream_.logits)].axes;
    logit_.position = std::min(pair_.query, axes.front().size - 1);
    offered_ = output_answers(trace, stream_, logit_.position, kOfferedAnswers);
    const Index last = axes.back().size - 1;
    const Index token = options.integer("token");
    logit_.answer = token < 0 ? offered_.front().number : std::min(token, last);
    if (const Index against = options.integer("other_token"); against >= 0) logit_.against = std::min(against, last);
  }

  Figure build(const Contributions& parts) const {
    PartMap map(trace_, parts, kValueWords);
    PartPage page;
    page.title = [title = title_text()](Figure* figure, Point at) {
      if (figure != nullptr) figure->texts.push_back(title_mark("title", {at.x, at.y + 13}, title));
      return markup_width(title, TypeSize::kTitle, FontWeight::semibold);
    };
    page.line_id = "sum";
    page.line = sum_text(parts);
    page.chips_height = 2 * kAnswerChipsHeight;
    page.add_chips = [&](Figure& figure, Point at, double width) { add_chips(figure, at, width); };
    page.legend_id = "contribution";
    page.caption = caption(parts);
    return part_page(map, page, options_);
  }

  [[nodiscard]] std::shared_ptr<const ValueResult> parts() const {
    const auto make = [&]() -> std::shared_ptr<const ValueResult> {
      auto made = std::make_shared<const ValueResult>(value_parts(trace_, pair_, logit_, options_.stop));
      return options_.stop.stop_requested() ? nullptr : made;
    };
    if (options_.cache == nullptr) return make();
    const std::shared_ptr<const Tensor>& logits = trace_.steps()[static_cast<std::size_t>(stream_.logits)].tensor;
    return options_.cache->find_or_make<ValueResult>(
        std::tuple(logits, trace_.lazy(), pair_, logit_.answer, logit_.against), make);
  }

 private:
  [[nodiscard]] std::string name(Index answer) const { return "“" + answer_name(trace_, stream_, answer) + "”"; }
  [[nodiscard]] std::string answer_text() const {
    return name(logit_.answer) + (logit_.against ? " minus that of " + name(*logit_.against) : "");
  }

  [[nodiscard]] std::string title_text() const {
    return "What wrote the value of " + pair_token(trace_, pair_, ScoreSide::key) + " for " +
           pair_token(trace_, pair_, ScoreSide::query) + ", " + selected_attention(trace_, options_.values).title +
           ", head " + position_number(pair_.head);
  }

  [[nodiscard]] std::string sum_text(const Contributions& parts) const {
    return "The parts sum to " + fixed_text(parts.sum, 5) + "; the weight times the value adds " +
           fixed_text(parts.traced, 5) + " to the logit of " + answer_text() + ".";
  }

  [[nodiscard]] std::string caption(const Contributions& parts) const {
    const bool label = answer_kind(trace_.experiment()) == AnswerKind::label;
    std::string words =
        "Each part is what it adds to the residual stream at the key’s token, as a value, times the weight, the output "
        "projection and the ";
    words += logit_.against ? "difference of the output weights of both " : "output weights of the ";
    words += std::string(label ? "label" : "token") + (logit_.against ? "s." : ".");
    if (!parts.divisor && !logit_of_state(trace_, stream_, logit_).divisor) return words;
    words += " Norms on the way are linearized: their divisors are held fixed";
    return words + (parts.divisor ? "; that of the layer’s norm is " + number_text(*parts.divisor) + " here." : ".");
  }

  void add_chips(Figure& figure, Point at, double width) const {
    add_answer_chips(
        figure, trace_, stream_,
        {"token", "token", offered_, logit_.answer, false,
         [](const std::string& token) { return "Click to see what the value adds to the logit of " + token; }},
        at, width);
    const auto about = [](const std::string& token) {
      return token.empty() ? "Click to see the logit alone" : "Click to see the difference to the logit of " + token;
    };
    add_answer_chips(figure, trace_, stream_,
                     {"other_token", "against", offered_, logit_.against.value_or(-1), true, about},
                     {at.x, at.y + kAnswerChipsHeight}, width);
  }

  const Trace& trace_;
  const ViewOptions& options_;
  ResidualStream stream_;
  ScoreChoice pair_;
  LogitChoice logit_;
  std::vector<Answer> offered_;
};

}  // namespace

std::shared_ptr<const Result<Contributions>> chosen_value_parts(const Trace& trace, const ViewOptions& options) {
  return ValueMap(trace, options).parts();
}

Figure value_map_figure(const Trace& trace, const Contributions& parts, const ViewOptions& options) {
  return ValueMap(trace, options).build(parts);
}

}  // namespace attnscope
