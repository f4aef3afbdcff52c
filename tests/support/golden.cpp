#include "support/golden.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace attnscope::test {

static_assert(std::endian::native == std::endian::little, "the files are little-endian and read as they are");

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

Tensor read_tensor(const nlohmann::json& entry, std::string_view data, const std::string& axes) {
  if (entry.at("dtype") != "F32") throw std::runtime_error("not float32");
  const auto shape = entry.at("shape").get<std::vector<Index>>();
  std::vector<std::string> names = split(axes, ',');
  if (names.empty()) names.resize(shape.size());
  if (names.size() != shape.size()) throw std::runtime_error("not as many names as axes");
  Axes named;
  for (std::size_t i = 0; i < shape.size(); ++i) named.push_back({std::move(names[i]), shape[i]});

  const auto [begin, end] = entry.at("data_offsets").get<std::pair<std::size_t, std::size_t>>();
  const Index count = element_count(named);
  if (begin > end || end > data.size() || static_cast<Index>((end - begin) / sizeof(float)) != count) {
    throw std::runtime_error("offsets do not fit");
  }
  Tensor tensor(std::move(named));
  if (end > begin) std::memcpy(tensor.values().data(), data.data() + begin, end - begin);
  return tensor;
}

Golden parse(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) throw std::runtime_error("too short");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  bytes.remove_prefix(kLengthBytes);
  if (length > bytes.size()) throw std::runtime_error("header longer than the file");
  const nlohmann::json header = nlohmann::json::parse(bytes.substr(0, length));
  bytes.remove_prefix(length);

  Golden golden;
  if (header.contains("__metadata__")) header.at("__metadata__").get_to(golden.metadata);
  if (golden.metadata.contains("experiment")) {
    golden.experiment = nlohmann::json::parse(golden.metadata.at("experiment"));
  }
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto axes = golden.metadata.find("axes:" + name);
    golden.tensors[name] = read_tensor(entry, bytes, axes == golden.metadata.end() ? "" : axes->second);
  }
  return golden;
}

}  // namespace

const Tensor& Golden::at(const std::string& name) const {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw std::runtime_error("no golden tensor " + name);
  return found->second;
}

double Golden::tolerance(const std::string& name) const {
  constexpr double asked_for = 1e-5;
  // Two float32 computations may each be off by a few times what the recorded one is.
  constexpr double slack = 4.0;
  const auto rounding = metadata.find("rounding:" + name);
  return rounding == metadata.end() ? asked_for : std::max(asked_for, slack * std::stod(rounding->second));
}

Golden read_golden(const std::string& path) {
  try {
    return parse(read_bytes(path));
  } catch (const std::exception& trouble) {
    throw std::runtime_error(path + ": " + trouble.what());
  }
}

std::string golden_path(std::string_view file) { return ATTNSCOPE_SOURCE_DIR "/tests/golden/" + std::string(file); }

double largest_difference(std::span<const float> actual, std::span<const float> expected) {
  if (actual.size() != expected.size()) return kInfinity;
  double difference = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double a = actual[i];
    const double b = expected[i];
    if (std::isfinite(b)) scale = std::max(scale, std::abs(b));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    difference = std::isfinite(a) && std::isfinite(b) ? std::max(difference, std::abs(a - b)) : kInfinity;
    if (difference == kInfinity) return kInfinity;
  }
  return difference / (scale > 0.0 ? scale : 1.0);
}

double largest_difference(const Tensor& actual, const Tensor& expected) {
  const auto same_size = [](const Axis& a, const Axis& b) { return a.size == b.size; };
  if (!std::ranges::equal(actual.axes(), expected.axes(), same_size)) return kInfinity;
  return largest_difference(actual.values(), expected.values());
}

}  // namespace attnscope::test
