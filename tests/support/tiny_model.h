// A small GPT-2 in a folder, written by the tests themselves.
#pragma once

#include <bit>
#include <cstdint>
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

/// A number that F16 holds exactly, none or not below 2^−14, as its bits.
inline std::uint16_t half_bits(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  return static_cast<std::uint16_t>(number == 0 ? sign : sign | (((bits >> 13U) - ((127 - 15) << 10U)) & 0x7fffU));
}

/// Numbers that the type holds exactly, as in a file of F32, I32, F16 or BF16.
inline std::string number_bytes(const std::vector<float>& numbers, const std::string& type) {
  if (type != "F16" && type != "BF16") return float_bytes(numbers);
  std::string bytes;
  for (const float number : numbers)
    bytes += little(type == "F16" ? half_bits(number) : std::bit_cast<std::uint32_t>(number) >> 16U, 2);
  return bytes;
}

/// A file with these tensors of that type, multiples of 1 / 16 in turn.
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
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>((i * 7 + name.size()) % 11) / 16 - 0.25F;
    const std::string bytes = number_bytes(numbers, type);
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
