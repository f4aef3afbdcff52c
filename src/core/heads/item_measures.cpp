#include "core/heads/item_measures.h"

#include <utility>

#include "core/heads/measure_averages.h"

namespace attnscope {
namespace {

void add_to(std::vector<double>& sum, const std::vector<double>& row, double share) {
  sum.resize(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) sum[i] += share * row[i];
}

void add_to(std::vector<std::vector<double>>& sum, const std::vector<std::vector<double>>& rows, double share) {
  sum.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) add_to(sum[i], rows[i], share);
}

/// The items measured so far.
class ItemSums {
 public:
  explicit ItemSums(Index items) : share_(1 / static_cast<double>(items)) { sums_.items = items; }

  void add(HeadMeasures measured) {
    heads_.resize(measured.heads.size());
    for (std::size_t head = 0; head < heads_.size(); ++head) heads_[head].add(measured.heads[head]);
    uniform_.add(measured.uniform);
    HeadMeasures& mean = sums_.mean;
    add_to(mean.received, measured.received, share_);
    add_to(mean.uniform_received, measured.uniform_received, share_);
    add_to(mean.distances, measured.distances, share_);
    mean.left_out += measured.left_out;
    if (!mean.tensor.empty()) {
      if (mean.mask != measured.mask) mean.mask = "masks that differ between the batch items";
      return;
    }
    mean.tensor = std::move(measured.tensor);
    mean.queries = measured.queries;
    mean.keys = measured.keys;
    mean.mask = std::move(measured.mask);
    // Weight matrices have no batch.
    mean.compositions = std::move(measured.compositions);
  }

  ItemMeasures all() {
    for (const AverageSum& head : heads_) {
      const MeasureAverages averages = head.averages();
      sums_.mean.heads.push_back(row_of(averages, &MeasureAverage::mean));
      sums_.spread.push_back(row_of(averages, &MeasureAverage::spread));
    }
    sums_.mean.uniform = row_of(uniform_.averages(), &MeasureAverage::mean);
    sums_.uniform_spread = row_of(uniform_.averages(), &MeasureAverage::spread);
    return std::move(sums_);
  }

 private:
  double share_;
  ItemMeasures sums_;
  std::vector<AverageSum> heads_;
  AverageSum uniform_;
};

}  // namespace

std::optional<ItemMeasures> measure_items(const Trace& trace, int position, const Measuring& measuring) {
  const Axis* const batch = find_axis(trace.step(position).axes, "batch");
  const Index items = batch != nullptr ? batch->size : 1;
  ItemSums sums(items);
  Measuring each = measuring;
  each.rollout = false;
  for (each.item = 0; each.item < items; ++each.item) {
    std::optional<HeadMeasures> measured = measure_heads(trace, position, each);
    if (!measured) return std::nullopt;
    sums.add(std::move(*measured));
  }
  return sums.all();
}

}  // namespace attnscope
