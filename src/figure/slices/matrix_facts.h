// What a tensor of a trace is, in words: for who meets its matrix in a figure.
#pragma once

#include <string>
#include <string_view>

#include "core/trace/trace.h"
#include "figure/model/canvas.h"
#include "figure/model/figure.h"

namespace attnscope {

/// What the tensor holds: "queries: what each token looks for". Its prefix does not count: "layer2.q" is "q".
std::string tensor_meaning(const Step& step);

/// The sizes of its axes: "head 4 × query 6 × dim 7".
std::string named_shape(const Axes& axes);

/// How it is computed: "Σ_feature x[query, feature] · w_q[head, feature, dim]".
std::string formula_text(const Trace& trace, const Step& step);

/// All of it, a line each: what it holds, its name with its shape, its formula. `meaning` replaces the first line.
std::string matrix_facts(const Trace& trace, const Step& step, std::string_view meaning = {});

/// The step whose matrix `text` is a heading of: its symbol, formula, shape or title. Null for any other text.
const Step* headed_step(const Figure& figure, const Trace& trace, const TextMark& text);
/// The same of the text at that place, in output units.
const Step* headed_step_at(const Figure& figure, const Trace& trace, const FigureTransform& transform, Point at);

}  // namespace attnscope
