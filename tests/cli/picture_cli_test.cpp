// Pictures on the command line: --picture and the parameter.
#include <gtest/gtest.h>

#include "refusal.h"
#include "support/png_bytes.h"

namespace attnscope::test {
namespace {

/// Two pixels, orange and blue.
std::filesystem::path two_pixels(const TemporaryFolder& folder) {
  return folder.file("two.png", png_bytes_of(2, 1, "\xe6\x5a\x28\x14\x3c\xa0"));
}

Arguments with_arguments(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const Arguments kSmall = {"conv-attention", "--set", "height=2", "--set", "width=2", "--set", "channels=3"};

TEST(CliPicture, EveryCommandOnAnExperimentTakesOne) {
  const TemporaryFolder folder;
  const std::string png = two_pixels(folder).string();
  const auto done = [&](const Arguments& command) {
    const Outcome outcome = run_program(with_arguments(command, {"--picture", png}));
    EXPECT_EQ(outcome.code, 0) << command[0] << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  };
  const std::string explained = done(with_arguments(with_arguments({"explain"}, kSmall), {"x[0,0,0,1]"}));
  EXPECT_NE(explained.find("x[0, 0, 0, 1] = −0.843137"), std::string::npos) << explained;
  EXPECT_NE(explained.find("2 · red − 1"), std::string::npos) << explained;
  EXPECT_NE(explained.find("from the picture of 1 × 2 pixels, averaged to 2 × 2"), std::string::npos) << explained;
  EXPECT_NE(done(with_arguments({"script"}, kSmall)).find("\ne65a28143ca0\n"), std::string::npos);
  done(with_arguments({"metrics"}, kSmall));
  done(with_arguments(with_arguments({"figure"}, kSmall), {"--view", "image", "-o", (folder / "x.svg").string()}));
  // The output has the colours of the picture, and the saved experiment contains it.
  EXPECT_NE(bytes_of(folder / "x.svg").find("#e65a28"), std::string::npos);
  done(with_arguments(with_arguments({"trace"}, kSmall), {"-o", (folder / "x.safetensors").string()}));
  EXPECT_NE(bytes_of(folder / "x.safetensors").find(R"(\"rgb\": \"e65a28143ca0\")"), std::string::npos);
}

TEST(CliPicture, WhatIsWrongIsSaidInOneLine) {
  const TemporaryFolder folder;
  const std::string png = two_pixels(folder).string();
  const std::string wrong = folder.file("wrong.png", "GIF89a").string();
  struct Case {
    Arguments command;
    int code;
    std::string fragment;
  };
  const std::vector<Case> cases = {
      {{"explain", "conv-attention", "x[0,0,0,0]", "--picture", wrong}, 1, "wrong.png: is not a PNG file"},
      {{"explain", "conv-attention", "x[0,0,0,0]", "--picture", wrong + "x"}, 1, "No such file"},
      {{"explain", "worked-example", "x[0,0]", "--picture", png},
       2,
       "--picture: worked-example has no picture; allowed with image-self-attention, "},
      {{"explain", "conv-attention", "x[0,0,0,0]", "--set", "picture=file"},
       2,
       "--set picture: file needs a picture; allowed without one: noise, shapes"},
      {{"explain", "conv-attention", "x[0,0,0,0]", "--set", "picture=cats"}, 2, "noise or shapes or stripes or file"},
      {{"explain",
        folder
            .file("none.json",
                  R"({"format": "attnscope-experiment/1", "system": "conv-attention", "params": {"picture": "file"}})")
            .string(),
        "x[0,0,0,0]"},
       1,
       "none.json: picture: file needs a picture"},
      {{"explain",
        folder
            .file(
                "other.json",
                R"({"format": "attnscope-experiment/1", "system": "worked-example", "picture": {"rows": 1, "columns": 1, "rgb": "000000"}})")
            .string(),
        "x[0,0]"},
       1,
       "other.json: picture: worked-example has no picture"},
  };
  for (const Case& each : cases) expect_refused(each.command, each.code, {each.fragment});
}

}  // namespace
}  // namespace attnscope::test
