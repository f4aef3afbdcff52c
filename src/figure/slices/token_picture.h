// The picture whose pixels or patches are the tokens of a trace.
#pragma once

#include <optional>
#include <string>

#include "core/trace/trace.h"

namespace attnscope {

struct TokenPicture {
  const Step* pixels = nullptr;  ///< [batch, channel, row, column], of a trained model [channel, row, column]
  Index rows = 0;                ///< of tokens
  Index columns = 0;
  Index side = 1;   ///< pixels along a side of a token
  Index first = 0;  ///< tokens before those of the picture: a model's class token

  [[nodiscard]] bool of_patches() const { return first > 0; }
  [[nodiscard]] Index tokens() const { return first + rows * columns; }
  [[nodiscard]] Index channels() const { return pixels->axes[pixels->axes.size() - 3].size; }
  /// "pixel (2, 3)", "patch (2, 3)" or "the class token"; `token` counts from 0.
  [[nodiscard]] std::string token_text(Index token) const;
};

/// Nothing where the tokens are no part of a picture.
std::optional<TokenPicture> token_picture(const Trace& trace);

}  // namespace attnscope
