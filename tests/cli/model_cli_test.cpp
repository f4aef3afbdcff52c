// Commands on a trained model.
#include "refusal.h"
#include "support/tiny_model.h"

namespace attnscope::test {
namespace {

/// How often `part` is in `text`.
int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CliModels, WhatIsWrongNamesTheFolderOnce) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const std::string experiment =
      folder.file("own.json", R"({"format": "attnscope-experiment/1", "system": "transformer", "model": "."})")
          .string();
  for (const std::string& name : {model, experiment}) {
    for (const char* const tokens : {"1,2,7", "1,1,1,1,1,1"}) {
      const Outcome outcome = run_program({"metrics", name, "--tokens", tokens});
      EXPECT_EQ(outcome.code, 1) << outcome.err;
      EXPECT_EQ(count_of(outcome.err, model), name == model ? 1 : 2) << outcome.err;
    }
  }
  expect_refused({"metrics", model, "--text", "a"}, 1, {"attnscope: text: " + model + ": no tokenizer"});
}

}  // namespace
}  // namespace attnscope::test
