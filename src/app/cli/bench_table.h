// What `attnscope bench` measured, as a table and as JSON.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "core/studies/benchmark.h"

namespace attnscope {

struct BenchOptions {
  bool json = false;
  bool large = false;
  bool breakdown = false;
  Index threads = std::max(1U, std::thread::hardware_concurrency());
  double seconds = 0.5;
  std::vector<std::string> sizes = {"256,256,4", "512,512,8", "1024,768,12", "2048,768,12", "4096,1024,16"};
  std::vector<std::string> masks = {"none", "causal"};
  std::string model;
  std::vector<Index> lengths = {64, 512, 1024};
};

/// A time below which work cannot be done, in seconds, and what takes it.
struct Limit {
  double seconds = 0;
  std::string by;
};

/// One line of the table.
struct BenchRow {
  std::string work;
  nlohmann::ordered_json sizes;  ///< what the work was done on, by name
  double flops = 0;              ///< of matrix products
  Timing timing;
  double read = 0;    ///< bytes that have to be read from memory, where that is the limit
  double copied = 0;  ///< the same of those that are read and written
  double exponentials = 0;

  /// The largest of the limits that apply.
  [[nodiscard]] Limit limit(const MachineLimits& limits) const;
};

struct BenchResults {
  MachineLimits limits;
  std::vector<BenchRow> rows;
  std::vector<std::string> skipped;  ///< why
};

std::string bench_json(const BenchOptions& options, const BenchResults& results);
std::string bench_text(const BenchOptions& options, const BenchResults& results);

}  // namespace attnscope
