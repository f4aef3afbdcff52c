// The tensors of a trained model as TransformerLens calls and lays them out: "blocks.0.attn.hook_pattern".
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "io/traces/trace_formats.h"

namespace attnscope {

/// Per position of a step, its names there: none for what has no name, two for the residual stream between two layers.
std::map<int, std::vector<std::string>> lens_names(std::span<const Step> steps);

/// The member under another name, with an axis for the batch, of size 1, in front, and heads behind positions unless the
/// tensor has queries and keys.
TraceMember with_lens_layout(TraceMember member, std::string name);

}  // namespace attnscope
