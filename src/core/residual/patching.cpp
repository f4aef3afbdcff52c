#include "core/residual/patching.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/models/models.h"
#include "core/residual/model_parts.h"
#include "core/trace/run.h"

namespace attnscope {
namespace {

double difference(std::span<const float> logits, const PatchingChoice& choice) {
  return static_cast<double>(logits[static_cast<std::size_t>(choice.answer)]) -
         static_cast<double>(logits[static_cast<std::size_t>(choice.other)]);
}

double difference_of(const Trace& trace, const ResidualStream& stream, const PatchingChoice& choice) {
  const Axes& axes = trace.step(stream.logits).axes;
  return difference(trace.numbers(region_within(stream.logits, axes, std::vector<Index>{choice.position}))->values(),
                    choice);
}

class PatchingSearch {
 public:
  PatchingSearch(const Trace& trace, const Trace& other, const ResidualStream& stream, const PatchingChoice& choice,
                 const StopToken& stop)
      : trace_(trace),
        stream_(stream),
        choice_(choice),
        runs_(trace, stream, choice.position, &other, stop),
        attentions_(layer_attentions(trace)) {
    found_.here = difference_of(trace, stream, choice);
    found_.there = difference_of(other, stream, choice);
  }

  std::optional<Patching> find(const std::function<void(double)>& progress) {
    const std::size_t count = attentions_.size() + stream_.states.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (progress) progress(static_cast<double>(i) / static_cast<double>(count));
      const bool done = i < attentions_.size() ? patch_layer(i) : patch_state(i - attentions_.size());
      if (!done) return std::nullopt;
    }
    if (progress) progress(1);
    return std::move(found_);
  }

 private:
  [[nodiscard]] double share(std::span<const float> logits) const {
    return (difference(logits, choice_) - found_.here) / (found_.there - found_.here);
  }

  bool patch_layer(std::size_t number) {
    const auto parts = parts_of_layer(trace_, attentions_, number, Intervention::Kind::patched);
    LayerImportance layer;
    layer.weights = attentions_[number].weights;
    const bool done = run_parts(runs_, parts, [&](std::size_t part, std::span<const float> logits) {
      if (parts[part].head < 0) {
        layer.mlp = share(logits);
      } else {
        layer.heads.push_back(share(logits));
      }
    });
    found_.layers.push_back(std::move(layer));
    return done;
  }

  bool patch_state(std::size_t number) {
    const int state = stream_.states[number];
    const Index all = trace_.step(state).axes.front().size;
    const Index count = std::min(all, kMostPatchedPositions);
    found_.first = std::clamp<Index>(choice_.position + 1 - count, 0, all - count);
    std::vector<AblatedRuns::Part> parts;
    for (Index row = found_.first; row < found_.first + count; ++row)
      parts.push_back({state, -1, row, Intervention::Kind::patched});
    std::vector<double> shares;
    const bool done =
        run_parts(runs_, parts, [&](std::size_t, std::span<const float> logits) { shares.push_back(share(logits)); });
    found_.positions.push_back(std::move(shares));
    return done;
  }

  const Trace& trace_;
  const ResidualStream& stream_;
  PatchingChoice choice_;
  AblatedRuns runs_;
  std::vector<LayerAttention> attentions_;
  Patching found_;
};

}  // namespace

std::string no_patching(const Experiment& experiment) {
  if (takes_picture(experiment)) return "This model sees a picture: there is no other text to patch from.";
  const auto tokens = [](Index count) { return grouped_text(count) + (count == 1 ? " token" : " tokens"); };
  const Index here = std::ssize(experiment.text.ids);
  const Index there = std::ssize(experiment.patch_text.ids);
  if (there == 0) return "There is no text to patch from yet.";
  if (here != there)
    return "The text has " + tokens(here) + ", the one to patch from " + tokens(there) +
           ": both need equally many, so that positions correspond.";
  return "";
}

std::shared_ptr<const Trace> other_trace(const Trace& trace, const StopToken& stop) {
  Experiment other = trace.experiment();
  other.text = other.patch_text;
  return run_beside(trace, other, stop);
}

std::optional<Patching> patching(const Trace& trace, const Trace& other, const ResidualStream& stream,
                                 const PatchingChoice& choice, const StopToken& stop,
                                 const std::function<void(double)>& progress) {
  const std::uint64_t failures = trace.failures() + other.failures();
  std::optional<Patching> found = PatchingSearch(trace, other, stream, choice, stop).find(progress);
  return trace.failures() + other.failures() == failures ? std::move(found) : std::nullopt;
}

}  // namespace attnscope
