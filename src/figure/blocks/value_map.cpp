#include "figure/blocks/value_map.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "figure/blocks/logit_question.h"
#include "figure/blocks/part_page.h"
#include "figure/slices/chosen_pair.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr PartWords kValueWords = {"contribution through the value", " adds ", " add ", "norm and projection biases"};

using ValueResult = Result<Contributions>;

class ValueMap {
 public:
  ValueMap(const Trace& trace, const ViewOptions& options)
      : trace_(trace),
        options_(options),
        stream_(*residual_stream(trace)),
        pair_(chosen_pair(trace, options.values)),
        question_(logit_question(trace, stream_, position_of(trace, stream_, pair_), options.values)) {}

  Figure build(const Contributions& parts) const {
    PartMap map(trace_, parts, kValueWords);
    PartPage page;
    page.title = [title = title_text()](Figure* figure, Point at) {
      if (figure != nullptr) figure->texts.push_back(title_mark("title", {at.x, at.y + 13}, title));
      return markup_width(title, TypeSize::kTitle, FontWeight::semibold);
    };
    page.line_id = "sum";
    page.line = sum_text(parts);
    page.chips_height = kLogitChipsHeight;
    page.add_chips = [&](Figure& figure, Point at, double width) {
      add_logit_chips(figure, trace_, question_, "what the value adds", at, width);
    };
    page.legend_id = "contribution";
    page.caption = caption(parts);
    return part_page(map, page, options_);
  }

  [[nodiscard]] std::shared_ptr<const ValueResult> parts() const {
    const auto make = [&]() -> std::shared_ptr<const ValueResult> {
      auto made = std::make_shared<const ValueResult>(value_parts(trace_, pair_, question_.choice, options_.stop));
      return options_.stop.stop_requested() ? nullptr : made;
    };
    if (options_.cache == nullptr) return make();
    const std::shared_ptr<const Tensor>& logits = trace_.step(stream_.logits).tensor;
    return options_.cache->find_or_make<ValueResult>(
        std::tuple(logits, trace_.lazy(), pair_, question_.choice.answer, question_.choice.against), make);
  }

 private:
  /// Where the answer is read: of some models only at the first token.
  static Index position_of(const Trace& trace, const ResidualStream& stream, const ScoreChoice& pair) {
    return std::min(pair.query, trace.step(stream.logits).axes.front().size - 1);
  }

  [[nodiscard]] std::string title_text() const {
    return "What wrote the value of " + pair_token(trace_, pair_, ScoreSide::key) + " for " +
           pair_token(trace_, pair_, ScoreSide::query) + ", " + selected_attention(trace_, options_.values).title +
           ", head " + position_number(pair_.head);
  }

  [[nodiscard]] std::string sum_text(const Contributions& parts) const {
    return "The parts sum to " + fixed_text(parts.sum, 5) + "; the weight times the value adds " +
           fixed_text(parts.traced, 5) + " to the logit of " + logit_text(trace_, question_.choice) + ".";
  }

  [[nodiscard]] std::string caption(const Contributions& parts) const {
    std::string words =
        "Each part is what it adds to the residual stream at the key’s token, as a value, times the weight, the output "
        "projection and the " +
        output_weights_text(trace_, question_.choice);
    if (!parts.divisor && !logit_of_state(trace_, stream_, question_.choice).divisor) return words;
    words += " Norms on the way are linearized: their divisors are held fixed";
    return words + (parts.divisor ? "; that of the layer’s norm is " + number_text(*parts.divisor) + " here." : ".");
  }

  const Trace& trace_;
  const ViewOptions& options_;
  ResidualStream stream_;
  ScoreChoice pair_;
  LogitQuestion question_;
};

}  // namespace

std::shared_ptr<const Result<Contributions>> chosen_value_parts(const Trace& trace, const ViewOptions& options) {
  return ValueMap(trace, options).parts();
}

Figure value_map_figure(const Trace& trace, const Contributions& parts, const ViewOptions& options) {
  return ValueMap(trace, options).build(parts);
}

}  // namespace attnscope
