#include "figure/slices/moment_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "core/base/text.h"
#include "figure/slices/matrix.h"
#include "figure/slices/token_names.h"

namespace attnscope {
namespace {

using Part = Moment::Part;

constexpr std::size_t kMostPowers = 5;
constexpr std::size_t kMostNumbers = 3;

/// "(0.11, −0.30, 0.52, …)"
std::string few_numbers_text(std::span<const double> numbers) {
  std::vector<std::string> texts;
  for (const double each : numbers.first(std::min(numbers.size(), kMostNumbers))) texts.push_back(number_text(each, 2));
  if (numbers.size() > kMostNumbers) texts.emplace_back("…");
  return "(" + join(texts, ", ") + ")";
}

class MomentTerms {
 public:
  MomentTerms(const Trace& trace, const PlayedQuery& played, const Moment& moment)
      : trace_(trace), played_(played), moment_(moment), n_(played.numbers) {}

  std::vector<ArithmeticTerm> build() {
    switch (moment_.part) {
      case Part::products: products(); break;
      case Part::scores: score(); break;
      case Part::biased: changed("ALiBi penalty", *played_.parts.scores, *played_.parts.biased); break;
      case Part::masked: masked(); break;
      case Part::powers: powers(); break;
      case Part::weights: weight(); break;
      case Part::dropped: dropped(); break;
      case Part::values: values(); break;
      case Part::merged: row_of(*played_.parts.merged, "all heads"); break;
      case Part::output: row_of(*played_.parts.output, "output"); break;
    }
    return std::move(terms_);
  }

 private:
  void add(const std::string& sign, const std::string& caption, const std::string& value, Ink ink = Ink::text) {
    terms_.push_back({"moment." + std::to_string(terms_.size()), sign, caption, value, ink, {}});
  }

  /// "key 3 · sat"
  [[nodiscard]] std::string key_text(Index key) const {
    std::string number = "key " + std::to_string(key + 1);
    if (n_.key_labels.empty()) return number;
    const std::string& label = n_.key_labels[static_cast<std::size_t>(key)];
    return label == position_number(key) ? number : number + " · " + label;
  }

  void products() {
    const auto last = static_cast<std::size_t>(moment_.done - 1);
    const std::string dim = "_{" + std::to_string(moment_.done) + "}";
    add("", "q" + dim, number_text(n_.q[last]));
    add("×", "k" + dim + " of " + key_text(0), number_text(n_.k[last]));
    add("=", "product", number_text(n_.terms[last]));
    add("→", moment_.done < std::ssize(n_.sums) ? "sum so far" : "q · k", number_text(n_.sums[last]), Ink::accent);
  }

  void score() {
    const Index key = moment_.done - 1;
    std::vector<Index> at = n_.at;
    at.back() = key;
    const std::vector<double> k = key_numbers(trace_, n_.product, at);
    add("", "q · k of " + key_text(key), number_text(std::inner_product(k.begin(), k.end(), n_.q.begin(), 0.0)));
    const ContractOperation& product = *n_.product.product;
    if (!product.divisor_text.empty()) add("÷", product.divisor_text, number_text(product.divisor));
    add("=", "score", number_text(static_cast<double>(trace_.value(n_.product.scores, at))), Ink::accent);
  }

  /// The last key's score before and after.
  void changed(const std::string& by, const Step& before, const Step& after) {
    const std::vector<double> from = played_.row(trace_, before);
    const std::vector<double> to = played_.row(trace_, after);
    const Index key = n_.query() == 0 || std::ssize(from) == 1 ? std::ssize(from) - 1 : 0;
    const auto at = static_cast<std::size_t>(key);
    add("", "score of " + key_text(key), number_text(from[at]));
    add("−", by, number_text(from[at] - to[at]));
    add("=", "score", number_text(to[at]), Ink::accent);
  }

  void masked() {
    const auto hidden = std::find(n_.masked.begin(), n_.masked.end(), true) - n_.masked.begin();
    if (hidden == std::ssize(n_.masked)) return add("", "score of every key", "kept", Ink::dim);
    const std::vector<double> scores = played_.row(trace_, *played_.parts.masked);
    add("", "score of " + key_text(hidden), number_text(scores[static_cast<std::size_t>(hidden)]), Ink::accent);
  }

  /// What the softmax has for each key: the scores by the temperature.
  [[nodiscard]] std::vector<double> exponents() const {
    std::vector<double> numbers = n_.logits;
    for (double& each : numbers) each /= n_.product.temperature;
    return numbers;
  }

  /// The largest exponent, where powers of e would otherwise be too large or too small for a number; 0 elsewhere. It is
  /// subtracted from all exponents, which changes no weight.
  [[nodiscard]] static double shift_of(std::span<const double> exponents) {
    constexpr double kLargest = 80;
    const double most = *std::max_element(exponents.begin(), exponents.end());
    return std::isfinite(most) && std::abs(most) > kLargest ? most : 0;
  }

  void power(const std::string& sign, std::size_t key, double exponent, double shift) {
    const std::string power = number_text(std::exp(exponent - shift), 3);
    if (!n_.masked.empty() && n_.masked[key]) return add(sign, "masked", power, Ink::dim);
    const double temperature = n_.product.temperature;
    std::string text = number_text(n_.logits[key], 3);
    if (temperature != 1) text += " ÷ " + exact_text(temperature);
    if (shift != 0) text += (shift < 0 ? " + " : " − ") + number_text(std::abs(shift));
    add(sign, "e^{" + text + "}", power);
  }

  void powers() {
    const std::vector<double> all = exponents();
    const double shift = shift_of(all);
    double sum = 0;
    for (const double each : all) sum += std::exp(each - shift);
    const std::size_t shown = all.size() <= kMostPowers + 1 ? all.size() : kMostPowers;
    for (std::size_t i = 0; i < shown; ++i) power(i == 0 ? "" : "+", i, all[i], shift);
    if (shown < all.size()) add("+", std::to_string(all.size() - shown) + " more", "…", Ink::dim);
    add("=", "sum", number_text(sum, 3), Ink::accent);
  }

  void weight() {
    const std::vector<double> all = exponents();
    const double shift = shift_of(all);
    double sum = 0;
    for (const double each : all) sum += std::exp(each - shift);
    const auto most = std::max_element(n_.weights.begin(), n_.weights.end()) - n_.weights.begin();
    const auto at = static_cast<std::size_t>(most);
    power("", at, all[at], shift);
    add("÷", "sum", number_text(sum, 3));
    add("=", "weight of " + key_text(most), number_text(n_.weights[at]), Ink::accent);
  }

  void dropped() {
    const std::vector<double> left = played_.row(trace_, *played_.parts.dropped);
    const auto zero = std::find(left.begin(), left.end(), 0.0) - left.begin();
    const auto at = static_cast<std::size_t>(zero == std::ssize(left) ? 0 : zero);
    add("", "weight of " + key_text(static_cast<Index>(at)), number_text(n_.weights[at]));
    add("→", "after dropout", number_text(left[at]), Ink::accent);
  }

  void values() {
    const Index key = moment_.done - 1;
    const std::vector<double> factors = played_.row(trace_, played_.factors());
    add("", "weight of " + key_text(key), number_text(factors[static_cast<std::size_t>(key)], 3));
    add("×", "v of " + key_text(key), few_numbers_text(played_.value(trace_, key)));
    const bool all = moment_.done == n_.product.keys;
    add("→", all ? "output of the head" : "sum so far", few_numbers_text(blended_values(trace_, played_, moment_.done)),
        Ink::accent);
  }

  /// The numbers of the query in a tensor of the output.
  void row_of(const Step& step, const std::string& caption) {
    const std::optional<Region> row = query_row(played_, trace_, step);
    if (!row) return;
    const std::shared_ptr<const Tensor> numbers = trace_.numbers(*row);
    const std::vector<double> shown(numbers->values().begin(), numbers->values().end());
    add("", caption, few_numbers_text(shown), Ink::accent);
  }

  const Trace& trace_;
  const PlayedQuery& played_;
  const Moment& moment_;
  const DotNumbers& n_;
  std::vector<ArithmeticTerm> terms_;
};

}  // namespace

std::vector<ArithmeticTerm> moment_terms(const Trace& trace, const PlayedQuery& played, const Moment& moment) {
  return MomentTerms(trace, played, moment).build();
}

}  // namespace attnscope
