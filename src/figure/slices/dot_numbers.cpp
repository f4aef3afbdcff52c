#include "figure/slices/dot_numbers.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

constexpr std::size_t kMaxBarLabel = 14;  // characters

}  // namespace

std::string bar_label(const std::string& label) {
  std::string_view rest = label;
  for (std::size_t i = 0; i < kMaxBarLabel && !rest.empty(); ++i) take_code_point(rest);
  return rest.empty() ? label : label.substr(0, label.size() - rest.size()) + "…";
}

DotNumbers dot_numbers(const Trace& trace, const DotProduct& product, const ViewOptions& options) {
  DotNumbers n;
  n.product = product;
  const Slice slice = selected_slice(trace, options.values);
  const Axes& axes = trace.step(product.scores).axes;
  n.at = leading_index(axes, 2, slice.head, slice.item);
  n.at.push_back(std::min(options.integer("query"), product.queries) - 1);
  n.at.push_back(std::min(options.integer("key"), product.keys) - 1);
  n.q = query_numbers(trace, product, n.at);
  n.k = key_numbers(trace, product, n.at);
  double sum = 0;
  for (std::size_t i = 0; i < n.q.size(); ++i) {
    n.terms.push_back(n.q[i] * n.k[i]);
    n.sums.push_back(sum += n.terms.back());
  }
  n.logits = row_numbers(trace, product.logits(), n.at);
  n.weights = row_numbers(trace, product.weights, n.at);
  for (Index key = 0; product.mask != nullptr && key < product.keys; ++key)
    n.masked.push_back(!product.keeps(trace, n.at, key));
  const std::string& tensor = trace.step(product.weights).name;
  const Index item = batch_item(axes, n.at);
  if (!axis_labels(trace, tensor, axes.back(), item).empty()) {
    const TokenNames names(trace, tensor, axes.back(), item);
    for (Index key = 0; key < product.keys; ++key) {
      const std::optional<std::string> name = names.of(key);
      n.key_labels.push_back(name ? bar_label(*name) : position_number(key));
    }
  }
  return n;
}

}  // namespace attnscope
