// Matrices as text for spreadsheets and notes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// tsv: enough digits to read back the same float; markdown and latex (a tabular): four digits.
enum class MatrixFormat { tsv, markdown, latex };

/// Limit on the numbers of a copied matrix.
inline constexpr Index kMaxCopiedNumbers = 1'000'000;

/// The matrix of a cell: the last two axes of `tensor` at the other indices of `index`; a tensor with one axis is a
/// row. Rows and columns of tokens have labels, escaped for the format. Fails where there is no such cell, or the
/// matrix is too large.
Result<std::string> matrix_text(const Trace& trace, std::string_view tensor, std::span<const Index> index,
                                MatrixFormat format);

}  // namespace attnscope
