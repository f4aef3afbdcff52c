#include "io/figures/figure_source.h"

#include <algorithm>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/experiment/system.h"
#include "figure/style/font_metrics.h"
#include "figure/views/view_selection.h"
#include "io/base/file.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/canvas/canvas_style.h"
#include "io/figures/figure_format.h"

namespace attnscope {
namespace {

constexpr const char* kFigureFormat = "attnscope-figure/1";

/// The format of a file that begins like `bytes`; null where it is no figure.
const FigureFormatEntry* format_of(std::string_view bytes) {
  const auto* const found = std::ranges::find_if(kFigureFormats, [&](const auto& each) { return each.sniff(bytes); });
  return found == kFigureFormats.end() ? nullptr : found;
}

std::optional<std::string> figure_text(std::string_view bytes, ParseBudget& budget) {
  const FigureFormatEntry* const format = format_of(bytes);
  return format == nullptr ? std::nullopt : format->text(bytes, budget);
}

/// JSON with every character beyond ASCII, which only texts have, as \uXXXX: PDF then keeps it readable.
std::string ascii_json(std::string_view text) {
  std::string ascii;
  ascii.reserve(text.size());
  const auto append = [&](unsigned unit) {
    constexpr std::string_view digits = "0123456789abcdef";
    ascii += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) ascii += digits[unit >> shift & 15U];
  };
  while (!text.empty()) {
    const char32_t code = take_code_point(text);
    if (code < 0x7F) {
      ascii += static_cast<char>(code);
    } else if (code < 0x10000) {
      append(code);
    } else {
      append(0xD800U + ((code - 0x10000U) >> 10U));
      append(0xDC00U + ((code - 0x10000U) & 0x3FFU));
    }
  }
  return ascii;
}

/// "heads = 2, mask = causal": the values that are not at their defaults, in the order of the table.
std::string values_text(std::span<const Parameter> parameters, const ParameterValues& values) {
  constexpr double longest = 400;  // pixels: a line of a list goes into a caption, all labels of a book do not
  std::vector<std::string> parts;
  for (const Parameter& parameter : parameters) {
    const auto value = values.find(parameter.name);
    if (value == values.end() || value->second == parameter.default_value) continue;
    parts.push_back(parameter.name + " = " + shortened_text(value_text(value->second), longest, TypeSize::kBody));
  }
  return join(parts, ", ");
}

/// What a model reads, as far as a caption has room: "“Anna met Ben.”", "[15496, 995]" where only ids are known.
std::string text_text(const ModelText& read) {
  constexpr double longest = 400;         // pixels
  constexpr std::size_t most_read = 200;  // tokens or bytes: more are not shown in any case
  if (!read.text.empty()) {
    const std::string words = printable(utf8_prefix(read.text, most_read));
    return "“" + shortened_text(words, longest, TypeSize::kBody) + "”";
  }
  return shortened_text(index_text(std::span(read.ids).first(std::min(read.ids.size(), most_read))), longest,
                        TypeSize::kBody);
}

/// "; text “Anna met Ben.”", with the second text and, if anything is patched, the one that is patched from.
std::string texts_text(const Experiment& experiment) {
  const bool patches =
      experiment.view.name == "patching" || std::ranges::any_of(experiment.interventions, [](const Intervention& each) {
        return each.kind == Intervention::Kind::patched;
      });
  const ModelText none;
  std::string text;
  for (const auto& [name, read] : {std::pair("text", &experiment.text), std::pair("second text", &experiment.text2),
                                   std::pair("patched from", patches ? &experiment.patch_text : &none)}) {
    if (!read->ids.empty()) text += "; " + std::string(name) + " " + text_text(*read);
  }
  return text;
}

std::string experiment_text(const Experiment& experiment) {
  const System& system = *find_system(experiment.system);
  std::string text = experiment.system;
  const std::string values = values_text(system.parameters, experiment.parameters);
  if (!values.empty()) text += ": " + values;
  if (experiment.tensors != nullptr)
    text += "; from " + std::filesystem::path(experiment.tensors->file()).filename().string();
  if (experiment.model != nullptr) text += "; model " + experiment.model->name() + texts_text(experiment);
  if (system.uses_seed) text += "; seed " + std::to_string(experiment.seed);
  if (experiment.discard != 0) text += ", discard " + std::to_string(experiment.discard);
  text += edits_text(experiment.edits);
  for (const Intervention& each : experiment.interventions)
    text += "; " + part_name(each) + " " + std::string(kind_name(each.kind));
  if (experiment.heads_off.empty()) return text;
  std::vector<std::string> heads;
  for (const Index head : experiment.heads_off) heads.push_back(std::to_string(head + 1));
  return text + "; without " + (heads.size() == 1 ? "head " : "heads ") + join(heads, ", ");
}

Result<Experiment> inner_experiment(const nlohmann::json& document, const char* key,
                                    const std::filesystem::path& folder) {
  Result<Experiment> experiment = experiment_from_json(document.at(key), folder);
  if (!experiment) return fail(std::string(key) + ": " + experiment.error().message, experiment.error().kind);
  return experiment;
}

/// `text` is charged to the budget.
Result<ExperimentSource> source_of(std::string text, const std::filesystem::path& folder, ParseBudget& budget) {
  const Result<nlohmann::json> document = parse_json(text, {}, &budget);
  if (!document) return tl::unexpected(document.error());
  budget.release(text.size());
  text = std::string();
  if (!document->is_object() || !document->contains("format") || !document->contains("experiment"))
    return fail("is not an object with format and experiment");
  if (const nlohmann::json& format = document->at("format"); format != kFigureFormat)
    return fail("format: " + json_excerpt(format) + " is not allowed; allowed: \"" + kFigureFormat + "\"");
  static const std::vector<std::string> keys = {"format", "experiment", "pinned"};
  if (const Result<void> known = check_keys(*document, keys, ""); !known) return tl::unexpected(known.error());
  Result<Experiment> experiment = inner_experiment(*document, "experiment", folder);
  if (!experiment) return tl::unexpected(experiment.error());
  ExperimentSource source = {std::move(*experiment), std::nullopt, true};
  if (!document->contains("pinned")) return source;
  Result<Experiment> pinned = inner_experiment(*document, "pinned", folder);
  if (!pinned) return tl::unexpected(pinned.error());
  source.pinned = std::move(*pinned);
  return source;
}

}  // namespace

ExperimentSource source_of_figure(const Experiment& experiment, const Experiment* pinned) {
  return {experiment, shows_baseline(experiment.view) && pinned != nullptr ? std::optional(*pinned) : std::nullopt,
          true};
}

std::string figure_caption(const ExperimentSource& source, const Figure* figure) {
  const Experiment& experiment = source.experiment;
  std::string text = experiment_text(experiment) + "; view " + experiment.view.name;
  if (const View* view = find_view(experiment.view.name)) {
    const std::string options = values_text(view->options, experiment.view.options);
    if (!options.empty()) text += ": " + options;
  }
  if (source.pinned) text += "; compared with " + experiment_text(*source.pinned);
  text = clean_text(text) + "; attnscope " ATTNSCOPE_VERSION;
  return figure == nullptr || figure->sentence.empty() ? text : clean_text(figure->sentence) + " " + text;
}

std::string figure_source_json(const ExperimentSource& source, const std::filesystem::path& folder) {
  std::string text = std::string(R"({"format": ")") + kFigureFormat + R"(", "experiment": )" +
                     compact_experiment_json(source.experiment, folder);
  if (source.pinned) text += R"(, "pinned": )" + compact_experiment_json(*source.pinned, folder);
  return ascii_json(text + "}");
}

bool is_figure_file(std::string_view bytes) { return format_of(bytes) != nullptr; }

bool is_figure_with_source(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path, kMaxExperimentBytes);
  if (!bytes || !is_figure_file(*bytes)) return false;
  ParseBudget budget(bytes->size());
  return figure_text(*bytes, budget).has_value();
}

Result<ExperimentSource> parse_figure_source(std::string_view bytes, std::string_view name,
                                             const std::filesystem::path& folder) {
  const std::string prefix = std::string(name) + ": ";
  try {
    ParseBudget budget(bytes.size());
    std::optional<std::string> text = figure_text(bytes, budget);
    if (!text && budget.exceeded()) return fail(prefix + budget.refusal("the uncompressed experiment in it"));
    if (!text) return fail(prefix + "contains no experiment; figures written by attnscope do");
    Result<ExperimentSource> source = source_of(std::move(*text), folder, budget);
    if (!source) return fail(prefix + "the experiment in it: " + source.error().message, source.error().kind);
    return source;
  } catch (const std::bad_alloc&) {
    return fail(prefix + "not enough memory for the experiment in it");
  }
}

}  // namespace attnscope
