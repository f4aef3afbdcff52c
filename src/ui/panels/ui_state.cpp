#include "ui/panels/ui_state.h"

#include <utility>

namespace attnscope::ui {
namespace {

constexpr double kMessageSeconds = 6;

}  // namespace

const Step* step_of(const Trace& trace, const NamedCell& cell) {
  const Step* const step = trace.find(cell.tensor);
  if (step == nullptr || step->axes.size() != cell.index.size()) return nullptr;
  for (std::size_t i = 0; i < cell.index.size(); ++i) {
    if (cell.index[i] < 0 || cell.index[i] >= step->axes[i].size) return nullptr;
  }
  return step;
}

void DialogState::show(Dialog dialog, std::string suggestion) {
  open = dialog;
  path = std::move(suggestion);
  error.clear();
  question.clear();
  listed.reset();
  agreed.clear();
  fresh = true;
  on_desktop = browse = browsed = focus = false;
}

void UiState::say(const std::string& text, bool is_error) {
  message = {text, is_error, ImGui::GetTime() + kMessageSeconds, {}};
}

void UiState::refuse(const std::string& error) {
  dialog.error = error;
  say(error, true);
}

bool UiState::asks(const Result<std::string>& question, bool confirmed) {
  if (!question) {
    refuse(question.error().message);
    return true;
  }
  // The answer counts for the question that was on screen only.
  const bool answered = confirmed && *question == dialog.question;
  dialog.question = answered ? std::string() : *question;
  dialog.error.clear();
  return !dialog.question.empty();
}

}  // namespace attnscope::ui
