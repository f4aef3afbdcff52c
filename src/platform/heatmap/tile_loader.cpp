#include "platform/heatmap/tile_loader.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace attnscope::platform {

TileLoader::TileLoader(std::function<void()> arrived, std::optional<StopClock::duration> longest)
    : arrived_(std::move(arrived)), longest_(longest), allowed_(longest), loop_([this] { return step(); }) {}

TileLoader::~TileLoader() { want({}); }

void TileLoader::want(std::vector<TileRequest> requests) {
  {
    const std::scoped_lock lock(mutex_);
    const auto is_there = [&](const TileRequest& request) {
      return std::any_of(loaded_.begin(), loaded_.end(), [&](const LoadedTile& tile) {
        return tile.matrix == request.matrix && tile.part == request.part;
      });
    };
    std::erase_if(requests, is_there);
    if (reading_) {
      const auto again = std::find_if(requests.begin(), requests.end(),
                                      [&](const TileRequest& request) { return request.same_tile(*reading_); });
      const bool hurry = std::any_of(requests.begin(), requests.end(), [](const TileRequest& r) { return !r.patient; });
      if (again == requests.end() || (again->patient && hurry)) {
        stopped_ = true;
        stop_.request_stop();
      } else {
        requests.erase(again);
      }
    }
    if (const std::shared_ptr<const MatrixSource> sketched = sketching_.lock()) {
      const bool still = std::any_of(requests.begin(), requests.end(),
                                     [&](const TileRequest& request) { return request.source.lock() == sketched; });
      if (!still) stop_.request_stop();
    }
    std::reverse(requests.begin(), requests.end());
    wanted_ = std::move(requests);
  }
  loop_.wake();
}

std::vector<LoadedTile> TileLoader::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(loaded_, {});
}

std::shared_ptr<const MatrixSource> TileLoader::next() {
  std::shared_ptr<const MatrixSource> source;
  while (!source && !wanted_.empty()) {
    reading_ = std::move(wanted_.back());
    wanted_.pop_back();
    source = reading_->source.lock();
  }
  if (!source) reading_.reset();
  return source;
}

std::shared_ptr<const MatrixSource> TileLoader::without_sketch() const {
  const auto found = std::find_if(wanted_.rbegin(), wanted_.rend(), [this](const TileRequest& request) {
    const std::shared_ptr<const MatrixSource> source = request.source.lock();
    return source && source->needs_sketch() && source != too_large_.lock();
  });
  return found == wanted_.rend() ? nullptr : found->source.lock();
}

void TileLoader::sketch(std::unique_lock<std::mutex>& lock, std::shared_ptr<const MatrixSource> source) {
  stop_ = StopSource();
  const StopToken stop = stop_.token();
  sketching_ = source;
  lock.unlock();
  bool done = false;
  try {
    done = source->sketch(stop);
  } catch (const std::bad_alloc&) {
    // It is shown without one until its tiles are read.
    too_large_ = source;
  }
  source.reset();
  if (done) arrived_();
  lock.lock();
  sketching_.reset();
}

bool TileLoader::read(std::unique_lock<std::mutex>& lock, std::shared_ptr<const MatrixSource> source,
                      LoadedTile& tile) {
  stop_ = StopSource();
  stopped_ = false;
  if (allowed_) stop_.request_stop_at(StopClock::now() + *allowed_);
  const StopToken stop = stop_.token();
  lock.unlock();

  const double before = source->progress();
  bool complete = false;
  bool has_memory = true;
  try {
    tile.texels.resize(static_cast<std::size_t>(tile.part.rows * tile.part.columns));
    complete = source->read(tile.part, tile.texels, stop);
  } catch (const std::bad_alloc&) {
    // The window asks for it again.
    has_memory = false;
  }
  if (!complete && has_memory && !stop.stop_requested()) {
    // Filled with NaN; reading again would not help.
    std::fill(tile.texels.begin(), tile.texels.end(), std::numeric_limits<float>::quiet_NaN());
    complete = true;
  }
  // What begins anew each time comes to its end only if it gets more time.
  const bool advanced = complete || source->progress() > before;
  if (longest_) allowed_ = advanced ? *longest_ : *allowed_ * 3 / 2;
  // This may be the last reference: a large matrix is released here, outside of the lock.
  source.reset();

  lock.lock();
  return complete && !stopped_;
}

BackgroundLoop::Rest TileLoader::step() {
  constexpr StopClock::duration go_on = StopClock::duration::zero();
  std::unique_lock lock(mutex_);
  if (wanted_.empty()) return std::nullopt;
  // First a sketch of everything visible; reading in full may take seconds.
  if (std::shared_ptr<const MatrixSource> unknown = without_sketch()) {
    sketch(lock, std::move(unknown));
    return go_on;
  }
  std::shared_ptr<const MatrixSource> source = next();
  if (!source) return go_on;
  LoadedTile tile = {reading_->matrix, reading_->part, {}};
  const bool complete = read(lock, std::move(source), tile);
  std::optional<TileRequest> request = std::exchange(reading_, std::nullopt);
  if (!complete) {
    // Nobody asked for it to stop: it goes on after this step.
    if (longest_ && !stopped_) wanted_.push_back(std::move(*request));
    return go_on;
  }
  const bool first = loaded_.empty();
  loaded_.push_back(std::move(tile));
  lock.unlock();
  if (first) arrived_();
  return go_on;
}

}  // namespace attnscope::platform
