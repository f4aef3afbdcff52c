// Tokens that somebody searches for in a figure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"
#include "figure/model/figure.h"

namespace attnscope {

/// A token, and where a figure shows it.
struct FoundToken {
  Index position = 0;
  std::string name;
  /// Its rows and columns of matrices, its words, its labels beside lines; logical pixels of the figure.
  std::vector<Rect> places;

  /// Where the figure shows it first: where its row and its column of the same matrix meet, otherwise as much of the
  /// first place as `width` holds.
  [[nodiscard]] Point center(double width) const;
};

/// Whether the token at a position, with its name, is one that is searched for.
using IsWanted = std::function<bool(Index position, std::string_view name)>;

/// Tokens behind that many of an axis are not asked about: names would have to be made for longer than a frame takes.
inline constexpr Index kMostSearched = Index{1} << 16U;
/// So many places at most are found.
inline constexpr Index kMostPlaces = 20'000;

/// The wanted tokens of the figure, in order. Places of one position and name are those of one token; a token without a
/// name has its number from 1. Rows and columns that are no tokens of a tensor have the names that the figure writes beside
/// them. The token at `position`, from 0, is wanted in any case; −1: none.
std::vector<FoundToken> find_tokens(const Figure& figure, const Trace& trace, const IsWanted& is_wanted,
                                    Index position = -1);

/// Whether the figure has tokens that `find_tokens` does not ask about.
bool has_more_tokens(const Figure& figure);

}  // namespace attnscope
