#include "app/jobs/figure_builder.h"

#include <utility>

#include "figure/slices/chosen.h"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLetFinish{500};

}  // namespace

Figure build(const FigureRequest& request, const std::stop_token& stop, ViewCache* cache) {
  ViewOptions options = *view_options(request.view);
  options.stop = stop;
  options.cache = cache;
  options.pinned = request.pinned.get();
  const auto sized = [&](double width, double height) {
    if (stop.stop_requested()) return Figure();
    options.width = width;
    options.height = height;
    return build_view(request.view.name, *request.trace, options);
  };
  return request.file ? figure_for_file(sized, *request.file) : sized(request.width, request.height);
}

Result<void> check_view(const Trace& trace, const std::string& view, const ViewOptions& options) {
  for (const char* name : {"layer", "head", "item", "page"}) {
    const auto chosen = options.values.find(name);
    if (chosen == options.values.end()) continue;
    const Index limit = option_limit(*find_view(view), trace, name, options.values);
    if (std::get<Index>(chosen->second) <= limit) continue;
    const std::string has = name == std::string_view("page") ? "; the view has 1 to " : "; the experiment has 1 to ";
    return fail("view option " + std::string(name) + ": " + value_text(chosen->second) + " is not allowed" + has +
                std::to_string(limit));
  }
  const std::string missing = missing_for(*find_view(view), trace);
  return missing.empty() ? Result<void>() : fail("view " + view + ": " + missing);
}

FigureBuilder::FigureBuilder(std::function<void()> ready)
    : ready_(std::move(ready)),
      thread_([this](const std::stop_token& ending) { work(ending); }),
      hurrying_([this](const std::stop_token& ending) { hurry(ending); }) {}

FigureBuilder::~FigureBuilder() {
  thread_.request_stop();
  hurrying_.request_stop();
  cancel();
}

void FigureBuilder::request(FigureRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    // Of another view the figure would not be looked at.
    const bool stale = running_view_ != request.view.name || Clock::now() - running_since_ > kLetFinish;
    waiting_ = std::move(request);
    if (running_ && stale) running_->request_stop();
  }
  wake_.notify_one();
  overdue_.notify_one();
}

void FigureBuilder::cancel() {
  const std::scoped_lock lock(mutex_);
  waiting_.reset();
  done_.reset();
  if (running_) running_->request_stop();
}

bool FigureBuilder::wait(Clock::duration most) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, most, [this] { return !waiting_ && !running_; });
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
    running_view_ = request.view.name;
    running_since_ = Clock::now();
    ++started_;
    const std::stop_token stop = running_->get_token();
    lock.unlock();

    Figure figure = build(request, stop, &cache_);
    const double seconds = std::chrono::duration<double>(Clock::now() - running_since_).count();

    lock.lock();
    if (!stop.stop_requested()) done_ = BuiltFigure{std::move(request), std::move(figure), seconds};
    running_.reset();
    overdue_.notify_one();
    idle_.notify_all();
    lock.unlock();
    ready_();
    lock.lock();
  }
}

void FigureBuilder::hurry(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  const auto delays = [this] { return waiting_ && running_ && !running_->stop_requested(); };
  while (overdue_.wait(lock, ending, delays)) {
    const std::uint64_t one = started_;
    overdue_.wait_until(lock, ending, running_since_ + kLetFinish, [&] { return !delays() || started_ != one; });
    if (!ending.stop_requested() && delays() && started_ == one) running_->request_stop();
  }
}

}  // namespace attnscope
