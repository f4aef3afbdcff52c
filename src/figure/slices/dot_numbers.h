// The numbers of one query against one key: products, running sums, and the rows of scores and weights around them.
#pragma once

#include <string>
#include <vector>

#include "figure/slices/dot_product.h"
#include "figure/slices/view_options.h"

namespace attnscope {

struct DotNumbers {
  DotProduct product;
  std::vector<Index> at;                ///< of the score
  std::vector<double> q;                ///< [dim]
  std::vector<double> k;                ///< [dim]
  std::vector<double> terms;            ///< [dim], q · k
  std::vector<double> sums;             ///< [dim], of the terms so far
  std::vector<double> logits;           ///< [key], the input of the softmax
  std::vector<double> weights;          ///< [key]
  std::vector<bool> masked;             ///< [key]; empty: no mask
  std::vector<std::string> key_labels;  ///< [key]; empty: the tokens have none

  [[nodiscard]] Index query() const { return at[at.size() - 2]; }
  [[nodiscard]] Index key() const { return at.back(); }
};

/// The numbers of the query and the key that the options `query` and `key` choose.
DotNumbers dot_numbers(const Trace& trace, const DotProduct& product, const ViewOptions& options);

/// A label short enough to stand below a bar.
std::string bar_label(const std::string& label);

}  // namespace attnscope
