// Matrices as text for spreadsheets and notes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// tsv: every number so that it reads back as the same float; markdown, latex (a tabular): four digits.
enum class MatrixFormat { tsv, markdown, latex };

/// Numbers that a copied matrix may have.
inline constexpr Index kMaxCopiedNumbers = 1'000'000;

/// The matrix that a cell lies in: what the last two axes of `tensor` span at the other indices of `index`, a tensor
/// with one axis as a row. Rows and columns that count tokens have their labels, as text of the format. Fails where
/// there is no such cell, or the matrix is too large.
Result<std::string> matrix_text(const Trace& trace, std::string_view tensor, std::span<const Index> index,
                                MatrixFormat format);

}  // namespace attnscope
