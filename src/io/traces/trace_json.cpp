// Traces as JSON: nested lists, one line for each row of the last axis.
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/base/json_value.h"
#include "io/experiments/experiment_file.h"
#include "io/traces/trace_formats.h"

namespace attnscope {
namespace {

void append_number(std::string& out, float value) {
  if (!std::isfinite(value)) {
    out += compact_json(json_number(value));
    return;
  }
  if (value == 0 && std::signbit(value)) {
    out += "-0.0";  // as "-0" it is a whole number to Python, and loses its sign
    return;
  }
  std::array<char, 32> buffer{};
  out.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
}

/// Writes the values from axis `axis` on, and moves on in `values`.
Result<void> write_values(AtomicFile& file, const Axes& axes, std::size_t axis, std::span<const float>& values) {
  std::string text;
  if (axis + 1 >= axes.size()) {
    const std::size_t count = axes.empty() ? 1 : static_cast<std::size_t>(axes.back().size);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += ", ";
      append_number(text, values[i]);
    }
    values = values.subspan(count);
    return file.write(axes.empty() ? text : "[" + text + "]");
  }
  const std::string line = "\n" + std::string(8 + 2 * axis, ' ');
  for (Index i = 0; i < axes[axis].size; ++i) {
    if (Result<void> written = file.write((i == 0 ? "[" : ",") + line); !written) return written;
    if (Result<void> written = write_values(file, axes, axis + 1, values); !written) return written;
  }
  return file.write(axes[axis].size == 0 ? "[]" : "]");
}

Result<void> write_tensor(AtomicFile& file, const TraceMember& member) {
  nlohmann::ordered_json axes = nlohmann::ordered_json::array();
  nlohmann::ordered_json shape = nlohmann::ordered_json::array();
  for (const Axis& axis : member.axes) {
    axes.push_back(axis.name);
    shape.push_back(axis.size);
  }
  const std::string head = "    " + compact_json(member.name) + ": {\n      \"axes\": " + compact_json(axes) +
                           ",\n      \"shape\": " + compact_json(shape) + ",\n      ";
  if (member.tensor == nullptr) return file.write(head + "\"omitted\": true\n    }");
  const std::string slice = member.slice.empty() ? "" : "\"slice\": " + compact_json(member.slice) + ",\n      ";
  if (Result<void> written = file.write(head + slice + "\"values\": "); !written) return written;
  std::span<const float> values = member.tensor->values();
  if (Result<void> written = write_values(file, member.axes, 0, values); !written) return written;
  return file.write("\n    }");
}

}  // namespace

Result<void> write_trace_json(const TraceContents& contents, AtomicFile& file) {
  const std::string head = "{\n  \"format\": \"attnscope-trace/1\",\n  \"experiment\": ";
  const std::string experiment = compact_experiment_json(contents.experiment, contents.folder);
  if (Result<void> written = file.write(head + experiment + ",\n  \"tensors\": {"); !written) return written;
  for (const TraceMember& member : contents.members) {
    if (Result<void> written = file.write(&member == contents.members.data() ? "\n" : ",\n"); !written) return written;
    if (Result<void> written = write_tensor(file, member); !written) return written;
  }
  return file.write("\n  }\n}\n");
}

}  // namespace attnscope
