// What each part of a model adds to a logit, to a score or through a value: embeddings, heads, MLPs and biases.
#include "core/residual/contributions.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "figure/blocks/answer_chips.h"
#include "figure/blocks/change_text.h"
#include "figure/blocks/logit_question.h"
#include "figure/blocks/part_page.h"
#include "figure/blocks/score_map.h"
#include "figure/blocks/value_map.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace contributions_view_parts {
namespace {

constexpr PartWords kWords = {"contribution to the logit", " adds ", " add "};

/// What the parts are made from.
using PartsSource = std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const LazyTensors>, Index, Index, Index>;

class ContributionsLayout {
 public:
  ContributionsLayout(const Trace& trace, const ResidualSum& sum, const ViewOptions& options)
      : trace_(trace),
        sum_(sum),
        options_(options),
        question_(logit_question(trace, stream(), selected_position(trace, stream(), options.values), options.values)) {
  }

  Figure build() {
    const std::shared_ptr<const Contributions> parts = parts_of_logit();
    if (parts == nullptr) return {};  // stopped
    PartMap map(trace_, *parts, kWords);
    PartPage page;
    page.title = [&](Figure* figure, Point at) {
      return add_answer_title(figure, trace_, stream(), choice().position, title_text(), at);
    };
    page.line_id = "sum";
    page.line = sum_text(*parts);
    page.chips_height = kLogitChipsHeight;
    page.add_chips = [&](Figure& figure, Point at, double width) {
      add_logit_chips(figure, trace_, question_, "what adds", at, width);
    };
    page.legend_id = "contribution";
    page.legend_words = choice().against ? "contribution to the difference" : nullptr;
    page.caption = caption(*parts);
    return part_page(map, page, options_);
  }

 private:
  [[nodiscard]] const ResidualStream& stream() const { return sum_.stream; }
  [[nodiscard]] const LogitChoice& choice() const { return question_.choice; }

  [[nodiscard]] std::shared_ptr<const Contributions> parts_of_logit() const {
    const auto make = [&]() -> std::shared_ptr<const Contributions> {
      std::optional<Contributions> made = contributions(trace_, sum_, choice(), options_.stop);
      return made ? std::make_shared<const Contributions>(std::move(*made)) : nullptr;
    };
    if (options_.cache == nullptr) return make();
    const PartsSource source = {trace_.step(stream().logits).tensor, trace_.lazy(), choice().position, choice().answer,
                                choice().against.value_or(-1)};
    return options_.cache->find_or_make<Contributions>(source, make);
  }

  [[nodiscard]] std::string title_text() const {
    std::string words = "What adds to the logit of " + logit_text(trace_, choice());
    if (answer_kind(trace_.experiment()) == AnswerKind::label) return words;
    return words + " " + position_text(trace_, stream(), choice().position);
  }

  [[nodiscard]] std::string sum_text(const Contributions& parts) const {
    const std::string what = choice().against ? "the difference of the logits" : "the logit";
    return "The parts sum to " + fixed_text(parts.sum, 5) + "; " + what + " is " + fixed_text(parts.traced, 5) + ".";
  }

  [[nodiscard]] std::string caption(const Contributions& parts) const {
    std::string words =
        "Each part is what it adds to the residual stream, times the " + output_weights_text(trace_, choice());
    if (parts.divisor)
      words += " The final norm is linearized: its divisor here, " + number_text(*parts.divisor) + ", is held fixed.";
    return words + changes_sentence(trace_);
  }

  const Trace& trace_;
  const ResidualSum& sum_;
  const ViewOptions& options_;
  LogitQuestion question_;
};

/// The parts of a score, or of what a value adds.
Figure build_pair(const Trace& trace, const ViewOptions& options, bool of_value) {
  const auto parts = of_value ? chosen_value_parts(trace, options) : chosen_score_parts(trace, options);
  if (parts == nullptr) return {};
  Figure figure;
  if (*parts) {
    figure = of_value ? value_map_figure(trace, **parts, options) : score_map_figure(trace, **parts, options);
  } else {
    figure = reason_figure(parts->error().message, options);
  }
  if (figure.only_says_why) return figure;
  figure.title = trace.experiment().model->name() + ": what wrote a " + (of_value ? "value" : "score");
  return figure;
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const std::string& to = options.choice("to");
  if (to != "logit") return build_pair(trace, options, to == "value");
  const ResidualSum sum = *residual_sum(trace);
  Figure figure = ContributionsLayout(trace, sum, options).build();
  figure.title = trace.experiment().model->name() + ": what adds to a logit";
  return figure;
}

std::string missing(const Trace& trace) {
  if (std::string none = no_output(trace, "it takes a logit apart"); !none.empty()) return none;
  const Result<ResidualSum> sum = residual_sum(trace);
  return sum ? "" : sum.error().message;
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "to") return true;
  const auto set = chosen.find("to");
  const std::string to = set == chosen.end() ? "logit" : std::get<std::string>(set->second);
  const bool is_answer = option == "token" || option == "other_token";
  const bool counts = is_answer ? to == "logit" || to == "value" : option == "position" ? to == "logit" : to != "logit";
  return counts && option_limit(trace, option, chosen) > 1;
}

}  // namespace
}  // namespace contributions_view_parts

View contributions_view() {
  Parameter token =
      integer_parameter("token", "Token", "The id of the token; −1: the most probable one.", -1, -1, 1000);
  token.choice_labels = {"most probable"};
  Parameter against = integer_parameter("other_token", "Against",
                                        "The id of a token whose logit is subtracted; −1: none.", -1, -1, 1000);
  against.choice_labels = {"none"};
  View view = {
      "contributions",
      "Contributions",
      "What every head, MLP and embedding adds to a number: a logit, the difference of two, a score, or a logit "
      "through the value that a head reads.",
      {choice_parameter(
           "to", "To",
           "What the parts add to: a logit; the score of a query and a key, through one of the two; or a logit, "
           "through the value that one head reads at the key.",
           {"logit", "query", "key", "value"},
           {"a logit", "a score, by its query", "a score, by its key", "a logit, by a value"}),
       position_option(), token, against, layer_option(), head_option(),
       integer_parameter("query", "Query", "The query token.", 1, 1, 10),
       integer_parameter("key", "Key", "The key token.", 1, 1, 10)},
      contributions_view_parts::applies,
      contributions_view_parts::build,
      contributions_view_parts::missing};
  view.opens_heads = true;
  view.shows_pair = true;
  view.names = layer_names;
  return view;
}

}  // namespace attnscope
