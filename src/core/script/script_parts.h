// Pieces of scripts that several systems share, as parts.h has them for the computation.
#pragma once

#include <string>
#include <string_view>

#include "core/experiment/system.h"
#include "core/script/script.h"

namespace attnscope {

/// Draws the picture `x`, and what is thrown away after it, or makes the picture that stands in its place.
void write_picture(Script& script);

/// `tokens`: the pixels of the picture called `picture`.
void write_tokens(Script& script, std::string_view picture);

/// `normed`: `x` with mean 0 and variance 1 over each picture (`group`) or over each channel of the batch.
void write_norm(Script& script, bool group);

/// `qkv` = to_qkv of the variable `input`, and `q`, `k`, `v`, which are a head's slice of it in turn.
void write_head_slices(Script& script, std::string_view input);

/// Scores that are divided by √head_dim.
inline constexpr std::string_view kScaledScores = "scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)\n";

/// The mask, then the lines that make `scores`, then everything up to `head_outputs`.
void write_attention(Script& script, const ScoreAxes& axes, std::string_view scores = kScaledScores);

/// `merged`: the outputs of the heads side by side.
void write_merged(Script& script);

/// `projected` = proj of the variable `input`; as a picture it is added to `x`.
void write_picture_sum(Script& script, std::string_view input);

/// Scores between the pixels of pictures.
ScoreAxes pixel_scores(bool heads);

}  // namespace attnscope
