#include "figure/slices/found_heads.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {
namespace {

/// What the test depends on. The cache keeps no model in memory that nobody else uses.
struct FoundIn {
  std::weak_ptr<const Model> model;
  std::vector<Intervention> interventions;
  std::vector<CellEdit> edits;

  friend bool operator==(const FoundIn& a, const FoundIn& b) {
    return !a.model.owner_before(b.model) && !b.model.owner_before(a.model) && a.interventions == b.interventions &&
           a.edits == b.edits;
  }
};

constexpr std::size_t kMostNamed = 3;

}  // namespace

Parameter of_option() {
  return choice_parameter("of", "Of",
                          "What is measured: the text, or the standard test, in which the model reads random tokens, "
                          "repeated, and heads that do something clear have a name.",
                          {"text", kOfRandomTokens}, {"this text", "random tokens, repeated"});
}

Parameter show_option() {
  return choice_parameter("show", "Show", "All heads, or those that the test names.", {"all", "named"},
                          {"all heads", "named heads"});
}

bool can_find_heads(const Trace& trace) {
  const std::shared_ptr<const Model>& model = trace.experiment().model;
  return model != nullptr && no_finding(*model).empty();
}

bool finds_heads(const Trace& trace, const ParameterValues& options) {
  const auto of = options.find("of");
  return of != options.end() && std::get<std::string>(of->second) == kOfRandomTokens && can_find_heads(trace);
}

std::string tested_with(const Trace& trace) {
  const std::vector<Intervention>& all = trace.experiment().interventions;
  const std::vector<Intervention> tested = on_any_text(all);
  std::string text = tested.empty() ? "" : "; with " + parts_text(tested, kMostNamed);
  if (const auto others = std::ssize(all) - std::ssize(tested); others > 0)
    text += "; without " + grouped_text(others) + (others == 1 ? " intervention" : " interventions") + " that " +
            (others == 1 ? "depends" : "depend") + " on the text";
  return text + edits_text(trace.experiment().edits);
}

std::shared_ptr<const Result<FoundHeads>> found_heads(const Trace& trace, const ViewOptions& options) {
  const std::shared_ptr<const Model>& model = trace.experiment().model;
  const std::vector<Intervention> interventions = on_any_text(trace.experiment().interventions);
  const auto make = [&]() -> std::shared_ptr<const Result<FoundHeads>> {
    // The trace may leave little; the largest weights are then read piece by piece.
    constexpr double kLeastBytes = 256e6;
    auto result = std::make_shared<const Result<FoundHeads>>(
        find_heads(model, {.interventions = interventions,
                           .edits = trace.experiment().edits,
                           .memory_budget = std::max(trace.bytes_left(), kLeastBytes),
                           .stop = options.stop,
                           .progress = [&](int run, int runs) {
                             if (options.progress) options.progress(static_cast<double>(run - 1) / runs);
                           }}));
    return options.stop.stop_requested() ? nullptr : result;
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_keep<Result<FoundHeads>>(FoundIn{model, interventions, trace.experiment().edits}, make);
}

}  // namespace attnscope
