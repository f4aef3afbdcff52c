// What each part of a model adds to a logit, or to a score: embeddings, heads, MLPs and biases.
#include "core/residual/contributions.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/residual/lens.h"
#include "figure/blocks/answer_chips.h"
#include "figure/blocks/part_map.h"
#include "figure/blocks/score_map.h"
#include "figure/layout/chart.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 26;
constexpr double kSumLine = 26;
constexpr double kBetween = 16;
constexpr double kLegendHeight = 54;
constexpr double kWidest = 880;
constexpr double kLeastWidth = 360;
constexpr Index kOffered = 6;  // tokens to choose from

constexpr PartWords kWords = {"contribution to the logit", " adds ", " add "};

/// What the parts are made from.
using PartsSource = std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const LazyTensors>, Index, Index, Index>;

class ContributionsLayout {
 public:
  ContributionsLayout(const Trace& trace, const ResidualSum& sum, const ViewOptions& options)
      : trace_(trace), sum_(sum), options_(options) {
    choice_.position = selected_position(trace, stream(), options.values);
    offered_ = output_answers(trace, stream(), choice_.position, kOffered);
    const Index last = trace.steps()[static_cast<std::size_t>(stream().logits)].axes.back().size - 1;
    const Index token = options.integer("token");
    choice_.answer = token < 0 ? offered_.front().number : std::min(token, last);
    if (const Index against = options.integer("other_token"); against >= 0) choice_.against = std::min(against, last);
  }

  Figure build() {
    const std::shared_ptr<const Contributions> parts = parts_of_logit();
    if (parts == nullptr) return {};  // stopped
    PartMap map(trace_, *parts, kWords);
    const std::string note = caption(*parts);
    const double title = add_answer_title(nullptr, trace_, stream(), choice_.position, title_text(), {});
    const double least =
        std::max({kLeastWidth, map.least_width(), title, text_width(sum_text(*parts), TypeSize::kBody)});
    figure_.width = std::max(options_.width, least + 2 * kMargin);
    width_ = std::max(least, std::min(figure_.width - 2 * kMargin, kWidest));
    const double fixed = 2 * kMargin + kTitle + kSumLine + 2 * kAnswerChipsHeight + kBetween + kLegendHeight +
                         add_caption(nullptr, "", note, {}, width_);
    map.fit(width_, options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0);
    const double height = fixed + map.height();
    figure_.height = std::max(options_.height, height);
    Point at = {(figure_.width - width_) / 2, kMargin + (figure_.height - height) / 2};
    add_answer_title(&figure_, trace_, stream(), choice_.position, title_text(), at);
    at.y += kTitle;
    figure_.texts.push_back(chart_text("sum", {at.x, at.y + 11}, sum_text(*parts), Ink::text, TypeSize::kBody));
    at.y += kSumLine;
    token_chips(at);
    at.y += kAnswerChipsHeight;
    against_chips(at);
    at.y += kAnswerChipsHeight + kBetween;
    map.add(figure_, at);
    at.y += map.height();
    map.add_legend(figure_, "contribution", at, kMargin, choice_.against ? "contribution to the difference" : nullptr);
    add_caption(&figure_, "caption", note, {at.x, at.y + kLegendHeight}, width_);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] const ResidualStream& stream() const { return sum_.stream; }
  [[nodiscard]] std::string name(Index answer) const { return "“" + answer_name(trace_, stream(), answer) + "”"; }

  [[nodiscard]] std::shared_ptr<const Contributions> parts_of_logit() const {
    const auto make = [&]() -> std::shared_ptr<const Contributions> {
      std::optional<Contributions> made = contributions(trace_, sum_, choice_, options_.stop);
      return made ? std::make_shared<const Contributions>(std::move(*made)) : nullptr;
    };
    if (options_.cache == nullptr) return make();
    const PartsSource source = {trace_.steps()[static_cast<std::size_t>(stream().logits)].tensor, trace_.lazy(),
                                choice_.position, choice_.answer, choice_.against.value_or(-1)};
    return options_.cache->find_or_make<Contributions>(source, make);
  }

  [[nodiscard]] std::string title_text() const {
    std::string words = "What adds to the logit of " + name(choice_.answer);
    if (choice_.against) words += " minus that of " + name(*choice_.against);
    if (answer_kind(trace_.experiment()) == AnswerKind::label) return words;
    return words + " " + position_text(trace_, stream(), choice_.position);
  }

  [[nodiscard]] std::string sum_text(const Contributions& parts) const {
    const std::string what = choice_.against ? "the difference of the logits" : "the logit";
    return "The parts sum to " + fixed_text(parts.sum, 5) + "; " + what + " is " + fixed_text(parts.traced, 5) + ".";
  }

  [[nodiscard]] std::string caption(const Contributions& parts) const {
    const bool label = answer_kind(trace_.experiment()) == AnswerKind::label;
    std::string words = "Each part is what it adds to the residual stream, times the ";
    words += choice_.against ? "difference of the output weights of both " : "output weights of the ";
    words += std::string(label ? "label" : "token") + (choice_.against ? "s." : ".");
    if (parts.divisor)
      words += " The final norm is linearized: its divisor here, " + number_text(*parts.divisor) + ", is held fixed.";
    return words;
  }

  void token_chips(Point at) {
    add_answer_chips(figure_, trace_, stream(),
                     {"token", "token", offered_, choice_.answer, false,
                      [](const std::string& token) { return "Click to see what adds to the logit of " + token; }},
                     at, width_);
  }

  void against_chips(Point at) {
    const auto about = [](const std::string& token) {
      return token.empty() ? "Click to see the logit alone" : "Click to see the difference to the logit of " + token;
    };
    add_answer_chips(figure_, trace_, stream(),
                     {"other_token", "against", offered_, choice_.against.value_or(-1), true, about}, at, width_);
  }

  const Trace& trace_;
  const ResidualSum& sum_;
  const ViewOptions& options_;
  LogitChoice choice_;
  std::vector<Answer> offered_;
  double width_ = 0;
  Figure figure_;
};

Figure build_score(const Trace& trace, const ViewOptions& options) {
  const auto parts = chosen_score_parts(trace, options);
  if (parts == nullptr) return {};
  Figure figure = *parts ? score_map_figure(trace, **parts, options) : reason_figure(parts->error().message, options);
  figure.title = trace.experiment().model->name() + ": what wrote a score";
  return figure;
}

Figure build(const Trace& trace, const ViewOptions& options) {
  if (options.choice("to") != "logit") return build_score(trace, options);
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
  if (!missing(trace).empty()) return false;
  if (option == "to") return true;
  const auto to = chosen.find("to");
  const bool of_logit = to == chosen.end() || to->second == ParameterValue(std::string("logit"));
  const bool logit_option = option == "position" || option == "token" || option == "other_token";
  return of_logit == logit_option && option_limit(trace, option, chosen) > 1;
}

}  // namespace

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
      "What every head, MLP and embedding adds to the logit of a token, to the difference of two, or to a score.",
      {choice_parameter("to", "To",
                        "What the parts add to: a logit, or the score of a query and a key, through one of the two.",
                        {"logit", "query", "key"}, {"a logit", "a score, by its query", "a score, by its key"}),
       position_option(), token, against, layer_option(), head_option(),
       integer_parameter("query", "Query", "The query token.", 1, 1, 10),
       integer_parameter("key", "Key", "The key token.", 1, 1, 10)},
      applies,
      build,
      missing};
  view.opens_heads = true;
  view.shows_pair = true;
  view.names = layer_names;
  return view;
}

}  // namespace attnscope
