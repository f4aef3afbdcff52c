// The context without a screen, and what shaders and windows say when they cannot be had.
#include "offscreen/offscreen.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "drawing.h"
#include "platform/gl/shader.h"
#include "platform/gl/window.h"

namespace attnscope::platform {
namespace {

bool one_line(const std::string& text) { return !text.empty() && text.find_first_of("\r\n") == std::string::npos; }

/// An environment variable set (or, with null, unset) until the end of the scope.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST_F(Drawing, ClearAndReadBack) {
  screen->clear({1, 0.5F, 0, 0.2F});
  const Image image = screen->read_pixels();
  EXPECT_EQ(image.width, 64);
  EXPECT_EQ(image.height, 64);
  EXPECT_EQ(image.rgba.size(), 64U * 64U * 4U);
  EXPECT_TRUE(near(image.pixel(63, 63), {255, 128, 0, 51}));
}

TEST_F(Drawing, ResizeChangesThePictureAndKeepsTheTextures) {
  const Numbers numbers = Numbers::random(8, 8, 0, 255, 31);
  draw({quad(numbers.view())});
  ASSERT_TRUE(screen->resize(160, 33));
  const Image image = draw({quad(numbers.view())});
  EXPECT_EQ(image.width, 160);
  EXPECT_EQ(image.height, 33);
  EXPECT_TRUE(near(image.pixel(159, 32), pixel_of(static_cast<int>(numbers.view().at(7, 7)))));
  EXPECT_TRUE(near(image.pixel(159, 0), pixel_of(static_cast<int>(numbers.view().at(0, 7)))));
  EXPECT_EQ(renderer->uploads(), 1U);
}

TEST_F(Drawing, ImpossibleSizesAreRefused) {
  for (const auto& [width, height] : {std::pair{0, 10}, {10, -1}, {1 << 28, 10}}) {
    const Result<void> resized = screen->resize(width, height);
    ASSERT_FALSE(resized);
    EXPECT_TRUE(one_line(resized.error().message)) << resized.error().message;
    EXPECT_NE(resized.error().message.find(std::to_string(width)), std::string::npos);
  }
  // The old framebuffer is still good.
  EXPECT_TRUE(near(draw({}).pixel(0, 0), kBackgroundPixel));
  EXPECT_FALSE(OffscreenContext::create(0, 0));
}

TEST_F(Drawing, ContextsAreIndependent) {
  Result<OffscreenContext> other = OffscreenContext::create(10, 10);
  ASSERT_TRUE(other) << other.error().message;
  other->clear({1, 1, 1, 1});
  EXPECT_TRUE(near(draw({}).pixel(3, 3), kBackgroundPixel));
  EXPECT_TRUE(near(other->read_pixels().pixel(3, 3), {255, 255, 255, 255}));
  screen->bind();
}

TEST_F(Drawing, ShaderErrorsNameTheFile) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "attnscope-shader-test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const auto error = [&](const std::filesystem::path& vertex, const std::filesystem::path& fragment) {
    const Result<ShaderProgram> program = ShaderProgram::load(vertex, fragment);
    std::string message = program ? "no error" : program.error().message;
    EXPECT_TRUE(one_line(message)) << message;
    return message;
  };
  const std::filesystem::path good = shader_folder() / "heatmap.vert";
  const std::filesystem::path missing = folder / "missing.frag";
  EXPECT_EQ(error(good, missing), missing.string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(error(folder, missing), folder.string() + ": is a folder, not a shader");

  write("broken.frag", "#version 330 core\nout vec4 color;\nvoid main() { color = nonsense; }\n");
  const std::string broken = error(good, folder / "broken.frag");
  EXPECT_TRUE(broken.starts_with((folder / "broken.frag").string() + ": ")) << broken;
  EXPECT_NE(broken.find("nonsense"), std::string::npos) << broken;
  write("empty.frag", "");
  EXPECT_NE(error(good, folder / "empty.frag"), "no error");

  write("two.vert", "#version 330 core\nout vec2 place;\nvoid main() { gl_Position = vec4(place = vec2(0), 0, 1); }\n");
  write("three.frag", "#version 330 core\nin vec3 place;\nout vec4 color;\nvoid main() { color = place.xyzz; }\n");
  const std::string unlinked = error(folder / "two.vert", folder / "three.frag");
  EXPECT_TRUE(unlinked.starts_with((folder / "three.frag").string() + ": does not link with two.vert: ")) << unlinked;

  const Result<HeatmapRenderer> missing_shaders = HeatmapRenderer::create(folder / "none");
  ASSERT_FALSE(missing_shaders);
  EXPECT_TRUE(missing_shaders.error().message.starts_with((folder / "none" / "heatmap.vert").string()));
  std::filesystem::remove_all(folder);
}

TEST(WindowTest, NoDisplayIsOneLineWithTheWayOut) {
  const Environment no_wayland("WAYLAND_DISPLAY", nullptr);
  for (const char* display : {static_cast<const char*>(nullptr), "", ":4242", "nonsense"}) {
    const Environment broken("DISPLAY", display);
    const Result<Window> window = Window::open({.without_window = "the command trace needs none"});
    ASSERT_FALSE(window);
    EXPECT_TRUE(window.error().message.starts_with("no display to open a window on (")) << window.error().message;
    EXPECT_NE(window.error().message.find("; the command trace needs none"), std::string::npos)
        << window.error().message;
    EXPECT_TRUE(one_line(window.error().message));
    EXPECT_EQ(window.error().kind, Error::Kind::failure);
  }
}

TEST(WindowTest, OpensWhereThereIsADisplay) {
  if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "no display";
  Result<Window> window = Window::open({.width = 640, .height = 400, .vsync = false});
  ASSERT_TRUE(window) << window.error().message;
  EXPECT_NE(window->handle(), nullptr);
  EXPECT_EQ(window->framebuffer_size(), (Size{640, 400}));
  EXPECT_EQ(window->window_size(), (Size{640, 400}));
  EXPECT_GT(window->content_scale(), 0);
  EXPECT_FALSE(window->should_close());
  window->request_close();
  EXPECT_TRUE(window->should_close());
  window->request_close(false);
  EXPECT_FALSE(window->should_close());
  window->set_title("another title");
  Image icon{16, 16, std::vector<std::uint8_t>(std::size_t{16} * 16 * 4, 200)};
  window->set_icon({icon});
  window->clear(kBackground);
  window->swap();
  window->poll_events();
  window->wake();
  window->wait_events();  // returns, because of wake
  window->wait_events(0.001);
  EXPECT_TRUE(window->take_dropped_files().empty());
  EXPECT_FALSE(window->minimized());
  Result<Window> second = Window::open({.visible = false});
  ASSERT_TRUE(second) << second.error().message;
}

}  // namespace
}  // namespace attnscope::platform
