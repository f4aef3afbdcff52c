#include "app/jobs/autosave.h"

#include <chrono>
#include <utility>

#include "core/base/stop.h"

namespace attnscope {
namespace {

// A slider passes many numbers, and the disk is slow.
constexpr std::chrono::milliseconds kBetweenWrites{300};

}  // namespace

Autosave::Autosave(std::filesystem::path folder, std::function<void()> wake)
    : folder_(std::move(folder)), wake_(std::move(wake)), thread_([this](const StopToken& ending) { work(ending); }) {}

Autosave::~Autosave() {
  {
    const std::scoped_lock lock(mutex_);
    thread_.request_stop();
  }
  changed_.notify_one();
}

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
  changed_.notify_one();
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

void Autosave::work(const StopToken& ending) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending.stop_requested() || due_; });
      if (ending.stop_requested()) return;
    }
    save_now();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kBetweenWrites, [&] { return ending.stop_requested(); });
  }
}

}  // namespace attnscope
