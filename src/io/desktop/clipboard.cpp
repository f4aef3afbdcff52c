#include "io/desktop/clipboard.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "io/base/printable.h"
#include "io/base/program.h"

namespace attnscope {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// Gives a program the picture on its standard input; false if no program has that name.
Result<bool> hand_to(std::vector<std::string> words, const std::filesystem::path& png, const StopToken& stop) {
  const std::string program = words.front();
  const Result<ProgramEnd> end = run_to_end({std::move(words), png}, stop);
  if (!end) return tl::unexpected(end.error());
  if (*end == ProgramEnd::stopped) return fail("stopped: nothing was copied");
  if (*end == ProgramEnd::failed) return fail(program + " did not accept the picture " + path_text(png));
  return *end == ProgramEnd::done;
}

}  // namespace

Result<bool> copy_png_to_clipboard(const std::filesystem::path& png, const StopToken& stop) {
  if (is_set("WAYLAND_DISPLAY")) {
    Result<bool> copied = hand_to({"wl-copy", "--type", "image/png"}, png, stop);
    if (!copied || *copied) return copied;
  }
  if (!is_set("DISPLAY")) return false;
  return hand_to({"xclip", "-selection", "clipboard", "-t", "image/png", "-i"}, png, stop);
}

}  // namespace attnscope
