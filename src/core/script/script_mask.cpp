// From scores to weights in scripts: masks as PyTorch tensors, softmax, dropout.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/experiment/positions.h"
#include "core/experiment/system.h"
#include "core/script/script.h"

namespace attnscope {
namespace {

/// The maximum number of mask digits per line.
constexpr std::size_t kDigitsOnALine = 90;

MaskSizes sizes_of(const Experiment& e) { return find_system(e.system)->mask_sizes(e); }

/// "[:, None, None]": a vector followed by `count` new axes.
std::string behind_axes(std::size_t count) {
  std::string text = "[:";
  for (std::size_t i = 0; i < count; ++i) text += ", None";
  return text + "]";
}

std::string padding_code(const std::vector<Index>& lengths, const ScoreAxes& axes) {
  if (lengths.size() == 1) {
    const std::string length = std::to_string(lengths[0]);
    return "# Padding: only the first " + length + " keys count.\nkeep = torch.arange(" + axes.keys + ") < " + length +
           "\n";
  }
  std::vector<std::string> numbers;
  numbers.reserve(lengths.size());
  for (const Index length : lengths) numbers.push_back(std::to_string(length));
  std::string text = "# Padding: each batch item has its own length.\n";
  const std::string line = "lengths = torch.tensor([" + join(numbers, ", ") + "])\n";
  if (line.size() <= 100) {
    text += line;
  } else {
    text += "lengths = \"\"\"\n" + wrapped(join(numbers, " "), 4) +
            "\"\"\"\nlengths = torch.tensor([int(length) for length in lengths.split()])\n";
  }
  return text + "keep = torch.arange(" + axes.keys + ") < lengths" + behind_axes(axes.leading.size() + 1) + "\n";
}

/// The shape of an explicit mask with the axes of the scores, without the leading axes over which it broadcasts.
std::vector<Index> array_shape(const Mask& mask, const ScoreAxes& axes) {
  const auto has = [&](const char* axis) {
    return std::find(axes.leading.begin(), axes.leading.end(), axis) != axes.leading.end();
  };
  const std::size_t rank = mask.shape.size();
  std::vector<Index> shape(mask.shape.end() - 2, mask.shape.end());
  const Index heads = rank == 4 ? mask.shape[1] : 1;
  const Index batch = rank >= 3 ? mask.shape[0] : 1;
  if (has("head") && (heads > 1 || batch > 1)) shape.insert(shape.begin(), heads);
  if (has("batch") && batch > 1) shape.insert(shape.begin(), batch);
  return shape;
}

/// Zeros and ones, one row of keys per line: compact, and readable as a matrix.
std::string array_code(const Mask& mask, const ScoreAxes& axes) {
  const auto keys = static_cast<std::size_t>(mask.shape.back());
  const std::size_t matrix = keys * static_cast<std::size_t>(mask.shape[mask.shape.size() - 2]);
  std::string text = "# Rows are queries, columns are keys: 1 where the query may attend to the key.\nkeep = \"\"\"\n";
  for (std::size_t i = 0; i < mask.keep.size(); ++i) {
    if (i > 0 && i % matrix == 0) text += "\n";
    text += mask.keep[i] ? '1' : '0';
    const bool row_ends = (i + 1) % keys == 0;
    if (row_ends || (i % keys + 1) % kDigitsOnALine == 0) text += "\n";
  }
  std::string shape = index_text(array_shape(mask, axes));
  shape = "(" + shape.substr(1, shape.size() - 2) + ")";
  return text + "\"\"\"\nkeep = torch.tensor([digit == \"1\" for digit in keep if digit in \"01\"]).view" + shape +
         "\n";
}

bool leaves_empty_rows(const Experiment& e) {
  const MaskSizes sizes = sizes_of(e);
  const MaskField field(e.mask(), sizes);
  const Index heads = e.mask().shape.size() == 4 ? e.mask().shape[1] : 1;
  for (Index batch = 0; batch < sizes.batch; ++batch) {
    for (Index head = 0; head < heads; ++head) {
      for (Index query = 0; query < sizes.queries; ++query) {
        if (!field.keeps_any(batch, head, query)) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string mask_code(const Experiment& e, const ScoreAxes& axes) {
  const Mask& mask = e.mask();
  switch (mask.kind) {
    case Mask::Kind::none: return "";
    case Mask::Kind::causal:
      return "# Causal: a query attends only to keys up to its own position.\nkeep = torch.ones(" + axes.queries +
             ", " + axes.keys + ").tril().bool()\n";
    case Mask::Kind::window:
      return "# Window: a query attends only to keys at most " + std::to_string(mask.radius) +
             " positions away.\nkeep = (torch.arange(" + axes.queries + ")[:, None] - torch.arange(" + axes.keys +
             ")).abs() <= " + std::to_string(mask.radius) + "\n";
    case Mask::Kind::padding: return padding_code(mask.lengths, axes);
    case Mask::Kind::array: return array_code(mask, axes);
  }
  return "";
}

std::string weights_code(const Experiment& e, const std::string& prefix, bool masked) {
  // Cross-attention has neither mask nor positions.
  const std::string scores = prefix + (masked && positions_of(e) == "alibi" ? "biased_scores" : "scores");
  const std::string weights = prefix + "weights";
  const double fill = e.real("masked_fill");
  const double temperature = e.real("temperature");
  masked = masked && e.mask().kind != Mask::Kind::none;
  const bool empty_rows = masked && leaves_empty_rows(e);
  std::string logits = scores;
  std::string text;
  if (masked) {
    logits = prefix + "masked_scores";
    text += logits + " = " + scores + ".masked_fill(~keep, " + python_number(fill) + ")\n";
  }
  if (temperature != 1) {
    if (empty_rows && std::isfinite(fill) && -fill / temperature > std::numeric_limits<float>::max()) {
      text += "# The fill divided by the temperature overflows float32: subtract the row maximum first.\nlogits = " +
              logits + " - " + logits + ".amax(dim=-1, keepdim=True)\n";
      logits = "logits";
    }
    logits += " / temperature";
  }
  text += weights + " = torch.softmax(" + logits + ", dim=-1)\n";
  if (empty_rows && std::isinf(fill)) {
    text += "# Without any key, the softmax is NaN; set the query's weights to 0.\n" + weights + " = " + weights +
            ".masked_fill(~keep.any(dim=-1, keepdim=True), 0)\n";
  }
  if (e.real("dropout") > 0) {
    text += "# PyTorch's dropout pattern: from here on the numbers differ from attnscope's.\n" +
            weights_name(e, prefix) + " = nn.functional.dropout(" + weights + ", dropout)\n";
  }
  return text;
}

std::string weights_name(const Experiment& e, const std::string& prefix) {
  return prefix + (e.real("dropout") > 0 ? "dropped_weights" : "weights");
}

std::string heads_code(const Experiment& e, const std::string& outputs, int axis) {
  if (e.heads_off.empty()) return "";
  const std::string front = axis == 0 ? "" : ":, ";
  std::vector<std::string> off;
  for (const Index head : e.heads_off) off.push_back(std::to_string(head));
  std::string list = join(off, ", ");
  if (e.heads_off.size() > 20) list = "\n    " + join(split(wrapped(list, 4), '\n'), "\n").substr(4);
  return "# Switched-off heads output 0.\nkept_head_outputs = " + outputs + ".clone()\nkept_head_outputs[" + front +
         "[" + list + "]] = 0\n";
}

std::string heads_name(const Experiment& e) { return e.heads_off.empty() ? "head_outputs" : "kept_head_outputs"; }

}  // namespace attnscope
