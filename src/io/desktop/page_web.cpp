#include "io/desktop/page_web.h"

#include <emscripten.h>

#include <cstdlib>
#include <utility>

// clang-format off
EM_JS(char*, page_address, (), { return stringToNewUTF8(Module.page.address()); })
EM_JS(void, page_copy_text, (const char* text), { Module.page.copyText(UTF8ToString(text)); })
EM_JS(char*, page_pasted_text, (), { return stringToNewUTF8(Module.page.pastedText()); })
EM_JS(int, page_copy_picture, (const char* png), { return Module.page.copyPicture(UTF8ToString(png)) ? 1 : 0; })
EM_JS(void, page_choose_files, (const char* endings, int several, int folder),
      { Module.page.chooseFiles(UTF8ToString(endings), several !== 0, folder !== 0); })
EM_JS(char*, page_download_folder, (), { return stringToNewUTF8(Module.page.downloadFolder); })
EM_JS(void, page_begin, (), { Module.page.begin(); })
EM_JS(void, page_end, (const char* reason), { Module.page.end(UTF8ToString(reason)); })
// clang-format on

namespace attnscope::page {
namespace {

/// What the page has said since the program looked last.
struct PageNews {
  std::vector<std::string> opened;
  std::function<void()> last_act;
};

PageNews& news() {
  static PageNews all;
  return all;
}

/// A text that the page has made.
std::string taken(char* text) {
  std::string copy = text != nullptr ? text : "";
  std::free(text);
  return copy;
}

}  // namespace

std::string address() { return taken(page_address()); }

void copy_text(const std::string& text) { page_copy_text(text.c_str()); }

std::string pasted_text() { return taken(page_pasted_text()); }

bool copy_picture(const std::filesystem::path& png) { return page_copy_picture(png.c_str()) != 0; }

void choose_files(const std::string& endings, bool several, bool folder) {
  page_choose_files(endings.c_str(), several ? 1 : 0, folder ? 1 : 0);
}

std::filesystem::path download_folder() { return taken(page_download_folder()); }

void begin() { page_begin(); }

void end(const std::string& reason) { page_end(reason.c_str()); }

std::vector<std::string> take_opened() { return std::exchange(news().opened, {}); }

void set_last_act(std::function<void()> act) { news().last_act = std::move(act); }

}  // namespace attnscope::page

extern "C" {

EMSCRIPTEN_KEEPALIVE void attnscope_open(const char* name) { attnscope::page::news().opened.emplace_back(name); }

EMSCRIPTEN_KEEPALIVE void attnscope_leave() {
  if (const std::function<void()>& act = attnscope::page::news().last_act) act();
}

}  // extern "C"
