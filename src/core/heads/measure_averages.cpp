#include "core/heads/measure_averages.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

// Source: Welford 1962, Note on a Method for Calculating Corrected Sums of Squares and Products.
void AverageSum::add(const MeasureRow& row) {
  sums_.resize(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!row[i] || !std::isfinite(*row[i])) continue;
    const double value = *row[i];
    auto& [average, squares] = sums_[i];
    const bool is_first = average.count++ == 0;
    const double difference = is_first ? 0 : value - average.mean;
    average.mean = is_first ? value : average.mean + difference / static_cast<double>(average.count);
    squares += difference * (value - average.mean);
    average.smallest = is_first ? value : std::min(average.smallest, value);
    average.largest = is_first ? value : std::max(average.largest, value);
  }
}

MeasureAverages AverageSum::averages() const {
  MeasureAverages averages;
  for (const Sum& sum : sums_) {
    MeasureAverage& average = averages.emplace_back(sum.average);
    if (average.count > 1) average.spread = std::sqrt(sum.squares / static_cast<double>(average.count - 1));
  }
  return averages;
}

MeasureRow row_of(const MeasureAverages& averages, double MeasureAverage::*number) {
  MeasureRow row;
  for (const MeasureAverage& each : averages)
    row.push_back(std::isnan(each.*number) ? std::nullopt : std::optional(each.*number));
  return row;
}

}  // namespace attnscope
