#include "io/experiments/model_json.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "io/base/json_value.h"
#include "io/base/path_json.h"
#include "io/models/model_file.h"
#include "io/models/model_texts.h"

namespace attnscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

tl::unexpected<Error> wrong_member(const std::string& field, const json& value, const std::string& allowed) {
  return fail(field + ": " + json_excerpt(value) + " is not allowed; allowed: " + allowed);
}

Result<std::vector<Index>> ids_from_json(const std::string& field, const json& list) {
  if (!list.is_array()) return wrong_member(field, list, "a list of token ids");
  std::vector<Index> ids;
  ids.reserve(list.size());
  for (const json& each : list) {
    constexpr std::uint64_t most = std::numeric_limits<int>::max();
    if (!each.is_number_unsigned() || each.get<std::uint64_t>() > most)
      return wrong_member(field, each, "whole numbers from 0 to " + std::to_string(most));
    ids.push_back(each.get<Index>());
  }
  return ids;
}

/// One of the two texts, of which `number` is "" or "2".
Result<GivenText> given_from_json(const json& document, const std::string& number) {
  GivenText given;
  const auto text = document.find("text" + number);
  const auto tokens = document.find("tokens" + number);
  if (text != document.end() && tokens != document.end())
    return fail("tokens" + number + ": allowed only without text" + number);
  if (text != document.end()) {
    if (!text->is_string()) return wrong_member("text" + number, *text, "a string");
    given.text = text->get<std::string>();
  }
  if (tokens != document.end()) {
    Result<std::vector<Index>> ids = ids_from_json("tokens" + number, *tokens);
    if (!ids) return tl::unexpected(ids.error());
    given.ids = std::move(*ids);
  }
  return given;
}

void write_text(const ModelText& text, const std::string& number, ordered_json& document) {
  // A tokenizer makes special tokens of an empty text too.
  if (!text.text.empty() || !text.special.empty()) {
    document["text" + number] = text.text;
  } else if (!text.ids.empty()) {
    document["tokens" + number] = text.ids;
  }
}

}  // namespace

Result<void> read_model_json(const json& document, const std::filesystem::path& folder, Experiment& experiment) {
  const auto found = document.find("model");
  const bool reads_model = experiment.system == "transformer";
  if (found == document.end()) {
    if (reads_model) return fail("model is missing; allowed: the folder of a model");
    for (const char* const field : {"text", "text2", "tokens", "tokens2"}) {
      if (document.contains(field)) return fail(std::string(field) + ": allowed only together with model");
    }
    return {};
  }
  if (!reads_model) return fail("model: allowed only for the system transformer");
  constexpr std::size_t kMaxPath = 4096;
  const std::optional<std::string> path = path_from_json(*found);
  if (!path || path->empty()) return wrong_member("model", *found, "the path of a model's folder");
  if (path->size() > kMaxPath) {
    return fail("model: " + grouped_text(std::ssize(*path)) + " bytes are not allowed; allowed: at most " +
                grouped_text(Index{kMaxPath}));
  }
  Result<std::shared_ptr<const Model>> model = open_model(folder / *path);
  if (!model) return fail("model: " + model.error().message);
  experiment.model = std::move(*model);
  const Result<GivenText> first = given_from_json(document, "");
  if (!first) return tl::unexpected(first.error());
  const Result<GivenText> second = given_from_json(document, "2");
  if (!second) return tl::unexpected(second.error());
  return set_texts(experiment, *first, *second);
}

void write_model_json(const Experiment& experiment, const std::string& path, ordered_json& document) {
  document["model"] = path_to_json(path);
  write_text(experiment.text, "", document);
  write_text(experiment.text2, "2", document);
}

}  // namespace attnscope
