// Writing to a full disk, or to one that does not allow it.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "support/disk.h"
#include "support/program.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

struct Export {
  const char* command;
  const char* name;  ///< of the file
};

/// Everything that commands write. For the window's documents, see tests/io and tests/ui.
constexpr std::array<Export, 7> kExports = {{{"trace", "trace.safetensors"},
                                             {"trace", "trace.npz"},
                                             {"trace", "trace.json"},
                                             {"figure", "figure.png"},
                                             {"figure", "figure.svg"},
                                             {"figure", "figure.pdf"},
                                             {"script", "script.py"}}};

/// The exports larger than a page.
constexpr std::span<const Export> kLargeExports = std::span(kExports).first<6>();

const std::string kOld = "what was there before";

/// Writes `exports` to a small disk that `spoil` made unusable, and returns what goes wrong; empty if all is well: the
/// program reports the file's name and `reason` in one line, existing files are unchanged, and there are no new files.
std::string faults_on_small_disk(std::span<const Export> exports, const fs::path& disk,
                                 const std::function<bool(const fs::path&)>& spoil, const std::string& reason) {
  for (const Export& each : exports) std::ofstream(disk / each.name) << kOld;
  if (!spoil(disk)) return "the disk cannot be spoiled";
  const auto entries = [&] { return std::distance(fs::directory_iterator(disk), fs::directory_iterator()); };
  const std::ptrdiff_t before = entries();
  std::string faults;
  for (const Export& each : exports) {
    for (const char* name : {each.name, "new"}) {
      const std::string file = name == each.name ? each.name : "new-" + std::string(each.name);
      const std::string path = (disk / file).string();
      const Outcome outcome = run_program({each.command, "worked-example", "-o", path});
      if (outcome.code != 1) faults += file + ": exit code " + std::to_string(outcome.code) + "\n";
      if (outcome.err != "attnscope: " + path + ": " + reason + "\n") faults += file + " says " + outcome.err;
      if (!outcome.out.empty()) faults += file + " prints " + outcome.out;
    }
    if (bytes_of(disk / each.name) != kOld) faults += std::string(each.name) + " has changed\n";
  }
  if (entries() != before) faults += "there are other files than before\n";
  return faults;
}

/// The same on a disk mounted for the test; nothing if mounting is not permitted.
std::optional<std::string> faults(std::span<const Export> exports, const std::function<bool(const fs::path&)>& spoil,
                                  const std::string& reason) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "disk");
  return in_own_process([&]() -> std::optional<std::string> {
    if (!mount_small_disk(folder / "disk", 96 * 1024)) return std::nullopt;
    return faults_on_small_disk(exports, folder / "disk", spoil, reason);
  });
}

TEST(Disk, AFullOneKeepsWhatWasThereAndSaysSo) {
  const auto fill = [](const fs::path& disk) {
    fill_disk(disk);
    return true;
  };
  const std::optional<std::string> found = faults(kExports, fill, "No space left on device");
  if (!found) GTEST_SKIP() << "this system lets nobody mount a disk of their own";
  EXPECT_EQ(*found, "");
}

TEST(Disk, ThereIsRoomForTheBeginningOnly) {
  // The files are larger: writing fails halfway.
  const auto fill = [](const fs::path& disk) {
    fill_disk(disk);
    fs::resize_file(disk / "filler", fs::file_size(disk / "filler") - 4096);
    return true;
  };
  const std::optional<std::string> found = faults(kLargeExports, fill, "No space left on device");
  if (!found) GTEST_SKIP() << "this system lets nobody mount a disk of their own";
  EXPECT_EQ(*found, "");
}

TEST(Disk, AReadOnlyOneKeepsWhatWasThereAndSaysSo) {
  const std::optional<std::string> found = faults(kExports, make_read_only, "Read-only file system");
  if (!found) GTEST_SKIP() << "this system lets nobody mount a disk of their own";
  EXPECT_EQ(*found, "");
}

}  // namespace
}  // namespace attnscope::test
