// The files that are open: what other programs write into them is read again.
#include <filesystem>

#include "figure/view.h"
#include "io/experiment_file.h"
#include "io/own_tensor_file.h"
#include "ui/workbench.h"

namespace attnscope::ui {

bool Workbench::has_tensor_file() const {
  const std::shared_ptr<const GivenTensors>& tensors = session_.experiment().tensors;
  // What came from standard input has no path.
  return tensors != nullptr && std::filesystem::path(tensors->file()).is_absolute();
}

bool Workbench::can_reload() const { return !session_.file().empty() || has_tensor_file(); }

Result<ExperimentSource> Workbench::read_source_file(const std::string& path) const {
  Result<ExperimentSource> source = read_source(path);
  if (!source) return source;
  if (const Result<ViewOptions> view = view_options(source->experiment.view); !view)
    return fail(path + ": " + view.error().message);
  for (const Experiment* each : {&source->experiment, source->pinned ? &*source->pinned : nullptr}) {
    if (each == nullptr) continue;
    if (const Result<void> valid = validate(*each, memory_budget_); !valid)
      return fail(path + ": " + valid.error().message);
  }
  return source;
}

Result<void> Workbench::open_source_file(const std::string& path) {
  Result<ExperimentSource> source = read_source_file(path);
  if (!source) return tl::unexpected(source.error());
  // A figure is no place to save an experiment to.
  session_.open(std::move(source->experiment), source->is_other_file ? "" : path);
  if (source->pinned) compare_with(std::move(*source->pinned));
  return {};
}

Result<void> Workbench::reload() {
  if (session_.file().empty()) return has_tensor_file() ? reload_tensors() : Result<void>();
  Result<ExperimentSource> source = read_source_file(session_.file());
  if (!source) return tl::unexpected(source.error());
  session_.reload(std::move(source->experiment), true);
  return {};
}

Result<void> Workbench::reload_tensors() {
  Experiment next = session_.experiment();
  Result<std::shared_ptr<const GivenTensors>> tensors = open_given_tensors(next.tensors->file());
  if (!tensors) return tl::unexpected(tensors.error());
  next.tensors = std::move(*tensors);
  if (const Result<void> valid = validate(next, memory_budget_); !valid)
    return fail(next.tensors->file() + ": " + valid.error().message);
  session_.reload(std::move(next), false);
  return {};
}

void Workbench::follow_files() {
  const GivenTensors* const tensors = session_.experiment().tensors.get();
  if (followed_file_ != session_.file() || followed_tensors_ != tensors) {
    followed_file_ = session_.file();
    followed_tensors_ = tensors;
    std::vector<std::string> files;
    if (!followed_file_.empty()) files.push_back(followed_file_);
    if (has_tensor_file()) files.push_back(tensors->file());
    watch_.watch(files);
  }
  for (const std::string& file : watch_.take_changed()) reload_changed(file);
}

void Workbench::reload_changed(const std::string& file) {
  const bool of_tensors = has_tensor_file() && file == session_.experiment().tensors->file();
  if (!of_tensors && session_.modified()) {
    say(file + " was changed by another program; F5 reads it again", false);
    return;
  }
  if (const Result<void> done = of_tensors ? reload_tensors() : reload(); !done) {
    say(done.error().message, true);
    return;
  }
  say(file + " has changed and was read again", false);
  request_computation();
}

}  // namespace attnscope::ui
