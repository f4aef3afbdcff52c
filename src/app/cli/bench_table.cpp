#include "app/cli/bench_table.h"

#include <array>

#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "core/kernels/isa/instruction_set.h"
#include "io/base/json_value.h"

namespace attnscope {

using nlohmann::ordered_json;

namespace {

std::string bench_notes(const BenchOptions& options) {
  if (!options.model.empty())
    return "model: from weights in memory, keeping every tensor.\n"
           "one more token: of a text that grows; its limit is at least the time to read the weights once.\n";
  if (options.breakdown)
    return "Each part by itself, from and to memory; a pass computes scores, weights and outputs a few rows at a "
           "time.\n"
           "Scores that a mask hides do not count: a pass leaves most of them until they are looked at. Memory limits "
           "what is too large for the caches.\n";
  std::string notes =
      "forward: stacked-multihead from existing inputs and weights, keeping every tensor.\n"
      "new seed, new tokens: worked-example, including its random numbers.\n";
  if (options.large)
    notes +=
        "sketch, tile, overview: first looks at weights too large for memory; next tile: of the same rows.\n"
        "Always on all processors.\n";
  return notes;
}

}  // namespace

Limit BenchRow::limit(const MachineLimits& limits) const {
  const std::array<Limit, 4> all = {{{flops / limits.flops, "multiply-adds"},
                                     {read / limits.read_bytes, "memory"},
                                     {copied / limits.copy_bytes, "memory"},
                                     {exponentials / limits.exponentials, "exponentials"}}};
  return *std::ranges::max_element(all, {}, &Limit::seconds);
}

std::string bench_json(const BenchOptions& options, const BenchResults& results) {
  const MachineLimits& limits = results.limits;
  ordered_json json = {{"instructions", kernels().name},
                       {"threads", options.threads},
                       {"limits",
                        {{"thread_gflops", limits.thread_flops / 1e9},
                         {"gflops", limits.flops / 1e9},
                         {"read_gb_per_s", limits.read_bytes / 1e9},
                         {"write_gb_per_s", limits.write_bytes / 1e9},
                         {"copy_gb_per_s", limits.copy_bytes / 1e9},
                         {"exponentials_g_per_s", limits.exponentials / 1e9}}}};
  json["rows"] = ordered_json::array();
  for (const BenchRow& row : results.rows) {
    ordered_json entry = {{"work", row.work}};
    entry.update(row.sizes);
    const Limit limit = row.limit(limits);
    entry["limit_ms"] = limit.seconds * 1e3;
    entry["limited_by"] = limit.by;
    entry["best_ms"] = row.timing.best * 1e3;
    entry["median_ms"] = row.timing.median * 1e3;
    entry["runs"] = row.timing.runs;
    entry["gflops"] = row.flops / row.timing.best / 1e9;
    entry["share"] = limit.seconds / row.timing.best;
    json["rows"].push_back(std::move(entry));
  }
  json["skipped"] = results.skipped;
  return pretty_json(json) + "\n";
}

std::string bench_text(const BenchOptions& options, const BenchResults& results) {
  const MachineLimits& limits = results.limits;
  const auto billions = [](double per_second, const char* unit) { return number_text(per_second / 1e9) + " " + unit; };
  const auto milliseconds = [](double seconds) { return number_text(seconds * 1e3, 3); };
  std::vector<std::vector<std::string>> machine = {
      {"multiply-adds, one thread", billions(limits.thread_flops, "GFLOP/s")},
      {"multiply-adds, all threads", billions(limits.flops, "GFLOP/s")},
      {"reading from memory", billions(limits.read_bytes, "GB/s")},
      {"writing to memory", billions(limits.write_bytes, "GB/s")},
      {"copying in memory", billions(limits.copy_bytes, "GB/s, read and written")},
      {"exponentials, all threads", billions(limits.exponentials, "billion/s")}};
  const std::vector<std::string> sizes = options.model.empty()
                                             ? std::vector<std::string>{"tokens", "width", "heads", "mask"}
                                             : std::vector<std::string>{"tokens"};
  std::vector<std::vector<std::string>> rows = {{"work"}};
  rows[0].insert(rows[0].end(), sizes.begin(), sizes.end());
  for (const char* const title : {"limit ms", "best ms", "median ms", "GFLOP/s", "of limit"}) rows[0].push_back(title);
  if (options.breakdown) rows[0].emplace_back("limited by");
  for (const BenchRow& row : results.rows) {
    const Limit limit = row.limit(limits);
    std::vector<std::string>& cells = rows.emplace_back(1, row.work);
    for (const std::string& size : sizes)
      cells.push_back(row.sizes[size].is_string() ? row.sizes[size].get<std::string>() : row.sizes[size].dump());
    for (const double seconds : {limit.seconds, row.timing.best, row.timing.median})
      cells.push_back(milliseconds(seconds));
    cells.push_back(number_text(row.flops / row.timing.best / 1e9, 3));
    cells.push_back(fixed_text(limit.seconds / row.timing.best * 100, 1) + " %");
    if (options.breakdown) cells.push_back(limit.by);
  }
  return "Limits of this machine: " + std::string(kernels().name) + ", threads: " + std::to_string(options.threads) +
         "\n" + table_text(machine) + "\nWhat attnscope achieves\n" + table_text(rows) +
         (options.breakdown
              ? "\n"
              : "\nThe limit is the time all threads need for the matrix products alone, masked scores included.\n") +
         bench_notes(options);
}

}  // namespace attnscope
