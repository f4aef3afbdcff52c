#include "io/models/model_config.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/models/config_reader.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr JsonLimits kLimits = {16, 200'000};

std::optional<ConfigValue> list_value(const json& list) {
  const auto all = [&](auto is_kind) {
    return !list.empty() && std::all_of(list.begin(), list.end(), [&](const json& each) { return is_kind(each); });
  };
  if (all([](const json& each) { return each.is_number(); })) return list.get<std::vector<double>>();
  if (all([](const json& each) { return each.is_string(); })) return list.get<std::vector<std::string>>();
  return std::nullopt;
}

std::optional<ConfigValue> plain_value(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return value.is_array() ? list_value(value) : std::nullopt;
}

Result<void> flatten(const json& object, const std::string& prefix, ModelConfig& config) {
  for (const auto& [key, value] : object.items()) {
    std::string name = prefix + key;
    if (value.is_object()) {
      if (Result<void> inside = flatten(value, name + ".", config); !inside) return inside;
      continue;
    }
    std::optional<ConfigValue> plain = plain_value(value);
    if (!plain) continue;
    if (!config.emplace(name, std::move(*plain)).second)
      return fail(printable(name) + ": appears twice, once as a field of an object; allowed: once");
  }
  return {};
}

}  // namespace

Result<ModelConfig> parse_model_config(std::string_view text) {
  if (text.empty()) return fail("the file is empty; allowed: the configuration of a model");
  if (const std::string what = stand_in(text); !what.empty()) return fail("this is " + what);
  const Result<json> document = parse_json(text, kLimits);
  if (!document) return tl::unexpected(document.error());
  if (!document->is_object()) return fail("the file holds " + json_excerpt(*document) + "; allowed: an object");
  ModelConfig config;
  if (const Result<void> flat = flatten(*document, "", config); !flat) return tl::unexpected(flat.error());
  return config;
}

Result<ModelConfig> read_model_config(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file, kMaxConfigBytes);
  if (!text) return tl::unexpected(text.error());
  Result<ModelConfig> config = parse_model_config(*text);
  if (!config) return fail(path_text(file) + ": " + config.error().message);
  return config;
}

namespace {

/// What the family takes where its file does not say it. Source: the configurations of the transformers library.
std::optional<Index> usual_decoder_start(const ModelConfig& config) {
  const auto type = config.find("model_type");
  const std::string* const family = type == config.end() ? nullptr : std::get_if<std::string>(&type->second);
  if (family == nullptr) return std::nullopt;
  if (*family == "bart") return 2;
  if (*family == "marian") return 58'100;
  if (*family == "t5") return 0;
  return std::nullopt;
}

}  // namespace

Result<Index> decoder_start_id(const ModelConfig& config) {
  constexpr const char* kField = "decoder_start_token_id";
  constexpr int kMaxId = std::numeric_limits<int>::max();
  const std::string allowed = "; allowed: 0 to " + std::to_string(kMaxId);
  const auto found = config.find(kField);
  if (found == config.end()) {
    if (const std::optional<Index> usual = usual_decoder_start(config)) return *usual;
    return fail(std::string(kField) + " is missing" + allowed);
  }
  const double* const id = std::get_if<double>(&found->second);
  if (id == nullptr || !(*id >= 0 && *id <= kMaxId) || std::floor(*id) != *id)
    return fail(std::string(kField) + ": " + shown_value(found->second) + " is not allowed" + allowed);
  return static_cast<Index>(*id);
}

}  // namespace attnscope
