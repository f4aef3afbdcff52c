#include "io/experiments/model_json.h"

#include <array>
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

/// The members of a text, or of its ids.
struct TextNames {
  std::string text;
  std::string tokens;
};
const std::array<TextNames, 3> kTexts = {{{"text", "tokens"}, {"text2", "tokens2"}, {"patch_text", "patch_tokens"}}};

Result<GivenText> given_from_json(const json& document, const TextNames& names) {
  GivenText given;
  const auto text = document.find(names.text);
  const auto tokens = document.find(names.tokens);
  if (text != document.end() && tokens != document.end())
    return fail(names.tokens + ": allowed only without " + names.text);
  if (text != document.end()) {
    if (!text->is_string()) return wrong_member(names.text, *text, "a string");
    given.text = text->get<std::string>();
  }
  if (tokens != document.end()) {
    Result<std::vector<Index>> ids = ids_from_json(names.tokens, *tokens);
    if (!ids) return tl::unexpected(ids.error());
    given.ids = std::move(*ids);
  }
  return given;
}

void write_text(const ModelText& text, const TextNames& names, ordered_json& document) {
  // A tokenizer makes special tokens of an empty text too.
  if (!text.text.empty() || !text.special.empty()) {
    document[names.text] = text.text;
  } else if (!text.ids.empty()) {
    document[names.tokens] = text.ids;
  }
}

/// A member that counts from 0; nothing where it is missing.
Result<std::optional<Index>> index_from_json(const std::string& field, const json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end()) return std::nullopt;
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most)
    return wrong_member(field + "." + member, *found, "whole numbers from 0 to " + std::to_string(most));
  return found->get<Index>();
}

Result<Intervention> intervention_from_json(const std::string& field, const json& value) {
  static const std::vector<std::string> keys = {"tensor", "head", "position", "key", "with"};
  if (!value.is_object()) return wrong_member(field, value, "an object with tensor, head, position, key and with");
  if (Result<void> known = check_keys(value, keys, field + ": "); !known) return tl::unexpected(known.error());
  Intervention made;
  const auto tensor = value.find("tensor");
  if (tensor == value.end()) return fail(field + ".tensor is missing; allowed: the name of a tensor");
  if (!tensor->is_string() || tensor->get_ref<const std::string&>().size() > kMaxLabelBytes)
    return wrong_member(field + ".tensor", *tensor, "the name of a tensor");
  made.tensor = tensor->get<std::string>();
  Result<std::optional<Index>> head = index_from_json(field, value, "head");
  if (!head) return tl::unexpected(head.error());
  made.head = *head;
  Result<std::optional<Index>> position = index_from_json(field, value, "position");
  if (!position) return tl::unexpected(position.error());
  made.position = *position;
  Result<std::optional<Index>> key = index_from_json(field, value, "key");
  if (!key) return tl::unexpected(key.error());
  made.key = *key;
  const std::string kinds = join(std::vector<std::string>(kInterventionKinds.begin(), kInterventionKinds.end()), ", ");
  const auto with = value.find("with");
  if (with == value.end()) return fail(field + ".with is missing; allowed: " + kinds);
  const std::optional<Intervention::Kind> kind =
      with->is_string() ? intervention_kind(with->get_ref<const std::string&>()) : std::nullopt;
  if (!kind) return wrong_member(field + ".with", *with, kinds);
  made.kind = *kind;
  return made;
}

Result<std::vector<Intervention>> interventions_from_json(const json& list) {
  if (!list.is_array()) return wrong_member("interventions", list, "a list of objects");
  if (list.size() > kMaxInterventions) {
    return fail("interventions: " + std::to_string(list.size()) + " are not allowed; allowed: at most " +
                std::to_string(kMaxInterventions));
  }
  std::vector<Intervention> all;
  for (const json& each : list) {
    Result<Intervention> made = intervention_from_json("interventions[" + std::to_string(all.size()) + "]", each);
    if (!made) return tl::unexpected(made.error());
    all.push_back(std::move(*made));
  }
  return all;
}

ordered_json to_json(const Intervention& intervention) {
  ordered_json object = {{"tensor", intervention.tensor}};
  if (intervention.head) object["head"] = *intervention.head;
  if (intervention.position) object["position"] = *intervention.position;
  if (intervention.key) object["key"] = *intervention.key;
  object["with"] = kind_name(intervention.kind);
  return object;
}

}  // namespace

Result<void> read_model_json(const json& document, const std::filesystem::path& folder, Experiment& experiment) {
  const auto found = document.find("model");
  const bool reads_model = experiment.system == "transformer";
  if (found == document.end()) {
    if (reads_model) return fail("model is missing; allowed: the folder of a model");
    for (const char* const field :
         {"text", "text2", "tokens", "tokens2", "interventions", "patch_text", "patch_tokens"}) {
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
  std::array<GivenText, 3> given;
  for (std::size_t i = 0; i < given.size(); ++i) {
    Result<GivenText> read = given_from_json(document, kTexts[i]);
    if (!read) return tl::unexpected(read.error());
    given[i] = std::move(*read);
  }
  if (const auto list = document.find("interventions"); list != document.end()) {
    Result<std::vector<Intervention>> all = interventions_from_json(*list);
    if (!all) return tl::unexpected(all.error());
    experiment.interventions = std::move(*all);
  }
  if (Result<void> set = set_texts(experiment, given[0], given[1]); !set) return set;
  return set_patch_text(experiment, given[2]);
}

void write_model_json(const Experiment& experiment, const std::string& path, ordered_json& document) {
  document["model"] = path_to_json(path);
  const std::array<const ModelText*, 3> texts = {&experiment.text, &experiment.text2, &experiment.patch_text};
  for (std::size_t i = 0; i < texts.size(); ++i) write_text(*texts[i], kTexts[i], document);
  if (experiment.interventions.empty()) return;
  ordered_json list = ordered_json::array();
  for (const Intervention& each : experiment.interventions) list.push_back(to_json(each));
  document["interventions"] = std::move(list);
}

}  // namespace attnscope
