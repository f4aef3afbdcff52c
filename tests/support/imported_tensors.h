// Tensors as a user may have them, without a file.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/base/python_text.h"
#include "core/base/stop.h"
#include "core/experiment/imported_tensors.h"

namespace attnscope::test {

/// Tensors in memory whose numbers are made by a formula: the place in C order, scaled.
class MadeTensors final : public ImportedTensors {
 public:
  struct Made {
    std::string name;
    std::vector<Index> shape;
  };

  explicit MadeTensors(const std::vector<Made>& made, std::string file = "made.npz") : file_(std::move(file)) {
    for (const Made& each : made) tensors_.push_back({each.name, each.shape, ""});
  }

  [[nodiscard]] const std::string& file() const override { return file_; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override { return tensors_; }
  [[nodiscard]] std::string model_config() const override { return config; }
  [[nodiscard]] std::span<const ImportedLabels> labels() const override { return texts; }
  Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> end, std::span<float> out,
                    const StopToken& /*stop*/) const override {
    if (too_large) throw std::bad_alloc();
    if (broken) return fail(file_ + ": the file has changed");
    numbers_read += std::ssize(out);
    const std::vector<Index>& shape = tensors_[which].shape;
    std::vector<Index> index(begin.begin(), begin.end());
    for (float& number : out) {
      number = value(which, index);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++index[axis] < end[axis]) break;
        index[axis] = begin[axis];
      }
    }
    return {};
  }
  [[nodiscard]] std::string python_reading(std::span<const std::string> /*names*/) const override {
    return "given = read(" + python_path(file_) + ")";
  }
  [[nodiscard]] float value(std::size_t which, const std::vector<Index>& index) const {
    Index offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset = offset * tensors_[which].shape[axis] + index[axis];
    if (const auto other = instead.find({which, offset}); other != instead.end()) return other->second;
    return static_cast<float>(static_cast<double>((offset * 37 + static_cast<Index>(which) * 11 + shift) % 101) / 50 -
                              1);
  }

  bool broken = false;
  bool too_large = false;                                  ///< reading has not enough memory
  Index shift = 0;                                         ///< other numbers with another shift
  std::string config;                                      ///< beside the file
  std::vector<ImportedLabels> texts;                       ///< in the file
  std::map<std::pair<std::size_t, Index>, float> instead;  ///< numbers that no formula makes, by tensor and place
  mutable std::atomic<Index> numbers_read = 0;

 private:
  std::string file_;
  std::vector<ImportedTensor> tensors_;
};

inline std::shared_ptr<MadeTensors> made(const std::vector<MadeTensors::Made>& tensors,
                                         const std::string& file = "made.npz") {
  return std::make_shared<MadeTensors>(tensors, file);
}

}  // namespace attnscope::test
