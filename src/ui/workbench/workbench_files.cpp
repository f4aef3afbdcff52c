// The files that are opened, and what other programs write into them: read beside the window.
#include <chrono>
#include <filesystem>
#include <utility>

#include "core/plan/validate.h"
#include "io/base/printable.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {

bool Workbench::has_tensor_file() const {
  const std::shared_ptr<const ImportedTensors>& tensors = session_.experiment().tensors;
  // What came from standard input has no path.
  return tensors != nullptr && std::filesystem::path(tensors->file()).is_absolute();
}

bool Workbench::can_reload() const { return !session_.file().empty() || has_tensor_file(); }

void Workbench::read(FileRequest request, Opening::Why why) {
  // What most files take no longer than is waited for, so that they are there in this frame.
  constexpr std::chrono::milliseconds kAtOnce{8};
  opening_ = Opening{why, transient_.dialog};
  opener_.request(std::move(request));
  if (opener_.wait(kAtOnce)) take_read();
}

void Workbench::reload(const std::string& file, Opening::Why why) {
  const bool is_own = !session_.file().empty() && file == session_.file();
  if (!file.empty()) read({file, is_own ? FileKind::source : FileKind::tensors}, why);
}

void Workbench::take_read() {
  // Whoever has closed the dialog wants nothing opened by it any more.
  if (opening_ && opening_->dialog != Dialog::none && transient_.dialog == Dialog::none) {
    opener_.cancel();
    opening_.reset();
  }
  std::optional<ReadContent> content = opener_.take();
  if (!content || !opening_) return;
  const Opening opening = *std::exchange(opening_, std::nullopt);
  const std::string path = content->request.path;
  if (!content->content) {
    transient_.dialog_error = content->content.error().message;
    say(content->content.error().message, true);
    // Then they may be all there is of it.
    if (opening.why == Opening::Why::open) offer_left_behind_of(path);
  } else if (auto* source = std::get_if<ExperimentSource>(&*content->content)) {
    take_source(path, std::move(*source), opening);
  } else if (const Result<void> done = take_part(std::move(*content->content)); !done) {
    transient_.dialog_error = done.error().message;
    say(done.error().message, true);
  } else {
    say_read(path, opening);
  }
}

void Workbench::say_read(const std::string& path, const Opening& opening) {
  if (opening.dialog != Dialog::none) transient_.dialog = Dialog::none;
  const std::string name = printable(path);
  switch (opening.why) {
    case Opening::Why::open: say("opened " + name, false); break;
    case Opening::Why::reload: say("read " + name + " again", false); break;
    case Opening::Why::changed: say(name + " has changed and was read again", false); break;
  }
  request_computation();
}

void Workbench::take_source(const std::string& path, ExperimentSource source, const Opening& opening) {
  if (opening.why != Opening::Why::open) {
    session_.reload(std::move(source.experiment), true, std::move(source.version));
    return say_read(path, opening);
  }
  const auto shared = std::make_shared<ExperimentSource>(std::move(source));
  leave({[this, path, shared, opening] {
    // A figure is no place to save an experiment to.
    workspace_.open(std::move(shared->experiment), shared->is_other_file ? "" : path, std::move(shared->version));
    if (shared->pinned) compare_with(std::move(*shared->pinned));
    remember_file(path);
    say_read(path, opening);
    offer_left_behind_of(path);
  }});
}

Result<void> Workbench::take_part(FileContent content) {
  if (auto* labels = std::get_if<std::vector<std::string>>(&content))
    return session_.apply({SetLabels{std::move(*labels)}, 0});
  if (auto* picture = std::get_if<ColorPicture>(&content)) return session_.apply({SetPicture{std::move(*picture)}, 0});
  Experiment next = session_.experiment();
  next.tensors = std::get<std::shared_ptr<const ImportedTensors>>(std::move(content));
  if (const Result<void> valid = validate(next, memory_budget_); !valid)
    return fail(next.tensors->file() + ": " + valid.error().message);
  session_.reload(std::move(next), false);
  return {};
}

void Workbench::follow_files() {
  const ImportedTensors* const tensors = session_.experiment().tensors.get();
  if (followed_file_ != session_.file() || followed_tensors_ != tensors) {
    followed_file_ = session_.file();
    followed_tensors_ = tensors;
    std::vector<std::string> files;
    if (!followed_file_.empty()) files.push_back(followed_file_);
    if (has_tensor_file()) files.push_back(tensors->file());
    watch_.watch(files);
  }
  for (std::string& file : watch_.take_changed()) changed_files_.push_back(std::move(file));
  // One after the other, and never in the place of one that the user opens.
  if (changed_files_.empty() || opening_) return;
  const std::string file = std::move(changed_files_.front());
  changed_files_.erase(changed_files_.begin());
  reload_changed(file);
}

void Workbench::reload_changed(const std::string& file) {
  const bool of_tensors = has_tensor_file() && file == session_.experiment().tensors->file();
  if (!of_tensors && file != session_.file()) return;
  if (!of_tensors && session_.modified())
    return say(printable(file) + " was changed by another program; F5 reads it again", false);
  reload(file, Opening::Why::changed);
}

}  // namespace attnscope::ui
