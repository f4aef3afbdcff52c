#include "app/session/matrix_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/plan/region.h"
#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

/// The syntax of a table in one format.
struct Syntax {
  MatrixFormat format;

  [[nodiscard]] std::string number(float value) const {
    if (format == MatrixFormat::tsv) {
      if (!std::isfinite(value)) return exact_text(static_cast<double>(value));
      std::array<char, 64> buffer{};
      const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
      return {buffer.data(), end};
    }
    std::string text = number_text(static_cast<double>(value));
    if (format == MatrixFormat::markdown) return text;
    if (std::isinf(value)) return value < 0 ? "$-\\infty$" : "$\\infty$";
    constexpr std::string_view minus = "−";
    for (std::size_t at = text.find(minus); at != std::string::npos; at = text.find(minus))
      text.replace(at, minus.size(), "-");
    if (const std::size_t at = text.find('e'); at != std::string::npos) {
      const std::optional<Index> exponent = parse_integer(text.substr(at + (text[at + 1] == '+' ? 2 : 1)));
      if (exponent) text = text.substr(0, at) + " \\cdot 10^{" + std::to_string(*exponent) + "}";
    }
    return "$" + text + "$";
  }

  /// Escapes a label. Labels may come from anybody: none must become a formula of a spreadsheet, a link, or a control
  /// sequence of a terminal.
  [[nodiscard]] std::string label(std::string_view text) const {
    const bool is_formula = text.size() > 1 && std::string_view("=+-@").find(text.front()) != std::string_view::npos;
    std::string out = format == MatrixFormat::tsv && is_formula && !parse_real(text) ? "'" : "";
    for (const char c : text) {
      const bool blank = static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
      const std::string_view escaped = format == MatrixFormat::markdown ? "|\\`*_<[]&"
                                       : format == MatrixFormat::latex  ? "&%$#_{}"
                                                                        : "";
      if (blank) {
        out += ' ';
      } else if (escaped.find(c) != std::string_view::npos) {
        out += std::string("\\") + c;
      } else if (format == MatrixFormat::latex && c == '\\') {
        out += "\\textbackslash{}";
      } else if (format == MatrixFormat::latex && (c == '^' || c == '~')) {
        out += std::string("\\") + c + "{}";
      } else {
        out += c;
      }
    }
    return format == MatrixFormat::tsv ? in_quotes(out) : out;
  }

  /// Spreadsheets and pandas read a quote as the start of a quoted cell: a cell with a quote is quoted as a whole.
  static std::string in_quotes(const std::string& text) {
    if (text.find('"') == std::string::npos) return text;
    return '"' + join(split(text, '"'), "\"\"") + '"';
  }

  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const {
    switch (format) {
      case MatrixFormat::tsv: return join(cells, "\t") + "\n";
      case MatrixFormat::markdown: return "| " + join(cells, " | ") + " |\n";
      case MatrixFormat::latex: break;
    }
    return "  " + join(cells, " & ") + " \\\\\n";
  }

  /// Lines before the first row, after the column names, and at the end.
  [[nodiscard]] std::string begin(std::size_t labels, std::size_t columns) const {
    return format != MatrixFormat::latex
               ? ""
               : "\\begin{tabular}{" + std::string(labels, 'l') + std::string(columns, 'r') + "}\n";
  }
  [[nodiscard]] std::string below_header(std::size_t labels, std::size_t columns) const {
    if (format == MatrixFormat::latex) return "  \\hline\n";
    if (format == MatrixFormat::tsv) return "";
    std::vector<std::string> rule(labels, "---");
    rule.insert(rule.end(), columns, "---:");
    return line(rule);
  }
  [[nodiscard]] std::string end() const { return format == MatrixFormat::latex ? "\\end{tabular}\n" : ""; }
};

}  // namespace

Result<std::string> matrix_text(const Trace& trace, std::string_view tensor, std::span<const Index> index,
                                MatrixFormat format) {
  const Step* step = trace.find(tensor);
  if (step == nullptr || step->axes.size() != index.size() || index.empty())
    return fail("there is no such matrix: " + std::string(tensor));
  const Axes& axes = step->axes;
  const std::size_t rank = axes.size();
  Region region = {static_cast<int>(step - trace.steps().data()), {index.begin(), index.end()}, {}};
  for (std::size_t i = 0; i < rank; ++i) {
    if (index[i] < 0 || index[i] >= axes[i].size) return fail("there is no such cell: " + index_text(index));
    if (i + 2 >= rank) region.begin[i] = 0;
    region.end.push_back(i + 2 >= rank ? axes[i].size : index[i] + 1);
  }
  const Index rows = rank > 1 ? axes[rank - 2].size : 1;
  const Index columns = axes[rank - 1].size;
  if (rows > kMaxCopiedNumbers / columns) {
    return fail(grouped_text(rows) + " × " + grouped_text(columns) + " numbers are too many to copy; at most " +
                grouped_text(kMaxCopiedNumbers));
  }
  const Index item = batch_item(axes, index);
  const std::vector<std::string> row_names =
      rank > 1 ? axis_labels(trace, tensor, axes[rank - 2], item) : std::vector<std::string>();
  std::vector<std::string> column_names = axis_labels(trace, tensor, axes[rank - 1], item);
  // Markdown has no table without a header.
  if (column_names.empty() && format == MatrixFormat::markdown) column_names = position_numbers(columns);
  const Syntax syntax = {format};
  const std::size_t labels = row_names.empty() ? 0 : 1;
  const auto count = static_cast<std::size_t>(columns);
  std::string text = syntax.begin(labels, count);
  if (!column_names.empty()) {
    std::vector<std::string> cells(labels);
    for (const std::string& name : column_names) cells.push_back(syntax.label(name));
    text += syntax.line(cells) + syntax.below_header(labels, count);
  }
  ReadFailure failure;
  const std::shared_ptr<const Tensor> numbers = trace.numbers(region, {trace.experiment().seed, nullptr, {}, &failure});
  if (const std::optional<std::string> message = failure.message()) return fail(*message);
  auto value = numbers->values().begin();
  for (Index row = 0; row < rows; ++row) {
    std::vector<std::string> cells;
    if (labels > 0) cells.push_back(syntax.label(row_names[static_cast<std::size_t>(row)]));
    for (Index column = 0; column < columns; ++column) cells.push_back(syntax.number(*value++));
    text += syntax.line(cells);
  }
  return text + syntax.end();
}

}  // namespace attnscope
