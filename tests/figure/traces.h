// Computed experiments and figures of them, for the tests of figures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/system.h"
#include "core/trace/run.h"
#include "figure/views/view.h"

namespace attnscope::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// A system with these parameters.
inline Experiment experiment_with(const Settings& settings, const std::string& system = "worked-example") {
  Experiment experiment = *default_experiment(system);
  for (const auto& [name, text] : settings) {
    const Result<void> set = set_parameter_text(experiment, name, text);
    EXPECT_TRUE(set) << name << ": " << (set ? "" : set.error().message);
  }
  return experiment;
}

inline std::shared_ptr<const Trace> trace_with(const Settings& settings, const std::string& system = "worked-example") {
  return *run(experiment_with(settings, system));
}

/// A view with these options. `cache` may be null.
inline Figure figure_of(const Trace& trace, const std::string& view, const ParameterValues& options = {},
                        double width = 672, double height = 0, ViewCache* cache = nullptr) {
  const Result<ViewOptions> set = view_options({view, options});
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  ViewOptions all = *set;
  all.width = width;
  all.height = height;
  all.cache = cache;
  return build_view(view, trace, all);
}

/// A view as a file has it.
inline Figure figure_for_file_of(const Trace& trace, const std::string& view, const ParameterValues& options = {}) {
  ViewOptions all = *view_options({view, options});
  all.for_file = true;
  return build_view(view, trace, all);
}

/// The mark with that id, or null.
template <typename Mark>
const Mark* mark(const std::vector<Mark>& marks, const std::string& id) {
  const auto found = std::find_if(marks.begin(), marks.end(), [&](const Mark& each) { return each.id == id; });
  return found == marks.end() ? nullptr : &*found;
}

/// The options that a click on the mark sets.
inline ParameterValues set_by(const TargetMark& mark) {
  const auto* set = std::get_if<SetOptions>(&mark.click);
  return set == nullptr ? ParameterValues() : set->values;
}

/// The text with that id; "no …" without one. Lines of a reason, "missing", "missing.1", …, are one text.
inline std::string words(const Figure& figure, const std::string& id) {
  const auto line = [&](int number) { return mark(figure.texts, id + "." + std::to_string(number)); };
  const TextMark* const whole = mark(figure.texts, id);
  if (whole != nullptr && id != "missing") return whole->markup;
  // A paragraph in lines, the first of which may have the name itself.
  const TextMark* const first = whole != nullptr ? whole : line(0);
  if (first == nullptr) return "no " + id;
  std::string text = first->markup;
  for (int number = 1; line(number) != nullptr; ++number) text += " " + line(number)->markup;
  return text;
}

/// The default experiment of every system, with pictures and batches of two to save time.
inline std::vector<std::shared_ptr<const Trace>> small_traces() {
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const System& system : systems()) {
    Settings settings;
    for (const char* size : {"batch", "height", "width"}) {
      if (find_parameter(system.parameters, size) != nullptr) settings.emplace_back(size, "2");
    }
    traces.push_back(trace_with(settings, system.name));
  }
  return traces;
}

/// A heatmap of these numbers in `box`.
inline HeatmapMark heatmap_of(std::string id, const Rect& box, Axes axes, const std::vector<float>& numbers) {
  auto tensor = std::make_shared<Tensor>(std::move(axes));
  std::copy(numbers.begin(), numbers.end(), tensor->values().begin());
  HeatmapMark mark;
  mark.id = std::move(id);
  mark.box = box;
  mark.axes = tensor->axes();
  if (tensor->rank() > 2) mark.leading.resize(static_cast<std::size_t>(tensor->rank()) - 2);
  mark.source = slice_of(std::move(tensor), mark);
  return mark;
}

}  // namespace attnscope::test
