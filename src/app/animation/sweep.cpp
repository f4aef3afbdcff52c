#include "app/animation/sweep.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"

namespace attnscope {
namespace {

using Values = std::vector<ParameterValue>;

tl::unexpected<Error> wrong(const Parameter& parameter, const std::string& trouble) {
  return fail(parameter.name + ": " + trouble, Error::Kind::usage);
}

Result<ParameterValue> value_of(const Parameter& parameter, std::string_view text) {
  Result<ParameterValue> value = parse_value(parameter, text);
  if (!value) return fail(value.error().message, Error::Kind::usage);
  return value;
}

tl::unexpected<Error> too_many(const Parameter& parameter, std::string_view text) {
  return wrong(parameter, quoted_text(text) + " has too many values; allowed: at most " + grouped_text(kMaxFrames));
}

tl::unexpected<Error> wrong_step(const Parameter& parameter, std::string_view step, const std::string& allowed) {
  return wrong(parameter, "a step of " + quoted_text(step) + " is not allowed; allowed: " + allowed);
}

/// Whether a step leads down where it has to, and only there; both ends and the step are as they were typed.
Result<void> check_direction(const Parameter& parameter, std::string_view text, bool is_down, bool leads_down) {
  if (is_down == leads_down) return {};
  return wrong(parameter,
               quoted_text(text) + " never reaches its end; allowed: a step " + (is_down ? "below" : "above") + " 0");
}

Result<Values> whole_numbers(const Parameter& parameter, std::string_view text, Index from, Index to,
                             std::optional<std::string_view> typed_step) {
  std::optional<Index> step = from <= to ? 1 : -1;
  if (typed_step) {
    step = parse_integer(*typed_step);
    if (!step || *step == 0) return wrong_step(parameter, *typed_step, "whole numbers other than 0");
    if (from != to) {
      if (const auto right = check_direction(parameter, text, to < from, *step < 0); !right)
        return tl::unexpected(right.error());
    }
  }
  const Index more = (to - from) / *step;
  if (more >= kMaxFrames) return too_many(parameter, text);
  Values values;
  values.reserve(static_cast<std::size_t>(more) + 1);
  for (Index i = 0; i <= more; ++i) values.emplace_back(i == 0 ? from : from + i * *step);
  return values;
}

Values fitting_between(const std::vector<Index>& fitting, Index from, Index to) {
  Values values;
  for (const Index value : fitting) {
    if (value >= std::min(from, to) && value <= std::max(from, to)) values.emplace_back(value);
  }
  if (to < from) std::reverse(values.begin(), values.end());
  return values;
}

/// To 12 digits of what is as large as `scale`.
double rounded(double value, double scale) {
  constexpr int digits = 12;
  const int decimals = std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(scale))), 0, 300);
  std::array<char, 700> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  const std::optional<double> read =
      error == std::errc() ? parse_real({buffer.data(), static_cast<std::size_t>(end - buffer.data())}) : std::nullopt;
  // No "−0" between negative and positive numbers.
  return read.value_or(value) + 0.0;
}

Result<Values> real_numbers(const Parameter& parameter, std::string_view text, double from, double to,
                            std::optional<std::string_view> typed_step) {
  constexpr double steps = 50;
  if (!std::isfinite(from) || !std::isfinite(to))
    return wrong(parameter, quoted_text(text) + " is not allowed; allowed: finite numbers");
  std::optional<double> step = (to - from) / steps;
  if (typed_step) {
    step = parse_real(*typed_step);
    if (!step || *step == 0 || !std::isfinite(*step)) return wrong_step(parameter, *typed_step, "numbers other than 0");
    if (from != to) {
      if (const auto right = check_direction(parameter, text, to < from, *step < 0); !right)
        return tl::unexpected(right.error());
    }
  }
  if (from == to) return Values{from};
  // A little more, for steps that come to the end but for a rounding.
  const double more = std::floor((to - from) / *step + 1e-9);
  if (!(more < static_cast<double>(kMaxFrames))) return too_many(parameter, text);
  const double scale = std::max(std::abs(from), std::abs(to));
  Values values;
  values.reserve(static_cast<std::size_t>(more) + 1);
  values.emplace_back(from);
  for (double i = 1; i <= more; ++i) {
    // Neither beyond the end, nor beside it.
    const double value = rounded(from + i * *step, scale);
    values.emplace_back(std::clamp(value, std::min(from, to), std::max(from, to)));
  }
  return values;
}

Result<Values> listed_values(const Parameter& parameter, std::string_view text) {
  const std::vector<std::string> words = split(text, ',');
  if (std::ssize(words) > kMaxFrames) return too_many(parameter, text);
  Values values;
  values.reserve(words.size());
  for (const std::string& word : words) {
    Result<ParameterValue> value = value_of(parameter, word);
    if (!value) return tl::unexpected(value.error());
    values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace

Result<Values> sweep_values(const Parameter& parameter, std::string_view text, const std::vector<Index>& fitting) {
  const bool whole = parameter.kind == Parameter::Kind::integer;
  const bool number = whole || parameter.kind == Parameter::Kind::real;
  if (!number || text.find(':') == std::string_view::npos) return listed_values(parameter, text);
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() > 3) {
    return wrong(parameter, quoted_text(text) +
                                " is not allowed; allowed: FROM:TO, FROM:TO:STEP, or numbers with commas "
                                "between them");
  }
  const Result<ParameterValue> from = value_of(parameter, parts[0]);
  if (!from) return tl::unexpected(from.error());
  const Result<ParameterValue> to = value_of(parameter, parts[1]);
  if (!to) return tl::unexpected(to.error());
  const std::optional<std::string_view> step =
      parts.size() == 3 ? std::optional<std::string_view>(parts[2]) : std::nullopt;
  if (!whole) return real_numbers(parameter, text, std::get<double>(*from), std::get<double>(*to), step);
  const Index first = std::get<Index>(*from);
  const Index last = std::get<Index>(*to);
  if (!step && !fitting.empty()) {
    Values values = fitting_between(fitting, first, last);
    if (std::ssize(values) > kMaxFrames) return too_many(parameter, text);
    if (!values.empty()) return values;
  }
  return whole_numbers(parameter, text, first, last, step);
}

std::vector<Index> fitting_values(const Experiment& experiment, const Parameter& parameter, Index largest) {
  std::vector<Index> found;
  if (!parameter.divides.empty()) found = divisors(experiment.integer(parameter.divides));
  for (const Parameter& part : find_system(experiment.system)->parameters) {
    if (part.divides != parameter.name) continue;
    const Index step = experiment.integer(part.name);
    for (Index value = step; value <= std::max(step, largest) && std::ssize(found) <= kMaxFrames; value += step)
      found.push_back(value);
  }
  return found;
}

Parameter seed_parameter() {
  Parameter seed =
      integer_parameter("seed", "Seed", "Seed of all random numbers, as in torch.manual_seed.", Index{42}, 0, 100);
  seed.maximum = 0x1p53;
  return seed;
}

Parameter discard_parameter() {
  Parameter discard = integer_parameter("discard", "Discard",
                                        "Raw random numbers discarded between inputs and weights.", Index{0}, 0, 100);
  discard.maximum = static_cast<double>(kMaxDiscard);
  return discard;
}

}  // namespace attnscope
