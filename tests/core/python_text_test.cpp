// Text from outside in scripts: Python reads it as literals and nothing else.
#include "core/base/python_text.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include "core/base/text.h"
#include "core/experiment/experiment.h"
#include "core/imported/imported_layers.h"
#include "core/script/script.h"
#include "support/imported_tensors.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

TEST(PythonText, LiteralsHoldAnyBytes) {
  using namespace std::string_literals;
  EXPECT_EQ(python_text(""), R"("")");
  EXPECT_EQ(python_text("layers.0.attn"), R"("layers.0.attn")");
  EXPECT_EQ(python_text(R"("+str(__import__("os").system("x"))+")"),
            R"("\"+str(__import__(\"os\").system(\"x\"))+\"")");
  EXPECT_EQ(python_text("\\"), R"("\\")");
  EXPECT_EQ(python_text("\\x41\\"), R"("\\x41\\")");
  EXPECT_EQ(python_text("a\r\nb\tc\0d\x7f"s), R"("a\x0d\x0ab\x09c\x00d\x7f")");
  EXPECT_EQ(python_text("Zürich 猫 😀 '"), "\"Zürich 猫 😀 '\"");
  EXPECT_EQ(python_text("\xe2\x80\xa8\xe2\x80\xae\xef\xbb\xbf"), R"("\u2028\u202e\ufeff")");
  EXPECT_EQ(python_text("\xc2\x85"), R"("\x85")");
  EXPECT_EQ(python_text("\xf3\xa0\x80\x81"), R"("\U000e0001")");
  // Latin-1, a truncated character, an overlong one, a surrogate, one beyond the last.
  EXPECT_EQ(python_text("\xfc"), R"("\udcfc")");
  EXPECT_EQ(python_text("a\xe7\x8c"), R"("a\udce7\udc8c")");
  EXPECT_EQ(python_text("\xc0\xa2"), R"("\udcc0\udca2")");
  EXPECT_EQ(python_text("\xed\xa0\x80"), R"("\udced\udca0\udc80")");
  EXPECT_EQ(python_text("\xf4\x90\x80\x80"), R"("\udcf4\udc90\udc80\udc80")");
  EXPECT_EQ(python_text(std::string(5000, 'a')), '"' + std::string(5000, 'a') + '"');
}

TEST(PythonText, PathsThatAreNotUtf8AreBytes) {
  EXPECT_EQ(python_path("/tmp/Zürich \"a\".npz"), R"("/tmp/Zürich \"a\".npz")");
  EXPECT_EQ(python_path("/tmp/Z\xfcrich \"\\\n.npz"), R"(os.fsdecode(b"/tmp/Z\xfcrich \"\\\x0a.npz"))");
  EXPECT_FALSE(needs_os("/tmp/Zürich"));
  EXPECT_TRUE(needs_os("/tmp/Z\xfcrich"));
}

TEST(PythonText, NamesAreWhatStandsOutsideOfLiteralsAndComments) {
  EXPECT_EQ(python_names("a = \"nn\"  # math\nb"), "a = \"\"  \nb");
  EXPECT_EQ(python_names("a[\"#\"] + b"), "a[\"\"] + b");
  EXPECT_EQ(python_names(R"(a["\"", 'c"', '\\'] + b)"), R"(a["", "", ""] + b)");
  EXPECT_EQ(python_names("\"\"\"\n\"nn\" \\\"\"\" x\n\"\"\" + b"), "\"\" + b");
  EXPECT_EQ(python_names("a # the end"), "a ");
  EXPECT_EQ(python_names("'never ends"), "\"\"");
}

TEST(PythonText, NumbersThatAreNone) {
  EXPECT_EQ(python_number(std::numeric_limits<double>::infinity()), "float(\"inf\")");
  EXPECT_EQ(python_number(std::numeric_limits<double>::quiet_NaN()), "float(\"nan\")");
}

/// Text that tries to be more than text.
class HostileTexts {
 public:
  std::string next() {
    std::string text;
    for (std::size_t pieces = 1 + random_() % 6; pieces > 0; --pieces) {
      switch (random_() % 4) {
        case 0: text += kPieces[random_() % kPieces.size()]; break;
        case 1: text += kPieces[random_() % kPieces.size()]; break;
        case 2: text += static_cast<char>(random_() % 256); break;
        default:
          for (std::size_t i = random_() % 40; i > 0; --i) text += static_cast<char>(random_() % 128);
      }
    }
    if (random_() % 50 == 0) text += std::string(random_() % 5000, 'a');
    return text;
  }
  std::uint64_t number() { return random_(); }

 private:
  static constexpr std::array<std::string_view, 40> kPieces = {"\"",
                                                               "'",
                                                               "\"\"\"",
                                                               "'''",
                                                               "\\",
                                                               "\\\\",
                                                               "\\\"",
                                                               "\n",
                                                               "\r",
                                                               "\r\n",
                                                               "\f",
                                                               "\v",
                                                               "\x1a",
                                                               "\t",
                                                               "#",
                                                               "\n#",
                                                               std::string_view("\0", 1),
                                                               "\xe2\x80\xa8",
                                                               "\xe2\x80\xa9",
                                                               "\xc2\x85",
                                                               "\xed\xa0\x80",
                                                               "\xff",
                                                               "\xc3",
                                                               "é",
                                                               "😀",
                                                               "{name}",
                                                               "{",
                                                               "}",
                                                               "%s",
                                                               "\\N{DASH}",
                                                               "\\u0041",
                                                               "\\",
                                                               ");import os;os.system(\"x\");(",
                                                               "\nimport os\n",
                                                               "\"+str(__import__(\"os\").system(\"touch pwned\"))+\"",
                                                               "math",
                                                               " nn ",
                                                               "\xe2\x80\xae",
                                                               "\xef\xbb\xbf",
                                                               "# -*- coding: utf-7 -*-"};
  std::mt19937_64 random_{15};
};

/// An experiment with text from outside in the place that `kind` says.
Experiment experiment_of_kind(std::uint64_t kind, const std::string& one, const std::string& other) {
  if (kind == 0) {
    Experiment experiment = *default_experiment("hand-made-heads");
    experiment.labels = {one, other, one};
    return experiment;
  }
  constexpr std::array<const char*, 4> kFiles = {"/data/f.npz", "/data/f.safetensors", "/data/f.tensors", "stdin"};
  if (kind == 1) {
    Experiment experiment = *experiment_on(made({{"", {2, 3}}}, "/" + one + ".npy"));
    experiment.parameters["use"] = std::string(kUseTensors);
    return experiment;
  }
  if (kind == 2) return *experiment_on(made({{"weights", {3, 3}}}, "/" + one + "/" + other + ".safetensors"));
  Experiment experiment =
      *experiment_on(made({{"a" + one, {2, 3}}, {"b" + other, {2}}, {"c" + one, {1}}}, kFiles[kind % kFiles.size()]));
  experiment.parameters["use"] = std::string(kUseTensors);
  return experiment;
}

std::string hex(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    for (const unsigned half : {static_cast<unsigned char>(c) / 16U, static_cast<unsigned char>(c) % 16U})
      digits += "0123456789abcdef"[half];
  }
  return digits;
}

TEST(PythonText, NoTextFromOutsideBecomesCode) {
  if (shell("python3 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no Python";
  constexpr int kScripts = 4000;
  const TemporaryFolder folder;
  std::ofstream cases(folder / "cases");
  HostileTexts texts;
  for (int i = 0; i < kScripts; ++i) {
    const std::uint64_t kind = texts.number() % 7;
    const bool is_path = kind == 1 || kind == 2;
    std::array<std::string, 2> names = {texts.next(), texts.next()};
    bool ascii = true;
    for (std::string& name : names) {
      if (is_path) std::replace(name.begin(), name.end(), '/', '_');
      // Python ends names in archives at a zero byte.
      for (const char c : name.substr(0, name.find('\0'))) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    }
    if (names[0] == names[1] || names[0].empty()) continue;
    const std::string harmless = ascii ? "NAME" : "NAMÉ";
    cases << hex(pytorch_script(experiment_of_kind(kind, names[0], names[1]))) << ' '
          << hex(pytorch_script(experiment_of_kind(kind, harmless + "0", harmless + "1"))) << ' ' << hex(names[0])
          << ' ' << hex(names[1]) << '\n';
  }
  cases.close();
  const std::string check = ATTNSCOPE_SOURCE_DIR "/tests/support/python/same_scripts.py";
  EXPECT_EQ(
      shell("python3 '" + check + "' '" + (folder / "cases").string() + "' >'" + (folder / "out").string() + "' 2>&1"),
      0)
      << bytes_of(folder / "out");
}

}  // namespace
}  // namespace attnscope::test
