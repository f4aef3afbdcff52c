// Thousands of frames of random input: nothing crashes, nothing grows.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/plan/validate.h"
#include "io/experiments/lesson_file.h"
#include "io/models/bundled_models.h"
#include "offscreen/offscreen_interface.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"
#include "ui/imgui/imgui_compat.h"

#ifdef ATTNSCOPE_ADDRESS_SANITIZER
// As in sanitizer/allocator_interface.h, which GCC does not install.
extern "C" std::size_t
__sanitizer_get_current_allocated_bytes();  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
#endif

namespace attnscope::test {
namespace {

using platform::KeyPress;

constexpr int kFrames = 20000;
// By then every view, dialog and size of font has been there.
constexpr double kWarmUp = 0.4;
constexpr double kMegabyte = 1e6;
constexpr int kBetweenRests = 500;
// The least that is held at rest in the last third after the warm-up, compared with the first third: what happens to be
// there at one rest says little. Steps of Undo, lessons and letters that came later are some megabytes, but there are only
// so many.
constexpr double kMaxGrowth = 4 * kMegabyte;
constexpr double kMaxResidentGrowth = 12 * kMegabyte;
// What one experiment may take: enough to type sizes that are refused, small enough that computing costs no time.
constexpr double kMemoryBudget = 4 * kMegabyte;

constexpr const char* kGood =
    R"({"format": "attnscope-experiment/1", "system": "worked-example", "params": {"heads": 2}})";
constexpr const char* kBad =
    R"({"format": "attnscope-experiment/1", "system": "worked-example", "params": {"heads": 0}})";

int frames_wanted() {
  const char* text = std::getenv("ATTNSCOPE_SOAK_FRAMES");
  // A sanitizer watches fewer of them: each takes ten times as long there.
  return text != nullptr ? std::max(10, std::atoi(text)) : kFrames / (kSanitized ? 4 : 1);
}

/// Another seed finds other ways.
unsigned seed_wanted() {
  const char* text = std::getenv("ATTNSCOPE_SOAK_SEED");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 20240607U;
}

/// Bytes that the program holds, without what the allocator keeps for later.
double allocated_bytes() {
#ifdef ATTNSCOPE_ADDRESS_SANITIZER
  return static_cast<double>(__sanitizer_get_current_allocated_bytes());
#else
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
#endif
}

/// Bytes of the process in memory. A sanitizer keeps freed memory back, so that there they say nothing.
double resident_bytes() {
#if defined(ATTNSCOPE_ADDRESS_SANITIZER) || defined(ATTNSCOPE_THREAD_SANITIZER)
  return 0;
#else
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
#endif
}

/// The current folder while it lives: what is saved under a random name lands there.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::filesystem::path& path) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~CurrentFolder() { std::filesystem::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  std::filesystem::path before_;
};

/// Somebody who tries everything.
class RandomUser {
 public:
  /// Opens one of `files` now and then.
  RandomUser(OffscreenInterface& screen, std::vector<std::string> files, unsigned seed)
      : screen_(screen), files_(std::move(files)), random_(seed) {}

  /// What is done before the next frame.
  void act() {
    const int dice = below(100);
    if (confirm_in_ > 0 && --confirm_in_ == 0) {
      press_key(kEnter, false, false);
    } else if (screen_.state().dialog.open != ui::Dialog::none && below(20) == 0) {
      screen_.workbench().press({kEscape, false, false});
    } else if (!down_ && ImGui::IsAnyItemHovered() && below(3) == 0) {
      toggle_button();
    } else if (dice < 40) {
      move();
    } else if (dice < 64) {
      toggle_button();
    } else if (dice < 70) {
      ui::feed_mouse_wheel(static_cast<float>(below(7) - 3));
    } else if (dice < 82) {
      key();
    } else if (dice < 92) {
      type();
    } else if (dice < 93) {
      resize();
    } else if (dice == 93 && below(8) == 0) {
      constexpr std::array<float, 4> kScales = {1, 1.25F, 1.5F, 2};
      screen_.set_scale(kScales[static_cast<std::size_t>(below(4))]);
    } else if (dice == 94 && below(4) == 0) {
      screen_.workbench().open_files({files_[static_cast<std::size_t>(below(static_cast<int>(files_.size())))]});
    } else if (dice == 95 && below(4) == 0) {
      // Export figure, or tensors, under the proposed name.
      press_key('E', true, below(4) == 0);
      confirm_in_ = 6;
    }
  }

  /// Lets go of everything.
  void rest() {
    down_ = false;
    ui::feed_mouse_button(0, false);
    release_key();
    ui::feed_modifiers(false, false, false);
    ui::feed_mouse_position(-100, -100);
  }

 private:
  int below(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  void move() {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const int where = below(4);
    if (where == 0) {
      at_ = {below(static_cast<int>(size.x) + 40) - 20.0, below(static_cast<int>(size.y) + 40) - 20.0};
    } else if (where == 1) {
      // Where the sliders are.
      at_ = {below(208) + 0.0, below(static_cast<int>(size.y)) + 0.0};
    } else {
      at_ = {at_.x + below(61) - 30, at_.y + below(21) - 10};
    }
    ui::feed_mouse_position(static_cast<float>(at_.x), static_cast<float>(at_.y));
  }

  void toggle_button() {
    down_ = !down_;
    // Ctrl+click types into sliders.
    if (below(6) == 0) ui::feed_modifiers(down_, false, false);
    ui::feed_mouse_button(0, down_);
  }

  void release_key() {
    if (key_ != 0 && key_ < KeyPress::kF1) ui::feed_key(key_, false);
    key_ = 0;
  }

  void key() {
    constexpr std::string_view kKeys = "ABCDEFGHIJKLMNOPRSTUVWXYZ0123456789?,.[]+-";
    const bool control = below(5) == 0;
    constexpr std::array kSpecial = {kEscape,
                                     kEnter,
                                     kBackspace,
                                     kTab,
                                     kLeft,
                                     kUp,
                                     kRight,
                                     kDown,
                                     static_cast<int>(' '),
                                     kF6,
                                     kF10,
                                     kF11,
                                     KeyPress::kPageUp,
                                     KeyPress::kPageDown};
    const int key = below(2) == 0 ? kSpecial[static_cast<std::size_t>(below(static_cast<int>(kSpecial.size())))]
                                  : kKeys[static_cast<std::size_t>(below(static_cast<int>(kKeys.size())))];
    const bool shift = below(4) == 0;
    press_key(key, control, shift, below(12) == 0);
  }

  void press_key(int key, bool control, bool shift, bool alt = false) {
    release_key();
    key_ = key;
    ui::feed_modifiers(control, shift, alt);
    screen_.workbench().press({key_, control, shift, alt});
    // Of the others ImGui knows nothing here.
    if (key_ < KeyPress::kF1) ui::feed_key(key_, true);
  }

  void type() {
    constexpr std::array<const char*, 12> kTexts = {"1", "2",  "7",     "0",   "-",     ".",
                                                    "5", "e3", "token", "a b", ".json", ".pdf"};
    release_key();
    ui::feed_modifiers(false, false, false);
    ImGui::GetIO().AddInputCharactersUTF8(below(20) == 0 ? "é∞{}_" : kTexts[static_cast<std::size_t>(below(12))]);
  }

  void resize() {
    constexpr std::array<std::array<int, 2>, 6> kSizes = {
        {{640, 420}, {640, 420}, {900, 420}, {400, 300}, {200, 90}, {1, 1}}};
    const auto& size = kSizes[static_cast<std::size_t>(below(6))];
    screen_.resize(size[0], size[1]);
  }

  OffscreenInterface& screen_;
  std::vector<std::string> files_;
  std::mt19937 random_;
  Point at_;
  bool down_ = false;
  int key_ = 0;
  int confirm_in_ = 0;  ///< frames until Enter is pressed in the dialog of an export
};

/// A file of queries, keys and values of one head.
std::string tensors_bytes() {
  std::vector<float> numbers(24);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) / 4 - 1;
  const std::string data = float_bytes(numbers);
  return safetensors_bytes("{" + entry_text("q", "F32", "[6, 4]", "[0, 96]") + ", " +
                               entry_text("k", "F32", "[6, 4]", "[96, 192]") + ", " +
                               entry_text("v", "F32", "[6, 4]", "[192, 288]") + "}",
                           data + data + data);
}

/// What exports left goes; the files to be opened are written anew: they may have been saved over.
void write_files(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove_all(entry.path());
  std::ofstream(folder / "good.json") << kGood;
  std::ofstream(folder / "bad.json") << kBad;
  std::ofstream(folder / "tensors.safetensors", std::ios::binary) << tensors_bytes();
}

/// Back to a window in which everything can be reached, every dialog closed, the standard experiment open.
void come_to_rest(OffscreenInterface& screen, RandomUser& user) {
  user.rest();
  screen.set_drawn(true);
  screen.frame(3);
  for (int i = 0; i < 3; ++i) screen.key(kEscape);
  screen.resize(640, 420);
  screen.set_scale(1);
  // Usual letters: larger ones have a larger texture.
  screen.key_with_control('0');
  write_files(".");
  // Of a lesson, and of what lies under it.
  for (int i = 0; i < 2; ++i) screen.workbench().workspace().give_up_edits();
  screen.workbench().open_files({"good.json"});
  screen.settle();
  screen.frame(10);
}

TEST(Soak, RandomInputNeitherBreaksNorGrowsAnything) {
  const TemporaryFolder folder;
  write_files(folder.path());
  const CurrentFolder current(folder.path());
  InterfaceOptions options;
  options.width = 640;
  options.height = 420;
  options.memory_budget = kMemoryBudget;
  options.lessons = find_lessons();
  OffscreenInterface screen(options);
  // The menu lists them; what the first one of a kind makes once, such as tables of Unicode, is no growth.
  std::vector<std::string> files = {"good.json", "bad.json", "good.json", "tensors.safetensors"};
  for (const BundledModel& model : bundled_models()) {
    files.push_back(model.folder.string());
    screen.workbench().open_files({files.back()});
    screen.settle();
  }
  RandomUser user(screen, files, seed_wanted());

#ifdef __GLIBC__
  // What is free at the end of a thread's heap is given back at once: malloc_trim only does that for the main one, and
  // how much of it there is depends on which thread happened to build the largest figure.
  ::mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
  const int frames = frames_wanted();
  ASSERT_GT(frames, 0);
  const int warm_up = static_cast<int>(frames * kWarmUp);
  std::vector<double> at_rest;  // bytes held, since the warm-up
  double resident = 0;
  std::size_t textures = 0;
  std::uint64_t edits = 0;
  for (int i = 0; i < frames; ++i) {
    if (i == warm_up) {
      come_to_rest(screen, user);
      at_rest.assign(1, allocated_bytes());
      resident = resident_bytes();
    }
    // Now and then back to a window that can be used, or most of the time goes into dialogs one pixel high.
    if (i % kBetweenRests == kBetweenRests - 1) {
      come_to_rest(screen, user);
      at_rest.push_back(allocated_bytes());
    }
    const Experiment before = screen.experiment();
    user.act();
    // Drawing is most of the work, and the same code in every frame.
    screen.set_drawn(i % 3 == 0);
    screen.frame();
    edits += screen.experiment() != before ? 1 : 0;
    textures = std::max(textures, screen.workbench().shown_figure().heatmaps().textures());
    ASSERT_TRUE(validate(screen.experiment(), kMemoryBudget)) << "after frame " << i;
    // A dozen frames' worth: those drawn and those kept for the next ones.
    ASSERT_LE(screen.workbench().shown_figure().heatmaps().textures(), 1000U) << "after frame " << i;
  }
  come_to_rest(screen, user);
  EXPECT_EQ(screen.experiment().integer("heads"), 2);
  EXPECT_GT(edits, static_cast<std::uint64_t>(frames) / 100) << "the input did hardly anything";
  EXPECT_LE(screen.workbench().shown_figure().heatmaps().textures(),
            2 * screen.workbench().shown_figure().figure().heatmaps.size());
  at_rest.push_back(allocated_bytes());
  const auto third = static_cast<std::ptrdiff_t>((at_rest.size() + 2) / 3);
  const double growth = *std::min_element(at_rest.end() - third, at_rest.end()) -
                        *std::min_element(at_rest.begin(), at_rest.begin() + third);
  EXPECT_LT(growth, kMaxGrowth);
  EXPECT_LT(resident_bytes() - resident, kMaxResidentGrowth);
  RecordProperty("edits", static_cast<int>(edits));
  RecordProperty("most_textures", static_cast<int>(textures));
  std::printf("%d frames, %llu edits, at most %zu textures, %+.2f MB held, %+.2f MB resident\n", frames,
              static_cast<unsigned long long>(edits), textures, growth / kMegabyte,
              (resident_bytes() - resident) / kMegabyte);
}

}  // namespace
}  // namespace attnscope::test
