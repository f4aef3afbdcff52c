// Models that are not from a folder: a configuration, and tensors made up for it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/model.h"

namespace attnscope::fuzz {

/// Tensors of any shape; each number follows from its place.
class MadeWeights final : public ImportedTensors {
 public:
  explicit MadeWeights(std::vector<ImportedTensor> tensors) : tensors_(std::move(tensors)) {}

  [[nodiscard]] const std::string& file() const override { return file_; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override { return tensors_; }
  Result<void> read(std::size_t which, std::span<const Index> begin, std::span<const Index> /*end*/,
                    std::span<float> out, const StopToken& /*stop*/) const override {
    std::size_t at = which;
    for (const Index each : begin) at = at * 31 + static_cast<std::size_t>(each);
    for (float& number : out) number = static_cast<float>(at++ * 7 % 11) / 8 - 0.5F;
    return {};
  }
  [[nodiscard]] std::string python_reading(std::span<const std::string> /*names*/) const override { return {}; }

 private:
  std::string file_ = "made.safetensors";
  std::vector<ImportedTensor> tensors_;
};

class MadeModel final : public Model {
 public:
  MadeModel(ModelConfig config, std::vector<ImportedTensor> tensors)
      : config_(std::move(config)), weights_(std::make_shared<MadeWeights>(std::move(tensors))) {}

  [[nodiscard]] const std::string& folder() const override { return name_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ModelConfig& config() const override { return config_; }
  [[nodiscard]] const std::shared_ptr<const ImportedTensors>& weights() const override { return weights_; }
  [[nodiscard]] bool has_tokenizer() const override { return false; }
  [[nodiscard]] Result<ModelText> tokens(std::string_view /*text*/, const std::optional<std::string>& /*second*/,
                                         bool /*for_decoder*/) const override {
    return fail("no tokenizer");
  }
  [[nodiscard]] std::string token_text(Index id) const override { return "#" + std::to_string(id); }

 private:
  std::string name_ = "made";
  ModelConfig config_;
  std::shared_ptr<const ImportedTensors> weights_;
};

}  // namespace attnscope::fuzz
