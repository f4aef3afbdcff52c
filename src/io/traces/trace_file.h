// Traces as files for other programs: every tensor under its name, as float32, in C order.
//
// The metadata are the same in all formats. "format" is "attnscope-trace/1"; "experiment" is what was computed (see
// experiment_file.h); "axes:NAME" is "head,query,key" for each tensor. A tensor that the trace does not hold, or that
// was not requested, is omitted: "omitted:NAME" is its shape, "8,4096,4096". If only a part of a tensor was requested,
// "slice:NAME" says which: "0:1,100:200,0:4096"; no axis is dropped.
//
// - .safetensors: the metadata are strings. Read it with safetensors.numpy.load_file and safe_open.
// - .npz: numpy.load(file)["scores"]. Uncompressed. The additional member "__metadata__" is a text with the metadata as
//   a JSON object: json.loads(str(numpy.load(file)["__metadata__"])).
// - .json: {"format": …, "experiment": {…}, "tensors": {"scores": {"axes": ["head", "query", "key"], "shape":
//   [4, 6, 6], "values": [[[…], …], …], …}}. An omitted tensor has "omitted": true and no values. Each number is the
//   shortest that reads back as the same float32; others than finite ones are "NaN", "Infinity" and "-Infinity", which
//   Python's float() and JavaScript's Number() read.
#pragma once

#include <filesystem>
#include <span>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What tensors are called in a file: as in the trace, or as TransformerLens calls and lays them out (lens_names.h),
/// without what that has no name for.
enum class TraceNames { own, lens };

/// Checks that `path` has the extension of a trace format; a usage error names those that there are.
Result<void> check_trace_name(const std::filesystem::path& path);

/// Writes the trace in one step (see AtomicFile). Equal traces make equal files, byte for byte. With `only`, at most
/// one region for each step, only those are written, and computed first if they are not resident; not with the names of
/// TransformerLens. Once `stop` says so, it fails and leaves what was there.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& path, std::span<const Region> only = {},
                         TraceNames names = TraceNames::own, const StopToken& stop = {});

}  // namespace attnscope
