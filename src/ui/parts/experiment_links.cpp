#include "ui/parts/experiment_links.h"

#include <imgui.h>

#include <string>

#include "core/base/text.h"
#include "io/desktop/link_page.h"
#include "io/experiments/experiment_link.h"
#include "io/figures/figure_source.h"

namespace attnscope::ui {

void copy_link(Shared& shared) {
  const std::string page = link_page();
  const Result<std::string> link = write_experiment_link(shared.session().experiment(), page);
  if (!link) return shared.say("not copied: " + link.error().message, true);
  ImGui::SetClipboardText(link->c_str());
  const Trace* const baseline = shared.traces.baseline().get();
  const bool compares = baseline != nullptr &&
                        source_of_figure(shared.session().experiment(), &baseline->experiment()).pinned.has_value();
  shared.say("copied a link to the experiment" + std::string(compares ? ", without the baseline" : "") + ", " +
                 grouped_text(std::ssize(*link)) + " characters",
             false);
}

void open_copied_link(Shared& shared, OpenFiles& files) {
  const char* const copied = ImGui::GetClipboardText();
  const std::string link = copied != nullptr ? copied : "";
  if (!is_experiment_link(link))
    return shared.say("the clipboard has no link to an experiment, which has #x= in it", true);
  files.open(link, FileKind::source);
}

}  // namespace attnscope::ui
