// The web page that attnscope runs in: what the program asks of it, and what it tells the program.
//
// The page (src/web) is the other half. It calls
//
//   attnscope_open(name)            a file of the page's file system, or a link, is to be opened
//   attnscope_leave()               the page is about to be hidden, and may never come back
//   attnscope_touch(touched)        what the mouse does from now on is done by a finger, or by a mouse again (it is the
//                                   window's: window_app_web.cpp)
//
// and has an object `Module.page` with the functions that page_web.cpp calls. Files are written into the folder that
// `download_folder` names, and from there the browser downloads them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace attnscope::page {

/// The address of the page without what stands after its #.
std::string address();

/// Puts a text on the clipboard.
void copy_text(const std::string& text);
/// The text that was pasted into the page last.
std::string pasted_text();
/// Puts a PNG file of the page's file system on the clipboard; false where the browser does not do that.
bool copy_picture(const std::filesystem::path& png);

/// Shows the browser's file dialog. What is chosen is opened, as if it had been dropped on the page. `endings`:
/// ".json,.png"; empty: all files.
void choose_files(const std::string& endings, bool several, bool folder);

/// Files written there are downloaded; those that are named as PDF are SVG, which the browser prints to PDF.
std::filesystem::path download_folder();

/// The window is there: it takes the place of the start screen.
void begin();
/// Shows in the page that the program has ended, and why.
void end(const std::string& reason);

/// The files and links that were opened by the page since the last call, in order.
std::vector<std::string> take_opened();
/// Sets what is done when the page may be about to end; empty: nothing.
void set_last_act(std::function<void()> act);

}  // namespace attnscope::page
