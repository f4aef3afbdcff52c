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
#include "figure/blocks/part_map.h"
#include "figure/layout/chart.h"
#include "figure/slices/model_answers.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 26;
constexpr double kLine = 26;
constexpr double kBetween = 16;
constexpr double kLegendHeight = 54;
constexpr double kWidest = 880;
constexpr double kLeastWidth = 360;
constexpr Index kOffered = 6;  // answers to choose from

constexpr PartWords kWords = {"Δ log-probability without it", ", replaced, changes the log-probability by ", ""};

/// What an importance depends on.
using Source = std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const LazyTensors>, Index, Index, int>;

class ImportanceLayout {
 public:
  ImportanceLayout(const Trace& trace, const ResidualStream& stream, const ViewOptions& options)
      : trace_(trace), stream_(stream), options_(options) {
    choice_.position = selected_position(trace, stream, options.values);
    choice_.kind = *intervention_kind(options.choice("with"));
    offered_ = output_answers(trace, stream, choice_.position, kOffered);
    const Index last = trace.steps()[static_cast<std::size_t>(stream.logits)].axes.back().size - 1;
    const Index token = options.integer("token");
    choice_.answer = token < 0 ? offered_.front().number : std::min(token, last);
  }

  Figure build() {
    const std::shared_ptr<const Importance> made = importance_of_parts();
    if (made == nullptr) return {};  // stopped
    const Contributions parts = as_parts(*made);
    PartMap map(trace_, parts, kWords);
    const std::string note = caption();
    const std::string sum = line(*made);
    const double title = add_answer_title(nullptr, trace_, stream_, choice_.position, title_text(), {});
    const double least = std::max({kLeastWidth, map.least_width(), title, text_width(sum, TypeSize::kBody)});
    figure_.width = std::max(options_.width, least + 2 * kMargin);
    width_ = std::max(least, std::min(figure_.width - 2 * kMargin, kWidest));
    const double fixed = 2 * kMargin + kTitle + kLine + kAnswerChipsHeight + kBetween + kLegendHeight +
                         add_caption(nullptr, "", note, {}, width_);
    map.fit(width_, options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0);
    const double height = fixed + map.height();
    figure_.height = std::max(options_.height, height);
    Point at = {(figure_.width - width_) / 2, kMargin + (figure_.height - height) / 2};
    add_answer_title(&figure_, trace_, stream_, choice_.position, title_text(), at);
    at.y += kTitle;
    figure_.texts.push_back(chart_text("line", {at.x, at.y + 11}, sum, Ink::text, TypeSize::kBody));
    at.y += kLine;
    add_answer_chips(figure_, trace_, stream_,
                     {"token", kind() == AnswerKind::label ? "label" : "token", offered_, choice_.answer, false,
                      [](const std::string& token) { return "Click to see what matters to " + token; }},
                     at, width_);
    at.y += kAnswerChipsHeight + kBetween;
    map.add(figure_, at);
    at.y += map.height();
    map.add_legend(figure_, "importance", at, kMargin);
    add_caption(&figure_, "caption", note, {at.x, at.y + kLegendHeight}, width_);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] AnswerKind kind() const { return answer_kind(trace_.experiment()); }
  [[nodiscard]] bool is_mean() const { return choice_.kind == Intervention::Kind::mean; }
  [[nodiscard]] std::string name() const { return "“" + answer_name(trace_, stream_, choice_.answer) + "”"; }

  [[nodiscard]] std::shared_ptr<const Importance> importance_of_parts() const {
    const auto make = [&]() -> std::shared_ptr<const Importance> {
      std::optional<Importance> made = importance(trace_, stream_, choice_, options_.stop, options_.progress);
      return made ? std::make_shared<const Importance>(std::move(*made)) : nullptr;
    };
    if (options_.cache == nullptr) return make();
    const Source source = {trace_.steps()[static_cast<std::size_t>(stream_.logits)].tensor, trace_.lazy(),
                           choice_.position, choice_.answer, static_cast<int>(choice_.kind)};
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
           ". Blue: the answer becomes less probable without it.";
  }

  const Trace& trace_;
  const ResidualStream& stream_;
  const ViewOptions& options_;
  ImportanceChoice choice_;
  std::vector<Answer> offered_;
  double width_ = 0;
  Figure figure_;
};

Figure build(const Trace& trace, const ViewOptions& options) {
  const ResidualStream stream = *residual_stream(trace);
  Figure figure = ImportanceLayout(trace, stream, options).build();
  figure.title = trace.experiment().model->name() + ": what matters to an answer";
  return figure;
}

std::string missing(const Trace& trace) { return no_output(trace, "it switches parts of a model off"); }

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  return missing(trace).empty() && (option == "with" || option_limit(trace, option, chosen) > 1);
}

}  // namespace

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
      applies,
      build,
      missing};
  view.opens_heads = true;
  return view;
}

}  // namespace attnscope
