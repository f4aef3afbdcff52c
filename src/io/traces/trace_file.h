// Traces as files for other programs: every tensor under its name, float32, in C order.
//
// What a file says about its tensors is the same in all formats: "format" is "attnscope-trace/1", "experiment" is what
// was computed (see experiment_file.h), "axes:NAME" is "head,query,key" for each tensor. A tensor that the trace does
// not hold, or that was not asked for, is left out, and "omitted:NAME" is its shape: "8,4096,4096". Of a tensor of
// which only a part was asked for, "slice:NAME" says which: "0:1,100:200,0:4096"; no axis is dropped.
//
// .safetensors  That, as strings, is the metadata. Reads with safetensors.numpy.load_file and safe_open.
// .npz          numpy.load(file)["scores"]. Uncompressed. One member more, "__metadata__", is a text with the same as a
//               JSON object: json.loads(str(numpy.load(file)["__metadata__"])).
// .json         {"format": …, "experiment": {…}, "tensors": {"scores": {"axes": ["head", "query", "key"], "shape":
//               [4, 6, 6], "values": [[[…], …], …], …}}; a tensor left out has "omitted": true and no values. Each
//               number is the shortest that reads back as the same float32; what is not finite is "NaN", "Infinity" or
//               "-Infinity", which Python's float() and JavaScript's Number() read.
#pragma once

#include <filesystem>
#include <span>

#include "core/base/result.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The extension of `path` is one of a format for traces; otherwise a usage error that names them.
Result<void> check_trace_name(const std::filesystem::path& path);

/// Writes the trace in one step (see AtomicFile). Equal traces make equal files, byte for byte. With `only`, at most
/// one region of each step, just those are written, computed first if they are not held, and the others left out.
Result<void> write_trace(const Trace& trace, const std::filesystem::path& path, std::span<const Region> only = {});

}  // namespace attnscope
