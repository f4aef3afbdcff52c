#include "io/desktop/dialog_program.h"

#include <utility>

#include "core/base/text.h"
#include "io/base/program.h"

namespace attnscope {
namespace {

/// Its output: a path on each line; if only one can be chosen, all of it, for a name can have several lines.
ChosenFiles files_in(std::string output, bool several) {
  ChosenFiles files;
  if (!several) {
    if (output.ends_with('\n')) output.pop_back();
    if (!output.empty()) files.emplace_back(output);
    return files;
  }
  for (const std::string& line : split(output, '\n')) {
    if (!line.empty()) files.emplace_back(line);
  }
  return files;
}

Result<std::optional<ChosenFiles>> run_dialog(std::vector<std::string> words, bool several, const StopToken& stop) {
  const std::string program = words.front();
  const Result<ProgramOutput> ran = run_and_read({std::move(words)}, stop);
  if (!ran) return tl::unexpected(ran.error());
  // Both programs end with 1 when the user cancels.
  if (ran->end == ProgramEnd::missing) return std::nullopt;
  if (ran->end == ProgramEnd::stopped || ran->code == 1) return ChosenFiles();
  if (ran->end == ProgramEnd::failed) return fail(program + " ended without an answer");
  return files_in(ran->output, several);
}

/// "0x1a2b" of "x11:1a2b"; empty for another kind of window.
std::string x11_window(const FileQuestion& question) {
  const std::string prefix = "x11:";
  return question.parent_window.starts_with(prefix) ? "0x" + question.parent_window.substr(prefix.size()) : "";
}

}  // namespace

Result<std::optional<ChosenFiles>> ask_zenity(const FileQuestion& question, const StopToken& stop) {
  std::vector<std::string> words = {"zenity", "--file-selection", "--title=" + question.title, "--separator=\n"};
  if (!question.start.empty()) words.push_back("--filename=" + question.start.string());
  // Since zenity 4 the dialog asks in any case and ignores the second word.
  if (question.saves) words.insert(words.end(), {"--save", "--confirm-overwrite"});
  if (question.several) words.emplace_back("--multiple");
  if (question.folder) words.emplace_back("--directory");
  for (const FileFilter& filter : question.filters)
    words.push_back("--file-filter=" + filter.name + " | " + join(filter.patterns, " "));
  return run_dialog(std::move(words), question.several, stop);
}

Result<std::optional<ChosenFiles>> ask_kdialog(const FileQuestion& question, const StopToken& stop) {
  std::vector<std::string> words = {"kdialog", "--title", question.title};
  if (const std::string window = x11_window(question); !window.empty()) words.insert(words.end(), {"--attach", window});
  if (question.several) words.insert(words.end(), {"--multiple", "--separate-output"});
  const char* const opens = question.folder ? "--getexistingdirectory" : "--getopenfilename";
  words.emplace_back(question.saves ? "--getsavefilename" : opens);
  words.push_back(question.start.empty() ? "." : question.start.string());
  std::vector<std::string> filters;
  for (const FileFilter& filter : question.filters)
    filters.push_back(filter.name + " (" + join(filter.patterns, " ") + ")");
  if (!filters.empty()) words.push_back(join(filters, "\n"));
  return run_dialog(std::move(words), question.several, stop);
}

}  // namespace attnscope
