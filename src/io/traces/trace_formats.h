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

/// A tensor in a trace file, or omitted from it.
struct TraceMember {
  std::string name;
  Axes axes;                             ///< with the sizes of the written part
  std::string slice;                     ///< "0:1,10:20,0:6": the written part; empty: all of it
  std::shared_ptr<const Tensor> tensor;  ///< null: omitted
};

/// The contents of a trace file.
struct TraceContents {
  const Experiment& experiment;
  std::vector<TraceMember> members;
  std::filesystem::path folder;  ///< where the file will lie
};

using TraceMetadata = std::vector<std::pair<std::string, std::string>>;

/// Format, experiment, axes, omitted tensors and slices, in this order.
TraceMetadata trace_metadata(const TraceContents& contents);

/// Appends the numbers as little-endian float32 on any machine.
Result<void> write_floats(AtomicFile& file, std::span<const float> values);

/// The bytes of `values` as `write_floats` writes them; `scratch` gives room to reverse those of other machines.
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
