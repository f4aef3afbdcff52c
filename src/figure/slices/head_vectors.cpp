#include "figure/slices/head_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/operations/dropout.h"

namespace attnscope {
namespace {

constexpr Index kMaxQueries = 24;  // more of them hide the keys
constexpr Index kMaxKeys = 96;
constexpr Index kMaxPlaneNumbers = Index{1} << 20;  // from which a plane is found

using EinsumLabels = std::vector<int>;

std::optional<std::size_t> place_of(const EinsumLabels& labels, int label) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  return found == labels.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - labels.begin()));
}

/// Rows along `row` and `dim` of a tensor with those labels; the others are as in `at`, the index of a tensor with the
/// labels `known`. Nothing where those do not have all of them.
std::optional<TensorRows> rows_along(int step, const EinsumOperation& operation, const EinsumLabels& labels, int row,
                                     int dim, const EinsumLabels& known, std::span<const Index> at) {
  const std::optional<std::size_t> row_axis = place_of(labels, row);
  const std::optional<std::size_t> dim_axis = place_of(labels, dim);
  if (!row_axis || !dim_axis) return std::nullopt;
  TensorRows rows = {step, std::vector<Index>(labels.size(), 0), *row_axis, *dim_axis, 0, 0};
  rows.count = operation.sizes[static_cast<std::size_t>(row)];
  rows.dims = operation.sizes[static_cast<std::size_t>(dim)];
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    if (axis == *row_axis || axis == *dim_axis) continue;
    const std::optional<std::size_t> there = place_of(known, labels[axis]);
    if (!there) return std::nullopt;
    rows.at[axis] = at[*there];
  }
  return rows;
}

/// What multiplies the values: the weights, or what dropout leaves of them.
int used_weights(const Trace& trace, int weights) {
  const auto steps = trace.steps();
  for (int number = weights + 1; number < std::ssize(steps); ++number) {
    const Step& step = steps[static_cast<std::size_t>(number)];
    if (is<DropoutOperation>(step.operation) && step.inputs[0] == weights) return number;
  }
  return weights;
}

/// The product of weights and values that sums over the keys.
std::optional<ValueBlend> blend_of(const Trace& trace, const DotProduct& product, std::span<const Index> at) {
  ValueBlend blend;
  blend.weights = used_weights(trace, product.weights);
  const auto steps = trace.steps();
  for (int number = blend.weights + 1; number < std::ssize(steps); ++number) {
    const Step& step = steps[static_cast<std::size_t>(number)];
    const auto* sum = as<ContractOperation>(step.operation);
    if (sum == nullptr || step.inputs.size() != 2 || step.inputs[0] != blend.weights || sum->divisor != 1) continue;
    if (sum->a.size() != at.size() || sum->out.empty()) continue;
    const int query = sum->a[sum->a.size() - 2];
    const int key = sum->a.back();
    const auto of_values = [&](int label) { return !place_of(sum->a, label); };
    const auto dim = std::find_if(sum->b.begin(), sum->b.end(), of_values);
    if (dim == sum->b.end() || place_of(sum->out, key)) continue;
    const auto values = rows_along(step.inputs[1], *sum, sum->b, key, *dim, sum->a, at);
    const auto outputs = rows_along(number, *sum, sum->out, query, *dim, sum->a, at);
    if (!values || !outputs) continue;
    blend.values.rows = *values;
    blend.outputs = *outputs;
    return blend;
  }
  return std::nullopt;
}

/// The positions from 0 on, all of them or one alone.
std::vector<Index> all_or_one(Index count, Index most, Index one) {
  if (count > most) return {one};
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// All keys, or the chosen one and those with the largest weights.
std::vector<Index> drawn_keys(const DotNumbers& pair) {
  std::vector<Index> keys = all_or_one(pair.product.keys, pair.product.keys, 0);
  if (pair.product.keys <= kMaxKeys) return keys;
  const auto rank = [&](Index key) {
    const double weight = pair.weights[static_cast<std::size_t>(key)];
    return key == pair.key() ? INFINITY : std::isfinite(weight) ? weight : -1;
  };
  std::stable_sort(keys.begin(), keys.end(), [&](Index a, Index b) { return rank(a) > rank(b); });
  keys.resize(static_cast<std::size_t>(kMaxKeys));
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Numbers from which a plane is found: those of `rows` and one more set, if it is not null.
struct PlaneNumbers {
  std::vector<double> numbers;
  Index every = 1;
};

Result<void> add_numbers(const Trace& trace, const TensorRows& rows, PlaneNumbers& plane) {
  const std::vector<Index> which = spaced_rows(rows, kMaxPlaneNumbers);
  const std::vector<double> numbers = numbers_of(trace, rows, which);
  if (const auto text = not_finite_text(trace, rows, which, numbers)) return fail(*text);
  if (which.size() > 1) plane.every = std::max(plane.every, which[1]);
  plane.numbers.insert(plane.numbers.end(), numbers.begin(), numbers.end());
  return {};
}

Result<void> read_drawn(const Trace& trace, std::vector<Index> which, VectorSet& set) {
  set.drawn = std::move(which);
  set.numbers = numbers_of(trace, set.rows, set.drawn);
  if (const auto text = not_finite_text(trace, set.rows, set.drawn, set.numbers)) return fail(*text);
  return {};
}

void place_in(const VectorPlane& plane, VectorSet& set) {
  for (std::size_t i = 0; i < set.drawn.size(); ++i) set.places.push_back(plane.at(set.row(i)));
}

Result<void> read_blend(const Trace& trace, const DotNumbers& pair, ValueBlend& blend) {
  PlaneNumbers numbers;
  if (Result<void> read = add_numbers(trace, blend.values.rows, numbers); !read) return read;
  if (Result<void> read = read_drawn(trace, drawn_keys(pair), blend.values); !read) return read;
  blend.plane = vector_plane(numbers.numbers, blend.values.rows.dims);
  blend.every = numbers.every;
  place_in(blend.plane, blend.values);
  blend.used = row_numbers(trace, blend.weights, pair.at);
  const std::vector<Index> query = {pair.query()};
  blend.output = numbers_of(trace, blend.outputs, query);
  // A query without a key has no output.
  if (!std::ranges::all_of(blend.output, [](double each) { return std::isfinite(each); })) blend.output.clear();
  return {};
}

}  // namespace

std::span<const double> VectorSet::row(std::size_t which) const {
  const auto dims = static_cast<std::size_t>(rows.dims);
  return std::span(numbers).subspan(which * dims, dims);
}

std::optional<TensorRows> value_rows(const Trace& trace, const DotProduct& product, std::span<const Index> at) {
  const std::optional<ValueBlend> blend = blend_of(trace, product, at);
  return blend ? std::optional(blend->values.rows) : std::nullopt;
}

Result<HeadVectors> head_vectors(const Trace& trace, const DotProduct& product, const ViewOptions& options) {
  HeadVectors found;
  found.pair = dot_numbers(trace, product, options);
  const std::vector<Index>& at = found.pair.at;
  const ContractOperation& scores = *product.product;
  const int query = scores.out[scores.out.size() - 2];
  // A dot product is that of one query and one key: each factor has all other labels of the scores.
  found.queries.rows = *rows_along(product.q, scores, scores.a, query, product.dim, scores.out, at);
  found.keys.rows = *rows_along(product.k, scores, scores.b, scores.out.back(), product.dim, scores.out, at);
  PlaneNumbers numbers;
  for (const VectorSet* set : {&found.queries, &found.keys}) {
    if (const Result<void> read = add_numbers(trace, set->rows, numbers); !read) return fail(read.error().message);
  }
  if (const Result<void> read =
          read_drawn(trace, all_or_one(product.queries, kMaxQueries, found.pair.query()), found.queries);
      !read)
    return fail(read.error().message);
  if (const Result<void> read = read_drawn(trace, drawn_keys(found.pair), found.keys); !read)
    return fail(read.error().message);
  found.plane = vector_plane(numbers.numbers, product.dims);
  found.every = numbers.every;
  place_in(found.plane, found.queries);
  place_in(found.plane, found.keys);
  found.blend = blend_of(trace, product, at);
  if (!found.blend) return found;
  if (const Result<void> read = read_blend(trace, found.pair, *found.blend); !read) return fail(read.error().message);
  return found;
}

}  // namespace attnscope
