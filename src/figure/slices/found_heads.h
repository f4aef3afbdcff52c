// The heads that the standard test finds in the model of a trace, kept from one figure to the next.
#pragma once

#include <memory>

#include "core/heads/finder.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// The option "of" of views that show either the text or the standard test, and "show", which keeps the heads with a
/// name.
Parameter of_option();
Parameter show_option();

/// The view that shows the test with all numbers, and the value of "of" that asks for it.
inline constexpr const char* kTestView = "metrics";
inline constexpr const char* kOfRandomTokens = "random";

/// Whether the trace is of a model that the test applies to.
bool can_find_heads(const Trace& trace);

/// What the test does with the interventions of the experiment, to be added to a note: "; with layer 1, head 2 off";
/// empty where there are none.
std::string tested_with(const Trace& trace);
/// Whether the options also ask for the test.
bool finds_heads(const Trace& trace, const ParameterValues& options);

/// What the test finds in the trace's model, or why it fails; from the cache of `options` where it has that. Null when
/// it was stopped.
std::shared_ptr<const Result<FoundHeads>> found_heads(const Trace& trace, const ViewOptions& options);

}  // namespace attnscope
