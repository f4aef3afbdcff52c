// In a web page the browser's file dialog takes the place of the desktop's.
#include "io/desktop/page_web.h"
#include "io/desktop/portal.h"

namespace attnscope {

Result<std::optional<ChosenFiles>> ask_portal(const FileQuestion& question, const StopToken& /*stop*/) {
  // The browser asks for no name: it downloads the file, or asks when it does.
  if (question.saves) return ChosenFiles{page::download_folder() / question.start.filename()};
  std::string endings;
  if (!question.filters.empty()) {
    for (const std::string& pattern : question.filters.front().patterns)
      endings += (endings.empty() ? "" : ",") + pattern.substr(1);
  }
  page::choose_files(endings, question.several, question.folder);
  // The page opens what is chosen, which nobody can wait for here.
  return ChosenFiles{};
}

}  // namespace attnscope
