// Shell completion: it is complete, the program accepts it, and it works in bash.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/program.h"

namespace attnscope::test {
namespace {

using nlohmann::json;
using Words = std::set<std::string>;

/// The completions of the last of `words`, without descriptions.
Words offered(std::vector<std::string> words) {
  words.insert(words.begin(), "complete");
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  std::istringstream lines(outcome.out);
  Words all;
  for (std::string line; std::getline(lines, line);) all.insert(line.substr(0, line.find('\t')));
  return all;
}

/// The same for words that may also be files.
Words with_files(Words words) {
  words.insert(":files");
  return words;
}

Words listed_names(const std::string& command) {
  Words names;
  for (const json& each : json::parse(run_program({command, "--json"}).out)) names.insert(each["name"]);
  return names;
}

TEST(Completion, OffersEverySystemViewAndTheirParameters) {
  const json systems = json::parse(run_program({"systems", "--json"}).out);
  EXPECT_EQ(offered({"figure", ""}), with_files(listed_names("systems")));
  EXPECT_EQ(offered({"systems", ""}), listed_names("systems"));
  EXPECT_EQ(offered({"figure", "worked-example", "--view", ""}), listed_names("views"));
  for (const json& system : systems) {
    const Words settings = offered({"trace", system["name"], "--set", ""});
    for (const json& parameter : system["parameters"]) {
      const std::string name = parameter["name"];
      EXPECT_TRUE(settings.contains(name + "=")) << name;
      if (!parameter.contains("choices")) continue;
      for (const json& choice : parameter["choices"])
        EXPECT_TRUE(settings.contains(name + "=" + choice["value"].get<std::string>())) << name << " " << choice;
    }
  }
  for (const json& view : json::parse(run_program({"views", "--json"}).out)) {
    const Words options = offered({"figure", "worked-example", "--view", view["name"], "--option", ""});
    for (const json& option : view["options"])
      EXPECT_TRUE(options.contains(option["name"].get<std::string>() + "=")) << view["name"] << " " << option["name"];
  }
}

TEST(Completion, OffersOnlyWhatCanStandThere) {
  EXPECT_EQ(offered({"fig"}), with_files({"figure"}));
  EXPECT_EQ(offered({"trace", "--o"}), Words({"--off", "--only", "--output"}));
  EXPECT_EQ(offered({"trace", "worked-example", "--output", ""}), with_files({}));
  EXPECT_EQ(offered({"trace", "worked-example", "--set", "positions=r"}), Words({"positions=rotary"}));
  EXPECT_EQ(offered({"figure", "--view=hea"}), Words({"--view=head", "--view=heads"}));
  EXPECT_EQ(offered({"--theme", ""}), Words({"dark", "light"}));
  EXPECT_EQ(offered({"figure", "--theme", ""}), Words({"dark", "light", "paper"}));
  EXPECT_EQ(offered({"explain", "worked-example", "sco"}), Words({"scores"}));
  EXPECT_EQ(offered({"script", "worked-example", ""}), Words());
  EXPECT_EQ(offered({"figure", "--width", ""}), Words());
}

/// Lists that exist only for completion: the program must accept each word.
TEST(Completion, OffersNamesThatTheProgramTakes) {
  const TemporaryFolder folder;
  for (const char* option : {"--theme", "--colormap", "--font", "--preset"}) {
    const Words names = offered({"figure", option, ""});
    EXPECT_GE(names.size(), 3U);
    for (const std::string& name : names) {
      const std::string output = (folder / "x.svg").string();
      EXPECT_EQ(run_program({"figure", "worked-example", option, name, "-o", output}).code, 0) << option << " " << name;
    }
  }
}

/// What bash completes the last word of `line` to; the line has no quotes.
std::string completed_by_bash(const std::string& line) {
  const std::string program = ATTNSCOPE_PROGRAM;
  const std::string command =
      "PATH='" + program.substr(0, program.rfind('/')) + "':$PATH bash --norc -c '" +
      "compopt() { :; }; source \"$0\"; COMP_LINE=$1 COMP_POINT=${#1}; _attnscope; echo -n \"${COMPREPLY[*]}\"' '" +
      ATTNSCOPE_SOURCE_DIR + "/scripts/packaging/attnscope.bash' '" + line + "'";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "no bash";
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr) text += part.data();
  ::pclose(pipe);
  return text;
}

TEST(Completion, ReachesBash) {
  EXPECT_EQ(completed_by_bash("attnscope metr"), "metrics");
  EXPECT_EQ(completed_by_bash("attnscope figure worked-example --view hea"), "heads head");
  // bash splits words at =.
  EXPECT_EQ(completed_by_bash("attnscope figure worked-example --view=hea"), "heads head");
  EXPECT_EQ(completed_by_bash("attnscope trace worked-example --set positions=r"), "rotary");
  EXPECT_EQ(completed_by_bash(std::string("attnscope trace ") + ATTNSCOPE_SOURCE_DIR "/LICEN"),
            ATTNSCOPE_SOURCE_DIR "/LICENSE");
}

}  // namespace
}  // namespace attnscope::test
