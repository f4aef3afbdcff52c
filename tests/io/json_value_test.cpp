// JSON from outside, with everything that can be wrong with it.

#include "io/base/json_value.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

std::string trouble(std::string_view text) {
  const Result<nlohmann::json> parsed = parse_json(text);
  if (parsed) return "none";
  EXPECT_TRUE(is_one_line(parsed.error().message));
  return parsed.error().message;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, ReadsEveryKindOfValue) {
  const nlohmann::json value =
      *parse_json(R"( {"a": [null, true, -1, 18446744073709551615, 2.5e-3, "\u00e9\n"], "b": {}} )");
  EXPECT_EQ(value["a"][0], nullptr);
  EXPECT_EQ(value["a"][2], -1);
  EXPECT_EQ(value["a"][3], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(value["a"][4], 0.0025);
  EXPECT_EQ(value["a"][5], "é\n");
  EXPECT_TRUE(value["b"].is_object());
  EXPECT_EQ(*parse_json("7"), 7);
}

TEST(ParseJson, AcceptsAByteOrderMark) {
  EXPECT_EQ(*parse_json("\xef\xbb\xbf[1]"), nlohmann::json::array({1}));
  EXPECT_NE(trouble("\xef\xbb[1]"), "none");
}

TEST(ParseJson, SaysWhere) {
  EXPECT_EQ(trouble(""), "line 1, column 1: unexpected end of input");
  EXPECT_EQ(trouble("{\n  \"a\": nul\n}"), "line 2, column 11: invalid literal");
  EXPECT_EQ(trouble("{\"a\": 1,\n \"a\": 2}"), "line 2, column 4: the key \"a\" appears twice");
  EXPECT_TRUE(trouble("[1,]").starts_with("line 1, column 4: "));
}

TEST(ParseJson, RefusesWhatIsNoJson) {
  for (const char* text : {"[1",
                           "[1]]",
                           "{]",
                           "{1: 2}",
                           "{\"a\" 1}",
                           "{'a': 1}",
                           "[01]",
                           "[+1]",
                           "[.5]",
                           "[1.]",
                           "[0x1]",
                           "[1 2]",
                           "NaN",
                           "[Infinity]",
                           "[-]",
                           "tru",
                           "\"a",
                           "\"\\x\"",
                           "\"\\ud800\"",
                           "\"\n\"",
                           "// a\n1",
                           "/* a */ 1",
                           "1 2",
                           "[1] x",
                           "\x01",
                           "\xff",
                           "\"\xff\"",
                           "\"\xc0\xaf\"",
                           "\"\xed\xa0\x80\"",
                           "{\"a\": {\"b\": 1, \"c\": 2, \"b\": 3}}"}) {
    EXPECT_TRUE(trouble(text).starts_with("line ")) << text;
  }
  EXPECT_NE(trouble(std::string_view("[1]\0", 4)), "none");
}

TEST(ParseJson, RefusesNumbersBeyondDoublePrecision) {
  EXPECT_NE(trouble("[1e999]").find("\"1e999\" is beyond double precision"), std::string::npos) << trouble("[1e999]");
  EXPECT_NE(trouble("-1e999"), "none");
  EXPECT_EQ(*parse_json("1e-999"), 0.0);
  EXPECT_EQ(*parse_json("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(ParseJson, RefusesDeepNesting) {
  EXPECT_TRUE(parse_json(nested(64)));
  EXPECT_EQ(trouble(nested(65)), "line 1, column 65: more than 64 nested brackets");
  EXPECT_EQ(trouble(nested(100'000)), "line 1, column 65: more than 64 nested brackets");
  EXPECT_NE(trouble(std::string(100'000, '[')), "none");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_NE(trouble(objects).find("more than 64"), std::string::npos);
}

TEST(ParseJson, RefusesTooManyValues) {
  const Result<nlohmann::json> parsed = parse_json("[1, 2, 3]", {64, 3});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "line 1, column 9: more than 3 values");
  EXPECT_TRUE(parse_json("[1, 2]", {64, 3}));
}

TEST(PrettyJson, IsReadable) {
  const nlohmann::ordered_json value = {{"name", "x"},
                                        {"half", 0.5},
                                        {"one", 1.0},
                                        {"tiny", 1e-9},
                                        {"mask", {{true, false}, {false, true}}},
                                        {"none", nlohmann::ordered_json::array()}};
  EXPECT_EQ(pretty_json(value),
            "{\n  \"name\": \"x\",\n  \"half\": 0.5,\n  \"one\": 1.0,\n  \"tiny\": 1e-09,\n  \"mask\": [[true, false], "
            "[false, true]],\n  \"none\": []\n}");
  EXPECT_EQ(
      compact_json(value),
      R"({"name": "x", "half": 0.5, "one": 1.0, "tiny": 1e-09, "mask": [[true, false], [false, true]], "none": []})");
  const nlohmann::ordered_json wide(3, nlohmann::ordered_json(40, true));
  const std::string text = pretty_json(wide);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);  // a line for each row
  EXPECT_EQ(parse_json(text)->size(), 3U);
}

// What is read has a limit: it takes no more once it is written again.
TEST(PrettyJson, WritesLongListsWithoutBlanks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (int i = 0; i < 101; ++i) list.push_back(i % 2 == 0);
  EXPECT_EQ(pretty_json({{"mask", list}}), "{\n  \"mask\": " + list.dump() + "\n}");
}

TEST(PrettyJson, WritesWhatIsNotFiniteAsText) {
  EXPECT_EQ(compact_json(json_number(std::numeric_limits<double>::quiet_NaN())), "\"NaN\"");
  EXPECT_EQ(compact_json(json_number(-std::numeric_limits<double>::infinity())), "\"-Infinity\"");
  EXPECT_EQ(compact_json(json_number(-9e15)), "-9e+15");
}

TEST(PrettyJson, SurvivesBytesThatAreNoUtf8) { EXPECT_TRUE(parse_json(pretty_json("\xff"))); }

TEST(CheckKeys, NamesTheNearest) {
  const std::vector<std::string> allowed = {"name", "options"};
  EXPECT_TRUE(check_keys(nlohmann::json{{"name", 1}}, allowed, ""));
  EXPECT_EQ(check_keys(nlohmann::json{{"nam", 1}}, allowed, "view: ").error().message,
            "view: the key \"nam\" is unknown; did you mean name?");
  EXPECT_EQ(check_keys(nlohmann::json{{"zzz", 1}}, allowed, "").error().message,
            "the key \"zzz\" is unknown; allowed: name, options");
}

}  // namespace
}  // namespace attnscope::test
