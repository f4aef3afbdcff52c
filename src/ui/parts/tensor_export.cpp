#include "ui/parts/tensor_export.h"

#include <vector>

#include "io/base/printable.h"
#include "io/traces/trace_file.h"

namespace attnscope::ui {

TensorExport::Writing::Writing(const std::shared_ptr<const Trace>& trace, const std::filesystem::path& to,
                               const std::function<void()>& wake)
    : path(to),
      task([trace, to](const StopToken& stop) { return write_trace(*trace, to, {}, TraceNames::own, stop); }, wake) {}

void TensorExport::carry_out(const DialogResult& result) {
  UiState& state = shared_.state;
  const std::shared_ptr<const Trace>& trace = shared_.traces.trace();
  if (trace == nullptr) return state.refuse("nothing to export yet: no result");
  if (writing_) return state.refuse(printable(writing_->path.string()) + " is still being written");
  const std::vector<std::filesystem::path> paths = {result.path};
  if (state.asks(shared_.workspace.question_before_writing(paths, state.dialog.agreed), result.replaces)) return;
  writing_.emplace(trace, paths.front(), shared_.wake);
  // An error of a short one appears in the dialog, which is still open.
  if (writing_->task.wait(shared_.patience)) {
    const Result<void> done = *writing_->task.result();
    if (!done) {
      writing_.reset();
      return state.refuse(done.error().message);
    }
  }
  state.dialog.open = Dialog::none;
  take_written();
}

void TensorExport::take_written() {
  if (!writing_) return;
  const std::optional<Result<void>> done = writing_->task.result();
  if (!done) return;
  const std::string name = printable(writing_->path.string());
  const bool stopped = writing_->task.cancelled();
  writing_.reset();
  if (*done) return shared_.say("wrote " + name, false);
  shared_.say(done->error().message, !stopped);
}

void TensorExport::cancel() {
  if (writing_) writing_->task.cancel();
}

std::string TensorExport::writing_text() const {
  return writing_ ? "writing " + printable(writing_->path.filename().string()) + " …" : "";
}

}  // namespace attnscope::ui
