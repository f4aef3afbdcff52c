// What becomes of an answer when a head or an MLP of a model is off.
#include "core/residual/importance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/residual/contributions.h"
#include "core/residual/lens.h"
#include "figure/blocks/answer_chips.h"
#include "figure/blocks/change_text.h"
#include "figure/blocks/logit_question.h"
#include "figure/blocks/part_page.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace importance_view_parts {
namespace {

constexpr PartWords kWords = {"Δ log-probability without it", ", replaced, changes the log-probability by ", ""};

/// What an importance depends on.
using Source = std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const LazyTensors>, Index, Index, int>;

class ImportanceLayout {
 public:
  ImportanceLayout(const Trace& trace, const ResidualStream& stream, const ViewOptions& options)
      : trace_(trace), stream_(stream), options_(options) {
    choice_.position = selected_position(trace, stream, options.values);
    choice_.kind = *intervention_kind(options.choice("with"));
    LogitQuestion question = logit_question(trace, stream, choice_.position, options.values);
    choice_.answer = question.choice.answer;
    offered_ = std::move(question.offered);
  }

  Figure build() {
    const std::shared_ptr<const Importance> made = importance_of_parts();
    if (made == nullptr) return {};  // stopped
    const Contributions parts = as_parts(*made);
    PartMap map(trace_, parts, kWords);
    PartPage page;
    page.title = [&](Figure* figure, Point at) {
      return add_answer_title(figure, trace_, stream_, choice_.position, title_text(), at);
    };
    page.line_id = "line";
    page.line = line(*made);
    page.chips_height = kAnswerChipsHeight;
    page.add_chips = [&](Figure& figure, Point at, double width) {
      add_answer_chips(figure, trace_,
                       {"token", kind() == AnswerKind::label ? "label" : "token", offered_, choice_.answer, false,
                        [](const std::string& token) { return "Click to see what matters to " + token; }},
                       at, width);
    };
    page.legend_id = "importance";
    page.caption = caption();
    return part_page(map, page, options_);
  }

 private:
  [[nodiscard]] AnswerKind kind() const { return answer_kind(trace_.experiment()); }
  [[nodiscard]] bool is_mean() const { return choice_.kind == Intervention::Kind::mean; }
  [[nodiscard]] std::string name() const { return "“" + answer_name(trace_, choice_.answer) + "”"; }

  [[nodiscard]] std::shared_ptr<const Importance> importance_of_parts() const {
    const auto make = [&]() -> std::shared_ptr<const Importance> {
      std::optional<Importance> made = importance(trace_, stream_, choice_, options_.stop, options_.progress);
      return made ? std::make_shared<const Importance>(std::move(*made)) : nullptr;
    };
    if (options_.cache == nullptr) return make();
    const Source source = {trace_.step(stream_.logits).tensor, trace_.lazy(), choice_.position, choice_.answer,
                           static_cast<int>(choice_.kind)};
    return options_.cache->find_or_make<Importance>(source, make);
  }

  [[nodiscard]] static Contributions as_parts(const Importance& made) {
    Contributions parts;
    for (const LayerImportance& each : made.layers)
      parts.layers.push_back({each.weights, each.heads, std::nullopt, each.mlp});
    return parts;
  }

  [[nodiscard]] std::string title_text() const {
    const std::string words = "What matters to " + name();
    return kind() == AnswerKind::label ? words : words + " " + position_text(trace_, stream_, choice_.position);
  }

  [[nodiscard]] std::string line(const Importance& made) const {
    return "Log-probability " + number_text(made.log_probability) + ", probability " +
           number_text(std::exp(made.log_probability)) +
           (trace_.experiment().interventions.empty() ? ", with every part in place."
                                                      : ", with the interventions of the experiment.");
  }

  [[nodiscard]] std::string caption() const {
    return std::string("Each cell: what becomes of the log-probability (natural) when only this head or MLP is ") +
           (is_mean() ? "replaced by its mean over the text" : "off") +
           ". Blue: the answer becomes less probable without it." + changes_sentence(trace_);
  }

  const Trace& trace_;
  const ResidualStream& stream_;
  const ViewOptions& options_;
  ImportanceChoice choice_;
  std::vector<Answer> offered_;
};

Figure build(const Trace& trace, const ViewOptions& options) {
  const ResidualStream stream = *residual_stream(trace);
  Figure figure = ImportanceLayout(trace, stream, options).build();
  figure.title = trace.experiment().model->name() + ": what matters to an answer";
  return figure;
}

std::string missing(const Trace& trace) { return no_output(trace, "it switches parts of a model off"); }

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  return option == "with" || option_limit(trace, option, chosen) > 1;
}

}  // namespace
}  // namespace importance_view_parts

View importance_view() {
  Parameter token =
      integer_parameter("token", "Token", "The id of the token; −1: the most probable one.", -1, -1, 1000);
  token.choice_labels = {"most probable"};
  View view = {
      "importance",
      "Importance",
      "What becomes of a token's log-probability when a head or an MLP is off.",
      {position_option(), token,
       choice_parameter("with", "Replaced by", "What takes the place of a part.", {"off", "mean"}, {"0", "its mean"})},
      importance_view_parts::applies,
      importance_view_parts::build,
      importance_view_parts::missing};
  view.opens_heads = true;
  return view;
}

}  // namespace attnscope
