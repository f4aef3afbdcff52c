#include "io/desktop/file_dialog.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "core/base/text.h"
#include "io/desktop/dialog_program.h"
#include "io/desktop/portal.h"

namespace attnscope {
namespace {

constexpr std::array<std::pair<std::string_view, FileDialogKind>, 5> kDialogNames = {{
    {"automatic", FileDialogKind::automatic},
    {"portal", FileDialogKind::portal},
    {"zenity", FileDialogKind::zenity},
    {"kdialog", FileDialogKind::kdialog},
    {"own", FileDialogKind::own},
}};

Result<std::optional<ChosenFiles>> ask_one(FileDialogKind kind, const FileQuestion& question, const StopToken& stop) {
  switch (kind) {
    case FileDialogKind::portal: return ask_portal(question, stop);
    case FileDialogKind::zenity: return ask_zenity(question, stop);
    case FileDialogKind::kdialog: return ask_kdialog(question, stop);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<FileDialogKind> parse_file_dialog(std::string_view name) {
  for (const auto& [each, kind] : kDialogNames) {
    if (each == name) return kind;
  }
  return std::nullopt;
}

Result<FileDialogKind> file_dialog_from_environment() {
  const char* const value = std::getenv("ATTNSCOPE_FILE_DIALOG");
  if (value == nullptr || *value == '\0') return FileDialogKind::automatic;
  if (const std::optional<FileDialogKind> kind = parse_file_dialog(value)) return *kind;
  return fail("ATTNSCOPE_FILE_DIALOG: " + quoted_text(value) +
                  " is unknown; allowed: automatic, portal, zenity, kdialog or own",
              Error::Kind::usage);
}

Result<std::optional<ChosenFiles>> ask_for_files(FileDialogKind kind, const FileQuestion& question,
                                                 const StopToken& stop) {
  if (kind != FileDialogKind::automatic) return ask_one(kind, question, stop);
  for (const FileDialogKind each : {FileDialogKind::portal, FileDialogKind::zenity, FileDialogKind::kdialog}) {
    Result<std::optional<ChosenFiles>> answer = ask_one(each, question, stop);
    if (!answer || *answer) return answer;
  }
  return std::nullopt;
}

}  // namespace attnscope
