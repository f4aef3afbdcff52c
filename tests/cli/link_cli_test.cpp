// Links on the command line.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "refusal.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

std::string link_of(Arguments more) {
  Arguments arguments = {"link"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome made = run_program(arguments);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(made.out.ends_with("\n") && made.out.find('\n') == made.out.size() - 1) << made.out;
  return made.out.substr(0, made.out.size() - 1);
}

TEST(CliLink, PrintsALinkThatEveryCommandReads) {
  const std::string link = link_of({"worked-example", "--set", "seed=7", "--set", "heads=2", "--view", "head",
                                    "--option", "head=2", "--base", "https://attnscope.example/"});
  EXPECT_TRUE(link.starts_with("https://attnscope.example/#x=1.")) << link;
  const Arguments settings = {"worked-example", "--set", "seed=7", "--set", "heads=2"};
  const TemporaryFolder folder;
  for (const Arguments& command :
       {Arguments{"explain", "", "scores[0,1,1]"}, Arguments{"metrics", ""}, Arguments{"script", ""}}) {
    Arguments by_link = command;
    by_link[1] = link;
    Arguments by_settings = {command[0]};
    by_settings.insert(by_settings.end(), settings.begin(), settings.end());
    by_settings.insert(by_settings.end(), command.begin() + 2, command.end());
    const Outcome read = run_program(by_link);
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_EQ(read.out, run_program(by_settings).out) << command[0];
  }
  // The view and its options too.
  const std::string figure = (folder / "a.svg").string();
  EXPECT_EQ(run_program({"figure", link, "-o", figure}).code, 0);
  EXPECT_EQ(link_of({figure, "--base", "https://attnscope.example/"}), link);
  EXPECT_EQ(run_program({"trace", link, "-o", (folder / "a.json").string()}).code, 0);
  EXPECT_EQ(run_program({"animate", link, "--sweep", "seed=1:2", "-o", (folder / "a.png").string()}).code, 0);
}

TEST(CliLink, SaysThatABaselineIsLeftOut) {
  const TemporaryFolder folder;
  const std::string figure = (folder / "a.svg").string();
  ASSERT_EQ(run_program({"figure", "worked-example", "--set", "seed=2", "--view", "compare", "--option",
                         "against=pinned", "--pinned", "worked-example", "-o", figure})
                .code,
            0);
  const Outcome made = run_program({"link", figure});
  EXPECT_EQ(made.code, 0);
  EXPECT_NE(made.err.find("a link does not hold the baseline"), std::string::npos) << made.err;
}

TEST(CliLink, WithoutABaseItIsRelative) { EXPECT_TRUE(link_of({"worked-example"}).starts_with("attnscope.html#x=1.")); }

TEST(CliLink, MistakesAreSaidInOneShortLine) {
  expect_refused({"link"}, 2, {"EXPERIMENT"});
  expect_refused({"link", "worked-example", "--base", "a b"}, 2, {"--base: \"a b\" is not allowed"});
  for (const char* const page : {"javascript:alert(1)//", "JavaScript:a", "data:text/html,a"})
    expect_refused({"link", "worked-example", "--base", page}, 2, {" is not allowed; allowed: the address of a page"});
  EXPECT_EQ(run_program({"link", "worked-example", "--base", "folder/a:b.html"}).code, 0);
  expect_refused({"link", "worked-example", "--view", "nothing"}, 2, {"nothing"});
  expect_refused({"figure", "https://a.example/#x=1.abc$", "-o", "/dev/null/a.svg"}, 1,
                 {"the link: \"$\" at character 4 of the experiment is not allowed"});
  const std::string link = link_of({"worked-example"});
  for (const Arguments& more : {Arguments{"metrics", link + "AAAA"}, Arguments{link.substr(0, link.size() - 30)}}) {
    expect_refused(more, 1, {"attnscope: the link: what stands after #x= is damaged or incomplete"});
    EXPECT_LT(run_program(more).err.size(), 200U) << "the link itself is not repeated";
  }
  // The settings of a link that do not go together are those of the link.
  expect_refused({"metrics", link, "--set", "heads=0"}, 2, {"--set heads"});
}

}  // namespace
}  // namespace attnscope::test
