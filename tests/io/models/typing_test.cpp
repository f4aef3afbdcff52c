// A text that is typed token by token: what an earlier run knows is not computed again, and the bits are those of a
// fresh run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/trace/known_rows.h"
#include "core/trace/run.h"
#include "io/models/model_file.h"
#include "support/temporary_folder.h"

namespace attnscope {
namespace {

const std::filesystem::path kTypedModels = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "tests/golden/models/data";

Index vocabulary_of(const Model& model) {
  return static_cast<Index>(std::get<double>(model.config().at("vocab_size")));
}

Index positions_of(const Model& model) {
  for (const char* const field : {"n_positions", "max_position_embeddings"}) {
    if (const auto found = model.config().find(field); found != model.config().end())
      return static_cast<Index>(std::get<double>(found->second));
  }
  return 12;
}

void expect_same_bits(const Trace& typed, const Trace& fresh) {
  ASSERT_EQ(typed.steps().size(), fresh.steps().size());
  for (std::size_t i = 0; i < fresh.steps().size(); ++i) {
    const auto a = typed.steps()[i].tensor->values();
    const auto b = fresh.steps()[i].tensor->values();
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << fresh.steps()[i].name;
    EXPECT_EQ(typed.steps()[i].not_finite, fresh.steps()[i].not_finite) << fresh.steps()[i].name;
  }
}

class Typing : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto model = open_model(kTypedModels / GetParam());
    ASSERT_TRUE(model) << model.error().message;
    experiment_ = experiment_on_model(*model);
    vocabulary_ = vocabulary_of(**model);
    positions_ = positions_of(**model);
    experiment_.text.ids = {0, 1};
    experiment_.text2.ids = {1};
  }

  Index some_id() { return static_cast<Index>(random_() % static_cast<std::uint32_t>(vocabulary_)); }

  /// Types, deletes or changes a token somewhere.
  void edit(std::vector<Index>& ids) {
    const std::uint32_t what = random_() % 4;
    if (what <= 1 && std::ssize(ids) < positions_) {
      ids.push_back(some_id());
    } else if (what == 2 && ids.size() > 1) {
      ids.pop_back();
    } else {
      ids[random_() % ids.size()] = some_id();
    }
  }

  Experiment experiment_;
  Index vocabulary_ = 0;
  Index positions_ = 0;
  std::mt19937 random_{1};
};

TEST_P(Typing, HasTheBitsOfAFreshRun) {
  Executor typing;
  const bool decodes =
      GetParam().starts_with("bart") || GetParam().starts_with("marian") || GetParam().starts_with("t5");
  for (int i = 0; i < 30; ++i) {
    const auto typed = typing.run(experiment_);
    const auto fresh = run(experiment_);
    ASSERT_TRUE(typed && fresh);
    expect_same_bits(**typed, **fresh);
    if (HasFatalFailure()) return;
    edit(decodes && i % 3 != 0 ? experiment_.text2.ids : experiment_.text.ids);
  }
}

/// The first rows of every tensor that has rows are known when a token follows.
TEST_P(Typing, KnowsTheRowsOfEarlierTokens) {
  const bool decodes =
      GetParam().starts_with("bart") || GetParam().starts_with("marian") || GetParam().starts_with("t5");
  std::vector<Index>& ids = decodes ? experiment_.text2.ids : experiment_.text.ids;
  ids = {1, 0, 1};
  const auto before = run(experiment_);
  ids.push_back(0);
  const Plan after = plan(experiment_);
  // What the new token is no input of has the same numbers, such as the encoder.
  std::vector<int> same;
  for (const PlannedStep& step : after.steps) {
    const Step* const old = (*before)->find(step.name);
    const bool is_same = old->operation == step.operation && old->axes == step.axes &&
                         std::all_of(step.inputs.begin(), step.inputs.end(),
                                     [&](int i) { return same[static_cast<std::size_t>(i)] >= 0; });
    same.push_back(is_same ? static_cast<int>(old - (*before)->steps().data()) : -1);
  }
  const std::vector<KnownRows> known = known_rows(after, **before, same);
  Index continued = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::string& name = after.steps[i].name;
    if (same[i] >= 0) continue;
    EXPECT_EQ(known[i].rows, 3) << name;
    ++continued;
  }
  EXPECT_GT(continued, 20);
}

/// Long enough for tensors that leave room for what follows, with traces that are kept while others grow from them.
TEST(LongTyping, LeavesTheTracesThatAreShown) {
  for (const char* const name : {"induction", "stories"}) {
    SCOPED_TRACE(name);
    const auto model = open_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models" / name);
    ASSERT_TRUE(model) << model.error().message;
    Experiment experiment = experiment_on_model(*model);
    const Index vocabulary = vocabulary_of(**model);
    std::mt19937 random(2);
    const auto some_id = [&] { return static_cast<Index>(random() % static_cast<std::uint32_t>(vocabulary)); };
    std::vector<Index>& ids = experiment.text.ids;
    for (int i = 0; i < 40; ++i) ids.push_back(some_id());
    Executor typing;
    std::vector<std::shared_ptr<const Trace>> shown;
    bool has_grown = false;
    for (int i = 0; i < 24; ++i) {
      const auto typed = typing.run(experiment);
      ASSERT_TRUE(typed) << typed.error().message;
      for (const Step& step : (*typed)->steps()) has_grown = has_grown || step.tensor->has_room();
      shown.push_back(*typed);
      if (i % 7 == 5) ids.pop_back();
      if (i % 7 == 6) ids[ids.size() - 3] = some_id();
      if (i % 7 < 5 && ids.size() < 63) ids.push_back(some_id());
      if (i % 7 == 4) ids.push_back(some_id());
    }
    EXPECT_TRUE(has_grown);
    for (const auto& trace : shown) {
      const auto fresh = run(trace->experiment());
      ASSERT_TRUE(fresh);
      expect_same_bits(*trace, **fresh);
      if (HasFatalFailure()) return;
    }
  }
}

/// The induction model with NaN in the embedding of one token.
std::filesystem::path model_with_nan(const test::TemporaryFolder& folder, Index token) {
  const std::filesystem::path from = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/induction";
  std::filesystem::copy(from, folder.path() / "model", std::filesystem::copy_options::recursive);
  const std::filesystem::path file = folder.path() / "model" / "model.safetensors";
  std::string bytes = test::bytes_of(file);
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
  const nlohmann::json header = nlohmann::json::parse(bytes.substr(8, header_bytes));
  for (const auto& [name, entry] : header.items()) {
    if (!name.ends_with("wte.weight") && !name.ends_with("embed.weight")) continue;
    const bool is_half = entry.at("dtype") == "F16";
    const std::uint32_t nan = is_half ? 0x7e00U : 0x7fc00000U;
    const std::size_t size = is_half ? 2 : 4;
    const std::size_t at = entry.at("data_offsets")[0].get<std::size_t>() +
                           static_cast<std::size_t>(token) * entry.at("shape")[1].get<std::size_t>() * size;
    std::memcpy(bytes.data() + 8 + header_bytes + at, &nan, size);
  }
  folder.file("model/model.safetensors", bytes);
  return folder.path() / "model";
}

/// Numbers that are not finite are counted once for each tensor, whether they were typed first, last or taken back.
TEST(LongTyping, CountsWhatIsNotFinite) {
  const test::TemporaryFolder folder;
  const Index broken = 7;
  const auto model = open_model(model_with_nan(folder, broken));
  ASSERT_TRUE(model) << model.error().message;
  Experiment experiment = experiment_on_model(*model);
  std::vector<Index>& ids = experiment.text.ids;
  ids.assign(30, 3);
  Executor typing;
  Index counted = 0;
  for (const Index next : {Index{4}, broken, Index{5}, Index{-1}, Index{-1}, Index{2}, broken, Index{6}}) {
    if (next < 0) {
      ids.pop_back();
    } else {
      ids.push_back(next);
    }
    const auto typed = typing.run(experiment);
    const auto fresh = run(experiment);
    ASSERT_TRUE(typed && fresh);
    for (std::size_t i = 0; i < (*fresh)->steps().size(); ++i) {
      EXPECT_EQ((*typed)->steps()[i].not_finite, (*fresh)->steps()[i].not_finite) << (*fresh)->steps()[i].name;
      counted += (*fresh)->steps()[i].not_finite;
    }
  }
  EXPECT_GT(counted, 0);
}

INSTANTIATE_TEST_SUITE_P(Decoders, Typing,
                         testing::Values("attention-only-1", "gpt2-1", "gpt2-2", "gpt_neox-1", "gpt_neox-2", "llama-1",
                                         "llama-2", "mistral-1", "mistral-2", "qwen2-1", "qwen3-1", "bart-1",
                                         "marian-1", "t5-1", "t5-2"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace attnscope
