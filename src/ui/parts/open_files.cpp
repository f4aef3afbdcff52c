#include "ui/parts/open_files.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "app/session/mark_edits.h"
#include "core/plan/validate.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_link.h"
#include "io/figures/content_version.h"

namespace attnscope::ui {

OpenFiles::OpenFiles(Shared& shared, Documents& documents, Remembered& remembered, FileWatch& watch)
    : shared_(shared),
      documents_(documents),
      remembered_(remembered),
      watch_(watch),
      opener_(shared.wake, shared.memory_budget) {}

bool OpenFiles::has_tensor_file() const {
  const std::shared_ptr<const ImportedTensors>& tensors = shared_.session().experiment().tensors;
  // Tensors from standard input have no path.
  return tensors != nullptr && std::filesystem::path(tensors->file()).is_absolute();
}

bool OpenFiles::can_reload() const { return !shared_.session().file().empty() || has_tensor_file(); }

void OpenFiles::open(const std::string& path, FileKind kind) { read({path, kind}, Opening::Why::open); }

void OpenFiles::open(const OpenCheckpoint& checkpoint) {
  opening_ = Opening{Opening::Why::open, Dialog::none, checkpoint.view, shared_.session().experiment().model};
  opener_.request({checkpoint.folder, FileKind::model});
  if (opener_.wait(shared_.patience)) take();
}

void OpenFiles::open(std::vector<FileRequest> files) {
  if (files.empty()) return;
  const FileRequest first = files.front();
  files.erase(files.begin());
  waiting_ = std::move(files);
  read(first, Opening::Why::open);
}

void OpenFiles::open_waiting() {
  if (waiting_.empty() || opening_) return;
  std::vector<FileRequest> files = std::exchange(waiting_, {});
  if (shared_.state.dialog.open == Dialog::none) return open(std::move(files));
  shared_.say("not opened: " + printable(files.front().path) + (files.size() > 1 ? " and the files after it" : ""),
              true);
}

void OpenFiles::reload() {
  if (can_reload()) reload(shared_.workspace.shown_file(), Opening::Why::reload);
}

void OpenFiles::read(FileRequest request, Opening::Why why) {
  // Most files take no longer: they open in this frame.
  opening_ = Opening{why, shared_.state.dialog.open};
  opening_->document = shared_.session().document();
  opener_.request(std::move(request));
  if (opener_.wait(shared_.patience)) take();
}

void OpenFiles::reload(const std::string& file, Opening::Why why) {
  const std::string& document = shared_.session().file();
  if (!file.empty()) read({file, file == document ? FileKind::source : FileKind::tensors}, why);
}

void OpenFiles::take() {
  UiState& state = shared_.state;
  // Closing the dialog cancels what it was opening.
  if (opening_ && opening_->dialog != Dialog::none && state.dialog.open == Dialog::none) {
    opener_.cancel();
    opening_.reset();
  }
  std::optional<ReadContent> content = opener_.take();
  if (!content || !opening_) return;
  const Opening opening = *std::exchange(opening_, std::nullopt);
  const std::string path = content->request.path;
  if (opening.why != Opening::Why::open && opening.document != shared_.session().document()) {
    // A lesson, say, was opened in the meantime: what was read is not its content.
  } else if (!content->content) {
    state.refuse(content->content.error().message);
    // Unsaved edits of a file that cannot be read may be all that is left of it.
    if (opening.why == Opening::Why::open) documents_.offer_left_behind_of(path);
  } else if (auto* source = std::get_if<ExperimentSource>(&*content->content)) {
    take_source(path, std::move(*source), opening);
  } else if (auto* lesson = std::get_if<std::shared_ptr<const Lesson>>(&*content->content)) {
    lesson_ = ReadLesson{std::move(*lesson), path, opening.dialog};
  } else if (opening.instead_of != nullptr && opening.instead_of != shared_.session().experiment().model) {
    state.say("not opened: " + printable(path) + ", as another model is open by now", false);
  } else if (const Result<void> done = take_part(std::move(*content->content), opening); !done) {
    state.refuse(done.error().message);
  } else {
    report(path, opening);
  }
}

void OpenFiles::opened(const ReadLesson& read) {
  if (shared_.session().lesson() != read.lesson.get()) return;
  remembered_.add_recent(read.path);
  report(read.path, Opening{Opening::Why::open, read.dialog});
}

void OpenFiles::report(const std::string& path, const Opening& opening) {
  if (opening.dialog != Dialog::none) shared_.state.dialog.open = Dialog::none;
  const std::string name = is_experiment_link(path) ? source_text(path) : printable(path);
  switch (opening.why) {
    case Opening::Why::open: return shared_.say("opened " + name, false);
    case Opening::Why::reload: return shared_.say("reloaded " + name, false);
    case Opening::Why::changed: return shared_.say("reloaded " + name + ", which another program changed", false);
  }
}

void OpenFiles::take_source(const std::string& path, ExperimentSource source, const Opening& opening) {
  // It may have been edited while the file was read.
  if (opening.why == Opening::Why::changed && shared_.session().modified()) return say_changed(path);
  if (opening.why != Opening::Why::open) {
    shared_.session().reload(std::move(source.experiment), true, std::move(source.version));
    return report(path, opening);
  }
  // Shared because std::function copies what it holds; it runs once, perhaps after the user has answered.
  const auto opened = std::make_shared<ExperimentSource>(std::move(source));
  documents_.leave({[this, path, opened, opening] {
    // Save must not write an experiment over a figure.
    shared_.workspace.open(std::move(opened->experiment), opened->is_other_file ? "" : path,
                           std::move(opened->version));
    if (opened->pinned) shared_.traces.compare_with(std::move(*opened->pinned));
    if (!is_experiment_link(path)) remembered_.add_recent(path);
    report(path, opening);
    documents_.offer_left_behind_of(path);
  }});
}

Result<void> OpenFiles::take_checkpoint(const std::shared_ptr<const Model>& model, const Opening& opening) {
  std::vector<Edit> edits = {SetModel{model}};
  if (opening.view) {
    for (Edit& edit : edits_for(*opening.view, shared_.session().experiment())) edits.push_back(std::move(edit));
  }
  const std::uint64_t gesture = ++shared_.state.gesture;
  for (Edit& edit : edits) {
    if (Result<void> done = shared_.session().apply({std::move(edit), gesture}); !done) return done;
  }
  return {};
}

Result<void> OpenFiles::take_part(FileContent content, const Opening& opening) {
  Session& session = shared_.session();
  if (auto* labels = std::get_if<std::vector<std::string>>(&content))
    return session.apply({SetLabels{std::move(*labels)}, 0});
  if (auto* picture = std::get_if<ColorPicture>(&content)) return session.apply({SetPicture{std::move(*picture)}, 0});
  if (const auto* model = std::get_if<std::shared_ptr<const Model>>(&content)) return take_checkpoint(*model, opening);
  Experiment next = session.experiment();
  next.tensors = std::get<std::shared_ptr<const ImportedTensors>>(std::move(content));
  if (const Result<void> valid = validate(next, shared_.memory_budget); !valid)
    return fail(next.tensors->file() + ": " + valid.error().message);
  session.reload(std::move(next), false);
  return {};
}

bool OpenFiles::is_older(const Session& session) {
  constexpr std::uintmax_t kQuickToRead = 1'000'000;
  if (session.file().empty() || session.version().empty()) return false;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(session.file(), error);
  if (error || bytes > kQuickToRead) return false;
  const Result<std::string> version = file_version(session.file());
  return version && *version != session.version();
}

void OpenFiles::follow() {
  open_waiting();
  const Session& session = shared_.session();
  const ImportedTensors* const tensors = session.experiment().tensors.get();
  if (followed_file_ != session.file() || followed_tensors_ != tensors) {
    // A lesson covers the document, and nobody watched its file meanwhile.
    if (followed_file_.empty() && is_older(session)) changed_.push_back(session.file());
    followed_file_ = session.file();
    followed_tensors_ = tensors;
    std::vector<std::string> files;
    if (!followed_file_.empty()) files.push_back(followed_file_);
    if (has_tensor_file()) files.push_back(tensors->file());
    watch_.watch(files);
  }
  for (std::string& file : watch_.take_changed()) changed_.push_back(std::move(file));
  // One after the other; a file that the user opens goes first.
  if (changed_.empty() || opening_) return;
  const std::string file = std::move(changed_.front());
  changed_.erase(changed_.begin());
  reload_changed(file);
}

void OpenFiles::reload_changed(const std::string& file) {
  const Session& session = shared_.session();
  const bool is_tensor_file = has_tensor_file() && file == session.experiment().tensors->file();
  if (!is_tensor_file && file != session.file()) return;
  // New tensors leave the edits; a new document would replace them.
  if (!is_tensor_file && session.modified()) return say_changed(file);
  reload(file, Opening::Why::changed);
}

void OpenFiles::say_changed(const std::string& file) {
  shared_.say("another program changed " + printable(file) + "; F5 reloads it", false);
}

}  // namespace attnscope::ui
