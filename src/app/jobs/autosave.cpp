#include "app/jobs/autosave.h"

#include <chrono>
#include <utility>

namespace attnscope {
namespace {

// A slider passes many numbers, and the disk is slow.
constexpr std::chrono::milliseconds kBetweenWrites{300};
// What could not be written, as on a full disk, is tried again.
constexpr std::chrono::seconds kBetweenTries{5};

}  // namespace

Autosave::Autosave(std::filesystem::path folder, std::function<void()> wake)
    : folder_(std::move(folder)), wake_(std::move(wake)), loop_([this] { return step(); }) {}

void Autosave::keep(std::span<const UnsavedDocument> unsaved) {
  const std::scoped_lock lock(mutex_);
  Works wanted;
  bool same = unsaved.size() == wanted_.size();
  for (const UnsavedDocument& each : unsaved) {
    const auto known = wanted_.find(each.document);
    const bool is_known = known != wanted_.end() && known->second->experiment == each.experiment &&
                          known->second->file == each.file && known->second->version == each.version &&
                          known->second->title == each.title;
    same = same && is_known;
    wanted[each.document] =
        is_known
            ? known->second
            : std::make_shared<const UnsavedWork>(UnsavedWork{each.experiment, each.file, each.version, each.title});
  }
  if (same) return;
  wanted_ = std::move(wanted);
  due_ = true;
  loop_.wake();
}

void Autosave::save_now() {
  const std::scoped_lock writing(writing_);
  Works wanted;
  {
    const std::scoped_lock lock(mutex_);
    wanted = wanted_;
    due_ = false;
  }
  std::string trouble;
  for (const auto& [document, work] : wanted) {
    const auto known = written_.find(document);
    if (known != written_.end() && known->second == work) continue;
    if (const Result<void> kept = folder_.keep(document, *work); kept) {
      written_[document] = work;
    } else {
      trouble = "unsaved edits cannot be backed up: " + kept.error().message;
    }
  }
  // Only after the new files are written: unsaved work is on disk at every moment.
  std::erase_if(written_, [&](const auto& each) {
    if (wanted.contains(each.first)) return false;
    folder_.remove(each.first);
    return true;
  });
  const std::scoped_lock lock(mutex_);
  due_ = due_ || !trouble.empty();
  if (trouble == trouble_) return;
  trouble_ = std::move(trouble);
  trouble_said_ = trouble_.empty();
  if (!trouble_said_) wake_();
}

void Autosave::restored(const UnsavedEntry& entry, std::uint64_t document) {
  const std::scoped_lock writing(writing_);
  folder_.restored(entry, document);
  written_[document] = nullptr;
}

std::optional<std::string> Autosave::take_trouble() {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(trouble_said_, true)) return std::nullopt;
  return trouble_;
}

BackgroundLoop::Rest Autosave::step() {
  if (const StopClock::time_point now = StopClock::now(); now < next_write_) return next_write_ - now;
  {
    const std::scoped_lock lock(mutex_);
    if (!due_) return std::nullopt;
  }
  save_now();
  const std::scoped_lock lock(mutex_);
  const StopClock::duration rest = trouble_.empty() ? StopClock::duration(kBetweenWrites) : kBetweenTries;
  next_write_ = StopClock::now() + rest;
  return rest;
}

}  // namespace attnscope
