// The view as a picture on the clipboard.
#include "io/desktop/clipboard.h"

#include <cstdlib>
#include <optional>

#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

/// Sets a variable of the environment as long as it lives; no value: unset.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value) {
      ::setenv(name_, value->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

class Clipboard : public Interface {
 protected:
  /// A program of that name that keeps what it gets, and how it was called; it ends with that code.
  void give_program(const std::string& name, int code) {
    const auto path = folder_.file(name, "#!/bin/sh\necho \"$@\" > " + (folder_ / "called").string() + "\n/bin/cat > " +
                                             (folder_ / "got.png").string() + "\nexit " + std::to_string(code) + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void copy() {
    screen().settle();
    screen().key_with_control('C');
    screen().frame(2);
  }

  TemporaryFolder folder_;
  Variable path_{"PATH", folder_.path().string()};
  Variable temporary_{"TMPDIR", folder_.path().string()};
  Variable display_{"DISPLAY", ":1"};
  Variable wayland_{"WAYLAND_DISPLAY", std::nullopt};
};

TEST_F(Clipboard, GetsThePictureThroughXclip) {
  give_program("xclip", 0);
  copy();
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  EXPECT_EQ(screen().state().message.text.find("copied the figure"), 0U) << screen().state().message.text;
  EXPECT_EQ(bytes_of(folder_ / "called"), "-selection clipboard -t image/png -i\n");
  EXPECT_EQ(folder_.size(), 3) << "xclip, what it was called with and what it got: nothing else stays";
  // It is the view, and its own source.
  const Result<ExperimentSource> source = read_source(folder_ / "got.png");
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(source->experiment, screen().experiment());
}

TEST_F(Clipboard, GoesThroughWlCopyUnderWayland) {
  const Variable wayland("WAYLAND_DISPLAY", "wayland-0");
  give_program("wl-copy", 0);
  give_program("xclip", 1);
  copy();
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  EXPECT_EQ(bytes_of(folder_ / "called"), "--type image/png\n");
}

TEST_F(Clipboard, WithoutSuchAProgramThePathOfAFileIsCopied) {
  copy();
  const std::string path = ImGui::GetClipboardText();
  EXPECT_TRUE(path.starts_with((folder_ / "attnscope-").string()) && path.ends_with("/attnscope-flow.png")) << path;
  const auto folder = std::filesystem::status(std::filesystem::path(path).parent_path());
  EXPECT_EQ(folder.permissions(), std::filesystem::perms::owner_all) << "nobody else's business";
  EXPECT_EQ(screen().state().message.text.find("wrote " + path), 0U) << screen().state().message.text;
  EXPECT_TRUE(read_source(path));
}

TEST_F(Clipboard, AProgramThatFailsIsSaid) {
  give_program("xclip", 3);
  copy();
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_EQ(screen().state().message.text.find("xclip did not accept the picture"), 0U)
      << screen().state().message.text;
}

}  // namespace
}  // namespace attnscope::test
