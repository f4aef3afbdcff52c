#include "figure/blocks/vector_text.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/text.h"
#include "figure/blocks/score_arithmetic.h"
#include "figure/slices/matrix.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr std::size_t kMaxElements = 3;  // of a vector or direction that are listed

/// "93.4 %".
std::string share_text(double share) { return fixed_text(100 * share, 1) + " %"; }

/// "(0.53, −1.20)"; of a long one the first elements.
std::string elements_text(std::span<const double> row) {
  std::string text;
  for (std::size_t i = 0; i < std::min(row.size(), kMaxElements); ++i)
    text += (i > 0 ? ", " : "") + number_text(row[i]);
  return "(" + text + (row.size() > kMaxElements ? ", …" : "") + ")";
}

const Axis& pair_axis(const Trace& trace, const DotNumbers& pair, std::size_t from_last) {
  const Axes& axes = trace.step(pair.product.scores).axes;
  return axes[axes.size() - from_last];
}

std::string label_text(const std::string& letter, Index number, const std::string& name) {
  const std::string place = std::to_string(number + 1);
  return letter + "_{" + place + "}" + (name.empty() || name == place ? "" : " " + literal_markup(name));
}

}  // namespace

std::optional<double> cosine_of(std::span<const double> a, std::span<const double> b) {
  const double lengths = length_of(a) * length_of(b);
  if (!(lengths > 0)) return std::nullopt;
  return std::clamp(dot_product_of(a, b) / lengths, -1.0, 1.0);
}

std::string degrees_text(double cosine) { return fixed_text(std::acos(cosine) * 180 / std::numbers::pi, 1) + "°"; }

VectorText::VectorText(const Trace& trace, const HeadVectors& vectors, bool drags)
    : trace_(trace),
      v_(vectors),
      drags_(drags),
      query_names_(trace, trace.step(vectors.pair.product.scores).name, pair_axis(trace, vectors.pair, 2),
                   batch_item(trace.step(vectors.pair.product.scores).axes, vectors.pair.at)) {}

std::string VectorText::query_label(Index query) const {
  const std::optional<std::string> name = query_names_.of(query);
  return label_text("q", query, name ? bar_label(*name) : "");
}

std::string VectorText::key_label(const std::string& letter, Index key) const {
  const std::vector<std::string>& labels = v_.pair.key_labels;
  return label_text(letter, key, labels.empty() ? "" : labels[static_cast<std::size_t>(key)]);
}

std::string VectorText::length_symbol(int factor) const {
  std::string symbol = factor_symbol(trace_, v_.pair.product, factor);
  if (symbol.starts_with("(")) symbol = symbol.substr(1, symbol.size() - 2);
  return "|" + symbol + "|";
}

std::string VectorText::plane_caption(const VectorPlane& plane, const std::string& symbols) const {
  if (plane.dims() == 1) return symbols + " have one dimension, drawn across: nothing is lost.";
  if (plane.dims() == 2) return "Both dimensions of " + symbols + ": nothing is lost.";
  return "The plane of the first two right singular vectors of " + symbols + " keeps " + share_text(plane.share) +
         " of the squared length and loses " + share_text(1 - plane.share) + ".";
}

std::string VectorText::axis_title(const VectorPlane& plane, std::size_t axis) const {
  const std::string number = std::to_string(axis + 1);
  if (!plane.is_exact()) return "direction " + number;
  return static_cast<Index>(axis) < plane.dims() ? "dim " + number : "";
}

std::string VectorText::axis_about(const VectorPlane& plane, std::size_t axis) const {
  if (plane.is_exact()) return "";
  const std::vector<double>& direction = plane.directions[axis];
  std::vector<std::size_t> order(direction.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return std::abs(direction[a]) > std::abs(direction[b]); });
  std::string text = "direction " + std::to_string(axis + 1) + " =";
  for (std::size_t i = 0; i < std::min(order.size(), kMaxElements); ++i) {
    const double part = direction[order[i]];
    text += std::string(part < 0 ? " − "
                        : i > 0  ? " + "
                                 : " ") +
            fixed_text(std::abs(part), 2) + " dim " + std::to_string(order[i] + 1);
  }
  return text + (order.size() > kMaxElements ? " …" : "");
}

std::string VectorText::blend_text(std::size_t most) const {
  const ValueBlend& blend = *v_.blend;
  std::vector<Index> order = blend.values.drawn;
  const auto weight = [&](Index key) { return blend.used[static_cast<std::size_t>(key)]; };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return weight(a) > weight(b); });
  std::string text = "output =";
  std::size_t shown = 0;
  for (; shown < std::min(order.size(), most); ++shown) {
    // With two digits it would be 0.00.
    if (shown > 0 && weight(order[shown]) < 0.005) break;
    text += std::string(shown > 0 ? " + " : " ") + fixed_text(weight(order[shown]), 2) + " v_{" +
            std::to_string(order[shown] + 1) + "}";
  }
  // Masked keys have none.
  const bool has_more = std::any_of(order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                                    [&](Index key) { return weight(key) > 0; });
  const bool draws_all = std::ssize(order) == blend.values.rows.count;
  return text + (has_more || !draws_all ? " + …" : "");
}

std::string VectorText::angle_label(const std::array<double, 2>& a, const std::array<double, 2>& b) const {
  const std::optional<double> cosine = cosine_of(a, b);
  if (!cosine) return "";
  return degrees_text(*cosine) + (v_.plane.is_exact() ? "" : " in the plane");
}

std::string VectorText::about_row(const std::string& what, std::span<const double> row, const VectorPlane& plane,
                                  const std::string& more) const {
  std::string text = what + ": " + elements_text(row) + ", length " + number_text(length_of(row)) + more;
  if (!plane.is_exact()) text += "; the plane keeps " + share_text(plane.share_of(row)) + " of its squared length";
  return text;
}

std::string VectorText::drag_refusal(const TensorRows& rows) const {
  if (rows.dims > 2) return "arrows with more than two dimensions cannot be dragged";
  const Step& step = trace_.step(rows.step);
  const OperationTraits& traits = step.operation->traits();
  if (traits.draws || traits.is_weight) return "";
  if (step.inputs.empty())
    return step.name + (traits.reads_file ? " is read from a file: " : " is fixed: ") + "its arrows cannot be dragged";
  std::vector<std::string> inputs;
  for (const int input : step.inputs) inputs.push_back(trace_.step(input).name);
  return step.name + " is computed from " + join(inputs, " and ") + ": its arrows cannot be dragged";
}

std::string VectorText::drag_text(const TensorRows& rows) const {
  if (!drags_) return "";
  const std::string refusal = drag_refusal(rows);
  return "; " + (refusal.empty() ? "drag the tip to change it" : refusal);
}

std::string VectorText::key_words(Index key) const {
  std::string text = std::to_string(key + 1);
  if (!v_.pair.key_labels.empty() && v_.pair.key_labels[static_cast<std::size_t>(key)] != text)
    text += " · " + v_.pair.key_labels[static_cast<std::size_t>(key)];
  return text;
}

std::string VectorText::about_query(std::size_t which) const {
  const Index query = v_.queries.drawn[which];
  const std::optional<std::string> name = query_names_.of(query);
  const std::string what =
      "query " + std::to_string(query + 1) + (name && !name->empty() ? " · " + bar_label(*name) : "");
  return about_row(what, v_.queries.row(which), v_.plane, "") + drag_text(v_.queries.rows);
}

std::string VectorText::about_key(std::size_t which) const {
  const Index key = v_.keys.drawn[which];
  const auto at = static_cast<std::size_t>(key);
  const bool masked = !v_.pair.masked.empty() && v_.pair.masked[at];
  const std::string weight = ", weight " + number_text(v_.pair.weights[at]) + (masked ? " (masked)" : "");
  return about_row("key " + key_words(key), v_.keys.row(which), v_.plane, weight) + drag_text(v_.keys.rows);
}

std::string VectorText::about_value(std::size_t which) const {
  const ValueBlend& blend = *v_.blend;
  const Index key = blend.values.drawn[which];
  const std::string weight = ", weight " + number_text(blend.used[static_cast<std::size_t>(key)]);
  return about_row("value " + key_words(key), blend.values.row(which), blend.plane, weight) +
         drag_text(blend.values.rows);
}

std::string VectorText::about_output() const {
  return about_row("output of " + query_text(trace_, v_.pair), v_.blend->output, v_.blend->plane, "");
}

std::string VectorText::notes() const {
  std::vector<std::string> notes;
  const auto count = [](Index number) { return grouped_text(number); };
  if (!v_.queries.draws_all()) notes.push_back("Of " + count(v_.queries.rows.count) + " queries, one is drawn.");
  if (!v_.keys.draws_all()) {
    notes.push_back("Of " + count(v_.keys.rows.count) + " keys, " + count(std::ssize(v_.keys.drawn)) +
                    " are drawn: those with the largest weights, and the chosen one.");
  }
  const Index every = std::max(v_.every, v_.blend ? v_.blend->every : 1);
  if (every > 1) notes.push_back("The planes are those of one vector in " + count(every) + ".");
  if (!v_.blend) notes.emplace_back("There are no values.");
  if (v_.blend && v_.blend->output.empty())
    notes.push_back("The output of " + query_text(trace_, v_.pair) + " is not finite: it has no arrow.");
  return join(notes, " ");
}

}  // namespace attnscope
