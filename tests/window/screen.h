// A virtual screen, and the program running on it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/program.h"

namespace attnscope::test {

using namespace std::chrono_literals;

/// Whether `text` is one line and a newline.
inline testing::AssertionResult is_one_line_ended(std::string text) {
  if (text.empty() || text.back() != '\n') return testing::AssertionFailure() << "no line: " << text;
  text.pop_back();
  return is_one_line(text);
}

/// What a command prints; throws when it fails.
inline std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  std::array<char, 4096> bytes{};
  for (std::size_t read = 0; (read = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    text.append(bytes.data(), read);
  if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

/// An X server without a screen (Xvfb), 1280 × 800. Its picture lies in a file that the server keeps up to date.
class Screen {
 public:
  static constexpr int kWidth = 1280;
  static constexpr int kHeight = 800;

  /// The first of the programs needed that is not installed; empty when all are.
  static std::string missing_program() {
    for (const char* name : {"Xvfb", "xdotool"}) {
      if (shell("command -v " + std::string(name) + " >/dev/null 2>&1") != 0) return name;
    }
    return "";
  }

  Screen() {
    std::array<int, 2> number_pipe{};
    if (::pipe(number_pipe.data()) != 0) throw std::runtime_error("no pipe");
    const std::string folder = folder_.path().string();
    const std::string descriptor = std::to_string(number_pipe[1]);
    server_ = ::fork();
    if (server_ == 0) {
      ::close(number_pipe[0]);
      ::dup2(::open("/dev/null", O_WRONLY), 2);
      ::execlp("Xvfb", "Xvfb", "-displayfd", descriptor.c_str(), "-noreset", "-screen", "0", "1280x800x24", "-nolisten",
               "tcp", "-fbdir", folder.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(number_pipe[1]);
    // The server writes its number when it is ready, or closes the pipe when it ends.
    std::string number;
    for (char c = 0; ::read(number_pipe[0], &c, 1) == 1 && c != '\n';) number += c;
    ::close(number_pipe[0]);
    if (number.empty()) throw std::runtime_error("Xvfb does not start");
    display_ = ":" + number;
  }

  ~Screen() {
    ::kill(server_, SIGTERM);
    ::waitpid(server_, nullptr, 0);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  [[nodiscard]] const std::string& display() const { return display_; }

  std::string xdotool(const std::string& arguments) const {
    return output_of("DISPLAY=" + display_ + " xdotool " + arguments);
  }

  /// What is on the screen: kHeight rows of kWidth pixels, four bytes each (blue, green, red, nothing).
  [[nodiscard]] std::vector<std::uint8_t> picture() const {
    std::ifstream file(folder_ / "Xvfb_screen0", std::ios::binary);
    // In whole pieces: it is read hundreds of times, by a program that is not optimized.
    const auto read = [&](std::size_t at, std::size_t count) {
      std::vector<std::uint8_t> bytes(count);
      file.seekg(static_cast<std::streamoff>(at));
      if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count)))
        throw std::runtime_error("the screen's file is too short");
      return bytes;
    };
    // The format of xwd: a header of numbers, highest byte first; the first is its length, the 20th the number of
    // colours of 12 bytes each that come before the pixels.
    const std::vector<std::uint8_t> numbers = read(0, std::size_t{4} * 20);
    const auto header = [&](std::size_t i) {
      std::uint32_t value = 0;
      for (std::size_t k = 0; k < 4; ++k) value = value << 8U | numbers.at(4 * i + k);
      return std::size_t{value};
    };
    return read(header(0) + 12 * header(19), std::size_t{4} * kWidth * kHeight);
  }

  /// Whether all programs that this process has started wait for something, the screen among them: on a busy machine the
  /// picture can be the same as before because nobody had a turn.
  static bool all_wait() {
    namespace fs = std::filesystem;
    std::error_code gone;  // programs and threads may end meanwhile
    for (const fs::directory_entry& own : fs::directory_iterator("/proc/self/task", gone)) {
      std::istringstream children(bytes_of(own.path() / "children"));
      for (std::string child; children >> child;) {
        for (const fs::directory_entry& thread : fs::directory_iterator("/proc/" + child + "/task", gone)) {
          const std::string text = bytes_of(thread.path() / "stat");
          const std::size_t name_end = text.rfind(") ");
          if (name_end == std::string::npos) continue;
          const char state = text.at(name_end + 2);
          if (state == 'R' || state == 'D') return false;
        }
      }
    }
    return true;
  }

  /// The picture when it has not changed for half a second.
  [[nodiscard]] std::vector<std::uint8_t> picture_at_rest() const {
    std::vector<std::uint8_t> last = picture();
    int same = 0;
    for (int i = 0; i < 600 && same < 5; ++i) {
      std::this_thread::sleep_for(100ms);
      std::vector<std::uint8_t> now = picture();
      same = now == last && all_wait() ? same + 1 : 0;
      last = std::move(now);
    }
    if (same < 5) throw std::runtime_error("the picture does not come to rest");
    return last;
  }

  /// Pixels of a part of the screen that differ, the right and lower ends not included.
  static int different_pixels(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, int left, int top,
                              int right, int bottom) {
    int different = 0;
    for (int y = top; y < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        const auto at = static_cast<std::ptrdiff_t>(4 * (y * kWidth + x));
        different += std::equal(a.begin() + at, a.begin() + at + 3, b.begin() + at) ? 0 : 1;
      }
    }
    return different;
  }

  /// The place of a slider's knob: the first pixel from the top whose lower neighbours are of that colour too.
  [[nodiscard]] std::optional<std::pair<int, int>> find_color(std::array<std::uint8_t, 3> rgb, int left, int top,
                                                              int right, int bottom) const {
    const std::vector<std::uint8_t> pixels = picture();
    const auto has = [&](int x, int y) {
      const auto at = static_cast<std::size_t>(4 * (y * kWidth + x));
      return pixels[at + 2] == rgb[0] && pixels[at + 1] == rgb[1] && pixels[at] == rgb[2];
    };
    for (int y = top; y + 8 < bottom; ++y) {
      for (int x = left; x < right; ++x) {
        bool all = true;
        for (int down = 0; down < 8 && all; ++down) all = has(x, y + down);
        if (all) return std::pair{x, y + 4};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string window() const {
    std::string id = xdotool("search --onlyvisible --class attnscope");
    return id.substr(0, id.find('\n'));
  }
  /// "1280 800"
  [[nodiscard]] std::string window_size() const {
    std::istringstream lines(xdotool("getwindowgeometry --shell " + window()));
    std::string size;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("WIDTH=")) size = line.substr(6);
      if (line.starts_with("HEIGHT=")) size += " " + line.substr(7);
    }
    return size;
  }
  [[nodiscard]] std::string window_title() const {
    std::string title = xdotool("getwindowname " + window());
    title.pop_back();
    return title;
  }

 private:
  TemporaryFolder folder_;
  ::pid_t server_ = -1;
  std::string display_;
};

/// attnscope on a screen, from its window being there to its end.
class RunningProgram {
 public:
  /// `user_folder`: where it keeps what it remembers; empty: in a folder of its own.
  explicit RunningProgram(const Screen& screen, const std::vector<std::string>& arguments = {},
                          const std::filesystem::path& user_folder = {}) {
    const std::string errors = (folder_ / "errors").string();
    std::vector<std::string> words = {ATTNSCOPE_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::setenv("DISPLAY", screen.display().c_str(), 1);
      ::setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
      ::setenv("XDG_CONFIG_HOME", user_folder.empty() ? folder_.path().c_str() : user_folder.c_str(), 1);
      ::unsetenv("WAYLAND_DISPLAY");
      ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      ::execv(ATTNSCOPE_PROGRAM, argv.data());
      ::_exit(127);
    }
    for (int i = 0; i < 600; ++i) {
      if (::waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = -1;
        throw std::runtime_error("the program ended at once: " + this->errors());
      }
      if (shell("DISPLAY=" + screen.display() + " xdotool search --onlyvisible --class attnscope >/dev/null 2>&1") ==
          0) {
        // Where no window manager puts it: in the corner, all over the screen.
        first_size_ = screen.window_size();
        screen.xdotool("windowmove " + screen.window() + " 0 0 windowsize " + screen.window() + " 1280 800");
        return;
      }
      std::this_thread::sleep_for(100ms);
    }
    throw std::runtime_error("no window");
  }

  ~RunningProgram() { kill(); }

  /// Ends it without warning.
  void kill() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(std::exchange(process_, -1), nullptr, 0);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  /// Sends it a signal.
  void tell(int signal) const { ::kill(process_, signal); }

  /// The exit code once it ends, or the negative number of the signal that ended it; −1000 when it does not end.
  int wait() {
    for (int i = 0; i < 600; ++i) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
      }
      std::this_thread::sleep_for(100ms);
    }
    return -1000;
  }

  /// Of its window, "1280 800", before that was made as large as the screen.
  [[nodiscard]] const std::string& first_size() const { return first_size_; }

  [[nodiscard]] std::string errors() const { return bytes_of(folder_ / "errors"); }

  /// The processor's ticks (hundredths of a second) that it has taken by then, in all its threads.
  [[nodiscard]] long ticks_after_seconds(int seconds) const {
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    std::string text = bytes_of("/proc/" + std::to_string(process_) + "/stat");
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    long user = 0;
    long system = 0;
    fields >> user >> system;
    return user + system;
  }

 private:
  TemporaryFolder folder_;
  std::string first_size_;
  ::pid_t process_ = -1;
};

}  // namespace attnscope::test
