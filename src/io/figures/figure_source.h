// What a figure was made of, as it stands in the figure's own file: every figure opens again as the experiment that it
// shows.
//
//   {"format": "attnscope-figure/1",
//    "experiment": {…},          as experiment_file.h has it, with the view and its options
//    "pinned": {…}}              where the view compares with another one
//
// PNG: an iTXt chunk called "attnscope", the caption in one called "Description". SVG: <metadata id="attnscope">, the
// caption in <desc>. PDF: the keywords of the document information, the caption in its subject.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

/// What a figure of `experiment` in its view is made of: `pinned`, which may be null, belongs to it where the view
/// compares with what is pinned.
ExperimentSource source_of_figure(const Experiment& experiment, const Experiment* pinned);

/// One line for below the figure: "worked-example: heads = 2; seed 42; view heads; attnscope 0.1.0". What is at its
/// default is left out, but for the seed; long values are cut.
std::string figure_caption(const ExperimentSource& source);

/// The source as JSON: one line of ASCII, the same for the same source. `folder`: see `experiment_json`.
std::string figure_source_json(const ExperimentSource& source, const std::filesystem::path& folder = {});

/// Whether a file that begins like that is a PNG, SVG or PDF file.
bool is_figure_file(std::string_view bytes);

/// Whether that is the file of a figure that holds a source, whatever may be wrong with it.
bool is_figure_with_source(const std::filesystem::path& path);

/// The source that the bytes of a figure's file hold. What they say about sizes is checked before it is believed.
/// Errors are one line that begins with `name`, which stands for the file; `folder`: see `parse_experiment`.
Result<ExperimentSource> parse_figure_source(std::string_view bytes, std::string_view name,
                                             const std::filesystem::path& folder = {});

}  // namespace attnscope
