#include "io/traces/trace_file.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <filesystem>

#include "core/base/text.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/traces/lens_names.h"
#include "io/traces/trace_formats.h"

namespace attnscope {
namespace {

constexpr std::size_t kFloatsAtATime = std::size_t{1} << 16U;

std::string axis_list(const Axes& axes, bool sizes) {
  std::vector<std::string> parts;
  for (const Axis& axis : axes) parts.push_back(sizes ? std::to_string(axis.size) : axis.name);
  return join(parts, ",");
}

std::string slice_text(const Region& region) {
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < region.begin.size(); ++axis)
    parts.push_back(std::to_string(region.begin[axis]) + ":" + std::to_string(region.end[axis]));
  return join(parts, ",");
}

/// The requested regions, or, without any, everything that is resident except the weights of a trained model.
TraceContents contents_of(const Trace& trace, std::span<const Region> only, const std::filesystem::path& path) {
  TraceContents contents = {trace.experiment(), {}, folder_of(path)};
  ThreadPool pool;
  for (int number = 0; number < static_cast<int>(trace.steps().size()); ++number) {
    const Step& step = trace.step(number);
    const auto wanted =
        std::find_if(only.begin(), only.end(), [&](const Region& region) { return region.step == number; });
    if (wanted == only.end()) {
      // A model's own file has them.
      if (step.operation->traits().is_weight) continue;
      contents.members.push_back({step.name, step.axes, "", only.empty() ? step.tensor : nullptr});
      continue;
    }
    const bool whole = *wanted == whole_region(number, step.axes);
    contents.members.push_back({step.name, region_axes(step.axes, *wanted), whole ? "" : slice_text(*wanted),
                                trace.numbers(*wanted, {trace.experiment().seed, &pool, {}})});
  }
  return contents;
}

/// Everything that is resident and that TransformerLens has a name for.
TraceContents lens_contents_of(const Trace& trace, const std::filesystem::path& path) {
  TraceContents contents = {trace.experiment(), {}, folder_of(path)};
  for (const auto& [number, names] : lens_names(trace.steps())) {
    const Step& step = trace.step(number);
    for (const std::string& name : names)
      contents.members.push_back(with_lens_layout({step.name, step.axes, "", step.tensor}, name));
  }
  return contents;
}

Result<const TraceFormat*> format_of(const std::filesystem::path& path) {
  if (const TraceFormat* const format = find_format(kTraceFormats, path)) return format;
  const std::string extension = path.extension().string();
  return fail(path_text(path) + ": " +
                  (extension.empty() ? "an extension is missing"
                                     : "the extension " + attnscope::quoted_text(extension) + " is unknown") +
                  "; allowed: " + extension_list(kTraceFormats, " or "),
              Error::Kind::usage);
}

}  // namespace

TraceMetadata trace_metadata(const TraceContents& contents) {
  TraceMetadata metadata = {{"format", "attnscope-trace/1"},
                            {"experiment", compact_experiment_json(contents.experiment, contents.folder)}};
  for (const TraceMember& member : contents.members)
    metadata.emplace_back("axes:" + member.name, axis_list(member.axes, false));
  for (const TraceMember& member : contents.members) {
    if (member.tensor == nullptr) metadata.emplace_back("omitted:" + member.name, axis_list(member.axes, true));
  }
  for (const TraceMember& member : contents.members) {
    if (!member.slice.empty()) metadata.emplace_back("slice:" + member.name, member.slice);
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

Result<void> check_trace_name(const std::filesystem::path& path) {
  const Result<const TraceFormat*> format = format_of(path);
  if (!format) return tl::unexpected(format.error());
  return {};
}

Result<void> write_trace(const Trace& trace, const std::filesystem::path& path, std::span<const Region> only,
                         TraceNames names, const StopToken& stop) {
  const Result<const TraceFormat*> format = format_of(path);
  if (!format) return tl::unexpected(format.error());
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return tl::unexpected(file.error());
  file->stop_with(stop);
  try {
    const TraceContents contents =
        names == TraceNames::lens ? lens_contents_of(trace, path) : contents_of(trace, only, path);
    if (const std::optional<std::string> failure = trace.failure()) return fail(*failure);
    if (Result<void> written = (*format)->write(contents, *file); !written) return written;
  } catch (const std::exception& error) {
    return fail(path_text(path) + ": " + error.what());
  }
  return file->commit();
}

}  // namespace attnscope
