// What a model reads: texts or ids that the user gave, or an example.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// Bytes of the longest text that a model is given, and the most ids.
inline constexpr std::size_t kMaxTextBytes = 1'000'000;

/// One of a model's two texts, as the user gave it: as text or as ids, not both.
struct GivenText {
  std::optional<std::string> text;
  std::optional<std::vector<Index>> ids;

  [[nodiscard]] bool empty() const { return !text && !ids; }
};

/// Gives the model of `experiment` its texts: the first, and the second of a pair or what its decoder is given, by
/// default the token that starts it. The labels become the pieces of the first text. What is not given stays. Errors
/// begin with "text" or "text2".
Result<void> set_texts(Experiment& experiment, const GivenText& first, const GivenText& second);

/// Gives the model of `experiment` the text that is patched from; what is not given stays. Errors begin with
/// "patch_text".
Result<void> set_patch_text(Experiment& experiment, const GivenText& given);

/// The model in a folder, or that a file belongs to, with an example for it to read: `attnscope_example` and
/// `attnscope_example2` (texts, or lists of ids) in its config.json, otherwise a sentence, or a single token where there
/// is no tokenizer. A model of pictures is left without one; see `example_picture`.
Result<Experiment> experiment_of_model(const std::filesystem::path& path);

}  // namespace attnscope
