// Experiments: valid and invalid settings, and costs.

#include "core/experiment/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "system_variations.h"

namespace attnscope {
namespace {

constexpr Index kMaxSize = 2147483647;

Experiment worked_example() { return *default_experiment("worked-example"); }

void expect_message(const Result<void>& result, std::initializer_list<const char*> parts) {
  ASSERT_FALSE(result);
  for (const char* part : parts)
    EXPECT_NE(result.error().message.find(part), std::string::npos) << part << " is not in: " << result.error().message;
}

TEST(Experiment, DefaultsAreComplete) {
  for (const System& system : systems()) {
    const Experiment experiment = *default_experiment(system.name);
    EXPECT_EQ(experiment.seed, 42U);
    EXPECT_EQ(experiment.discard, 0U);
    ASSERT_EQ(experiment.parameters.size(), system.parameters.size());
    for (const Parameter& parameter : system.parameters) {
      EXPECT_EQ(experiment.parameters.at(parameter.name), parameter.default_value);
      EXPECT_TRUE(check_value(parameter, parameter.default_value)) << system.name << " " << parameter.name;
      EXPECT_FALSE(parameter.help.empty()) << system.name << " " << parameter.name;
    }
    const Result<void> valid = validate(experiment);
    EXPECT_TRUE(valid) << system.name << ": " << (valid ? "" : valid.error().message);
  }
}

TEST(Experiment, UnknownNamesAreSuggested) {
  const Result<Experiment> system = default_experiment("worked-exmple");
  ASSERT_FALSE(system);
  EXPECT_NE(system.error().message.find("did you mean worked-example"), std::string::npos) << system.error().message;
  EXPECT_NE(default_experiment("zzz").error().message.find("allowed: "), std::string::npos);

  Experiment e = worked_example();
  expect_message(set_parameter_text(e, "heds", "4"), {"\"heds\"", "did you mean heads"});
  expect_message(set_parameter_text(e, "sed", "4"), {"\"sed\"", "did you mean seed"});
  expect_message(set_parameter(e, "zzzzzzzz", Index{4}), {"\"zzzzzzzz\"", "allowed: ", "head_dim"});
  EXPECT_EQ(e, worked_example());
}

TEST(Experiment, ValuesFromText) {
  Experiment e = worked_example();
  for (const auto& [name, text] : {std::pair{"heads", "8"},
                                   {"temperature", "0.5"},
                                   {"masked_fill", "-inf"},
                                   {"scale", "sqrt_head_dim"},
                                   {"mask", "window:2"},
                                   {"seed", "18446744073709551615"},
                                   {"discard", "10000000000"},
                                   {"cross_queries", "0"},
                                   {"tokens", "2147483647"}}) {
    const Result<void> set = set_parameter_text(e, name, text);
    EXPECT_TRUE(set) << name << ": " << (set ? "" : set.error().message);
  }
  EXPECT_EQ(e.integer("heads"), 8);
  EXPECT_EQ(e.real("temperature"), 0.5);
  EXPECT_EQ(e.real("masked_fill"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(e.choice("scale"), "sqrt_head_dim");
  EXPECT_EQ(e.mask().radius, 2);
  EXPECT_EQ(e.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(e.discard, kMaxDiscard);
}

TEST(Experiment, BadValuesAreRefusedByNameValueAndRange) {
  Experiment e = worked_example();
  for (const char* text : {"abc", "0", "-1", "2.7", "1e3", "", "2147483648", "99999999999999999999", "8 ", "nan"}) {
    const std::string quoted = parse_integer(text) ? text : "\"" + std::string(text) + "\"";
    expect_message(set_parameter_text(e, "heads", text),
                   {"heads: ", quoted.c_str(), "whole numbers from 1 to 2147483647"});
  }
  for (const char* text : {"0", "-1", "1e300", "1e999", "nan", "inf", "-inf", "", "warm"})
    expect_message(set_parameter_text(e, "temperature", text), {"temperature: ", "numbers from 0.001 to 1000"});
  for (const char* text : {"1", "inf", "nan"})
    expect_message(set_parameter_text(e, "masked_fill", text), {"masked_fill: ", "or -inf"});
  expect_message(set_parameter_text(e, "dropout", "1"), {"dropout: 1 ", "numbers from 0 to 0.99"});
  expect_message(set_parameter_text(e, "scale", "sqrt_head_din"),
                 {"scale: ", "none or sqrt_head_dim", "did you mean sqrt_head_dim"});
  expect_message(set_parameter_text(e, "mask", "causa"), {"mask: ", "\"causa\""});
  for (const char* text : {"", "-1", "1.5", "18446744073709551616", " 1"}) {
    expect_message(set_parameter_text(e, "seed", text), {"seed: ", "whole numbers from 0 to 18446744073709551615"});
    expect_message(set_parameter_text(e, "discard", text), {"discard: ", "whole numbers from 0 to 10000000000"});
  }
  expect_message(set_parameter_text(e, "discard", "10000000001"), {"discard: 10000000001 ", "from 0 to 10000000000"});
  // A wrong type, as in a file.
  expect_message(set_parameter(e, "heads", 4.0), {"heads: "});
  expect_message(set_parameter(e, "heads", std::string("8")), {"heads: \"8\""});
  expect_message(set_parameter(e, "temperature", Index{1}), {"temperature: "});
  expect_message(set_parameter(e, "scale", Mask{}), {"scale: "});
  expect_message(set_parameter(e, "mask", std::string("causal")), {"mask: "});
  EXPECT_EQ(e, worked_example());
}

TEST(Experiment, ValueTextReadsBack) {
  for (const System& system : systems()) {
    for (const Parameter& parameter : system.parameters) {
      const Result<ParameterValue> back = parse_value(parameter, value_text(parameter.default_value));
      ASSERT_TRUE(back) << parameter.name;
      EXPECT_EQ(*back, parameter.default_value) << parameter.name;
      for (const std::string& choice : parameter.choices) EXPECT_TRUE(parse_value(parameter, choice)) << choice;
      EXPECT_EQ(parameter.choices.size(), parameter.choice_labels.size());
      EXPECT_FALSE(allowed_text(parameter).empty());
    }
  }
}

TEST(Validate, ChecksEveryParameter) {
  Experiment e = worked_example();
  e.parameters["heads"] = Index{0};
  expect_message(validate(e), {"heads: 0", "whole numbers from 1"});
  e = worked_example();
  e.system = "no-such-system";
  expect_message(validate(e), {"no-such-system"});
}

TEST(Validate, ChecksThatTheMaskFits) {
  Experiment e = worked_example();
  ASSERT_TRUE(set_parameter_text(e, "mask", "padding:7"));
  expect_message(validate(e), {"mask: ", "7", "6 keys"});
  ASSERT_TRUE(set_parameter_text(e, "tokens", "7"));
  EXPECT_TRUE(validate(e));
}

TEST(Validate, NamesMegabytesAndBudget) {
  Experiment e = worked_example();
  ASSERT_TRUE(set_parameter_text(e, "tokens", "1000000000"));
  expect_message(validate(e), {" MB; allowed: 2,000 MB"});
  e = worked_example();
  const double bytes = cost_of(e).bytes;
  EXPECT_TRUE(validate(e, bytes));
  expect_message(validate(e, bytes - 1), {"allowed: 0 MB"});
}

TEST(Validate, NoSizeOverflows) {
  for (const System& system : systems()) {
    std::vector<std::string> integers;
    for (const Parameter& parameter : system.parameters) {
      const bool is_size = parameter.kind == Parameter::Kind::integer && parameter.name != "radius";
      if (is_size) integers.push_back(parameter.name);
    }
    // Each alone, each pair, and all of them at their maximum.
    const std::size_t count = integers.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i; j <= count; ++j) {
        Experiment e = *default_experiment(system.name);
        const auto large = [&](std::size_t at) { return j == count ? at >= i : at == i || at == j; };
        for (std::size_t at = 0; at < count; ++at) {
          if (large(at)) e.parameters[integers[at]] = kMaxSize;
        }
        const Result<void> valid = validate(e);
        ASSERT_FALSE(valid) << system.name << " " << integers[i];
        const std::string& message = valid.error().message;
        EXPECT_EQ(message.find("takes -"), std::string::npos) << message;
      }
    }
  }
}

TEST(Cost, GrowsWithEverySize) {
  const Cost default_value = cost_of(worked_example());
  for (const char* name : {"tokens", "features", "head_dim", "heads", "cross_queries"}) {
    double before = default_value.bytes;
    for (const Index size : {Index{100}, Index{100000}, kMaxSize}) {
      Experiment e = worked_example();
      e.parameters[name] = size;
      const Cost cost = cost_of(e);
      EXPECT_GT(cost.bytes, before) << name << " " << size;
      EXPECT_GT(cost.flops, default_value.flops) << name;
      EXPECT_TRUE(std::isfinite(cost.bytes) && std::isfinite(cost.flops)) << name;
      EXPECT_GT(cost.numbers, 0) << name;
      before = cost.bytes;
    }
  }
}

TEST(Cost, IsWhatTheTraceTakes) {
  for (const Experiment& e : test::variations()) {
    SCOPED_TRACE(test::description(e));
    const Cost cost = cost_of(e);
    const auto trace = run(e);
    ASSERT_TRUE(trace);
    EXPECT_EQ(cost.tensors, static_cast<Index>((*trace)->steps().size()));
    Index numbers = 0;
    for (const Step& step : (*trace)->steps()) {
      EXPECT_EQ(step.tensor->axes(), step.axes) << step.name;
      numbers += step.tensor->count();
    }
    EXPECT_EQ(cost.numbers, numbers);
    EXPECT_EQ(cost.bytes, 4.0 * static_cast<double>(numbers));
  }
}

TEST(Experiment, LabelsAndViewDoNotChangeTheComputation) {
  Experiment a = worked_example();
  Experiment b = a;
  b.labels = {"x"};
  b.view.name = "heads";
  EXPECT_NE(a, b);
  EXPECT_TRUE(same_computation(a, b));
  b.discard = 1;
  EXPECT_FALSE(same_computation(a, b));
}

}  // namespace
}  // namespace attnscope
