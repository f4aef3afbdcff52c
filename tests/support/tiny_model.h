// A small GPT-2 in a folder, written by the tests themselves.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {

using Shapes = std::map<std::string, std::vector<int>>;

inline const std::string kTinyConfig =
    R"({"model_type": "gpt2", "vocab_size": 7, "n_positions": 5, "n_embd": 4, "n_layer": 1, "n_head": 2})";

inline Shapes tiny_shapes() {
  return {{"wte.weight", {7, 4}},
          {"wpe.weight", {5, 4}},
          {"ln_f.weight", {4}},
          {"ln_f.bias", {4}},
          {"h.0.ln_1.weight", {4}},
          {"h.0.ln_1.bias", {4}},
          {"h.0.ln_2.weight", {4}},
          {"h.0.ln_2.bias", {4}},
          {"h.0.attn.c_attn.weight", {4, 12}},
          {"h.0.attn.c_attn.bias", {12}},
          {"h.0.attn.c_proj.weight", {4, 4}},
          {"h.0.attn.c_proj.bias", {4}},
          {"h.0.mlp.c_fc.weight", {4, 16}},
          {"h.0.mlp.c_fc.bias", {16}},
          {"h.0.mlp.c_proj.weight", {16, 4}},
          {"h.0.mlp.c_proj.bias", {4}}};
}

/// A file with these tensors of F32 or I32, all numbers 1 / 1,024 or so in turn.
inline std::string weights_file(const Shapes& shapes, const std::string& type = "F32") {
  std::string header = "{";
  std::string data;
  for (const auto& [name, shape] : shapes) {
    std::size_t count = 1;
    std::string sizes;
    for (const int size : shape) {
      count *= static_cast<std::size_t>(size);
      sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    }
    std::vector<float> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>((i * 7 + data.size()) % 11) / 16 - 0.25F;
    const std::string bytes = float_bytes(numbers);
    header += (header.size() > 1 ? "," : "") + ("\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[") + sizes +
              "],\"data_offsets\":[" + std::to_string(data.size()) + "," + std::to_string(data.size() + bytes.size()) +
              "]}";
    data += bytes;
  }
  return safetensors_bytes(header + "}", data);
}

/// Writes the model into `folder`.
inline void write_tiny_model(const TemporaryFolder& folder) {
  folder.file("config.json", kTinyConfig);
  folder.file("model.safetensors", weights_file(tiny_shapes()));
}

/// The message with DIR in place of the folder.
inline std::string without_folder(std::string message, const std::filesystem::path& folder) {
  for (std::size_t at = message.find(folder.string()); at != std::string::npos; at = message.find(folder.string()))
    message.replace(at, folder.string().size(), "DIR");
  return message;
}

}  // namespace attnscope::test
