// `attnscope metrics --texts`.

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/cli/metrics_options.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_averages.h"
#include "core/base/text.h"
#include "core/models/models.h"
#include "core/plan/validate.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"
#include "io/experiments/texts_file.h"

namespace attnscope {
namespace {

/// Fails if the experiment has no model that reads texts.
Result<void> check_reads_texts(const Experiment& experiment) {
  if (experiment.model == nullptr) return fail("--texts: allowed only with a model", Error::Kind::usage);
  const Result<const ModelFamily*> family = family_of(*experiment.model);
  if (!family) return tl::unexpected(family.error());
  if ((*family)->input == ModelInput::picture) {
    return fail("--texts: " + std::string((*family)->name) + " sees a picture; allowed: models that read text",
                Error::Kind::usage);
  }
  if (experiment.model->has_tokenizer()) return {};
  const Result<ModelText> refused = experiment.model->tokens("", std::nullopt, false);
  return refused ? Result<void>() : fail("--texts: " + refused.error().message);
}

/// What a model says of a text, without the places that are known: the study names the text.
std::string bare_refusal(const Experiment& experiment, std::string message) {
  for (const std::string& place : {experiment.model->folder() + ": ", std::string("text: ")}) {
    if (message.starts_with(place)) message.erase(0, place.size());
  }
  return message;
}

/// Reads texts one at a time, within the memory budget.
ReadText reading(Experiment base, GivenText second, double budget) {
  return [base = std::move(base), second = std::move(second), budget](const std::string& text) -> Result<Experiment> {
    Experiment experiment = base;
    if (const Result<void> set = set_texts(experiment, {text, std::nullopt}, second); !set)
      return fail(bare_refusal(experiment, set.error().message));
    if (const Result<void> fits = validate(experiment, budget); !fits) {
      if (validate(experiment, kUnlimitedMemory))
        return fail(fits.error().message + "; ATTNSCOPE_MEMORY_MB sets the limit");
      return fail(bare_refusal(experiment, fits.error().message));
    }
    return experiment;
  };
}

/// Fails if no attention has the layer; otherwise, about how many operations the effective ranks take.
Result<double> operations_of_layer(const CheckedTexts& checked, std::optional<Index> layer) {
  Index most = 0;
  double operations = 0;
  for (const CheckedTexts::Attention& each : checked.attentions) {
    most = std::max(most, each.layer);
    if (!layer || each.layer == *layer) operations += each.rank_operations;
  }
  if (!layer) return operations;
  if (const Result<void> there = check_between("--layer", *layer, 1, most); !there)
    return tl::unexpected(there.error());
  return operations;
}

/// Lets the model read the texts; what it says beside the numbers is added to `warnings`.
Result<StudiedTexts> studied_texts(const MetricsOptions& options, const std::vector<StudyText>& texts,
                                   const ReadText& read, std::vector<std::string>& warnings) {
  const ProgressLine line;
  line.show("reading the texts");
  Result<CheckedTexts> checked = check_texts(texts, read);
  if (!checked) return fail(path_text(*options.texts) + ": " + checked.error().message);
  const Result<double> operations = operations_of_layer(*checked, options.layer);
  if (!operations) return tl::unexpected(operations.error());
  TextStudyChoice choice = {.memory_budget = *memory_budget(), .layer = options.layer};
  choice.rank = asks_for_rank(options) || *operations <= kMaxRankOperations;
  choice.progress = [&](Index text, Index count) {
    line.show("measuring text " + std::to_string(text) + " of " + std::to_string(count));
  };
  Result<TextStudy> study = study_texts(texts, read, choice);
  if (!study) return fail(path_text(*options.texts) + ": " + study.error().message);
  warnings = study->warnings;
  if (!choice.rank) warnings.emplace_back(kRankLeftOut);
  if (study->rows_left_out > 0) warnings.push_back(rows_left_out_text(path_text(*options.texts), study->rows_left_out));
  return StudiedTexts{std::ssize(texts), std::move(*checked), std::move(*study)};
}

}  // namespace

Result<CommandOutput> text_metrics(const MetricsOptions& options) {
  const Result<std::optional<std::size_t>> sort = sorting_measure(options.sort, measures());
  if (!sort) return tl::unexpected(sort.error());
  if (const Result<void> top = check_top(options.top); !top) return tl::unexpected(top.error());
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  Result<Experiment> experiment = changed_experiment(options);
  if (!experiment) return tl::unexpected(experiment.error());
  if (const Result<void> reads = check_reads_texts(*experiment); !reads) return tl::unexpected(reads.error());
  Result<GivenText> second = second_text(options);
  if (!second) return tl::unexpected(second.error());
  const Result<std::vector<StudyText>> texts = read_texts_file(*options.texts);
  if (!texts) return tl::unexpected(texts.error());
  std::vector<std::string> warnings;
  const Result<StudiedTexts> studied =
      studied_texts(options, *texts, reading(std::move(*experiment), std::move(*second), *budget), warnings);
  if (!studied) return tl::unexpected(studied.error());
  const HeadRanking ranking = ranked_heads(mean_measures(studied->study), *sort, options.top.value_or(0));
  if (ranking.measure && !ranking.applies)
    warnings.push_back("--sort: " + options.sort + " does not apply to these heads");
  const std::string text = options.json  ? pretty_json(averages_json(*studied, ranking)) + "\n"
                           : options.csv ? averages_csv(*studied, ranking)
                                         : averages_text(*studied, ranking);
  return CommandOutput{text, std::move(warnings)};
}

}  // namespace attnscope
