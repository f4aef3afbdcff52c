#include "app/session/workspace.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/plan/validate.h"
#include "figure/views/view.h"
#include "io/base/byte_source.h"
#include "io/base/file.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/figures/content_version.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool is_among(const std::filesystem::path& path, std::span<const std::filesystem::path> paths) {
  return std::ranges::find(paths, path) != paths.end();
}

std::string name_text(const std::filesystem::path& path) { return printable(path.filename().string()); }

/// The file of tensors or the folder of the model that an experiment is on.
std::string origin_of(const Experiment& experiment) {
  if (experiment.model != nullptr) return experiment.model->folder();
  return experiment.tensors != nullptr ? experiment.tensors->file() : std::string();
}

}  // namespace

Workspace::Workspace(Session session, std::filesystem::path user_folder, double memory_budget,
                     std::function<void()> wake)
    : session_(std::move(session)), memory_budget_(memory_budget), autosave_(std::move(user_folder), std::move(wake)) {}

std::string Workspace::shown_file() const {
  return session_.file().empty() ? origin_of(session_.experiment()) : session_.file();
}

std::string Workspace::title() const {
  if (session_.lesson() != nullptr) return session_.lesson()->title;
  const std::string file = shown_file();
  return file.empty() ? session_.experiment().system : std::filesystem::path(file).filename().string();
}

void Workspace::keep() {
  if (kept_revision_ == session_.revision()) return;
  kept_revision_ = session_.revision();
  std::vector<UnsavedDocument> unsaved;
  if (session_.modified())
    unsaved.push_back({session_.document(), session_.experiment(), session_.file(), session_.version(), title()});
  if (const std::optional<Session::Covered> under = session_.unsaved_under_lesson()) {
    const std::string name =
        under->file.empty() ? under->experiment.system : std::filesystem::path(under->file).filename().string();
    unsaved.push_back({under->document, under->experiment, under->file, under->version, name});
  }
  autosave_.keep(unsaved);
}

bool Workspace::is_given_up() const {
  return given_up_ && given_up_->document == session_.document() && given_up_->experiment == session_.experiment();
}

bool Workspace::may_leave_lesson() const {
  return session_.lesson() == nullptr || !session_.modified() || is_given_up();
}

bool Workspace::may_leave() {
  if (!session_.modified() && session_.unsaved_under_lesson()) close_lesson();
  return !session_.modified() || is_given_up();
}

void Workspace::give_up_edits() {
  if (session_.lesson() != nullptr) return close_lesson();
  given_up_ = {session_.document(), session_.experiment()};
}

void Workspace::close_lesson() { static_cast<void>(session_.apply({CloseLesson{}, 0})); }

void Workspace::close() {
  autosave_.keep({});
  autosave_.save_now();
}

void Workspace::open(Experiment experiment, const std::string& file, std::string version) {
  given_up_.reset();
  session_.open(std::move(experiment), file.empty() ? file : absolute_path(file), std::move(version));
}

Result<void> Workspace::check_not_open(const std::filesystem::path& path) const {
  const Experiment& experiment = session_.experiment();
  if (experiment.tensors != nullptr && same_file(path, experiment.tensors->file()))
    return fail(path_text(path) + " contains the tensors that are open here; choose another name");
  if (experiment.model == nullptr) return {};
  for (const std::string& file : files_of_model(*experiment.model)) {
    if (same_file(path, file))
      return fail(path_text(path) + " is a part of the model that is open here; choose another name");
  }
  return {};
}

Result<std::string> Workspace::question_before_saving(const std::string& path,
                                                      std::span<const std::filesystem::path> agreed) const {
  if (Result<void> possible = check_not_open(path); !possible) return tl::unexpected(possible.error());
  if (!is_there(path)) return std::string();
  if (session_.file().empty() || !same_file(path, session_.file())) {
    if (is_among(path, agreed)) return std::string();
    return name_text(path) + " already exists. Replace it?";
  }
  const Result<std::string> version = file_version(path);
  if (version && *version == session_.version()) return std::string();
  return name_text(path) + " was changed by another program since it was opened here. Replace it?";
}

Result<void> Workspace::save(const std::string& path) {
  const std::string text = experiment_json(session_.experiment(), folder_of(path));
  if (text.size() > kMaxExperimentBytes) {
    return fail(path_text(path) + ": the experiment takes " + size_text(text.size()) +
                "; allowed: " + size_text(kMaxExperimentBytes));
  }
  if (Result<void> written = write_file(path, text); !written) return written;
  session_.mark_saved(absolute_path(path), content_version(text));
  return {};
}

Result<std::string> Workspace::question_before_writing(std::span<const std::filesystem::path> paths,
                                                       std::span<const std::filesystem::path> agreed) const {
  std::string names;
  int count = 0;
  for (const std::filesystem::path& path : paths) {
    if (Result<void> possible = check_not_open(path); !possible) return tl::unexpected(possible.error());
    if (!session_.file().empty() && same_file(path, session_.file()))
      return fail(path_text(path) + " is the experiment that is open here; choose another name");
    if (!is_there(path) || is_among(path, agreed)) continue;
    names += (count++ > 0 ? ", " : "") + name_text(path);
  }
  if (count == 0) return std::string();
  return names + (count == 1 ? " already exists. Replace it?" : " already exist. Replace them?");
}

std::vector<UnsavedEntry> Workspace::left_behind_of(const std::string& file) {
  std::vector<UnsavedEntry> entries = left_behind();
  std::erase_if(entries, [&](const UnsavedEntry& entry) { return entry.file.empty() || !same_file(entry.file, file); });
  return entries;
}

Result<std::string> Workspace::restore(UnsavedEntry entry) {
  Result<UnsavedWork> work = autosave_.folder().take(entry);
  if (!work) return tl::unexpected(work.error());
  const Result<ViewOptions> view = view_options(work->experiment.view);
  const Result<void> valid = view ? validate(work->experiment, memory_budget_) : tl::unexpected(view.error());
  if (!valid) return tl::unexpected(valid.error());
  // A file that has changed since is newer: Save must not replace it without a question.
  const Result<std::string> version = work->file.empty() ? std::string() : file_version(work->file);
  const bool is_newer = !work->file.empty() && (!version || (!version->empty() && *version != work->version));
  given_up_.reset();
  session_.restore(std::move(work->experiment), is_newer ? std::string() : work->file, work->version);
  autosave_.restored(entry, session_.document());
  if (!is_newer) return "restored the unsaved edits of " + printable(work->title);
  return "restored as a new document: " + name_text(work->file) + " was changed after these edits";
}

}  // namespace attnscope
