#include "app/animation/sweep.h"

#include <gtest/gtest.h>

#include "core/experiment/system.h"

namespace attnscope::test {
namespace {

Parameter size_parameter() { return integer_parameter("heads", "Heads", "", 4, 1, 10); }
Parameter real() { return real_parameter("temperature", "Temperature", "", 1, -10, 10); }

std::vector<Index> whole(std::string_view text, const std::vector<Index>& fitting = {}) {
  const auto values = sweep_values(size_parameter(), text, fitting);
  EXPECT_TRUE(values) << values.error().message;
  std::vector<Index> numbers;
  for (const ParameterValue& value : values.value_or(std::vector<ParameterValue>()))
    numbers.push_back(std::get<Index>(value));
  return numbers;
}

std::vector<double> reals(std::string_view text) {
  const auto values = sweep_values(real(), text);
  EXPECT_TRUE(values) << values.error().message;
  std::vector<double> numbers;
  for (const ParameterValue& value : values.value_or(std::vector<ParameterValue>()))
    numbers.push_back(std::get<double>(value));
  return numbers;
}

std::string trouble(const Parameter& parameter, std::string_view text) {
  const auto values = sweep_values(parameter, text);
  if (values) return "none";
  EXPECT_EQ(values.error().kind, Error::Kind::usage);
  return values.error().message;
}

TEST(Sweep, WholeNumbersGoUpAndDown) {
  EXPECT_EQ(whole("2:5"), (std::vector<Index>{2, 3, 4, 5}));
  EXPECT_EQ(whole("5:2"), (std::vector<Index>{5, 4, 3, 2}));
  EXPECT_EQ(whole("2:9:3"), (std::vector<Index>{2, 5, 8}));
  EXPECT_EQ(whole("9:1:-4"), (std::vector<Index>{9, 5, 1}));
  EXPECT_EQ(whole("3:3"), (std::vector<Index>{3}));
  EXPECT_EQ(whole("3:3:-7"), (std::vector<Index>{3}));
  EXPECT_EQ(whole("7"), (std::vector<Index>{7}));
  EXPECT_EQ(whole("8,1,2"), (std::vector<Index>{8, 1, 2}));
  EXPECT_EQ(whole("1:2147483647:2147483646"), (std::vector<Index>{1, 2147483647}));
  EXPECT_EQ(whole("2:5:9223372036854775807"), (std::vector<Index>{2}));
}

TEST(Sweep, WithoutAStepNumbersAreThoseThatFit) {
  const std::vector<Index> divisors = {1, 2, 4, 8};
  EXPECT_EQ(whole("2:9", divisors), (std::vector<Index>{2, 4, 8}));
  EXPECT_EQ(whole("8:1", divisors), (std::vector<Index>{8, 4, 2, 1}));
  EXPECT_EQ(whole("1:3:1", divisors), (std::vector<Index>{1, 2, 3})) << "a step is taken as it is";
  EXPECT_EQ(whole("5:7", divisors), (std::vector<Index>{5, 6, 7})) << "none fits: what is wrong is said of them";
}

TEST(Sweep, OtherNumbersAreRoundAndStayWithinTheEnds) {
  EXPECT_EQ(reals("0:1:0.1"), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}));
  EXPECT_EQ(reals("0.3:-0.3:-0.1"), (std::vector<double>{0.3, 0.2, 0.1, 0, -0.1, -0.2, -0.3}));
  EXPECT_EQ(reals("1:2:0.3"), (std::vector<double>{1, 1.3, 1.6, 1.9}));
  EXPECT_EQ(reals("2:2"), (std::vector<double>{2}));
  EXPECT_EQ(reals("0.1,5"), (std::vector<double>{0.1, 5}));
  const std::vector<double> fifty = reals("0:10");
  ASSERT_EQ(fifty.size(), 51U);
  EXPECT_EQ(fifty[1], 0.2);
  EXPECT_EQ(fifty.back(), 10);
  const std::vector<double> tiny = reals("1e-9:3e-9:1e-9");
  EXPECT_EQ(tiny, (std::vector<double>{1e-9, 2e-9, 3e-9}));
  for (const double value : reals("-9.87654321:9.1:0.0123")) EXPECT_TRUE(value >= -9.87654321 && value <= 9.1) << value;
}

TEST(Sweep, WordsAreListed) {
  const Parameter choice = choice_parameter("scale", "Scale", "", {"none", "sqrt"}, {"none", "√"});
  EXPECT_EQ(*sweep_values(choice, "sqrt,none"),
            (std::vector<ParameterValue>{std::string("sqrt"), std::string("none")}));
  const Parameter mask = common_parameters().front();
  const auto masks = sweep_values(mask, "none,causal,window:2");
  ASSERT_TRUE(masks) << masks.error().message;
  EXPECT_EQ(value_text(masks->at(2)), "window:2");
}

TEST(Sweep, WhatIsWrongIsNamed) {
  const std::string names = "heads: ";
  EXPECT_EQ(trouble(size_parameter(), "1:4:0"),
            names + "a step of \"0\" is not allowed; allowed: whole numbers other than 0");
  EXPECT_EQ(trouble(size_parameter(), "1:4:0.5"),
            names + "a step of \"0.5\" is not allowed; allowed: whole numbers other than 0");
  EXPECT_EQ(trouble(size_parameter(), "1:4:-1"), names + "\"1:4:-1\" never reaches its end; allowed: a step above 0");
  EXPECT_EQ(trouble(size_parameter(), "4:1:2"), names + "\"4:1:2\" never reaches its end; allowed: a step below 0");
  EXPECT_EQ(trouble(size_parameter(), "0:4"), names + "0 is not allowed; allowed: whole numbers from 1 to 2147483647");
  EXPECT_EQ(trouble(size_parameter(), "1:4e9"),
            names + "\"4e9\" is not allowed; allowed: whole numbers from 1 to 2147483647");
  EXPECT_EQ(trouble(size_parameter(), "1:"),
            names + "\"\" is not allowed; allowed: whole numbers from 1 to 2147483647");
  EXPECT_NE(trouble(size_parameter(), "1:2:3:4").find("\"1:2:3:4\" is not allowed; allowed: FROM:TO"),
            std::string::npos);
  EXPECT_EQ(trouble(size_parameter(), "1:10001"), names + "\"1:10001\" has too many values; allowed: at most 10,000");
  EXPECT_EQ(trouble(real(), "0:1:0"), "temperature: a step of \"0\" is not allowed; allowed: numbers other than 0");
  EXPECT_EQ(trouble(real(), "0:1:nan"), "temperature: a step of \"nan\" is not allowed; allowed: numbers other than 0");
  EXPECT_EQ(trouble(real(), "0:11"), "temperature: 11 is not allowed; allowed: numbers from -10 to 10");
  EXPECT_EQ(trouble(real(), "0:1:1e-9"), "temperature: \"0:1:1e-9\" has too many values; allowed: at most 10,000");
  EXPECT_EQ(trouble(real(), "0:1:1e-320"), "temperature: \"0:1:1e-320\" has too many values; allowed: at most 10,000");
}

TEST(Sweep, TheLargestNumbersDoNotOverflow) {
  EXPECT_EQ(sweep_values(seed_parameter(), "0:9007199254740992:9007199254740991")->size(), 2U);
  EXPECT_FALSE(sweep_values(seed_parameter(), "0:9007199254740993"));
  EXPECT_EQ(sweep_values(seed_parameter(), "9007199254740992:0:-9223372036854775808")->size(), 1U);
  const Parameter huge = real_parameter("x", "X", "", 0, -1e308, 1e308);
  EXPECT_FALSE(sweep_values(huge, "-1e308:1e308")) << "their distance is no number";
  EXPECT_EQ(sweep_values(huge, "0:1e308")->size(), 51U);
}

TEST(FittingValues, AreDivisorsAndMultiples) {
  Experiment experiment = *default_experiment("projected-multihead");
  const std::vector<Parameter>& parameters = find_system("projected-multihead")->parameters;
  EXPECT_EQ(fitting_values(experiment, *find_parameter(parameters, "heads"), 10),
            (std::vector<Index>{1, 2, 4, 8, 16, 32}));
  experiment.parameters["heads"] = Index{8};
  EXPECT_EQ(fitting_values(experiment, *find_parameter(parameters, "hidden"), 30), (std::vector<Index>{8, 16, 24}));
  EXPECT_EQ(fitting_values(experiment, *find_parameter(parameters, "hidden"), 3), (std::vector<Index>{8}));
  EXPECT_EQ(fitting_values(experiment, *find_parameter(parameters, "queries"), 30), std::vector<Index>());
}

}  // namespace
}  // namespace attnscope::test
