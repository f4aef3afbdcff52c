#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/commands_experiment.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/explain/explain.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

// A sum of more than kMaxTerms terms shows only kTermsAtEnds terms at either end.
constexpr std::size_t kTermsAtEnds = 8;
constexpr std::size_t kMaxTerms = 24;

struct ExplainOptions : ExperimentOptions {
  std::string cell;
  bool full = false;
  bool json = false;
};

/// One line of the arithmetic: cell, expression, value.
struct Line {
  std::string what;
  std::string how;
  std::string value;
};

std::string cell_text(const Trace& trace, int step, std::span<const Index> index) {
  return trace.step(step).name + index_text(index);
}

std::string cell_text(const Trace& trace, const Operand& operand) {
  return cell_text(trace, operand.step, operand.index);
}

/// "q[1, 2, 0] × k[1, 4, 0]": the operands of term `i`. A single operand has its value, which the term does not show.
std::string operands_text(const Trace& trace, const Explanation& e, std::size_t i) {
  const std::size_t each = e.terms[i].operands;
  if (each == 1) return cell_text(trace, e.operands[i]) + " = " + number_text(e.operands[i].value);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < each; ++k) names.push_back(cell_text(trace, e.operands[i * each + k]));
  return join(names, " × ");
}

std::vector<Line> rows_of(const Trace& trace, const Explanation& e, bool full) {
  std::vector<Line> rows;
  if (e.terms.empty()) {
    for (const Operand& operand : e.operands)
      rows.push_back({cell_text(trace, operand), "", number_text(operand.value, 6)});
  }
  const bool elide = !full && e.terms.size() > kMaxTerms;
  for (std::size_t i = 0; i < e.terms.size(); ++i) {
    if (elide && i == kTermsAtEnds) {
      const std::size_t end = e.terms.size() - kTermsAtEnds;
      double together = 0;
      for (std::size_t k = i; k < end; ++k) together += e.terms[k].value;
      rows.push_back({"⋮", grouped_text(static_cast<Index>(end - i)) + " more, sum", number_text(together, 6)});
      i = end;
    }
    rows.push_back({operands_text(trace, e, i), e.terms[i].text, number_text(e.terms[i].value, 6)});
  }
  for (const ResultLine& result : e.results) rows.push_back({"", result.text, number_text(result.value, 6)});
  rows.push_back({"", "in double precision", number_text(e.computed, 10)});
  rows.push_back({"", "as stored, float32", number_text(e.value, 8)});
  return rows;
}

/// Number of columns before the decimal point.
std::size_t whole_columns(const std::string& number) {
  return character_count(std::string_view(number).substr(0, number.find_first_of(".e")));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, character_count(text)), ' ');
}

/// The rows as a table, with the numbers aligned at the decimal point.
std::string arithmetic_text(const std::vector<Line>& rows) {
  std::size_t what = 0;
  std::size_t how = 0;
  std::size_t whole = 0;
  for (const Line& row : rows) {
    what = std::max(what, character_count(row.what));
    how = std::max(how, character_count(row.how));
    whole = std::max(whole, whole_columns(row.value));
  }
  std::string text;
  for (const Line& row : rows) {
    text += "  " + padded(row.what, what) + (what > 0 ? "   " : "") + padded(row.how, how) + (how > 0 ? "   " : "") +
            std::string(whole - whole_columns(row.value), ' ') + row.value + "\n";
  }
  return text;
}

std::string explanation_text(const Trace& trace, const Explanation& e, bool full) {
  std::string text = cell_text(trace, e.step, e.index) + " = " + number_text(e.value, 6) + "\n" + e.formula + "\n";
  if (!e.note.empty()) text += e.note + "\n";
  return text + "\n" + arithmetic_text(rows_of(trace, e, full));
}

ordered_json explanation_json(const Trace& trace, const Explanation& e) {
  const auto tensor_name = [&](int step) { return trace.step(step).name; };
  ordered_json operands = ordered_json::array();
  for (const Operand& operand : e.operands) {
    operands.push_back(
        {{"tensor", tensor_name(operand.step)}, {"index", operand.index}, {"value", json_number(operand.value)}});
  }
  ordered_json terms = ordered_json::array();
  for (const Term& term : e.terms) terms.push_back({{"text", term.text}, {"value", json_number(term.value)}});
  ordered_json results = ordered_json::array();
  for (const ResultLine& result : e.results)
    results.push_back({{"text", result.text}, {"value", json_number(result.value)}});
  return {{"tensor", tensor_name(e.step)},
          {"index", e.index},
          {"value", json_number(e.value)},
          {"operation", e.operation},
          {"formula", e.formula},
          {"note", e.note},
          {"operands", operands},
          {"terms", terms},
          {"results", results},
          {"computed", json_number(e.computed)}};
}

Result<CommandOutput> explain_command(const ExplainOptions& options) {
  const Result<std::shared_ptr<const Trace>> computed = compute_experiment(options);
  if (!computed) return tl::unexpected(computed.error());
  const Trace& trace = **computed;
  const Result<CellReference> cell = parse_cell(trace, options.cell);
  if (!cell) return fail(cell.error().message, Error::Kind::usage);
  const Explanation explanation = explain(trace, cell->step, cell->index);
  if (const std::optional<std::string> failure = trace.failure()) return fail(*failure);
  const std::string text = options.json ? pretty_json(explanation_json(trace, explanation)) + "\n"
                                        : explanation_text(trace, explanation, options.full);
  return CommandOutput{text, warnings_of(trace)};
}

}  // namespace

void add_explain_command(CommandLine& line) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App& command =
      line.add("explain", "Show the arithmetic of one number", [options] { return explain_command(*options); });
  add_experiment_options(command, *options);
  command.add_option("CELL", options->cell, "The number: TENSOR[i,j,...], one index per axis, from 0")
      ->required()
      ->type_name("");
  command.add_flag("--full", options->full, "Show every term of a long sum");
  command.add_flag("--json", options->json, "Print JSON, with every operand and term");
}

}  // namespace attnscope
