#include "io/experiments/experiment_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/imported/imported_layers.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/path_json.h"
#include "io/base/printable.h"
#include "io/experiments/imported_tensor_file.h"
#include "io/experiments/labels_file.h"
#include "io/experiments/mask_json.h"
#include "io/experiments/model_json.h"
#include "io/experiments/picture_json.h"
#include "io/experiments/saved_tensors.h"

namespace attnscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "attnscope-experiment/1";
constexpr const char* kFormatName = "attnscope-experiment/";
constexpr std::size_t kMaxViewOptions = 64;

tl::unexpected<Error> prefixed(std::string_view prefix, const Error& error) {
  return fail(std::string(prefix) + error.message, error.kind);
}

tl::unexpected<Error> not_allowed(std::string_view field, const json& value, std::string_view allowed) {
  return fail(std::string(field) + ": " + json_excerpt(value) + " is not allowed; allowed: " + std::string(allowed));
}

Result<void> check_format(const json& document) {
  if (!document.is_object()) return fail("the file holds " + json_excerpt(document) + "; allowed: an object");
  const auto format = document.find("format");
  if (format == document.end()) return fail(std::string("format is missing; allowed: \"") + kFormat + "\"");
  if (*format == kFormat) return {};
  if (format->is_string()) {
    const auto& text = format->get_ref<const std::string&>();
    const std::optional<Index> version =
        text.starts_with(kFormatName) ? parse_integer(text.substr(std::string_view(kFormatName).size())) : std::nullopt;
    if (version && *version > 1) {
      return fail("format: " + attnscope::quoted_text(text) + " is newer than this attnscope; it reads \"" + kFormat +
                  "\"");
    }
  }
  return not_allowed("format", *format, std::string("\"") + kFormat + "\"");
}

Result<void> read_unsigned(const json& document, const char* field, std::uint64_t largest, std::uint64_t& to) {
  const auto found = document.find(field);
  if (found == document.end()) return {};
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > largest) {
    return not_allowed(field, *found, "whole numbers from 0 to " + std::to_string(largest));
  }
  to = found->get<std::uint64_t>();
  return {};
}

/// A whole number that an Index can hold.
std::optional<Index> whole_number(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number <= static_cast<std::uint64_t>(std::numeric_limits<Index>::max())
               ? std::optional(static_cast<Index>(number))
               : std::nullopt;
  }
  return value.is_number_integer() ? std::optional(value.get<Index>()) : std::nullopt;
}

/// `value` as a value of the parameter's kind; `set_parameter` checks its range.
Result<ParameterValue> parameter_value(const Parameter& parameter, const json& value) {
  switch (parameter.kind) {
    case Parameter::Kind::integer:
      if (const std::optional<Index> number = whole_number(value)) return *number;
      break;
    case Parameter::Kind::real:
      if (value.is_number()) return value.get<double>();
      if (parameter.minus_infinity && value == "-inf") return -std::numeric_limits<double>::infinity();
      break;
    case Parameter::Kind::choice:
    case Parameter::Kind::order:
      if (value.is_string()) return value.get<std::string>();
      break;
    case Parameter::Kind::mask: {
      if (!value.is_array() && !value.is_binary() && !value.is_string()) break;
      Result<Mask> mask = value.is_string() ? parse_mask(value.get_ref<const std::string&>()) : mask_from_json(value);
      if (!mask) return tl::unexpected(mask.error());
      return std::move(*mask);
    }
  }
  return not_allowed(parameter.name, value, allowed_text(parameter));
}

Result<void> read_parameters(const json& document, Experiment& experiment) {
  const auto params = document.find("params");
  if (params == document.end()) return {};
  if (!params->is_object()) return not_allowed("params", *params, "an object");
  const System& system = *find_system(experiment.system);
  std::vector<std::string> names;
  for (const Parameter& parameter : system.parameters) names.push_back(parameter.name);
  if (Result<void> known = check_keys(*params, names, "params: "); !known) return known;
  for (const auto& [name, json_value] : params->items()) {
    Result<ParameterValue> value = parameter_value(*find_parameter(system.parameters, name), json_value);
    if (!value) return prefixed("params.", value.error());
    if (const Result<void> set = set_parameter(experiment, name, std::move(*value)); !set)
      return prefixed("params.", set.error());
  }
  return {};
}

Result<void> read_labels(const json& document, Experiment& experiment) {
  const auto labels = document.find("labels");
  if (labels == document.end()) return {};
  Result<std::vector<std::string>> read = labels_from_json(*labels);
  if (!read) return tl::unexpected(read.error());
  experiment.labels = std::move(*read);
  return {};
}

/// {"tensor": "x", "index": [0, 1], "value": 2.5}; `validate` checks that the cell exists.
Result<CellEdit> read_edit(const std::string& field, const json& value) {
  if (!value.is_object()) return not_allowed(field, value, "an object with tensor, index and value");
  static const std::vector<std::string> keys = {"tensor", "index", "value"};
  if (const Result<void> known = check_keys(value, keys, field + ": "); !known) return tl::unexpected(known.error());
  const auto absent =
      std::find_if(keys.begin(), keys.end(), [&](const std::string& key) { return value.find(key) == value.end(); });
  if (absent != keys.end()) return fail(field + ": " + *absent + " is missing");
  CellEdit edit;
  const json& tensor = value.at("tensor");
  if (!tensor.is_string() || tensor.get_ref<const std::string&>().size() > kMaxLabelBytes)
    return not_allowed(field + ".tensor", tensor, "the name of a tensor");
  edit.tensor = tensor.get<std::string>();
  const json& index = value.at("index");
  constexpr std::size_t kMaxAxes = 16;
  if (!index.is_array() || index.size() > kMaxAxes) return not_allowed(field + ".index", index, "a list of indices");
  for (const json& each : index) {
    const std::optional<Index> number = whole_number(each);
    if (!number) return not_allowed(field + ".index", each, "whole numbers");
    edit.index.push_back(*number);
  }
  const json& number = value.at("value");
  if (!number.is_number()) return not_allowed(field + ".value", number, "a finite number");
  edit.value = number.get<double>();
  return edit;
}

Result<void> read_edits(const json& document, Experiment& experiment) {
  const auto edits = document.find("edits");
  if (edits == document.end()) return {};
  if (!edits->is_array()) return not_allowed("edits", *edits, "a list of objects with tensor, index and value");
  if (edits->size() > kMaxEdits) {
    return fail("edits: " + std::to_string(edits->size()) + " are not allowed; allowed: at most " +
                std::to_string(kMaxEdits));
  }
  for (const json& each : *edits) {
    Result<CellEdit> edit = read_edit("edits[" + std::to_string(experiment.edits.size()) + "]", each);
    if (!edit) return tl::unexpected(edit.error());
    experiment.edits.push_back(std::move(*edit));
  }
  return {};
}

Result<void> read_heads_off(const json& document, Experiment& experiment) {
  const auto heads = document.find("heads_off");
  if (heads == document.end()) return {};
  constexpr std::size_t kMaxHeads = 100'000;
  if (!heads->is_array() || heads->size() > kMaxHeads)
    return not_allowed("heads_off", *heads, "a list of heads, counted from 0");
  for (const json& each : *heads) {
    const std::optional<Index> head = whole_number(each);
    if (!head) return not_allowed("heads_off", each, "whole numbers");
    experiment.heads_off.push_back(*head);
  }
  return {};
}

Result<void> read_picture(const json& document, Experiment& experiment) {
  const auto found = document.find("picture");
  if (found == document.end()) return {};
  Result<ColorPicture> picture = picture_from_json(*found);
  if (!picture) return tl::unexpected(picture.error());
  experiment.picture = std::move(*picture);
  return {};
}

Result<void> read_tensors(const json& document, const std::filesystem::path& folder, Experiment& experiment) {
  const auto found = document.find("tensors");
  const auto kept = document.find("tensors_saved");
  if (found == document.end())
    return kept == document.end() ? Result<void>() : fail("tensors_saved: allowed only together with tensors");
  std::optional<SavedTensors> saved;
  if (kept != document.end()) {
    Result<SavedTensors> read = saved_tensors_from_json(*kept);
    if (!read) return tl::unexpected(read.error());
    saved = std::move(*read);
  }
  constexpr std::size_t kMaxPath = 4096;
  const std::optional<std::string> path = path_from_json(*found);
  if (!path || path->size() > kMaxPath) return not_allowed("tensors", *found, "the path of a file of tensors");
  Result<std::shared_ptr<const ImportedTensors>> given =
      open_imported_tensors(folder / *path, saved ? &*saved : nullptr);
  if (!given) return fail("tensors: " + given.error().message);
  experiment.tensors = std::move(*given);
  const auto params = document.find("params");
  if (experiment.parameters.contains("use") && (params == document.end() || !params->contains("use")))
    experiment.parameters["use"] = best_use(experiment.tensors);
  if (!document.contains("view")) experiment.view.name = view_of_use(experiment.choice("use"));
  return {};
}

Result<ParameterValue> option_value(const std::string& field, const json& value) {
  if (const std::optional<Index> number = whole_number(value)) return *number;
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string() && value.get_ref<const std::string&>().size() <= kMaxLabelBytes)
    return value.get<std::string>();
  return not_allowed(field, value, "a number, or a string of at most " + std::to_string(kMaxLabelBytes) + " bytes");
}

Result<void> read_view(const json& document, Experiment& experiment) {
  const auto view = document.find("view");
  if (view == document.end()) return {};
  if (!view->is_object()) return not_allowed("view", *view, "an object with name and options");
  if (Result<void> known = check_keys(*view, std::vector<std::string>{"name", "options"}, "view: "); !known)
    return known;
  if (const auto name = view->find("name"); name != view->end()) {
    if (!name->is_string() || name->get_ref<const std::string&>().size() > kMaxLabelBytes)
      return not_allowed("view.name", *name, "the name of a view");
    experiment.view.name = name->get<std::string>();
  }
  const auto options = view->find("options");
  if (options == view->end()) return {};
  if (!options->is_object()) return not_allowed("view.options", *options, "an object");
  if (options->size() > kMaxViewOptions) {
    return fail("view.options: " + std::to_string(options->size()) + " options are not allowed; allowed: at most " +
                std::to_string(kMaxViewOptions));
  }
  for (const auto& [name, json_value] : options->items()) {
    if (name.size() > kMaxLabelBytes)
      return fail("view.options: the name " + attnscope::quoted_text(name) + " is too long");
    Result<ParameterValue> value = option_value("view.options." + printable(name), json_value);
    if (!value) return tl::unexpected(value.error());
    experiment.view.options[name] = std::move(*value);
  }
  return {};
}

}  // namespace

Result<Experiment> experiment_from_json(const json& document, const std::filesystem::path& folder) {
  // The format first: a newer one may have other keys.
  if (const Result<void> format = check_format(document); !format) return tl::unexpected(format.error());
  static const std::vector<std::string> keys = {
      "format", "system", "seed",    "discard",       "params",        "edits",       "heads_off",
      "labels", "view",   "picture", "tensors",       "tensors_saved", "model",       "text",
      "text2",  "tokens", "tokens2", "interventions", "patch_text",    "patch_tokens"};
  if (const Result<void> known = check_keys(document, keys, ""); !known) return tl::unexpected(known.error());
  const auto system = document.find("system");
  if (system == document.end()) return fail("system is missing; allowed: the name of a system");
  if (!system->is_string()) return not_allowed("system", *system, "the name of a system");
  Result<Experiment> experiment = default_experiment(system->get_ref<const std::string&>());
  if (!experiment) return experiment;
  // The model first: its tokens are the labels, unless the file has others.
  Result<void> read = read_model_json(document, folder, *experiment);
  if (read) read = read_unsigned(document, "seed", std::numeric_limits<std::uint64_t>::max(), experiment->seed);
  if (read) read = read_unsigned(document, "discard", kMaxDiscard, experiment->discard);
  if (read) read = read_parameters(document, *experiment);
  if (read) read = read_edits(document, *experiment);
  if (read) read = read_heads_off(document, *experiment);
  if (read) read = read_labels(document, *experiment);
  if (read) read = read_view(document, *experiment);
  if (read) read = read_picture(document, *experiment);
  if (read) read = read_tensors(document, folder, *experiment);
  if (!read) return tl::unexpected(read.error());
  return experiment;
}

namespace {

ordered_json value_to_json(const ParameterValue& value) {
  if (const Index* integer = std::get_if<Index>(&value)) return *integer;
  if (const Mask* mask = std::get_if<Mask>(&value)) return mask_to_json(*mask);
  if (const double* real = std::get_if<double>(&value))
    return std::isfinite(*real) ? ordered_json(*real) : ordered_json(exact_text(*real));
  return std::get<std::string>(value);
}

/// `file` relative to `folder`.
std::string path_from(const std::filesystem::path& folder, const std::filesystem::path& file) {
  if (folder.empty() || !file.is_absolute()) return file.string();
  // After a link to a folder, ".." leads elsewhere than it seems.
  std::error_code error;
  const std::filesystem::path real_folder = std::filesystem::weakly_canonical(folder, error);
  const bool is_linked = !error && real_folder != folder.lexically_normal();
  const std::filesystem::path real_file = is_linked ? std::filesystem::weakly_canonical(file, error) : file;
  if (error) return file.string();
  if (is_linked) return path_from(real_folder, real_file);
  const std::filesystem::path relative = file.lexically_relative(folder);
  const auto climbs = std::count(relative.begin(), relative.end(), "..");
  const auto depth = std::distance(folder.begin(), folder.end()) - 1;  // the root is no step
  return relative.empty() || climbs >= depth ? file.string() : relative.string();
}

ordered_json to_json(const Experiment& experiment, const std::filesystem::path& folder) {
  ordered_json params = ordered_json::object();
  if (const System* system = find_system(experiment.system)) {
    for (const Parameter& parameter : system->parameters) {
      const auto value = experiment.parameters.find(parameter.name);
      if (value != experiment.parameters.end()) params[parameter.name] = value_to_json(value->second);
    }
  }
  ordered_json options = ordered_json::object();
  for (const auto& [name, value] : experiment.view.options) options[name] = value_to_json(value);
  ordered_json document = {{"format", kFormat},
                           {"system", experiment.system},
                           {"seed", experiment.seed},
                           {"discard", experiment.discard},
                           {"params", params}};
  // Most experiments have no edits: their files stay as they were before edits existed.
  if (!experiment.edits.empty()) {
    ordered_json edits = ordered_json::array();
    for (const CellEdit& edit : experiment.edits)
      edits.push_back({{"tensor", edit.tensor}, {"index", edit.index}, {"value", edit.value}});
    document["edits"] = std::move(edits);
  }
  if (!experiment.heads_off.empty()) document["heads_off"] = experiment.heads_off;
  document["labels"] = experiment.labels;
  document["view"] = {{"name", experiment.view.name}, {"options", options}};
  if (!experiment.picture.empty()) document["picture"] = picture_to_json(*experiment.picture);
  if (experiment.tensors != nullptr) {
    document["tensors"] = path_to_json(path_from(folder, experiment.tensors->file()));
    if (const std::optional<SavedTensors> saved = saved_tensors(*experiment.tensors))
      document["tensors_saved"] = saved_tensors_to_json(*saved);
  }
  if (experiment.model != nullptr)
    write_model_json(experiment, path_from(folder, experiment.model->folder()), document);
  return document;
}

}  // namespace

Result<Experiment> parse_experiment(std::string_view text, std::string_view name, const std::filesystem::path& folder) {
  const std::string prefix = std::string(name) + ": ";
  if (text.empty()) return fail(prefix + "the file is empty; allowed: an experiment, format \"" + kFormat + "\"");
  if (const std::string what = stand_in(text); !what.empty()) return fail(prefix + "this is " + what);
  const Result<json> document = parse_json(text);
  if (!document) return prefixed(prefix, document.error());
  Result<Experiment> experiment = experiment_from_json(*document, folder);
  if (!experiment) return prefixed(prefix, experiment.error());
  return experiment;
}

Result<void> apply_setting(Experiment& experiment, std::string_view setting) {
  const auto wrong = [](const std::string& message) { return fail("--set " + message, Error::Kind::usage); };
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong(attnscope::quoted_text(setting) + ": write NAME=VALUE");
  const std::string_view name = setting.substr(0, equals);
  const std::string_view text = setting.substr(equals + 1);
  const Parameter* parameter = find_parameter(find_system(experiment.system)->parameters, name);
  const bool is_array = parameter != nullptr && parameter->kind == Parameter::Kind::mask && text.starts_with('[');
  if (!is_array) {
    const Result<void> set = set_parameter_text(experiment, name, text);
    return set ? set : wrong(set.error().message);
  }
  const Result<json> array = parse_json(text);
  if (!array) return wrong(parameter->name + ": " + array.error().message);
  Result<Mask> mask = mask_from_json(*array);
  if (!mask) return wrong(mask.error().message);
  const Result<void> set = set_parameter(experiment, name, std::move(*mask));
  return set ? set : wrong(set.error().message);
}

std::string experiment_json(const Experiment& experiment, const std::filesystem::path& folder) {
  return pretty_json(to_json(experiment, folder)) + "\n";
}

std::string compact_experiment_json(const Experiment& experiment, const std::filesystem::path& folder) {
  return compact_json(to_json(experiment, folder));
}

}  // namespace attnscope
