#include "io/trace_file.h"

#include <algorithm>
#include <bit>
#include <exception>

#include "core/text.h"
#include "io/experiment_file.h"
#include "io/printable.h"
#include "io/trace_formats.h"

namespace attnscope {
namespace {

constexpr std::size_t kFloatsAtATime = std::size_t{1} << 16U;

std::string axis_list(const Axes& axes, bool sizes) {
  std::vector<std::string> parts;
  for (const Axis& axis : axes) parts.push_back(sizes ? std::to_string(axis.size) : axis.name);
  return join(parts, ",");
}

Result<void> write_as(TraceFormat format, const Trace& trace, AtomicFile& file) {
  switch (format) {
    case TraceFormat::safetensors: return write_safetensors(trace, file);
    case TraceFormat::npz: return write_npz(trace, file);
    case TraceFormat::json: return write_trace_json(trace, file);
  }
  return {};
}

}  // namespace

TraceMetadata trace_metadata(const Trace& trace) {
  TraceMetadata metadata = {{"format", "attnscope-trace/1"},
                            {"experiment", compact_experiment_json(trace.experiment())}};
  for (const Step& step : trace.steps()) metadata.emplace_back("axes:" + step.name, axis_list(step.axes, false));
  for (const Step& step : trace.steps()) {
    if (step.tensor == nullptr) metadata.emplace_back("omitted:" + step.name, axis_list(step.axes, true));
  }
  return metadata;
}

std::string_view little_endian_bytes(std::span<const float> values, std::string& scratch) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  if constexpr (std::endian::native == std::endian::little) return {bytes, values.size_bytes()};
  scratch.assign(bytes, values.size_bytes());
  for (std::size_t at = 0; at < scratch.size(); at += sizeof(float))
    std::reverse(&scratch[at], &scratch[at] + sizeof(float));
  return scratch;
}

Result<void> write_floats(AtomicFile& file, std::span<const float> values) {
  std::string scratch;
  for (std::size_t at = 0; at < values.size(); at += kFloatsAtATime) {
    const std::span<const float> piece = values.subspan(at, std::min(kFloatsAtATime, values.size() - at));
    if (Result<void> written = file.write(little_endian_bytes(piece, scratch)); !written) return written;
  }
  return {};
}

Result<TraceFormat> trace_format(const std::filesystem::path& path) {
  const std::string extension = path.extension().native();
  if (extension == ".safetensors") return TraceFormat::safetensors;
  if (extension == ".npz") return TraceFormat::npz;
  if (extension == ".json") return TraceFormat::json;
  return fail(path_text(path) + ": " +
                  (extension.empty() ? "an extension is missing"
                                     : "the extension " + attnscope::quoted_text(extension) + " is unknown") +
                  "; allowed: .safetensors, .npz or .json",
              Error::Kind::usage);
}

Result<void> write_trace(const Trace& trace, const std::filesystem::path& path) {
  const Result<TraceFormat> format = trace_format(path);
  if (!format) return tl::unexpected(format.error());
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  try {
    if (Result<void> written = write_as(*format, trace, *file); !written) return written;
  } catch (const std::exception& error) {
    return fail(path_text(path) + ": " + error.what());
  }
  return file->commit();
}

}  // namespace attnscope
