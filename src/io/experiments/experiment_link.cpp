#include "io/experiments/experiment_link.h"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "io/base/base64url.h"
#include "io/base/data_files.h"
#include "io/base/inflating.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/models/bundled_models.h"

namespace attnscope {
namespace {

constexpr std::string_view kMarker = "#x=";
constexpr std::string_view kLinkVersion = "1";
constexpr const char* kLinkName = "the link";
constexpr const char* kSaveInstead = "save the experiment as a file instead";
constexpr const char* kModelsFolder = "assets/models";

tl::unexpected<Error> link_refused(const std::string& reason) { return fail(std::string(kLinkName) + ": " + reason); }

std::string_view without_space_around(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::string bundled_names() {
  std::vector<std::string> names;
  for (const BundledModel& model : bundled_models()) names.push_back(model.name);
  return names.empty() ? "none here" : join(names, ", ");
}

/// Whether a link may call a model that: a folder below those of the models that come along.
bool is_model_name(const std::filesystem::path& name) {
  const bool inside =
      name.is_relative() && std::none_of(name.begin(), name.end(), [](const std::filesystem::path& part) {
        return part.empty() || part == "." || part == "..";
      });
  if (!inside || name.empty()) return false;
  const std::vector<BundledModel> models = bundled_models();
  return std::ranges::find(models, name.begin()->string(), &BundledModel::name) != models.end();
}

/// What a link calls the model in that folder; nothing where it did not come along.
std::optional<std::string> model_name(const std::string& folder) {
  const Result<std::filesystem::path> models = data_file(kModelsFolder);
  if (!models) return std::nullopt;
  std::error_code error;
  const std::filesystem::path name = std::filesystem::relative(folder, *models, error);
  return !error && is_model_name(name) ? std::optional(name.generic_string()) : std::nullopt;
}

std::string deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string bytes(size, '\0');
  // With that much room it cannot fail but for a lack of memory.
  if (compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(),
                Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  bytes.resize(size);
  return bytes;
}

Result<std::string> inflated(std::string_view bytes) {
  Inflating inflating(bytes);
  // One byte more than is allowed tells whether it ends in time.
  std::string text(kMaxLinkExperimentBytes + 1, '\0');
  text.resize(inflating.next(text));
  if (text.size() > kMaxLinkExperimentBytes) {
    return link_refused("the experiment in it takes more than " + grouped_text(Index{kMaxLinkExperimentBytes}) +
                        " bytes; allowed: at most that");
  }
  if (!inflating.complete() || inflating.used() != bytes.size())
    return link_refused("what stands after #x= is damaged or incomplete");
  return text;
}

/// What stands after "#x=1.".
Result<std::string_view> digits_of(std::string_view link) {
  const std::size_t at = link.find(kMarker);
  if (at == std::string_view::npos) return link_refused("has no #x= with an experiment after it");
  const std::string_view fragment = link.substr(at);
  if (fragment.size() > kMaxLinkCharacters) {
    return link_refused(grouped_text(std::ssize(fragment)) +
                        " characters from the # on are not allowed; allowed: at most " +
                        grouped_text(Index{kMaxLinkCharacters}));
  }
  const std::string_view after = fragment.substr(kMarker.size());
  const std::size_t dot = after.find('.');
  const std::string_view version = after.substr(0, dot);
  const std::optional<Index> number = parse_integer(version);
  if (dot == std::string_view::npos || !number || *number < 1 || std::to_string(*number) != version)
    return link_refused("after #x= " + quoted_text(version.substr(0, 16)) + " is not allowed; allowed: \"1.\"");
  if (version != kLinkVersion) {
    return link_refused("its format " + quoted_text(version.substr(0, 16)) +
                        " is newer than this attnscope; it reads \"1\"");
  }
  return after.substr(dot + 1);
}

Result<std::string> experiment_text_of(std::string_view link) {
  const Result<std::string_view> digits = digits_of(link);
  if (!digits) return tl::unexpected(digits.error());
  const auto wrong = std::find_if(digits->begin(), digits->end(), [](char c) { return base64url_digit(c) < 0; });
  if (wrong != digits->end()) {
    const auto place = wrong - digits->begin();
    return link_refused(quoted_text(digits->substr(static_cast<std::size_t>(place), 1)) + " at character " +
                        std::to_string(place + 1) +
                        " of the experiment is not allowed; allowed: letters, digits, - and _");
  }
  const std::optional<std::string> bytes = from_base64url(*digits);
  if (!bytes) return link_refused("what stands after #x= is damaged or incomplete");
  return inflated(*bytes);
}

/// Fails where the document names files: whoever made the link must not choose what is read on this machine.
Result<void> check_names_no_files(const nlohmann::json& document) {
  if (!document.is_object()) return {};
  for (const char* const field : {"tensors", "tensors_saved"}) {
    if (document.contains(field)) return link_refused(std::string(field) + ": not allowed in a link");
  }
  const auto model = document.find("model");
  if (model == document.end()) return {};
  if (model->is_string() && is_model_name(model->get_ref<const std::string&>())) return {};
  return link_refused("model: " + json_excerpt(*model) +
                      " is not allowed; allowed: the models that come with attnscope (" + bundled_names() + ")");
}

}  // namespace

bool is_experiment_link(std::string_view text) { return text.find(kMarker) != std::string_view::npos; }

std::string source_text(const std::filesystem::path& source) {
  return is_experiment_link(source.native()) ? kLinkName : path_text(source);
}

Result<void> check_link_page(std::string_view page) {
  constexpr std::size_t most = 2000;
  if (page.size() > most) {
    return fail(grouped_text(std::ssize(page)) + " characters are not allowed; allowed: at most " +
                grouped_text(Index{most}));
  }
  const bool plain = std::all_of(page.begin(), page.end(), [](char c) {
    return c > ' ' && c <= '~' && std::string_view("#\"<>\\^`{|}'").find(c) == std::string_view::npos;
  });
  // A link of another kind could be a program.
  const std::size_t colon = page.find(':');
  const bool has_scheme = colon < page.find_first_of("/?");
  std::string scheme(page.substr(0, has_scheme ? colon : 0));
  for (char& each : scheme) each = each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  const bool of_page = scheme == "https" || scheme == "http" || scheme == "file";
  if (plain && (!has_scheme || of_page)) return {};
  return fail(quoted_text(page) +
              " is not allowed; allowed: the address of a page (https, http, file, or from where it will stand), "
              "without #, blanks and quotes");
}

Result<std::string> write_experiment_link(const Experiment& experiment, std::string_view page) {
  if (experiment.tensors != nullptr)
    return fail(std::string("tensors from a file cannot stand in a link; ") + kSaveInstead);
  std::string text = compact_experiment_json(experiment);
  if (experiment.model != nullptr) {
    const std::optional<std::string> name = model_name(experiment.model->folder());
    if (!name) {
      return fail("a link can name only the models that come with attnscope (" + bundled_names() + "), not " +
                  path_text(experiment.model->folder()) + "; " + kSaveInstead);
    }
    auto document = nlohmann::ordered_json::parse(text);
    document["model"] = *name;
    text = compact_json(document);
  }
  const std::string fragment = std::string(kMarker) + std::string(kLinkVersion) + "." + to_base64url(deflated(text));
  if (fragment.size() > kMaxLinkCharacters || text.size() > kMaxLinkExperimentBytes) {
    return fail("a link to this experiment would have " + grouped_text(std::ssize(fragment)) + " characters for " +
                bytes_text(static_cast<double>(text.size())) + "; allowed: at most " +
                grouped_text(Index{kMaxLinkCharacters}) + " for " +
                bytes_text(static_cast<double>(kMaxLinkExperimentBytes)) + "; " + kSaveInstead);
  }
  return std::string(page) + fragment;
}

Result<Experiment> read_experiment_link(std::string_view link) {
  const Result<std::string> text = experiment_text_of(without_space_around(link));
  if (!text) return tl::unexpected(text.error());
  const Result<nlohmann::json> document = parse_json(*text);
  if (!document) return link_refused("the experiment in it: " + document.error().message);
  if (const Result<void> alone = check_names_no_files(*document); !alone) return tl::unexpected(alone.error());
  const Result<std::filesystem::path> models = data_file(kModelsFolder);
  Result<Experiment> experiment = experiment_from_json(*document, models ? *models : std::filesystem::path());
  if (!experiment) return link_refused("the experiment in it: " + experiment.error().message);
  return experiment;
}

}  // namespace attnscope
