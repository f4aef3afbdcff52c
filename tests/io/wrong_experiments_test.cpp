// Invalid experiments: each is one change to a valid file, with the expected message.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using nlohmann::ordered_json;

struct Wrong {
  std::string text;
  std::vector<std::string> fragments;  // of the message
};

ordered_json right() {
  return ordered_json::parse(
      R"({"format": "attnscope-experiment/1", "system": "worked-example", "seed": 42, "discard": 0,
    "edits": [{"tensor": "x", "index": [0, 1], "value": 2.5}],
    "heads_off": [0],
    "params": {"tokens": 2, "features": 9, "head_dim": 7, "heads": 4, "cross_queries": 3, "mask": [[true, false], [true, true]]},
    "labels": ["a", "b"], "view": {"name": "heads", "options": {"head": 1}}})");
}

/// The valid file with `raw` (JSON, or what should be) in place of the value at `pointer`.
std::string with(const std::string& pointer, const std::string& raw) {
  ordered_json document = right();
  document[ordered_json::json_pointer(pointer)] = "@";
  std::string text = document.dump();
  return text.replace(text.find("\"@\""), 3, raw);
}

void add_edits(std::vector<Wrong>& cases) {
  for (const char* value : {"{}", "1", "null", "\"x\""})
    cases.push_back({with("/edits", value), {"edits: ", "is not allowed; allowed: a list"}});
  for (const char* value : {"[]", "1", "null", "\"x\""})
    cases.push_back({with("/edits/0", value), {"edits[0]: ", "is not allowed; allowed: an object"}});
  for (const char* value : {"1", "null", "[]"})
    cases.push_back({with("/edits/0/tensor", value), {"edits[0].tensor: ", "the name of a tensor"}});
  for (const char* value : {"1", "null", "{}", "\"0\""})
    cases.push_back({with("/edits/0/index", value), {"edits[0].index: ", "a list of indices"}});
  for (const char* value : {"[0.5, 1]", "[0, \"1\"]", "[0, 1e2]", "[18446744073709551615, 0]"})
    cases.push_back({with("/edits/0/index", value), {"edits[0].index: ", "whole numbers"}});
  for (const char* value : {"\"2\"", "null", "[2]", "true"})
    cases.push_back({with("/edits/0/value", value), {"edits[0].value: ", "a finite number"}});
  cases.push_back({with("/edits/0", R"({"tensor": "x", "index": [0, 1]})"), {"edits[0]: value is missing"}});
  cases.push_back(
      {with("/edits/0", R"({"tensor": "x", "index": [0, 1], "value": 1, "valu": 1})"), {"edits[0]: ", "valu"}});
}

void add_pictures(std::vector<Wrong>& cases) {
  const auto add = [&](const std::string& picture, const std::vector<std::string>& fragments) {
    cases.push_back({with("/picture", picture), fragments});
  };
  for (const char* value : {"1", "null", "[]", "\"e65a28\"", "true"})
    add(value, {"picture: ", "is not allowed; allowed: an object with rows, columns and rgb"});
  for (const char* side : {"0", "2049", "-1", "1.0", "1e1", "\"1\"", "null", "18446744073709551616", "[1]"}) {
    const std::string value = side;
    add(R"({"columns": 1, "rgb": "e65a28", "rows": )" + value + "}",
        {"picture.rows: ", "allowed: whole numbers from 1 to 2048"});
    add(R"({"rows": 1, "rgb": "e65a28", "columns": )" + value + "}",
        {"picture.columns: ", "allowed: whole numbers from 1 to 2048"});
  }
  for (const char* rgb : {"\"\"", "\"e65a2\"", "\"e65a281\"", "\"e65a28e65a28\""}) {
    add(R"({"rows": 1, "columns": 1, "rgb": )" + std::string(rgb) + "}",
        {"picture.rgb: a string of ", " bytes is not allowed; allowed: 6 hexadecimal digits, 6 for each pixel"});
  }
  for (const char* rgb : {"\"e65a2g\"", "\"e65a2 \"", "\"-65a28\"", "\"e65aü\"", "\"0x5a28\""})
    add(R"({"rows": 1, "columns": 1, "rgb": )" + std::string(rgb) + "}", {"picture.rgb: the character at position "});
  for (const char* rgb : {"1", "null", "[230, 90, 40]", "{}", "true"})
    add(R"({"rows": 1, "columns": 1, "rgb": )" + std::string(rgb) + "}",
        {"picture.rgb: ", "is not allowed; allowed: 6 hexadecimal digits"});
  add(R"({"rows": 64, "columns": 64, "rgb": ")" + std::string(24574, '0') + "\"}",
      {"picture.rgb: a string of 24574 bytes", "allowed: 24576 hexadecimal digits"});
  add(R"({"rows": 1, "columns": 1})", {"picture: rgb is missing"});
  add(R"({"rgb": "e65a28", "columns": 1})", {"picture: rows is missing"});
  add(R"({"rows": 1, "columns": 1, "rgb": "e65a28", "colums": 1})",
      {"picture: the key \"colums\" is unknown", "columns"});
}

/// Values that are neither whole numbers nor in any range.
const std::vector<std::string> kNoCounts = {"2.7",   "6.0", "\"8\"", "\"\"",  "-1",   "-9223372036854775808",
                                            "1e300", "1e2", "true",  "false", "null", "[]",
                                            "[1]",   "{}",  "-0.5"};

void add_counts(std::vector<Wrong>& cases) {
  for (const char* field : {"tokens", "features", "head_dim", "heads", "cross_queries"}) {
    std::vector<std::string> values = kNoCounts;
    values.insert(values.end(), {"2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551615",
                                 "18446744073709551616"});
    if (field != std::string("cross_queries")) values.emplace_back("0");
    for (const std::string& value : values) {
      cases.push_back({with("/params/" + std::string(field), value),
                       {"params." + std::string(field) + ": ", "is not allowed; allowed: whole numbers from "}});
    }
  }
  for (const auto& [field, largest] :
       {std::pair("seed", "18446744073709551615"), std::pair("discard", "10000000000")}) {
    std::vector<std::string> values = kNoCounts;
    values.insert(values.end(), {"18446744073709551616", "1e10"});
    if (field == std::string("discard")) values.insert(values.end(), {"10000000001", "18446744073709551615"});
    for (const std::string& value : values) {
      cases.push_back({with("/" + std::string(field), value),
                       {std::string(field) + ": ", "allowed: whole numbers from 0 to " + std::string(largest)}});
    }
  }
}

void add_other_parameters(std::vector<Wrong>& cases) {
  const auto add = [&](const std::string& field, const std::vector<std::string>& values, const std::string& allowed) {
    for (const std::string& value : values)
      cases.push_back({with("/params/" + field, value), {"params." + field, "allowed: " + allowed}});
  };
  const std::vector<std::string> no_numbers = {"\"1\"", "\"inf\"", "\"\"", "true", "null", "[]", "[1]", "{}"};
  for (const char* field : {"temperature", "dropout", "masked_fill"}) add(field, no_numbers, "numbers from ");
  add("temperature", {"0", "-1", "1000.5", "1e300", "0.0009", "\"-inf\"", "\"nan\""}, "numbers from 0.001 to 1000");
  add("dropout", {"-0.1", "1", "0.991", "\"-inf\""}, "numbers from 0 to 0.99");
  add("masked_fill", {"1", "-1e300", "\"-Infinity\"", "\" -inf\""}, "numbers from ");
  add("scale", {"\"\"", "\"sqrt\"", "\"None\"", "0", "true", "null", "[]", "{}"}, "none or sqrt_head_dim");
  add("mask", {"0", "true", "null", "{}", "1.5", "\"\"", "\"causall\"", "\"window\"", "\"diagonal:3\""},
      "none, causal, window:R");
  add("mask",
      {"[]", "[[]]", "[[true], []]", "[[true, true], [true]]", "[[1]]", "[[true], [0]]", "[[true], true]",
       "[[[true]], [[true, false]]]", "[[[true], [true]], [[true]]]", "[[\"true\"]]", "[[null]]", "[true]",
       "[[[[[true]]]]]", "[{}]", "[[true, [true]]]"},
      "");
  for (const char* mask : {"window:", "window:-1", "window:1.5", "window:1,2", "window:99999999999999999999",
                           "padding:", "padding:,", "padding:1,", "padding:-3", "padding:x"}) {
    cases.push_back({with("/params/mask", "\"" + std::string(mask) + "\""),
                     {"params.mask: ", "whole numbers from 0 to 2147483647"}});
  }
}

void add_structure(std::vector<Wrong>& cases) {
  const std::vector<std::string> scalars = {"1", "\"a\"", "true", "null", "1.5"};
  for (const std::string& value : scalars) {
    for (const char* field : {"params", "labels", "view"})
      cases.push_back({with("/" + std::string(field), value), {std::string(field) + ": ", "allowed: "}});
    cases.push_back({with("/view/options", value), {"view.options: ", "allowed: an object"}});
    cases.push_back({value, {"the file holds ", "allowed: an object"}});
  }
  for (const char* value : {"1", "true", "null", "[]", "{}"}) {
    for (const char* field : {"system", "format", "view/name"})
      cases.push_back({with("/" + std::string(field), value), {"is not allowed; allowed: "}});
    if (value != std::string("1"))
      cases.push_back({with("/view/options/head", value), {"view.options.head: ", "allowed: a number, or a string"}});
    cases.push_back({with("/labels/1", value), {"labels[1]: ", "allowed: a string"}});
  }
  cases.push_back({with("/labels/0", "\"" + std::string(300, 'x') + "\""), {"labels[0]: ", "at most 256 bytes"}});
  cases.push_back(
      {with("/view/options/head", "18446744073709551615"), {"view.options.head: 18446744073709551615 is not allowed"}});
  cases.push_back({with("/labels", ordered_json(std::vector<std::string>(70'000, "a")).dump()),
                   {"labels: 70000 labels", "at most 65536"}});
  cases.push_back({with("/format", "\"attnscope-experiment/2\""),
                   {"format: \"attnscope-experiment/2\" is newer than this attnscope"}});
  for (const char* format :
       {"attnscope-experiment/0", "attnscope-experiment/", "attnscope-experiment/1.0", "attnscope-trace/1", ""}) {
    cases.push_back(
        {with("/format", "\"" + std::string(format) + "\""), {"format: ", "allowed: \"attnscope-experiment/1\""}});
  }
  cases.push_back(
      {with("/system", "\"worked-exmple\""), {"system: \"worked-exmple\" is unknown; did you mean worked-example?"}});
  cases.push_back({with("/system", "\"\\n\\u0000\\u001b[31m\""), {"system: \"\\x0a\\x00\\x1b[31m\" is unknown"}});
  cases.push_back({"[]", {"the file holds an empty list"}});
  for (const char* key : {"format", "system"}) {
    ordered_json document = right();
    document.erase(key);
    cases.push_back({document.dump(), {std::string(key) + " is missing"}});
  }
}

/// Every key with a letter missing, and in capitals.
void add_unknown_keys(std::vector<Wrong>& cases) {
  const auto misspelt = [&](const std::string& pointer, const std::string& key) {
    for (const bool capital : {false, true}) {
      ordered_json document = right();
      ordered_json& object = pointer.empty() ? document : document[ordered_json::json_pointer(pointer)];
      std::string wrong = key;
      if (capital) {
        wrong[0] = static_cast<char>(wrong[0] - 'a' + 'A');
      } else {
        wrong.pop_back();
      }
      object[wrong] = 1;
      cases.push_back({document.dump(), {"the key \"" + wrong + "\" is unknown; did you mean ", key}});
    }
  };
  for (const char* key : {"system", "seed", "discard", "params", "labels", "view"}) misspelt("", key);
  for (const char* key : {"name", "options"}) misspelt("/view", key);
  for (const Parameter& parameter : find_system("worked-example")->parameters) misspelt("/params", parameter.name);
  cases.push_back({with("/zzzzzzzz", "1"), {"the key \"zzzzzzzz\" is unknown; allowed: format, system, seed"}});
  cases.push_back({with("/params/zzzzzzzz", "1"), {"params: the key \"zzzzzzzz\" is unknown; allowed: tokens, "}});
  cases.push_back({with("/params/seed", "1"), {"params: the key \"seed\" is unknown"}});
}

void add_syntax(std::vector<Wrong>& cases) {
  for (const char* value :
       {"1e999", "-1e999", "NaN",     "Infinity", "01", "+1", ".5",      "1.",       "0x10", "nul",  "'a'",
        "\"a",   "[1",     "{\"a\"}", "1 2",      "1,", "",   "\"\\q\"", "\"\xff\"", "//",   "/**/1"}) {
    cases.push_back({with("/params/tokens", value), {"line 1, column "}});
  }
  const std::string text = right().dump();
  cases.push_back({text + text, {"line 1, column "}});
  cases.push_back({text + "x", {"line 1, column "}});
  cases.push_back({text + std::string(1, '\0') + "x", {"line 1, column "}});
  cases.push_back({std::string(100'000, '['), {"more than 64 nested brackets"}});
  cases.push_back({with("/params/tokens", std::string(100'000, '[')), {"more than 64 nested brackets"}});
  cases.push_back({"", {"the file is empty"}});
  cases.push_back({std::string(100, '\0'), {"line 1, column "}});
  for (const char* key : {"seed", "params", "format"}) {
    std::string twice = text;
    twice.insert(1, "\"" + std::string(key) + "\": " + right()[key].dump() + ",");
    cases.push_back({twice, {"the key \"" + std::string(key) + "\" appears twice"}});
  }
}

std::vector<Wrong> wrong_experiments() {
  std::vector<Wrong> cases;
  add_counts(cases);
  add_edits(cases);
  for (const char* value : {"1", "\"1\"", "{}", "null"})
    cases.push_back({with("/heads_off", value), {"heads_off: ", "a list of heads, counted from 0"}});
  for (const char* value : {"[1.5]", "[\"1\"]", "[null]"})
    cases.push_back({with("/heads_off", value), {"heads_off: ", "whole numbers"}});
  add_pictures(cases);
  add_other_parameters(cases);
  add_structure(cases);
  add_unknown_keys(cases);
  add_syntax(cases);
  return cases;
}

TEST(WrongExperiments, AreRefusedInOneLineThatNamesFileFieldAndLimit) {
  ASSERT_TRUE(parse_experiment(right().dump(), "right"));
  const std::vector<Wrong> cases = wrong_experiments();
  EXPECT_GE(cases.size(), 300U);
  for (const Wrong& wrong : cases) {
    const std::string shown = wrong.text.substr(0, 400);
    const Result<Experiment> parsed = parse_experiment(wrong.text, "wrong.json");
    if (parsed) {
      ADD_FAILURE() << "accepted: " << shown;
      continue;
    }
    const std::string& message = parsed.error().message;
    EXPECT_TRUE(message.starts_with("wrong.json: ")) << message;
    EXPECT_TRUE(is_one_line(message));
    EXPECT_LT(message.size(), 600U);
    EXPECT_EQ(parsed.error().kind, Error::Kind::failure);
    for (const std::string& fragment : wrong.fragments)
      EXPECT_NE(message.find(fragment), std::string::npos) << message << "\nfor " << shown << "\nlacks " << fragment;
  }
}

TEST(WrongExperiments, HalfWrittenOnesAreRefused) {
  const std::string text = right().dump(2);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<Experiment> parsed = parse_experiment(text.substr(0, size), "half.json");
    ASSERT_FALSE(parsed) << size;
    EXPECT_TRUE(parsed.error().message.starts_with("half.json: ")) << parsed.error().message;
    EXPECT_TRUE(is_one_line(parsed.error().message));
  }
}

TEST(WrongExperiments, DamagedOnesAreRefusedOrRight) {
  std::mt19937 random(7);
  const std::string text = right().dump();
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = text;
    for (std::size_t n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % damaged.size();
      if (random() % 2 == 0) {
        damaged[at] = static_cast<char>(random());
      } else {
        damaged.erase(at, 1 + random() % 8);
      }
    }
    if (const Result<Experiment> parsed = parse_experiment(damaged, "damaged.json")) {
      EXPECT_EQ(*parse_experiment(experiment_json(*parsed), ""), *parsed) << damaged;
    } else {
      EXPECT_TRUE(is_one_line(parsed.error().message)) << damaged;
    }
  }
}

TEST(WrongExperiments, OverTheMemoryBudgetIsSaidInMegabytes) {
  const Experiment e = *parse_experiment(with("/params", R"({"tokens": 1000000000})"), "large");
  const Result<void> valid = validate(e);
  ASSERT_FALSE(valid);
  EXPECT_NE(valid.error().message.find(" MB; allowed: 2,000 MB"), std::string::npos) << valid.error().message;
}

}  // namespace
}  // namespace attnscope::test
