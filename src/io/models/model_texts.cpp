#include "io/models/model_texts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/experiment/system.h"
#include "core/models/models.h"
#include "io/models/model_config.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

constexpr const char* kSentence = "The cat sat on the mat because it was tired.";

/// Where the second text of a pair begins: at the first token of the other type, if types differ.
std::size_t second_begins(const ModelText& pair) {
  const auto second = std::find(pair.types.begin(), pair.types.end(), Index{1});
  return second == pair.types.end() ? pair.ids.size() : static_cast<std::size_t>(second - pair.types.begin());
}

template <typename T>
std::vector<T> take_from(std::vector<T>& all, std::size_t begin) {
  if (begin >= all.size()) return {};
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(begin);
  std::vector<T> taken(at, all.end());
  all.erase(at, all.end());
  return taken;
}

Result<ModelText> text_of_ids(const Model& model, const std::vector<Index>& ids, std::string_view field) {
  constexpr Index most = std::numeric_limits<int>::max();
  ModelText result;
  for (const Index id : ids) {
    if (id < 0 || id > most) {
      return fail(std::string(field) + ": the token id " + std::to_string(id) + " is not allowed; allowed: 0 to " +
                  std::to_string(most));
    }
    result.ids.push_back(id);
    if (model.has_tokenizer()) result.pieces.push_back(model.token_text(id));
  }
  return result;
}

Result<ModelText> read_text(const Model& model, const GivenText& given, std::string_view field, bool for_decoder) {
  if (given.ids) return text_of_ids(model, *given.ids, field);
  Result<ModelText> read = model.tokens(*given.text, {}, for_decoder);
  if (!read) return fail(std::string(field) + ": " + read.error().message);
  return read;
}

Result<void> check_length(const GivenText& given, std::string_view field) {
  const std::size_t size = given.text ? given.text->size() : given.ids ? given.ids->size() : 0;
  if (size <= kMaxTextBytes) return {};
  return fail(std::string(field) + ": " + grouped_text(static_cast<Index>(size)) + (given.text ? " bytes" : " tokens") +
              " are not allowed; allowed: at most " + grouped_text(static_cast<Index>(kMaxTextBytes)));
}

void set_labels(Experiment& experiment) {
  const ModelText& text = experiment.text;
  experiment.labels.clear();
  const std::size_t count = std::min(text.ids.size(), kMaxLabels);
  experiment.labels.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string label = i < text.pieces.size() ? text.pieces[i] : std::to_string(text.ids[i]);
    experiment.labels.emplace_back(utf8_prefix(label, kMaxLabelBytes));
  }
}

Result<void> set_pair(Experiment& experiment, const GivenText& first, const GivenText& second) {
  Result<ModelText> both = experiment.model->tokens(*first.text, *second.text, false);
  if (!both) return fail("text: " + both.error().message);
  const std::size_t begin = second_begins(*both);
  ModelText rest;
  rest.text = *second.text;
  rest.ids = take_from(both->ids, begin);
  rest.pieces = take_from(both->pieces, begin);
  rest.special = take_from(both->special, begin);
  rest.types = take_from(both->types, begin);
  if (second_begins(*both) == both->ids.size()) both->types.clear();
  experiment.text = std::move(*both);
  experiment.text2 = std::move(rest);
  return {};
}

/// The token that starts a decoder.
Result<ModelText> decoder_start(const Model& model) {
  if (model.has_tokenizer()) {
    if (Result<ModelText> empty = model.tokens("", {}, true)) return std::move(*empty);
  }
  const Result<Index> id = decoder_start_id(model.config());
  if (!id) return fail(model.folder() + ": config.json: " + id.error().message);
  ModelText start;
  start.ids = {*id};
  return start;
}

GivenText example(const Model& model, std::string_view field) {
  GivenText given;
  const auto found = model.config().find(field);
  if (found == model.config().end()) return given;
  if (const auto* text = std::get_if<std::string>(&found->second)) given.text = *text;
  if (const auto* numbers = std::get_if<std::vector<double>>(&found->second)) {
    given.ids.emplace();
    for (const double number : *numbers)
      given.ids->push_back(std::abs(number) < std::numeric_limits<int>::max() ? static_cast<Index>(number) : -1);
  }
  return given;
}

}  // namespace

Result<void> set_texts(Experiment& experiment, const GivenText& first, const GivenText& second) {
  if (first.empty() && second.empty()) return {};
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return tl::unexpected(family.error());
  const ModelInput input = (*family)->input;
  if (input == ModelInput::picture) return fail("text: this model reads a picture; allowed: picture");
  if (input == ModelInput::text && !second.empty()) return fail("text2: this model reads one text; allowed: text");
  for (const auto& [given, field] : {std::pair(&first, "text"), {&second, "text2"}}) {
    if (Result<void> right = check_length(*given, field); !right) return right;
  }
  const Model& model = *experiment.model;
  GivenText start = first;
  // Of a pair, the first text is read again together with the second.
  if (input == ModelInput::pair && second.text && start.empty() && !experiment.text.text.empty())
    start.text = experiment.text.text;
  if (input == ModelInput::pair && second.text && start.text) {
    if (Result<void> set = set_pair(experiment, start, second); !set) return set;
    set_labels(experiment);
    return {};
  }
  if (!first.empty()) {
    Result<ModelText> read = read_text(model, first, "text", false);
    if (!read) return tl::unexpected(read.error());
    experiment.text = std::move(*read);
    if (input == ModelInput::pair) experiment.text2 = {};
  }
  if (!second.empty()) {
    Result<ModelText> read = read_text(model, second, "text2", input == ModelInput::two_texts);
    if (!read) return tl::unexpected(read.error());
    experiment.text2 = std::move(*read);
  } else if (input == ModelInput::two_texts && experiment.text2.ids.empty()) {
    Result<ModelText> start2 = decoder_start(model);
    if (!start2) return tl::unexpected(start2.error());
    experiment.text2 = std::move(*start2);
  }
  set_labels(experiment);
  return {};
}

Result<void> set_patch_text(Experiment& experiment, const GivenText& given) {
  if (given.empty()) return {};
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return tl::unexpected(family.error());
  if ((*family)->input == ModelInput::picture)
    return fail("patch_text: this model reads a picture; allowed: interventions off and mean");
  if (Result<void> right = check_length(given, "patch_text"); !right) return right;
  Result<ModelText> read = read_text(*experiment.model, given, "patch_text", false);
  if (!read) return tl::unexpected(read.error());
  experiment.patch_text = std::move(*read);
  return {};
}

Result<Experiment> experiment_of_model(const std::filesystem::path& path) {
  Result<std::shared_ptr<const Model>> opened = open_model(path);
  if (!opened) return tl::unexpected(opened.error());
  const Model& model = **opened;
  Experiment experiment = experiment_on_model(*opened);
  const ModelInput input = (*family_of(model))->input;
  if (input == ModelInput::picture) {
    // The class token collects the answer.
    experiment.view = {"image", {{"query", Index{1}}}};
    return experiment;
  }
  GivenText first = example(model, "attnscope_example");
  const GivenText second = example(model, "attnscope_example2");
  if (first.empty() && model.has_tokenizer()) first.text = kSentence;
  const System& system = *find_system(experiment.system);
  if (!first.empty() && set_texts(experiment, first, input == ModelInput::text ? GivenText() : second) &&
      system.check(experiment))
    return experiment;
  // A model that is too small for a sentence, or has no tokenizer.
  experiment.text = experiment.text2 = {};
  if (Result<void> set = set_texts(experiment, {std::nullopt, std::vector<Index>{0}}, {}); !set)
    return tl::unexpected(set.error());
  return experiment;
}

}  // namespace attnscope
