// Trace files, read back by readers that share no code with the writers, and by numpy if it is installed.

#include "io/traces/trace_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "core/operations/draw.h"
#include "core/trace/run.h"
#include "io/experiments/experiment_file.h"
#include "io/traces/trace_formats.h"
#include "support/floats.h"
#include "support/golden.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

using TracePointer = std::shared_ptr<const Trace>;

TracePointer worked_example(const char* setting = "seed=7") {
  Experiment e = *default_experiment("worked-example");
  EXPECT_TRUE(apply_setting(e, setting));
  return *run(e);
}

/// Ranks 0, 1 and 3, no elements at all, and numbers that are hard to write.
TracePointer odd_trace() {
  auto plan = std::make_shared<Plan>();
  std::vector<StepResult> results;
  const auto add = [&](const std::string& name, const Axes& axes, const std::vector<float>& values) {
    auto tensor = std::make_shared<Tensor>(axes);
    std::copy(values.begin(), values.end(), tensor->values().begin());
    plan->steps.push_back({name, DrawOperation{}, {}, axes});
    results.push_back({std::move(tensor)});
  };
  add("scalar", {}, {0.1F});
  add("numbers", {{"head·dim", 8}},
      {std::nanf(""), kInfinity, -kInfinity, -0.0F, 1e-45F, 3.4028235e38F, 16777216, -9e15F});
  add("empty", {{"a", 2}, {"b", 0}, {"c", 3}}, {});
  add("none", {{"a", 0}}, {});
  add("cube", {{"a", 2}, {"b", 1}, {"c", 2}}, {1, 2, 3, 4});
  Experiment e = *default_experiment("worked-example");
  e.labels = {"\"q\"", "é\n"};
  return std::make_shared<const Trace>(std::move(e), std::move(plan), std::move(results), 0);
}

std::uint64_t number_at(const std::string& bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

std::vector<float> floats_of(std::string_view bytes) {
  std::vector<float> values;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    values.push_back(
        std::bit_cast<float>(static_cast<std::uint32_t>(number_at(std::string(bytes.substr(at, 4)), 0, 4))));
  }
  return values;
}

/// The same bits: NaN equals NaN, and −0 differs from 0.
void expect_same_bits(std::span<const float> actual, std::span<const float> expected, const std::string& name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  const bool same = actual.empty() || std::memcmp(actual.data(), expected.data(), actual.size_bytes()) == 0;
  EXPECT_TRUE(same) << name;
}

std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

/// The members of an archive of stored files; checks what the headers say about each.
std::map<std::string, std::string> zip_members(const std::string& zip) {
  std::map<std::string, std::string> members;
  const std::size_t end = zip.size() - 22;
  EXPECT_EQ(number_at(zip, end, 4), 0x06054b50U);
  std::size_t at = number_at(zip, end + 16, 4);
  EXPECT_EQ(at + number_at(zip, end + 12, 4), end);
  for (std::uint64_t left = number_at(zip, end + 10, 2); left > 0; --left) {
    EXPECT_EQ(number_at(zip, at, 4), 0x02014b50U);
    const std::size_t name_size = number_at(zip, at + 28, 2);
    const std::size_t size = number_at(zip, at + 24, 4);
    const std::size_t local = number_at(zip, at + 42, 4);
    const std::string name = zip.substr(at + 46, name_size);
    EXPECT_EQ(number_at(zip, local, 4), 0x04034b50U);
    EXPECT_EQ(zip.substr(local + 4, 26), zip.substr(at + 6, 26)) << name;
    EXPECT_EQ(zip.substr(local + 30, name_size), name);
    const std::string bytes = zip.substr(local + 30 + name_size, size);
    EXPECT_EQ(crc_of(bytes), number_at(zip, at + 16, 4)) << name;
    EXPECT_TRUE(members.emplace(name, bytes).second);
    at += 46 + name_size;
  }
  EXPECT_EQ(at, end);
  return members;
}

std::string write(const Trace& trace, const fs::path& path) {
  const Result<void> written = write_trace(trace, path);
  EXPECT_TRUE(written) << written.error().message;
  return bytes_of(path);
}

TEST(TraceFile, SafetensorsHoldEveryTensorBitForBit) {
  const TemporaryFolder folder;
  for (const TracePointer& trace : {worked_example(), odd_trace()}) {
    const std::string bytes = write(*trace, folder / "t.safetensors");
    const std::size_t length = number_at(bytes, 0, 8);
    EXPECT_EQ(length % 8, 0U);
    const auto header = nlohmann::json::parse(bytes.substr(8, length));
    const auto& metadata = header["__metadata__"];
    EXPECT_EQ(metadata["format"], "attnscope-trace/1");
    EXPECT_EQ(*parse_experiment(metadata["experiment"].get<std::string>(), ""), trace->experiment());
    std::size_t offset = 0;
    for (const Step& step : trace->steps()) {
      const auto& entry = header[step.name];
      EXPECT_EQ(entry["dtype"], "F32");
      EXPECT_EQ(entry["data_offsets"][0], offset);
      offset = entry["data_offsets"][1];
      const std::size_t begin = entry["data_offsets"][0];
      expect_same_bits(floats_of(std::string_view(bytes).substr(8 + length + begin, offset - begin)),
                       step.tensor->values(), step.name);
      EXPECT_EQ(entry["shape"].size(), step.axes.size());
    }
    EXPECT_EQ(8 + length + offset, bytes.size());
  }
  write(*worked_example(), folder / "t.safetensors");
  const Golden golden = read_golden((folder / "t.safetensors").string());
  EXPECT_EQ(golden.at("scores").axes(), (Axes{{"head", 4}, {"query", 6}, {"key", 6}}));
  EXPECT_EQ(golden.metadata.at("axes:merged"), "token,head·dim");
}

TEST(TraceFile, NpzHoldsEveryTensorBitForBit) {
  const TemporaryFolder folder;
  for (const TracePointer& trace : {worked_example("mask=causal"), odd_trace()}) {
    const auto members = zip_members(write(*trace, folder / "t.npz"));
    EXPECT_EQ(members.size(), trace->steps().size() + 1);
    for (const Step& step : trace->steps()) {
      const std::string& npy = members.at(step.name + ".npy");
      ASSERT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
      const std::size_t data = 10 + number_at(npy, 8, 2);
      EXPECT_EQ(data % 64, 0U);
      EXPECT_EQ(npy[data - 1], '\n');
      expect_same_bits(floats_of(std::string_view(npy).substr(data)), step.tensor->values(), step.name);
    }
    EXPECT_NE(members.at("__metadata__.npy").find("'descr': '<U"), std::string::npos);
  }
}

TEST(TraceFile, JsonHoldsEveryNumber) {
  const TemporaryFolder folder;
  const TracePointer trace = odd_trace();
  const auto json = nlohmann::json::parse(write(*trace, folder / "t.json"));
  EXPECT_EQ(json["format"], "attnscope-trace/1");
  EXPECT_EQ(*parse_experiment(json["experiment"].dump(), ""), trace->experiment());
  const auto& tensors = json["tensors"];
  EXPECT_EQ(tensors["scalar"]["values"].get<float>(), 0.1F);
  EXPECT_EQ(tensors["numbers"]["axes"][0], "head·dim");
  const auto& numbers = tensors["numbers"]["values"];
  EXPECT_EQ(numbers[0], "NaN");
  EXPECT_EQ(numbers[1], "Infinity");
  EXPECT_EQ(numbers[2], "-Infinity");
  EXPECT_EQ(numbers[4].get<float>(), 1e-45F);
  EXPECT_EQ(numbers[5].get<float>(), 3.4028235e38F);
  EXPECT_EQ(numbers[7].get<float>(), -9e15F);
  EXPECT_EQ(tensors["empty"]["values"], nlohmann::json::parse("[[], []]"));
  EXPECT_EQ(tensors["empty"]["shape"], nlohmann::json::parse("[2, 0, 3]"));
  EXPECT_EQ(tensors["none"]["values"], nlohmann::json::array());
  EXPECT_EQ(tensors["cube"]["values"], nlohmann::json::parse("[[[1, 2]], [[3, 4]]]"));

  const TracePointer whole = worked_example();
  const auto all = nlohmann::json::parse(write(*whole, folder / "w.json"));
  for (const Step& step : whole->steps()) {
    std::vector<float> flat;
    const nlohmann::json values = all["tensors"][step.name]["values"].flatten();
    for (const auto& [path, number] : values.items()) flat.push_back(number.get<float>());
    std::vector<float> expected(step.tensor->values().begin(), step.tensor->values().end());
    // flatten() puts [10] before [2].
    std::sort(flat.begin(), flat.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(flat, expected) << step.name;
  }
}

TEST(TraceFile, EqualTracesMakeEqualFiles) {
  const TemporaryFolder folder;
  for (const char* extension : {".safetensors", ".npz", ".json"}) {
    EXPECT_EQ(write(*worked_example(), folder / ("a" + std::string(extension))),
              write(*worked_example(), folder / ("b" + std::string(extension))));
  }
}

TEST(TraceFile, RefusesOtherExtensions) {
  const TemporaryFolder folder;
  for (const char* name : {"t.txt", "t", "t.npz.gz", ".npz"}) {
    const Result<void> written = write_trace(*odd_trace(), folder / name);
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().kind, Error::Kind::usage);
    EXPECT_NE(written.error().message.find("allowed: .safetensors, .npz or .json"), std::string::npos);
  }
  EXPECT_EQ(folder.size(), 0);
  EXPECT_TRUE(write_trace(*odd_trace(), folder / "t.NPZ")) << "capitals are the same extension";
}

TEST(TraceFile, TroubleLeavesTheOldFile) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "t.npz");
  EXPECT_EQ(write_trace(*odd_trace(), folder / "t.npz").error().message,
            (folder / "t.npz").string() + ": is a folder, not a file");
  EXPECT_FALSE(write_trace(*odd_trace(), folder / "none" / "t.npz"));
  EXPECT_EQ(folder.size(), 1);
}

TEST(TraceFile, StoppedLeavesWhatWasThere) {
  const TemporaryFolder folder;
  StopSource stop;
  stop.request_stop();
  for (const char* name : {"t.safetensors", "t.npz", "t.json"}) {
    const auto path = folder.file(name, "old");
    const Result<void> written = write_trace(*odd_trace(), path, {}, TraceNames::own, stop.token());
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(written.error().message, path.string() + ": stopped before it was done");
    EXPECT_EQ(bytes_of(path), "old");
  }
  EXPECT_EQ(folder.size(), 3);
}

constexpr const char* kLoad = R"(
import json, sys, numpy as np
z, j = np.load(sys.argv[1] + '.npz'), json.load(open(sys.argv[1] + '.json'))
meta = json.loads(str(z['__metadata__']))
raw = open(sys.argv[1] + '.safetensors', 'rb').read()
n = int.from_bytes(raw[:8], 'little')
head = json.loads(raw[8:8 + n])
assert head.pop('__metadata__') == meta and meta['format'] == 'attnscope-trace/1'
assert json.loads(meta['experiment']) == j['experiment']
assert set(z.files) == set(head) | {'__metadata__'} == set(j['tensors']) | {'__metadata__'}
for name, h in head.items():
    a, b = h['data_offsets']
    x = np.frombuffer(raw[8 + n + a:8 + n + b], '<f4').reshape(h['shape'])
    y, t = z[name], j['tensors'][name]
    assert y.dtype == np.float32 and y.shape == x.shape and y.flags.c_contiguous, name
    assert x.tobytes() == y.tobytes(), name
    v = np.array(t['values'], dtype=np.float32).reshape(t['shape'])
    assert v.shape == x.shape and v.tobytes() == x.tobytes(), name
    assert ','.join(t['axes']) == meta['axes:' + name], name
)";

TEST(TraceFile, NumpyReadsTheSameFromAllFormats) {
  if (shell("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no numpy";
  const TemporaryFolder folder;
  const fs::path script = folder.file("load.py", kLoad);
  for (const TracePointer& trace :
       {odd_trace(), worked_example(), worked_example("mask=causal"), worked_example("dropout=0.5")}) {
    for (const char* extension : {"t.safetensors", "t.npz", "t.json"}) write(*trace, folder / extension);
    EXPECT_EQ(shell("/usr/bin/python3 " + script.string() + " " + (folder / "t").string()), 0);
  }
}

}  // namespace
}  // namespace attnscope::test
