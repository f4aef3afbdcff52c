// Reference data made by tests/golden/make_golden.py, for tests.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/base/tensor.h"

namespace attnscope::test {

/// One file of tests/golden.
struct Golden {
  /// What was computed, in the experiment format; null in files that are not about an experiment.
  nlohmann::json experiment;
  /// Every tensor, by name. Axes are named where the file names them, and have empty names elsewhere.
  std::map<std::string, Tensor> tensors;
  /// The file's metadata as it stands: "axes:NAME", "rounding:NAME", "draws:NAME", ….
  std::map<std::string, std::string> metadata;

  /// The tensor `name`; throws std::runtime_error when there is none.
  [[nodiscard]] const Tensor& at(const std::string& name) const;

  /// How far from tensor `name` (as `largest_difference` measures) another float32 computation may be: 1e-5, or more
  /// where float32 itself does not reach that, see "rounding" in make_golden.py.
  [[nodiscard]] double tolerance(const std::string& name) const;
};

/// Reads a .safetensors file whose tensors are all float32. Throws std::runtime_error, naming file and trouble.
Golden read_golden(const std::string& path);

/// The path of `file` ("worked-example/01.safetensors") in tests/golden.
std::string golden_path(std::string_view file);

/// The largest |actual − expected| in units of the largest finite magnitude in `expected` (absolute when that is 0).
/// NaN equals NaN, and an infinity equals itself; anything else that is not finite, and a different number of elements,
/// is an infinite difference. 0 for two empty ranges.
double largest_difference(std::span<const float> actual, std::span<const float> expected);

/// The same for tensors; different sizes of the axes are an infinite difference. Names of axes are not compared.
double largest_difference(const Tensor& actual, const Tensor& expected);

}  // namespace attnscope::test
