// One writer for each format of trace files; see trace_file.h for what they write.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/trace.h"
#include "io/file.h"

namespace attnscope {

using TraceMetadata = std::vector<std::pair<std::string, std::string>>;

/// Format, experiment, axes and omitted tensors, in this order.
TraceMetadata trace_metadata(const Trace& trace);

/// Appends the numbers as little-endian float32, whatever the machine's own order.
Result<void> write_floats(AtomicFile& file, std::span<const float> values);

/// The bytes of `values` as `write_floats` writes them; `scratch` is room for those that have to be turned round.
std::string_view little_endian_bytes(std::span<const float> values, std::string& scratch);

Result<void> write_safetensors(const Trace& trace, AtomicFile& file);
Result<void> write_npz(const Trace& trace, AtomicFile& file);
Result<void> write_trace_json(const Trace& trace, AtomicFile& file);

}  // namespace attnscope
