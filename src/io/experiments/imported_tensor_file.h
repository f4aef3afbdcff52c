// Experiments on files of tensors that other programs wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>

#include "core/experiment/experiment.h"

namespace attnscope {

struct SavedTensors;

/// The tensors of a file, which stay in it until they are looked at. `ImportedTensors::file` is `path`, made absolute.
/// `saved`, which may be null, is what an experiment kept of the file. If the file has changed since, there is a
/// warning; if it is gone, there are its tensors without their numbers, and a warning.
Result<std::shared_ptr<const ImportedTensors>> open_imported_tensors(const std::filesystem::path& path,
                                                                     const SavedTensors* saved = nullptr);

/// The experiment that a file of tensors stands for: the one that a trace of ours was computed from, otherwise
/// attention on the tensors. Errors name the file.
Result<Experiment> experiment_of_tensors(const std::filesystem::path& path);

/// The same for standard input, a stream in one of those formats with at most `kMaxStreamed` bytes.
Result<Experiment> experiment_of_stream(std::istream& stream);

/// The most bytes of a stream, which is held in memory.
inline constexpr std::uint64_t kMaxStreamed = 2'000'000'000;

}  // namespace attnscope
