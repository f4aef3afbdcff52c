#include "app/figure_builder.h"

#include <utility>

#include "figure/chosen.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds kLetFinish{500};

}  // namespace

Figure build(const FigureRequest& request, const std::stop_token& stop, ViewCache* cache) {
  ViewOptions options = *view_options(request.view);
  options.width = request.width;
  options.height = request.height;
  options.stop = stop;
  options.cache = cache;
  options.pinned = request.pinned.get();
  return build_view(request.view.name, *request.trace, options);
}

Result<void> check_view(const Trace& trace, const std::string& view, const ViewOptions& options) {
  for (const char* name : {"layer", "head", "item"}) {
    const auto chosen = options.values.find(name);
    const Index limit = option_limit(trace, name, options.values);
    if (chosen == options.values.end() || std::get<Index>(chosen->second) <= limit) continue;
    return fail("view option " + std::string(name) + ": " + value_text(chosen->second) +
                " is not allowed; the experiment has 1 to " + std::to_string(limit));
  }
  const std::string missing = missing_for(*find_view(view), trace);
  return missing.empty() ? Result<void>() : fail("view " + view + ": " + missing);
}

FigureBuilder::FigureBuilder(std::function<void()> ready)
    : ready_(std::move(ready)), thread_([this](const std::stop_token& ending) { work(ending); }) {}

FigureBuilder::~FigureBuilder() {
  thread_.request_stop();
  cancel();
}

void FigureBuilder::request(FigureRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(request);
    if (running_ && std::chrono::steady_clock::now() - running_since_ > kLetFinish) running_->request_stop();
  }
  wake_.notify_one();
}

void FigureBuilder::cancel() {
  const std::scoped_lock lock(mutex_);
  waiting_.reset();
  done_.reset();
  if (running_) running_->request_stop();
}

std::optional<BuiltFigure> FigureBuilder::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

bool FigureBuilder::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.has_value() || running_.has_value();
}

void FigureBuilder::work(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, ending, [this] { return waiting_.has_value(); })) {
    FigureRequest request = *std::exchange(waiting_, std::nullopt);
    running_.emplace();
    running_since_ = std::chrono::steady_clock::now();
    const std::stop_token stop = running_->get_token();
    lock.unlock();

    Figure figure = build(request, stop, &cache_);

    lock.lock();
    if (!stop.stop_requested()) done_ = BuiltFigure{std::move(request), std::move(figure)};
    running_.reset();
    lock.unlock();
    ready_();
    lock.lock();
  }
}

}  // namespace attnscope
