// The man page agrees with --help, and the version is the same everywhere.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "support/program.h"

namespace attnscope::test {
namespace {

using Words = std::set<std::string>;

/// The long and short options that `text` names.
Words options_in(const std::string& text) {
  static const std::regex option("(^|[^\\w-])(--?[a-z][a-z-]*)");
  Words names;
  for (std::sregex_iterator found(text.begin(), text.end(), option), end; found != end; ++found)
    names.insert((*found)[2]);
  return names;
}

/// The options that a command's help lists.
Words options_of_help(const std::string& help) {
  static const std::regex line("\n  (-[^ ]+)");
  Words names;
  for (std::sregex_iterator found(help.begin(), help.end(), line), end; found != end; ++found)
    names.merge(options_in((*found)[1]));
  return names;
}

std::string manual() {
  return std::regex_replace(bytes_of(ATTNSCOPE_BUILD_DIR "/packaging/attnscope.1"), std::regex("\\\\-"), "-");
}

/// The text below each ".SS attnscope COMMAND"; "" is the program itself.
std::map<std::string, std::string> command_sections() {
  const std::string page = manual();
  static const std::regex section("\n\\.SS attnscope ?([a-z]*)\n((?:.|\n)*?)(?=\n\\.S[SH] )");
  std::map<std::string, std::string> sections;
  for (std::sregex_iterator found(page.begin(), page.end(), section), end; found != end; ++found)
    sections[(*found)[1]] = (*found)[2];
  return sections;
}

TEST(Manual, HasEveryCommandAndNoOther) {
  const std::string help = run_program({"--help"}).out;
  static const std::regex line("\n  ([a-z]+) {2,}");
  Words commands = {""};
  const std::string list = help.substr(help.find("trace") - 3);
  for (std::sregex_iterator found(list.begin(), list.end(), line), end; found != end; ++found)
    commands.insert((*found)[1]);
  Words described;
  for (const auto& [name, text] : command_sections()) described.insert(name);
  EXPECT_EQ(described, commands);
}

TEST(Manual, HasEveryOptionOfEachCommandAndNoOther) {
  for (const auto& [name, text] : command_sections()) {
    Words of_help = options_of_help(run_program(name.empty() ? Arguments{"--help"} : Arguments{name, "--help"}).out);
    if (!name.empty()) {
      for (const char* everywhere : {"-h", "--help"}) of_help.erase(everywhere);
    }
    EXPECT_EQ(options_in(text), of_help) << "attnscope " << name;
  }
}

TEST(Manual, DescribesOptionsThatCommandsShare) {
  const std::string page = manual();
  const std::string shared = page.substr(page.find(".SH OPTIONS OF EXPERIMENTS"));
  for (const std::string& option : options_of_help(run_program({"figure", "--help"}).out)) {
    const bool is_its_own = option == "-o" || option == "--output" || option == "--caption" ||
                            option == "--caption-only" || option == "--preset" || option == "-h" || option == "--help";
    EXPECT_TRUE(is_its_own || options_in(shared).contains(option)) << option;
  }
}

TEST(Version, IsTheSameEverywhere) {
  const std::string version = ATTNSCOPE_TEST_VERSION;
  EXPECT_EQ(run_program({"--version"}).out, "attnscope " + version + "\n");
  EXPECT_NE(manual().find("\"attnscope " + version + "\""), std::string::npos);
  const std::string changes = bytes_of(ATTNSCOPE_SOURCE_DIR "/CHANGELOG.md");
  const std::size_t heading = changes.find("\n## ");
  ASSERT_NE(heading, std::string::npos);
  EXPECT_TRUE(changes.substr(heading + 4).starts_with(version + ", ")) << "CHANGELOG.md begins with another version";
}

}  // namespace
}  // namespace attnscope::test
