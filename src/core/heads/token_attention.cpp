#include "core/heads/token_attention.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_layers.h"
#include "core/heads/head_rows.h"

namespace attnscope {
namespace {

Index queries_of(const Step& step) { return step.axes[step.axes.size() - 2].size; }

/// Reads the row or column of one head after the other.
class HeadLines {
 public:
  HeadLines(const Trace& trace, const TokenQuestion& question, const StopToken& stop)
      : trace_(trace), question_(question), context_{trace.experiment().seed, nullptr, stop, &failure_} {}

  [[nodiscard]] Index heads() const { return heads_in(step().axes); }
  [[nodiscard]] Index tokens() const { return question_.from ? step().axes.back().size : queries_of(step()); }

  /// [token], with axes of size 1 around; null once it was stopped or reading has failed.
  [[nodiscard]] std::shared_ptr<const Tensor> of(Index head) const {
    if (context_.gives_up()) return nullptr;
    const std::vector<Index> leading = leading_index(step().axes, 2, head, question_.item);
    Region region = region_within(question_.weights, step().axes, leading);
    const std::size_t axis = leading.size() + (question_.from ? 0 : 1);
    region.begin[axis] = question_.token;
    region.end[axis] = question_.token + 1;
    std::shared_ptr<const Tensor> numbers = trace_.numbers(region, context_);
    return context_.gives_up() ? nullptr : numbers;
  }

 private:
  [[nodiscard]] const Step& step() const { return trace_.step(question_.weights); }

  const Trace& trace_;
  const TokenQuestion& question_;
  ReadFailure failure_;
  StepContext context_;
};

std::optional<TokenAttention> of_one_head(const HeadLines& lines, Index head) {
  const std::shared_ptr<const Tensor> numbers = lines.of(head);
  if (numbers == nullptr) return std::nullopt;
  return TokenAttention{{numbers->values().begin(), numbers->values().end()}, {}, {}};
}

std::optional<TokenAttention> of_all_heads(const HeadLines& lines, bool mean) {
  const auto tokens = static_cast<std::size_t>(lines.tokens());
  std::vector<double> sums(tokens, 0);
  TokenAttention all = {{}, std::vector<float>(tokens, -1), std::vector<Index>(tokens, 0)};
  for (Index head = 0; head < lines.heads(); ++head) {
    const std::shared_ptr<const Tensor> numbers = lines.of(head);
    if (numbers == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < tokens; ++i) {
      const float weight = numbers->values()[i];
      sums[i] += static_cast<double>(weight);
      // What is not a number is no less than any.
      if (!(weight > all.largest[i]) && !std::isnan(weight)) continue;
      all.largest[i] = weight;
      all.largest_head[i] = head;
    }
  }
  if (!mean) {
    all.weights = all.largest;
    return all;
  }
  for (const double sum : sums) all.weights.push_back(static_cast<float>(sum / static_cast<double>(lines.heads())));
  return all;
}

/// Takes a row or a column through ½(mean of the heads + identity) of one layer after the other.
class Rollout {
 public:
  Rollout(const Trace& trace, const TokenQuestion& question, const StopToken& stop)
      : trace_(trace), question_(question), stop_(stop), layers_(rollout_layers(trace, question.weights)) {}

  std::optional<TokenAttention> line() {
    const Index tokens = queries_of(trace_.step(question_.weights));
    flow_.assign(static_cast<std::size_t>(tokens), 0);
    flow_[static_cast<std::size_t>(question_.token)] = 1;
    // Row · Aₗ · … · A₁ from the left, and Aₗ · … · A₁ · column from the right: no product of matrices.
    if (question_.from) std::reverse(layers_.begin(), layers_.end());
    for (const int layer : layers_) {
      if (!pass(layer)) return std::nullopt;
    }
    TokenAttention all;
    for (const double share : flow_) all.weights.push_back(static_cast<float>(share));
    return all;
  }

 private:
  /// False once it was stopped or reading has failed.
  bool pass(int layer) {
    const HeadRows rows(trace_, layer, question_.item, stop_);
    if (rows.ended()) return false;
    std::vector<double> sums(flow_.size(), 0);
    // Rows that nothing flows through are not read.
    const auto flows = [](double share) { return share != 0; };
    const Index begin = question_.from ? std::ranges::find_if(flow_, flows) - flow_.begin() : 0;
    const Index after = std::find_if(flow_.rbegin(), flow_.rend(), flows) - flow_.rbegin();
    const Index end = question_.from ? std::ssize(flow_) - after : std::ssize(flow_);
    for (Index head = 0; head < rows.heads(); ++head) {
      const bool whole = rows.each_row(head, begin, end, [&](Index query, std::span<const float> row) {
        if (!stop_.stop_requested()) add(query, row, sums);
      });
      if (!whole) return false;
    }
    const auto heads = static_cast<double>(rows.heads());
    for (std::size_t i = 0; i < flow_.size(); ++i) flow_[i] = (sums[i] / heads + flow_[i]) / 2;
    return true;
  }

  void add(Index query, std::span<const float> row, std::vector<double>& sums) const {
    const auto at = static_cast<std::size_t>(query);
    if (question_.from) {
      if (flow_[at] == 0) return;
      for (std::size_t key = 0; key < row.size(); ++key) sums[key] += flow_[at] * static_cast<double>(row[key]);
      return;
    }
    double sum = 0;
    for (std::size_t key = 0; key < row.size(); ++key) sum += static_cast<double>(row[key]) * flow_[key];
    sums[at] += sum;
  }

  const Trace& trace_;
  const TokenQuestion& question_;
  const StopToken& stop_;
  std::vector<int> layers_;
  std::vector<double> flow_;  ///< [token]: so far
};

}  // namespace

std::optional<TokenAttention> token_attention(const Trace& trace, const TokenQuestion& question,
                                              const StopToken& stop) {
  if (question.heads == HeadCombination::rollout) return Rollout(trace, question, stop).line();
  const HeadLines lines(trace, question, stop);
  if (question.heads == HeadCombination::one) return of_one_head(lines, question.head);
  return of_all_heads(lines, question.heads == HeadCombination::mean);
}

std::vector<int> rollout_layers(const Trace& trace, int weights) {
  if (!no_rollout(trace, weights).empty()) return {};
  std::vector<int> layers = earlier_layers(trace, weights);
  layers.push_back(weights);
  return layers;
}

std::string no_rollout(const Trace& trace, int weights) {
  const std::vector<LayerAttention> all = layer_attentions(trace);
  const auto its = std::ranges::find(all, weights, &LayerAttention::weights);
  if (its == all.end() || its->kind == AttentionKind::cross)
    return "Rollout follows self-attention: the queries of cross-attention are not the tokens of its keys.";
  std::vector<int> layers = earlier_layers(trace, weights);
  layers.push_back(weights);
  const Index tokens = queries_of(trace.step(weights));
  for (const int layer : layers) {
    const Step& step = trace.step(layer);
    if (queries_of(step) == tokens && step.axes.back().size == tokens) continue;
    return "Rollout needs the same tokens as queries and keys: " +
           title_of(*std::ranges::find(all, layer, &LayerAttention::weights)) + " has " +
           grouped_text(queries_of(step)) + " and " + grouped_text(step.axes.back().size) + ".";
  }
  return "";
}

}  // namespace attnscope
