#include "core/base/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "support/floats.h"

namespace attnscope {
namespace {

using test::kInfinity;
using test::kNaN;

TEST(Text, NumbersHaveSignificantDigits) {
  EXPECT_EQ(number_text(27.5), "27.50");
  EXPECT_EQ(number_text(0.14623), "0.1462");
  EXPECT_EQ(number_text(1.2e-7), "1.200e-07");
  EXPECT_EQ(number_text(-1.25), "−1.250");
  EXPECT_EQ(number_text(12345), "12345");
  EXPECT_EQ(number_text(1234567), "1234567");
  EXPECT_EQ(number_text(12345678), "1.235e+07");
  EXPECT_EQ(number_text(-9e15), "−9.000e+15");
  EXPECT_EQ(number_text(0.00012345), "0.0001234");
  EXPECT_EQ(number_text(0.000012345), "1.234e-05");
  EXPECT_EQ(number_text(3.14159, 3), "3.14");
  EXPECT_EQ(number_text(3.14159, 1), "3");
}

TEST(Text, RoundingMayCarryIntoTheNextPowerOfTen) {
  EXPECT_EQ(number_text(9.9996), "10.00");
  EXPECT_EQ(number_text(99.996), "100.0");
  EXPECT_EQ(number_text(0.99996), "1.000");
  EXPECT_EQ(number_text(0.000099996), "0.0001000");
  EXPECT_EQ(number_text(9999999.6), "1.000e+07");
}

TEST(Text, SpecialNumbers) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(-0.0), "0");
  for (const auto& text : {number_text(kNaN), short_text(kNaN), fixed_text(kNaN, 2)}) EXPECT_EQ(text, "NaN");
  for (const auto& text : {number_text(kInfinity), short_text(kInfinity), fixed_text(kInfinity, 2)})
    EXPECT_EQ(text, "∞");
  for (const auto& text : {number_text(-kInfinity), short_text(-kInfinity), fixed_text(-kInfinity, 2)})
    EXPECT_EQ(text, "−∞");
  EXPECT_EQ(number_text(std::numeric_limits<double>::max()), "1.798e+308");
  EXPECT_EQ(number_text(std::numeric_limits<double>::denorm_min(), 2), "4.9e-324");
  EXPECT_EQ(fixed_text(-std::numeric_limits<double>::max(), 0).size(), 309 + std::string("−").size());
}

TEST(Text, ShortNumbersHaveNoTrailingZeros) {
  EXPECT_EQ(short_text(27.5), "27.5");
  EXPECT_EQ(short_text(1), "1");
  EXPECT_EQ(short_text(0), "0");
  EXPECT_EQ(short_text(-0.0), "0");
  EXPECT_EQ(short_text(-0.25), "−0.25");
  EXPECT_EQ(short_text(0.123456), "0.1235");
}

TEST(Text, FixedDecimals) {
  EXPECT_EQ(fixed_text(0.60576, 4), "0.6058");
  EXPECT_EQ(fixed_text(-1.25, 4), "−1.2500");
  EXPECT_EQ(fixed_text(-0.00001, 4), "0.0000");
  EXPECT_EQ(fixed_text(-0.4, 0), "0");
  EXPECT_EQ(fixed_text(-0.00006, 4), "−0.0001");
  EXPECT_EQ(fixed_text(2.5, 0), "2");
}

TEST(Text, ExactNumbersReadBackTheSame) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isnan(value)) continue;
    const std::optional<double> back = parse_real(exact_text(value));
    ASSERT_TRUE(back) << exact_text(value);
    EXPECT_EQ(*back, value);
  }
  EXPECT_EQ(exact_text(0.1), "0.1");
  EXPECT_EQ(exact_text(-kInfinity), "-inf");
  EXPECT_EQ(exact_text(kNaN), "nan");
}

TEST(Text, CountsAreGrouped) {
  EXPECT_EQ(grouped_text(0), "0");
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(4350), "4,350");
  EXPECT_EQ(grouped_text(100000), "100,000");
  EXPECT_EQ(grouped_text(1234567), "1,234,567");
  EXPECT_EQ(grouped_text(-999), "-999");
  EXPECT_EQ(grouped_text(-1000), "-1,000");
  EXPECT_EQ(grouped_text(std::numeric_limits<Index>::max()), "9,223,372,036,854,775,807");
  EXPECT_EQ(grouped_text(std::numeric_limits<Index>::min()), "-9,223,372,036,854,775,808");
}

TEST(Text, BytesAndDurations) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(17400), "17.4 kB");
  EXPECT_EQ(bytes_text(2.1e9), "2.1 GB");
  EXPECT_EQ(bytes_text(123.4e6), "123 MB");
  EXPECT_EQ(bytes_text(5e15), "5000 TB");
  EXPECT_EQ(bytes_text(99'949), "99.9 kB");
  EXPECT_EQ(bytes_text(99'950), "100 kB");
  EXPECT_EQ(bytes_text(999'499), "999 kB");
  EXPECT_EQ(bytes_text(999'960), "1.0 MB");
  EXPECT_EQ(bytes_text(999.7), "1.0 kB");
  EXPECT_EQ(duration_text(4e-6), "4 µs");
  EXPECT_EQ(duration_text(0.0021), "2.1 ms");
  EXPECT_EQ(duration_text(3.4), "3.4 s");
  EXPECT_EQ(duration_text(0.000'999'4), "999 µs");
  EXPECT_EQ(duration_text(0.000'999'9), "1.0 ms");
  EXPECT_EQ(duration_text(0.999'94), "999.9 ms");
  EXPECT_EQ(duration_text(0.999'96), "1.0 s");
}

TEST(Text, NumbersAreReadWhole) {
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<Index>::max());
  for (const char* text : {"", " 1", "1 ", "1.0", "1e3", "0x10", "abc", "9223372036854775808", "--1", "1,000"})
    EXPECT_FALSE(parse_integer(text)) << text;
  EXPECT_EQ(parse_real("2.5"), 2.5);
  EXPECT_EQ(parse_real("+2.5"), 2.5);
  EXPECT_EQ(parse_real("-9e15"), -9e15);
  EXPECT_EQ(parse_real("-inf"), -kInfinity);
  EXPECT_TRUE(std::isnan(parse_real("nan").value_or(0)));
  for (const char* text : {"", "+", "-", " 1", "1 ", "1,5", "1e999", "2.5x", "+-1", "++1", "0x1p3"})
    EXPECT_FALSE(parse_real(text)) << text;
}

TEST(Text, RealNumbersHaveARange) {
  EXPECT_EQ(parse_real("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(parse_real("4.9e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_real("2.2250738585072011e-308"), 2.2250738585072011e-308) << "below the smallest normal number";
  for (const char* text : {"1.8e308", "-1e309", "1e-400", "-2e-324", "1e99999999999", "1e-99999999999"})
    EXPECT_FALSE(parse_real(text)) << text;
  for (const char* text : {"0", "0e999", "0.000", "-0", "0e-99999999999"}) EXPECT_EQ(parse_real(text), 0.0) << text;
  EXPECT_TRUE(std::signbit(*parse_real("-0")));
  for (const char* text : {"INF", "Infinity", "+inf"}) EXPECT_EQ(parse_real(text), kInfinity) << text;
  EXPECT_TRUE(std::signbit(*parse_real("-NaN")));
}

#ifdef __cpp_lib_to_chars
TEST(Text, RealNumbersAreReadAsTheStandardLibraryReadsThem) {
  std::mt19937_64 random(17);
  const auto digits = [&](std::size_t most) {
    std::string text;
    for (std::size_t left = random() % (most + 1); left > 0; --left) text += static_cast<char>('0' + random() % 10);
    return text;
  };
  const auto one_of = [&](std::initializer_list<const char*> texts) {
    return std::string(texts.begin()[random() % texts.size()]);
  };
  for (int i = 0; i < 200'000; ++i) {
    std::string text = one_of({"", "", "-"}) + digits(20) + one_of({"", ".", "."}) + digits(20);
    if (random() % 2 == 0) text += one_of({"e", "E"}) + one_of({"", "+", "-"}) + digits(3);
    if (random() % 50 == 0) text.insert(random() % (text.size() + 1), one_of({" ", "x", "-", "inf", "e", "."}));
    double expected = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    const bool is_number = error == std::errc() && end == text.data() + text.size() && !text.empty();
    const std::optional<double> read = parse_real(text);
    ASSERT_EQ(read.has_value(), is_number) << text;
    if (!read) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*read), std::bit_cast<std::uint64_t>(expected)) << text;
  }
}
#endif

TEST(Text, AnEmbeddedZeroIsNotTheEnd) {
  EXPECT_FALSE(parse_integer(std::string_view("1\0002", 3)));
  EXPECT_FALSE(parse_real(std::string_view("1\0", 2)));
}

TEST(Text, ListsEndWithTheirLastWord) {
  EXPECT_EQ(listed(std::vector<std::string>{".a", ".b", ".c"}, " or "), ".a, .b or .c");
  EXPECT_EQ(listed(std::vector<std::string>{"a", "b"}, " or "), "a or b");
  EXPECT_EQ(listed(std::vector<std::string>{"a"}, " or "), "a");
  EXPECT_EQ(listed({}, " or "), "");
}

TEST(Text, IndicesSplitAndJoin) {
  EXPECT_EQ(index_text(std::vector<Index>{1, 2, 4}), "[1, 2, 4]");
  EXPECT_EQ(index_text({}), "[]");
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
  const std::vector<std::string> parts = {"a", "", "c"};
  EXPECT_EQ(join(parts, " or "), "a or  or c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, NearestNames) {
  const std::vector<std::string> names = {"tokens", "features", "head_dim", "heads", "cross_queries", "mask"};
  EXPECT_EQ(nearest_names("heds", names), (std::vector<std::string>{"heads"}));
  EXPECT_EQ(nearest_names("head", names), (std::vector<std::string>{"head_dim", "heads"}));
  EXPECT_EQ(nearest_names("queries", names), (std::vector<std::string>{"cross_queries"}));
  EXPECT_EQ(nearest_names("token", names).front(), "tokens");
  EXPECT_TRUE(nearest_names("zzzzzz", names).empty());
  EXPECT_TRUE(nearest_names("", names).empty());
  EXPECT_TRUE(nearest_names("heads", {}).empty());
  const std::vector<std::string> many = {"aaaa", "aaab", "aaac", "aaad"};
  EXPECT_EQ(nearest_names("aaab", many), (std::vector<std::string>{"aaab", "aaaa", "aaac"}));
  // Two swapped letters are one mistake.
  const std::vector<std::string> commands = {"figure", "trace", "explain", "systems", "views"};
  for (const char* typed : {"trcae", "rtace", "traec"})
    EXPECT_EQ(nearest_names(typed, commands), (std::vector<std::string>{"trace"})) << typed;
  EXPECT_EQ(nearest_names("ba", std::vector<std::string>{"ab", "abc"}).front(), "ab");
  EXPECT_EQ(suggestion_text("head", names), "; did you mean head_dim or heads?");
  EXPECT_EQ(suggestion_text("zzzzzz", names), "");
}

TEST(Text, TextFromOutsideIsQuoted) {
  EXPECT_EQ(quoted_text("heads"), "\"heads\"");
  EXPECT_EQ(quoted_text(""), "\"\"");
  EXPECT_EQ(quoted_text("a\nb\x1b[31m\x7f"), "\"a\\x0ab\\x1b[31m\\x7f\"");
  EXPECT_EQ(quoted_text(std::string_view("a\0b", 3)), "\"a\\x00b\"");
  EXPECT_EQ(quoted_text(std::string(60, 'x')), "\"" + std::string(60, 'x') + "\"");
  EXPECT_EQ(quoted_text(std::string(61, 'x')), "\"" + std::string(60, 'x') + "…\"");
}

TEST(Text, LongTextIsCutBetweenCharacters) {
  for (int before = 56; before <= 60; ++before) {
    std::string text(static_cast<std::size_t>(before), 'x');
    for (int i = 0; i < 4; ++i) text += "€";
    const std::string shown = quoted_text(text);
    std::string whole = "\"" + std::string(static_cast<std::size_t>(before), 'x');
    const int characters = (60 - before) / 3;
    for (int i = 0; i < characters; ++i) whole += "€";
    EXPECT_EQ(shown, whole + "…\"");
  }
  // Invalid UTF-8 has no characters to keep whole.
  EXPECT_EQ(quoted_text(std::string(100, '\x80')), "\"" + std::string(60, '\x80') + "…\"");
}

TEST(Text, IsTheSameInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Machines have different locales; numbers must not depend on any.
  for (const char* name : {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    std::setlocale(LC_ALL, name);
    EXPECT_EQ(number_text(-1234.5, 5), "−1234.5") << name;
    EXPECT_EQ(fixed_text(0.5, 2), "0.50") << name;
    EXPECT_EQ(exact_text(2.5), "2.5") << name;
    EXPECT_EQ(parse_real("2.5"), 2.5) << name;
  }
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace attnscope
