// Parts of scripts that several systems share; the counterpart of systems/parts.h.
#pragma once

#include <string>
#include <string_view>

#include "core/experiment/system.h"
#include "core/script/script.h"

namespace attnscope {

/// Draws the picture `x` and the discarded numbers, or builds the picture that replaces it.
void write_picture(Script& script);

/// `tokens`: the pixels of the variable `picture`.
void write_tokens(Script& script, std::string_view picture);

/// `normed`: `x` normalized over each picture (`group`) or over each channel of the batch.
void write_norm(Script& script, bool group);

/// `qkv` = to_qkv(`input`), and `q`, `k`, `v`: each head's slice, split in turn.
void write_head_slices(Script& script, std::string_view input);

/// Scores that are divided by √head_dim.
inline constexpr std::string_view kScaledScores = "scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)\n";

/// The mask, the lines `scores`, and everything up to `head_outputs`.
void write_attention(Script& script, const ScoreAxes& axes, std::string_view scores = kScaledScores);

/// `merged`: the concatenated head outputs.
void write_merged(Script& script);

/// `projected` = proj(`input`), reshaped to a picture and added to `x`.
void write_picture_sum(Script& script, std::string_view input);

/// The axes of scores between pixels.
ScoreAxes pixel_scores(bool heads);

}  // namespace attnscope
