// The formats of trace files, a writer and a line in the table each; see trace_file.h for what they write.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/trace/trace.h"
#include "io/base/file.h"

namespace attnscope {

/// One tensor in a file of a trace, or left out of it.
struct TraceMember {
  std::string name;
  Axes axes;                             ///< as long as the part that is written
  std::string slice;                     ///< "0:1,10:20,0:6": which part; empty: all of it
  std::shared_ptr<const Tensor> tensor;  ///< null: left out
};

/// What a file of a trace holds.
struct TraceContents {
  const Experiment& experiment;
  std::vector<TraceMember> members;
  std::filesystem::path folder;  ///< where the file will lie
};

using TraceMetadata = std::vector<std::pair<std::string, std::string>>;

/// Format, experiment, axes, omitted tensors and slices, in this order.
TraceMetadata trace_metadata(const TraceContents& contents);

/// Appends the numbers as little-endian float32, whatever the machine's own order.
Result<void> write_floats(AtomicFile& file, std::span<const float> values);

/// The bytes of `values` as `write_floats` writes them; `scratch` is room for those that have to be turned round.
std::string_view little_endian_bytes(std::span<const float> values, std::string& scratch);

Result<void> write_safetensors(const TraceContents& contents, AtomicFile& file);
Result<void> write_npz(const TraceContents& contents, AtomicFile& file);
Result<void> write_trace_json(const TraceContents& contents, AtomicFile& file);

struct TraceFormat {
  std::string_view extension;
  Result<void> (*write)(const TraceContents& contents, AtomicFile& file);
};

/// In the order in which messages and help name them.
inline constexpr std::array kTraceFormats = {
    TraceFormat{".safetensors", write_safetensors},
    TraceFormat{".npz", write_npz},
    TraceFormat{".json", write_trace_json},
};

}  // namespace attnscope
