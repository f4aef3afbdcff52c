// The systems: pieces of attention code that attnscope reproduces, one file each.
#pragma once

#include "core/experiment/system.h"
#include "core/operations/ops.h"

namespace attnscope {

// One per file; imported_tensors_system is in core/imported.
System scaled_dot_product();
System worked_example();
System image_self_attention();
System image_multihead();
System packed_multihead();
System conv_attention();
System projected_multihead();
System stacked_multihead();
System hand_made_heads();
System imported_tensors_system();

}  // namespace attnscope
