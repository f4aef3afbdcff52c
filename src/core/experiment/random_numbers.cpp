#include "core/experiment/random_numbers.h"

#include <map>
#include <numeric>
#include <string_view>

namespace attnscope {
namespace {

// Far enough from the seeds that somebody goes through one by one.
constexpr std::uint64_t kWeightsSeedAhead = 1000;

constexpr const char* kWeightsStay = "weights_stay";
constexpr const char* kRandomNumbers = "random_numbers";
constexpr const char* kSameLabel = "same_label";

bool chooses(const Experiment& e, std::string_view parameter, std::string_view choice) {
  const auto found = e.parameters.find(parameter);
  return found != e.parameters.end() && std::get<std::string>(found->second) == choice;
}

}  // namespace

bool is_of_random_numbers(const Parameter& parameter) {
  return parameter.name == kWeightsStay || parameter.name == kRandomNumbers || parameter.name == kSameLabel;
}

Parameter weights_stay_parameter() {
  return choice_parameter(
      kWeightsStay, "Weights stay",
      "Yes: the weights have a seed of their own and stay as they are with more or fewer tokens. No: they are drawn "
      "after the inputs, as in the source, and one more token gives other weights.",
      {"no", "yes"}, {"no", "yes"});
}

bool weights_stay(const Experiment& e) { return chooses(e, kWeightsStay, "yes"); }

std::uint64_t weights_seed(std::uint64_t seed) { return seed + kWeightsSeedAhead; }

Parameter random_numbers_parameter() {
  return choice_parameter(kRandomNumbers, "Range",
                          "The range of the inputs' and weights' random numbers: 0 to 1, as in the source, or −1 to 1.",
                          {"positive", "signed"}, {"0 to 1", "−1 to 1"});
}

double least_random_number(const Experiment& e) { return chooses(e, kRandomNumbers, "signed") ? -1 : 0; }

Parameter same_label_parameter() {
  return choice_parameter(kSameLabel, "Vectors",
                          "Whether tokens with the same label have the same vector, or each its own, as in the source.",
                          {"own_vector", "same_vector"}, {"per token", "per word"});
}

bool equal_labels_are_equal_vectors(const Experiment& e) { return chooses(e, kSameLabel, "same_vector"); }

std::vector<Index> same_vectors(const Experiment& e, Index tokens) {
  if (!equal_labels_are_equal_vectors(e)) return {};
  std::vector<Index> same(static_cast<std::size_t>(tokens));
  std::iota(same.begin(), same.end(), Index{0});
  std::map<std::string_view, Index> first;
  for (std::size_t i = 0; i < same.size() && i < e.labels.size(); ++i)
    same[i] = first.emplace(e.labels[i], static_cast<Index>(i)).first->second;
  return same;
}

}  // namespace attnscope
