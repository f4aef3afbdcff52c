// The lens and the parts of logits of small models of every family, against loops that are written out here.
#include "core/residual/residual_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/operations/feature_norm.h"
#include "core/residual/contributions.h"
#include "core/residual/lens.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

class ResidualModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { trace_ = run(golden_experiment(kGoldenModels / GetParam())).value(); }

  [[nodiscard]] const Tensor& tensor(int step) const { return *trace_->steps()[static_cast<std::size_t>(step)].tensor; }

  std::shared_ptr<const Trace> trace_;
};

TEST_P(ResidualModel, TheLastLayerSaysWhatTheModelSays) {
  const std::optional<ResidualStream> stream = residual_stream(*trace_);
  ASSERT_EQ(stream.has_value(), trace_->find("logits") != nullptr);
  if (!stream) return;
  ASSERT_GE(stream->states.size(), 2U);
  const Tensor& logits = tensor(stream->logits);
  const Tensor& probabilities = tensor(stream->probabilities);
  const std::optional<Lens> all = lens(*trace_, *stream, 0, logits.size(0));
  ASSERT_TRUE(all);
  for (Index position = 0; position < logits.size(0); ++position) {
    const float* const row = logits.values().data() + position * logits.size(1);
    const Index best = std::max_element(row, row + logits.size(1)) - row;
    const Answer& said = all->at(stream->last(), position);
    EXPECT_EQ(said.number, best);
    EXPECT_EQ(said.logit, static_cast<double>(row[best]));
    EXPECT_NEAR(said.probability, static_cast<double>(probabilities.at(std::vector<Index>{position, best})), 1e-6);
    const std::vector<Answer> three = output_answers(*trace_, *stream, position, 3);
    ASSERT_EQ(three.size(), 3U);
    EXPECT_EQ(three[0].number, best);
    EXPECT_TRUE(three[0].logit >= three[1].logit && three[1].logit >= three[2].logit);
    const std::vector<Answer> replayed = answers_after(*trace_, *stream, stream->last(), position, 3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(replayed[i].number, three[i].number);
      EXPECT_EQ(replayed[i].logit, three[i].logit);
      EXPECT_NEAR(replayed[i].probability, three[i].probability, 1e-6);
    }
  }
}

TEST_P(ResidualModel, ALensOnSomePositionsIsPartOfTheWhole) {
  const std::optional<ResidualStream> stream = residual_stream(*trace_);
  if (!stream || tensor(stream->logits).size(0) < 4) return;
  const Index count = tensor(stream->logits).size(0);
  const Lens whole = *lens(*trace_, *stream, 0, count);
  const Lens part = *lens(*trace_, *stream, 2, count - 2);
  bool differs = false;
  for (std::size_t state = 0; state < stream->states.size(); ++state) {
    for (Index position = 2; position < count; ++position) {
      EXPECT_EQ(part.at(state, position).number, whole.at(state, position).number);
      EXPECT_EQ(part.at(state, position).logit, whole.at(state, position).logit);
      const std::vector<Answer> alone = answers_after(*trace_, *stream, state, position, 1);
      EXPECT_EQ(alone[0].number, whole.at(state, position).number);
      EXPECT_EQ(alone[0].logit, whole.at(state, position).logit);
      EXPECT_NEAR(alone[0].probability, whole.at(state, position).probability, 1e-9);
      differs = differs || alone[0].logit != whole.at(stream->last(), position).logit;
    }
  }
  EXPECT_TRUE(differs) << "layers change something";
}

// Weights and logits are then read and computed when they are asked for.
TEST_P(ResidualModel, SaysTheSameInLittleMemory) {
  const auto little = *Executor(1).run(trace_->experiment());
  const std::optional<ResidualStream> stream = residual_stream(*trace_);
  if (!stream) return;
  const Lens expected = *lens(*trace_, *stream, 0, tensor(stream->logits).size(0));
  const Lens found = *lens(*little, *residual_stream(*little), 0, tensor(stream->logits).size(0));
  for (std::size_t i = 0; i < expected.answers.size(); ++i) {
    EXPECT_EQ(found.answers[i].number, expected.answers[i].number);
    EXPECT_EQ(found.answers[i].logit, expected.answers[i].logit);
  }
  const Result<ResidualSum> sum = residual_sum(*trace_);
  if (!sum) return;
  const LogitChoice choice = {tensor(stream->logits).size(0) - 1, 2, {}};
  EXPECT_EQ(contributions(*little, *residual_sum(*little), choice)->sum, contributions(*trace_, *sum, choice)->sum);
}

TEST_P(ResidualModel, ThePartsSumToTheLogitOrASentenceSaysWhyNot) {
  const Result<ResidualSum> sum = residual_sum(*trace_);
  const std::string family = GetParam().substr(0, GetParam().rfind('-'));
  const bool adds = family != "bert" && family != "distilbert" && family != "roberta" && family != "bart" &&
                    family != "marian" && residual_stream(*trace_).has_value();
  ASSERT_EQ(sum.has_value(), adds);
  if (!sum) {
    EXPECT_TRUE(sum.error().message.ends_with('.') && sum.error().message.find('\n') == std::string::npos);
    return;
  }
  const Axes& axes = tensor(sum->stream.logits).axes();
  for (Index position = 0; position < axes[0].size; ++position) {
    for (const Index answer : {Index{0}, axes[1].size / 2, axes[1].size - 1}) {
      for (const std::optional<Index>& against : {std::optional<Index>(), std::optional<Index>(Index{1})}) {
        const Contributions parts = *contributions(*trace_, *sum, {position, answer, against});
        EXPECT_NEAR(parts.sum, parts.traced, 1e-4) << position << " " << answer;
        const auto logit = [&](Index which) {
          return static_cast<double>(tensor(sum->stream.logits).at(std::vector<Index>{position, which}));
        };
        EXPECT_EQ(parts.traced, logit(answer) - (against ? logit(*against) : 0));
        EXPECT_FALSE(parts.embeddings.empty());
        EXPECT_GE(parts.layers.size() + 1, sum->stream.states.size());
        for (const LayerParts& layer : parts.layers) EXPECT_GE(layer.weights, 0);
      }
    }
  }
}

TEST(Answers, ATokenThatCannotBeHasTheProbabilityZero) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {kNever, 1, kNever, 2};
  const std::vector<Answer> answers = most_probable(logits, {}, 4);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0].number, 3);
  EXPECT_NEAR(answers[0].probability, 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_EQ(answers[2].probability, 0);
  EXPECT_EQ(answers[3].probability, 0);
}

INSTANTIATE_TEST_SUITE_P(Folders, ResidualModel, testing::ValuesIn(golden_folders()), test_name);

using Numbers = std::vector<double>;

/// What a family's files call their tensors, with N for the number of a layer from 0.
struct PlainNames {
  std::string folder;
  std::string projection;  ///< of the heads' outputs, [in, out] or [out, in]
  bool inputs_first;
  std::string table;  ///< of the output
  std::string norm;   ///< final, "": none
  bool centered;
  double epsilon;

  friend void PrintTo(const PlainNames& names, std::ostream* out) { *out << names.folder; }
};

/// The parts of a logit from the weights in the file and the tensors of the trace, in plain loops.
class PlainParts {
 public:
  PlainParts(const Trace& trace, const PlainNames& names) : trace_(trace), names_(names) {}

  /// What `added` [feature] adds to the logit of a token at a position.
  double of(const Numbers& added, Index position, Index token) const {
    const auto features = static_cast<Index>(added.size());
    const Numbers table = stored(names_.table);
    Numbers normed = added;
    if (!names_.norm.empty()) {
      const Numbers stream = row("layer" + std::to_string(layers()) + ".out", position);
      const Numbers scale = stored(names_.norm + ".weight");
      const double mean = names_.centered ? mean_of(stream) : 0;
      double power = 0;
      for (const double x : stream) power += (x - mean) * (x - mean);
      const double root = std::sqrt(power / static_cast<double>(features) + names_.epsilon);
      const double own_mean = names_.centered ? mean_of(added) : 0;
      for (std::size_t i = 0; i < added.size(); ++i) normed[i] = (added[i] - own_mean) / root * scale[i];
    }
    double sum = 0;
    for (Index i = 0; i < features; ++i)
      sum += normed[static_cast<std::size_t>(i)] * table[static_cast<std::size_t>(token * features + i)];
    return sum;
  }

  /// What a head, from 0, of a layer, from 1, adds to the stream.
  Numbers of_head(Index layer, Index head, Index position) const {
    const Tensor& outputs = trace_.tensor("layer" + std::to_string(layer) + ".head_outputs");
    std::string name = names_.projection;
    name.replace(name.find('N'), 1, std::to_string(layer - 1));
    const Numbers weights = stored(name);
    const Index dim = outputs.size(2);
    const Index inputs = outputs.size(0) * dim;
    const Index features = static_cast<Index>(weights.size()) / inputs;
    Numbers added(static_cast<std::size_t>(features), 0);
    for (Index to = 0; to < features; ++to) {
      for (Index i = 0; i < dim; ++i) {
        const Index from = head * dim + i;
        const Index at = names_.inputs_first ? from * features + to : to * inputs + from;
        added[static_cast<std::size_t>(to)] += static_cast<double>(outputs.at(std::vector<Index>{head, position, i})) *
                                               weights[static_cast<std::size_t>(at)];
      }
    }
    return added;
  }

  Numbers row(const std::string& name, Index position) const {
    const Tensor& tensor = trace_.tensor(name);
    Numbers numbers;
    for (Index i = 0; i < tensor.size(1); ++i)
      numbers.push_back(static_cast<double>(tensor.at(std::vector<Index>{position, i})));
    return numbers;
  }

  Numbers stored(const std::string& name) const {
    const ImportedTensors& weights = *trace_.experiment().model->weights();
    for (std::size_t i = 0; i < weights.tensors().size(); ++i) {
      if (weights.tensors()[i].name != name) continue;
      const std::vector<Index>& shape = weights.tensors()[i].shape;
      Index count = 1;
      for (const Index size : shape) count *= size;
      std::vector<float> numbers(static_cast<std::size_t>(count));
      EXPECT_TRUE(weights.read(i, std::vector<Index>(shape.size(), 0), shape, numbers, {}));
      return {numbers.begin(), numbers.end()};
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }

  [[nodiscard]] Index layers() const {
    Index layers = 0;
    while (trace_.find("layer" + std::to_string(layers + 1) + ".out") != nullptr) ++layers;
    return layers;
  }

 private:
  static double mean_of(const Numbers& numbers) {
    double sum = 0;
    for (const double x : numbers) sum += x;
    return sum / static_cast<double>(numbers.size());
  }

  const Trace& trace_;
  const PlainNames& names_;
};

class PlainContributions : public testing::TestWithParam<PlainNames> {};

TEST_P(PlainContributions, AreThoseOfTheParts) {
  const auto trace = run(golden_experiment(kGoldenModels / GetParam().folder)).value();
  const PlainParts plain(*trace, GetParam());
  const ResidualSum sum = *residual_sum(*trace);
  const Axes& axes = trace->find("logits")->axes;
  for (const Index position : {Index{0}, axes[0].size / 2, axes[0].size - 1}) {
    for (const Index token : {Index{0}, Index{3}, axes[1].size - 1}) {
      const Contributions parts = *contributions(*trace, sum, {position, token, {}});
      ASSERT_EQ(std::ssize(parts.layers), plain.layers());
      for (const EmbeddingPart& each : parts.embeddings) {
        const std::string& name = trace->steps()[static_cast<std::size_t>(each.step)].name;
        EXPECT_NEAR(each.value, plain.of(plain.row(name, position), position, token), 1e-4) << name;
      }
      for (Index layer = 1; layer <= plain.layers(); ++layer) {
        const LayerParts& its = parts.layers[static_cast<std::size_t>(layer - 1)];
        const std::string prefix = "layer" + std::to_string(layer) + ".";
        EXPECT_EQ(trace->steps()[static_cast<std::size_t>(its.weights)].name, prefix + "weights");
        ASSERT_EQ(std::ssize(its.heads), trace->find(prefix + "head_outputs")->axes[0].size);
        for (Index head = 0; head < std::ssize(its.heads); ++head) {
          EXPECT_NEAR(its.heads[static_cast<std::size_t>(head)],
                      plain.of(plain.of_head(layer, head, position), position, token), 1e-4)
              << prefix << head;
        }
        EXPECT_EQ(its.mlp.has_value(), trace->find(prefix + "mlp_out") != nullptr);
        if (its.mlp) {
          EXPECT_NEAR(*its.mlp, plain.of(plain.row(prefix + "mlp_out", position), position, token), 1e-4) << prefix;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, PlainContributions,
                         testing::Values(PlainNames{"gpt2-1", "transformer.h.N.attn.c_proj.weight", true,
                                                    "lm_head.weight", "transformer.ln_f", true, 1e-3},
                                         PlainNames{"llama-1", "model.layers.N.self_attn.o_proj.weight", false,
                                                    "lm_head.weight", "model.norm", false, 1e-3},
                                         PlainNames{"attention-only-1", "layers.N.o.weight", false, "unembed.weight",
                                                    "", false, 0}),
                         [](const auto& each) {
                           std::string name = each.param.folder;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace attnscope::test
