// A link is an experiment: what is written reads back, and nothing else is believed.
#include "io/experiments/experiment_link.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/experiment/system.h"
#include "io/base/base64url.h"
#include "io/base/data_files.h"
#include "io/experiments/experiment_file.h"
#include "io/experiments/imported_tensor_file.h"
#include "io/models/model_texts.h"
#include "support/temporary_folder.h"
#include "support/tensor_bytes.h"

namespace attnscope::test {
namespace {

std::string deflated_text(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string bytes(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                      static_cast<uLong>(text.size()), Z_BEST_COMPRESSION),
            Z_OK);
  bytes.resize(size);
  return bytes;
}

std::string link_to(const std::string& json) { return "https://host/#x=1." + to_base64url(deflated_text(json)); }

/// An experiment with these members more.
std::string json_with(const std::string& members, const std::string& system = "worked-example") {
  return R"({"format": "attnscope-experiment/1", "system": ")" + system + "\", " + members + "}";
}

const std::string kSquare = npy_bytes(npy_dictionary("<f4", "(2, 2)"), float_bytes({0, 1, 2, 3}));

/// What is said of a link; empty: it was read.
std::string said_of(const std::string& link) {
  const Result<Experiment> read = read_experiment_link(link);
  return read ? "" : read.error().message;
}

void expect_said(const std::string& link, const std::vector<std::string>& fragments) {
  const std::string said = said_of(link);
  EXPECT_TRUE(said.starts_with("the link: ")) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  EXPECT_LT(said.size(), 400U) << said;
  for (const std::string& fragment : fragments)
    EXPECT_NE(said.find(fragment), std::string::npos) << said << "\nlacks " << fragment;
}

TEST(Base64Url, HasOneFormForAllBytes) {
  // RFC 4648, section 10, without padding.
  EXPECT_EQ(to_base64url(""), "");
  EXPECT_EQ(to_base64url("f"), "Zg");
  EXPECT_EQ(to_base64url("fo"), "Zm8");
  EXPECT_EQ(to_base64url("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64url("\xFB\xFF"), "-_8");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    EXPECT_EQ(from_base64url(to_base64url(all)), all);
  }
  for (const char* wrong : {"Z", "Zh", "Zm9", "Zm 8", "Zg==", "+/8"}) EXPECT_FALSE(from_base64url(wrong)) << wrong;
}

TEST(ExperimentLink, HoldsEverySystemThatNeedsNoFile) {
  int read = 0;
  for (const System& system : systems()) {
    Experiment experiment = *default_experiment(system.name);
    if (system.name == "transformer" || experiment.parameters.contains("use")) continue;
    experiment.seed = 18'446'744'073'709'551'615U;
    experiment.view = {"heads", {{"item", Index{2}}}};
    const Result<std::string> link = write_experiment_link(experiment, "https://attnscope.example/");
    ASSERT_TRUE(link) << link.error().message;
    EXPECT_TRUE(link->starts_with("https://attnscope.example/#x=1.")) << *link;
    EXPECT_LT(link->size(), 1000U) << system.name;
    const Result<Experiment> again = read_experiment_link(*link);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, experiment) << system.name;
    ++read;
  }
  EXPECT_GE(read, 8);
}

TEST(ExperimentLink, HoldsLabelsEditsAndMasks) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.labels = {"the", "“cat”", "</svg>", "😺"};
  experiment.edits = {{"x", {0, 1}, 2.5}};
  ASSERT_TRUE(apply_setting(experiment, "mask=[[true, false], [true, true]]"));
  const Result<std::string> link = write_experiment_link(experiment);
  ASSERT_TRUE(link) << link.error().message;
  EXPECT_TRUE(link->starts_with("attnscope.html#x=1."));
  EXPECT_EQ(std::count_if(link->begin() + 19, link->end(), [](char c) { return base64url_digit(c) < 0; }), 0) << *link;
  const Result<Experiment> again = read_experiment_link(" \t" + *link + "\r\n");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, experiment);
}

TEST(ExperimentLink, WhatStandsBeforeTheHashDoesNotMatter) {
  const std::string fragment = *write_experiment_link(*default_experiment("worked-example"), "");
  for (const char* page : {"", "attnscope.html", "https://a.example/b/?c=d&e", "file:///home/me/a b/index.html"})
    EXPECT_EQ(said_of(page + fragment), "") << page;
}

TEST(ExperimentLink, NamesModelsThatComeAlong) {
  for (const char* name : {"stories", "induction/checkpoints"}) {
    std::filesystem::path folder = *data_file("assets/models") / name;
    // One of the checkpoints.
    if (std::string(name) != "stories") folder = std::filesystem::directory_iterator(folder)->path();
    Result<Experiment> experiment = experiment_of_model(folder);
    ASSERT_TRUE(experiment) << experiment.error().message;
    const Result<std::string> link = write_experiment_link(*experiment);
    ASSERT_TRUE(link) << link.error().message;
    const Result<Experiment> again = read_experiment_link(*link);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_NE(again->model, nullptr);
    EXPECT_EQ(again->model->name(), experiment->model->name());
    EXPECT_EQ(again->text.text, experiment->text.text);
    EXPECT_EQ(again->view, experiment->view);
  }
}

TEST(ExperimentLink, OtherFilesCannotStandInIt) {
  const TemporaryFolder folder;
  const auto copied = folder / "elsewhere";
  std::filesystem::copy(*data_file("assets/models/stories"), copied, std::filesystem::copy_options::recursive);
  const Result<Experiment> model = experiment_of_model(copied);
  ASSERT_TRUE(model) << model.error().message;
  const Result<std::string> to_model = write_experiment_link(*model);
  ASSERT_FALSE(to_model);
  EXPECT_NE(
      to_model.error().message.find("only the models that come with attnscope (dates, digits, induction, stories)"),
      std::string::npos)
      << to_model.error().message;

  const Result<Experiment> tensors = experiment_of_tensors(folder.file("a.npy", kSquare));
  ASSERT_TRUE(tensors) << tensors.error().message;
  const Result<std::string> to_tensors = write_experiment_link(*tensors);
  ASSERT_FALSE(to_tensors);
  EXPECT_EQ(to_tensors.error().message,
            "tensors from a file cannot stand in a link; save the experiment as a file instead");
}

TEST(ExperimentLink, WhatIsTooLongIsNotWritten) {
  Experiment experiment = *default_experiment("worked-example");
  // Nothing that zlib could shorten much.
  std::uint32_t state = 1;
  for (int label = 0; label < 400; ++label) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525U + 1013904223U;
      text += static_cast<char>('#' + (state >> 16U) % 56U);
    }
    experiment.labels.push_back(text);
  }
  const Result<std::string> link = write_experiment_link(experiment);
  ASSERT_FALSE(link);
  EXPECT_NE(link.error().message.find("a link to this experiment would have "), std::string::npos);
  EXPECT_NE(link.error().message.find("allowed: at most 8,192"), std::string::npos) << link.error().message;
}

TEST(ExperimentLink, WhatIsDamagedIsRefused) {
  const std::string good = *write_experiment_link(*default_experiment("worked-example"));
  const std::size_t digits = good.find('.', good.find('#')) + 1;
  expect_said("https://host/page.html", {"has no #x="});
  expect_said("#x=", {"after #x= \"\" is not allowed; allowed: \"1.\""});
  expect_said("#x=one.abc", {"\"one\" is not allowed"});
  expect_said("#x=01.abc", {"\"01\" is not allowed"});
  expect_said("#x=-1.abc", {"\"-1\" is not allowed"});
  expect_said("#x=2.abc", {"its format \"2\" is newer than this attnscope; it reads \"1\""});
  expect_said("#x=1.", {"damaged or incomplete"});
  expect_said("#x=1.AAAA", {"damaged or incomplete"});
  expect_said(good.substr(0, good.size() - 20), {"damaged or incomplete"});
  expect_said(good + "AAAA", {"damaged or incomplete"});
  expect_said(good.substr(0, digits) + "%" + good.substr(digits), {"\"%\" at character 1 of the experiment"});
  expect_said(good.substr(0, digits + 9) + " " + good.substr(digits + 9), {"\" \" at character 10 of the experiment"});
  std::string changed = good;
  changed[good.size() - 10] = changed[good.size() - 10] == 'A' ? 'B' : 'A';
  expect_said(changed, {""});
}

TEST(ExperimentLink, WhatIsTooLargeIsRefused) {
  expect_said("#x=1." + std::string(8192, 'A'),
              {"8,197 characters from the # on are not allowed; allowed: at most 8,192"});
  const std::string bomb = link_to(std::string(2'000'000, ' '));
  EXPECT_LT(bomb.size(), kMaxLinkCharacters);
  expect_said(bomb, {"the experiment in it takes more than 256,000 bytes"});
  EXPECT_EQ(said_of(link_to(json_with("\"seed\": 3") + std::string(200'000, ' '))), "");
}

TEST(ExperimentLink, IsReadAsStrictlyAsAFile) {
  expect_said(link_to("{"), {"the experiment in it: "});
  expect_said(link_to("[]"), {"the experiment in it: the file holds an empty list"});
  expect_said(link_to(json_with("\"seed\": -1")), {"the experiment in it: seed: -1 is not allowed"});
  expect_said(link_to(json_with("\"sead\": 1")), {"sead", "did you mean seed?"});
  expect_said(link_to(R"({"format": "attnscope-experiment/2", "system": "x"})"), {"is newer than this attnscope"});
  expect_said(link_to(json_with(R"("labels": [")" + std::string(300, 'a') + "\"]")), {"labels"});
}

TEST(ExperimentLink, ChoosesNoFilesOnThisMachine) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.npy", kSquare).string();
  expect_said(link_to(json_with("\"tensors\": \"" + file + "\"", "own-tensors")), {"tensors: not allowed in a link"});
  expect_said(link_to(json_with("\"tensors_saved\": {}", "own-tensors")), {"tensors_saved: not allowed in a link"});
  const std::string stories = data_file("assets/models/stories")->string();
  for (const std::string& model :
       {stories, std::string("../models/stories"), std::string("stories/../stories"), std::string("./stories"),
        std::string("stories/"), std::string(""), std::string("other")}) {
    expect_said(link_to(json_with("\"model\": \"" + model + "\"", "transformer")),
                {"model: ",
                 "is not allowed; allowed: the models that come with attnscope (dates, digits, induction, stories)"});
  }
  EXPECT_EQ(said_of(link_to(json_with(R"("model": "stories", "text": "Anna")", "transformer"))), "");
}

TEST(ExperimentLink, PagesAreAddresses) {
  EXPECT_TRUE(check_link_page("https://a.example/~b/?c=d&e=%20"));
  for (const char* page : {"a#b", "a b", "a'b", "a\"b", "a<b", "a\nb", "ä", "a\\b"})
    EXPECT_FALSE(check_link_page(page)) << page;
  const Result<void> large = check_link_page(std::string(2001, 'a'));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().message, "2,001 characters are not allowed; allowed: at most 2,000");
}

TEST(ExperimentLink, IsASource) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = 5;
  const std::string link = *write_experiment_link(experiment);
  EXPECT_TRUE(is_experiment_link(link));
  EXPECT_FALSE(is_experiment_link("x=1.json"));
  EXPECT_EQ(source_text(link), "the link");
  EXPECT_EQ(source_text("a.json"), "a.json");
  for (const Result<ExperimentSource>& source : {read_source(link), open_source(link)}) {
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(source->experiment, experiment);
    EXPECT_TRUE(source->is_other_file) << "nothing can be saved in it";
  }
}

}  // namespace
}  // namespace attnscope::test
