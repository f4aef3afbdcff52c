// The source of a figure, stored in the figure's file: every figure opens again as the experiment that it shows.
//
//   {"format": "attnscope-figure/1",
//    "experiment": {…},          as experiment_file.h has it, with the view and its options
//    "pinned": {…}}              where the view compares with another one
//
// PNG: an iTXt chunk called "attnscope", and one called "Description" for the caption. SVG: <metadata id="attnscope">,
// and <desc> for the caption. PDF: the keywords in the document information, and its subject for the caption.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "figure/model/figure.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

/// The source of a figure of `experiment` in its view. `pinned`, which may be null, is part of it if the view compares
/// with the baseline.
ExperimentSource source_of_figure(const Experiment& experiment, const Experiment* pinned);

/// A line for below the figure: "worked-example: heads = 2; seed 42; view heads; attnscope 0.1.0". It omits what is at
/// its default, except the seed, and cuts long values.
/// Before it stands what the figure shows, as a sentence, if `figure` is not null and knows that.
std::string figure_caption(const ExperimentSource& source, const Figure* figure = nullptr);

/// The source as JSON: one line of ASCII, the same for the same source. `folder`: see `experiment_json`.
std::string figure_source_json(const ExperimentSource& source, const std::filesystem::path& folder = {});

/// Whether a file that begins like `bytes` is a figure in one of the formats.
bool is_figure_file(std::string_view bytes);

/// Whether the file is a figure with a source, valid or not.
bool is_figure_with_source(const std::filesystem::path& path);

/// The source in the bytes of a figure's file. Sizes in it are checked before they are used. Errors are one line that
/// begins with `name`, which stands for the file; `folder`: see `parse_experiment`.
Result<ExperimentSource> parse_figure_source(std::string_view bytes, std::string_view name,
                                             const std::filesystem::path& folder = {});

}  // namespace attnscope
