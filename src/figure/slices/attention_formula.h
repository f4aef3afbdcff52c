// The equation of an attention: of what its plan computes and of nothing else. Each symbol knows the tensors that it
// stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"
#include "figure/slices/selected.h"

namespace attnscope {

/// A symbol of the equation.
struct FormulaSymbol {
  std::string id;                    ///< unique in the equation: "Q", "W_{O}"
  std::string markup;                ///< as written, see `figure/style/markup.h`
  std::vector<std::string> tensors;  ///< of the trace; the first one is what the symbol is
  std::string about;                 ///< what it is, its shape and formula, a line each
  std::string product;               ///< the tensor of the product that it is a factor of; empty: none

  [[nodiscard]] bool stands_for(std::string_view tensor) const;
  /// Whether a number of the tensor belongs to the symbol: also one of the product.
  [[nodiscard]] bool has_number_of(std::string_view tensor) const { return product == tensor || stands_for(tensor); }
};

/// A piece of the equation: a symbol, or what stands between symbols.
struct FormulaPiece {
  std::string markup;
  int symbol = -1;  ///< position among the symbols; −1: none
};

struct AttentionFormula {
  std::vector<FormulaSymbol> symbols;
  std::vector<FormulaPiece> attention;  ///< "Attention(Q, K, V) = softmax(QK^{T} / √d_{k})V"
  std::vector<FormulaPiece> output;     ///< "output = Concat(head_{1} … head_{4})W_{O}"; empty: no output projection
  std::string notes;                    ///< numbers and particulars: "d_{k} = 7"; markup; may be empty
};

/// Nothing for weights that were imported, without what they are computed from.
std::optional<AttentionFormula> attention_formula(const Trace& trace, const SelectedAttention& shown);

/// What is concatenated, markup: "head_{1} … head_{4}".
std::string head_names(Index count);

/// Markup of the pieces in a row.
std::string formula_markup(const std::vector<FormulaPiece>& pieces);

}  // namespace attnscope
