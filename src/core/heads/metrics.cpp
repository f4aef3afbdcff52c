#include "core/heads/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/intervention.h"
#include "core/heads/row_statistics.h"
#include "core/imported/imported_labels.h"
#include "core/operations/mask.h"

namespace attnscope {
namespace {

/// The mask applied before a softmax step; null: none.
const MaskField* mask_before(const Trace& trace, const Step& step) {
  if (step.inputs.empty()) return nullptr;
  const Step& scores = trace.step(step.inputs.front());
  const auto* mask = as<MaskOperation>(scores.operation);
  return mask == nullptr ? nullptr : mask->field.get();
}

/// The words at the positions of a batch item, which the queries and the keys share; empty: unknown.
std::span<const std::string> words_of_item(const Experiment& experiment, const Axes& axes, Index item) {
  const Index tokens = axes.back().size;
  if (!experiment.labels.empty()) {
    if (std::ssize(experiment.labels) < tokens) return {};
    return std::span(experiment.labels).first(static_cast<std::size_t>(tokens));
  }
  if (experiment.tensors == nullptr) return {};
  const Axis* const batch = find_axis(axes, "batch");
  const LabelledSizes sizes = {batch != nullptr ? batch->size : 1, tokens, tokens};
  const std::span<const std::string> queries = labels_in_file(*experiment.tensors, sizes, false, item);
  const std::span<const std::string> keys = labels_in_file(*experiment.tensors, sizes, true, item);
  // Fewer labels than tokens do not say which of the others are equal.
  return std::ssize(keys) == tokens && std::ranges::equal(queries, keys) ? keys : std::span<const std::string>();
}

/// The ids at the positions of a model's attention: of its text, of that of its decoder, or of both texts one after the
/// other. Empty: unknown, as for the patches of a picture.
std::vector<Index> ids_at(const Experiment& experiment, const Step& step, Index count) {
  std::string_view name = step.name;
  const bool is_patched = take_prefix(name, kPatchPrefix);
  const std::vector<Index>& first = is_patched ? experiment.patch_text.ids : experiment.text.ids;
  const std::vector<Index>& second = experiment.text2.ids;
  std::vector<Index> ids = name.starts_with("decoder.") && !second.empty() ? second : first;
  if (std::ssize(ids) < count) ids.insert(ids.end(), second.begin(), second.end());
  return std::ssize(ids) == count ? ids : std::vector<Index>();
}

}  // namespace

bool HeadPattern::keeps(Index query, Index key) const {
  if (mask != nullptr) return mask->keeps(batch, head, query, key);
  return found == nullptr || found->keeps(query, key);
}

Index HeadPattern::kept_keys(Index query) const {
  if (mask == nullptr && (found == nullptr || !found->any())) return weights.columns;
  Index count = 0;
  for (Index key = 0; key < weights.columns; ++key) count += keeps(query, key) ? 1 : 0;
  return count;
}

std::span<const Measure> measures() {
  static const std::vector<Measure> list = make_measures();
  return list;
}

HeadSums::HeadSums(const HeadPattern& head, bool rank) : head_(head), sums_(measures().size()) {
  const auto [queries, keys] = std::pair(head.weights.rows, head.weights.columns);
  if (rank && std::min(queries, keys) <= kMaxForRank && saturating_product(queries, keys) <= kMaxCellsForRank)
    weights_.resize(static_cast<std::size_t>(queries * keys));
  received_.resize(static_cast<std::size_t>(keys));
  // Comparing numbers is faster than comparing words.
  if (!head.same_positions) return;
  std::unordered_map<std::string_view, Index> known;
  for (const std::string& token : head.tokens)
    tokens_.push_back(known.try_emplace(token, std::ssize(known)).first->second);
  if (tokens_.empty()) tokens_ = head.token_ids;
}

void HeadSums::add(std::span<const float> row) {
  const Index query = next_++;
  if (head_.is_padding(query) || !all_finite(row)) {
    if (!head_.is_padding(query)) ++left_out_;
    entropies_.push_back(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  ++counted_;
  AttentionRow one = {head_, query, row, tokens_, head_.kept_keys(query), 0};
  one.entropy = row_entropy({row.data(), 1, std::ssize(row), std::ssize(row), 1}, 0);
  entropies_.push_back(one.entropy);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (measures()[i].add != nullptr) measures()[i].add(one, sums_[i]);
  }
  for (std::size_t key = 0; key < row.size(); ++key) received_[key] += static_cast<double>(row[key]);
  if (weights_.empty()) return;
  const auto queries = static_cast<std::size_t>(head_.weights.rows);
  for (std::size_t key = 0; key < row.size(); ++key)
    weights_[key * queries + static_cast<std::size_t>(query)] = static_cast<double>(row[key]);
}

MeasureRow HeadSums::measured() const {
  MeasureRow row;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Measure& measure = measures()[i];
    if (measure.of_head != nullptr) {
      row.push_back(measure.of_head({head_, weights_}));
    } else {
      row.push_back(sums_[i].count > 0 ? std::optional(sums_[i].sum / sums_[i].count) : std::nullopt);
    }
  }
  return row;
}

std::vector<double> HeadSums::received() const {
  std::vector<double> means = received_;
  for (double& mean : means) mean /= static_cast<double>(counted_);
  return means;
}

void uniform_row(const HeadPattern& like, Index query, std::span<float> row) {
  const Index count = like.kept_keys(query);
  for (Index key = 0; key < std::ssize(row); ++key)
    row[static_cast<std::size_t>(key)] = like.keeps(query, key) ? 1.0F / static_cast<float>(count) : 0.0F;
}

void add_distance(std::span<const float> a, std::span<const float> b, double& sum) {
  const auto term = [](double weight, double mean) { return weight > 0 ? weight * std::log(weight / mean) : 0.0; };
  for (std::size_t key = 0; key < a.size(); ++key) {
    const double of_a = a[key];
    const double of_b = b[key];
    const double mean = (of_a + of_b) / 2;
    sum += (term(of_a, mean) + term(of_b, mean)) / 2;
  }
}

double head_distance(const MatrixView& a, const MatrixView& b) {
  std::vector<float> of_a(static_cast<std::size_t>(a.columns));
  std::vector<float> of_b(of_a.size());
  double sum = 0;
  for (Index query = 0; query < a.rows; ++query) {
    for (std::size_t key = 0; key < of_a.size(); ++key) {
      of_a[key] = a.at(query, static_cast<Index>(key));
      of_b[key] = b.at(query, static_cast<Index>(key));
    }
    add_distance(of_a, of_b, sum);
  }
  return sum;
}

HeadPattern head_pattern(const Trace& trace, const Step& step, std::span<const Index> leading,
                         const MatrixView& weights) {
  HeadPattern pattern;
  pattern.weights = weights;
  pattern.mask = mask_before(trace, step);
  for (std::size_t axis = 0; axis < leading.size(); ++axis) {
    if (step.axes[axis].name == "batch") pattern.batch = leading[axis];
    if (step.axes[axis].name == "head") pattern.head = leading[axis];
  }
  // Separate queries, or queries of a target sequence, are not at the positions of the keys.
  const Experiment& experiment = trace.experiment();
  pattern.same_positions =
      weights.rows == weights.columns && experiment.parameters.find("queries") == experiment.parameters.end() &&
      step.axes[step.axes.size() - 2].name != "cross_query" && step.name.find(".cross_") == std::string::npos;
  if (experiment.parameters.find("height") != experiment.parameters.end())
    pattern.pixels_across = experiment.integer("width");
  if (const Step* const kernel = trace.find("w_patches"); kernel != nullptr) {
    // Pixels that fill no patch are cut off.
    const Step* const cropped = trace.find("cropped_pixels");
    const Axes& pixels = (cropped != nullptr ? cropped : trace.find("pixels"))->axes;
    pattern.pixels_across = pixels.back().size / kernel->axes.back().size;
    pattern.before_pixels = 1;
  }
  if (!pattern.same_positions) return pattern;
  if (experiment.model == nullptr) {
    pattern.tokens = words_of_item(experiment, step.axes, pattern.batch);
  } else {
    pattern.token_ids = ids_at(experiment, step, weights.rows);
  }
  return pattern;
}

}  // namespace attnscope
