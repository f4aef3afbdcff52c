#include "figure/blocks/kept_products.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "figure/slices/matrix.h"

namespace attnscope {
namespace {

const Step& step_of(const Block& block, const Trace& trace) { return trace.step(block.mark.step); }

bool shows(const Column& column, const Trace& trace, const std::string& tensor) {
  const auto is_of = [&](const std::optional<Block>& block) { return block && step_of(*block, trace).name == tensor; };
  return is_of(column.top) || is_of(column.bottom);
}

bool shows(const AlignedProduct& product, const Trace& trace, const std::string& tensor) {
  return std::ranges::any_of(product.columns, [&](const Column& each) { return shows(each, trace, tensor); });
}

/// The column of the left factor of a product, which the products between them share; of any other column itself.
std::size_t left_factor(const std::vector<Column>& columns, std::size_t column) {
  while (columns[column].corner && column > 0) --column;
  return column;
}

/// The first of the columns that the matrices of that one are computed from; itself where none is.
std::size_t first_source(const std::vector<Column>& columns, std::size_t column, const Trace& trace) {
  const std::size_t first = left_factor(columns, column);
  if (!columns[column].bottom) return first;
  const std::vector<int>& inputs = step_of(*columns[column].bottom, trace).inputs;
  for (std::size_t i = 0; i < first; ++i) {
    const std::optional<Block>& source = columns[i].bottom;
    // A product that is a source keeps its left factor: a right one alone would not be read as one.
    if (source && std::ranges::find(inputs, source->mark.step) != inputs.end()) return left_factor(columns, i);
  }
  return first;
}

/// Removes the columns before the sources of those tensors, and those after the last of them.
void keep_columns_with(std::span<const std::string> tensors, const Trace& trace, AlignedProduct& product) {
  std::vector<Column>& columns = product.columns;
  std::size_t first = columns.size();
  std::size_t end = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::none_of(tensors, [&](const std::string& each) { return shows(columns[i], trace, each); }))
      continue;
    first = std::min(first, first_source(columns, i, trace));
    end = i + 1;
  }
  columns.resize(end);
  columns.erase(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(first));
  std::optional<Block>& left = columns.front().bottom;
  if (left && left->mark.row_labels.empty()) left->mark.row_labels = row_labels(trace, left->mark);
}

}  // namespace

bool keep_products_with(std::span<const std::string> tensors, const Trace& trace,
                        std::vector<AlignedProduct>& products) {
  std::vector<std::string> wanted(tensors.begin(), tensors.end());
  std::vector<bool> kept(products.size(), false);
  while (!wanted.empty()) {
    const auto count = [&](const AlignedProduct& product) {
      return std::ranges::count_if(wanted, [&](const std::string& each) { return shows(product, trace, each); });
    };
    // The first of those that show most: there a tensor is the product, and in a later one a factor.
    const auto best = std::ranges::max_element(products, {}, count);
    if (best == products.end() || count(*best) == 0) break;
    kept[static_cast<std::size_t>(best - products.begin())] = true;
    std::erase_if(wanted, [&](const std::string& each) { return shows(*best, trace, each); });
  }
  if (std::ranges::find(kept, true) == kept.end()) return false;
  bool leaves_out = false;
  std::vector<AlignedProduct> rest;
  for (std::size_t i = 0; i < products.size(); ++i) {
    leaves_out = leaves_out || !kept[i];
    if (!kept[i]) continue;
    rest.push_back(std::move(products[i]));
    const std::size_t columns = rest.back().columns.size();
    keep_columns_with(tensors, trace, rest.back());
    leaves_out = leaves_out || rest.back().columns.size() < columns;
  }
  products = std::move(rest);
  return leaves_out;
}

}  // namespace attnscope
