// Choices about the random numbers of an experiment: whether the weights follow the inputs, and their range.
#pragma once

#include <cstdint>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/parameter.h"

namespace attnscope {

/// Whether it is one of the parameters here.
bool is_of_random_numbers(const Parameter& parameter);

/// Whether weights stay when the inputs change size: `weights_stay`. A notebook draws its weights after its inputs, from
/// the same seed, so that one more token gives other weights.
Parameter weights_stay_parameter();
/// False for systems without the parameter.
bool weights_stay(const Experiment& experiment);
/// The seed of weights that stay, for the experiment's seed. Not the same one: weights would repeat the inputs.
std::uint64_t weights_seed(std::uint64_t seed);

/// Uniform from 0 to 1, or from −1 to 1: `random_numbers`.
Parameter random_numbers_parameter();
/// 0 or −1.
double least_random_number(const Experiment& experiment);

/// Whether tokens with the same label have the same vector: `same_label`.
Parameter same_label_parameter();
bool equal_labels_are_equal_vectors(const Experiment& experiment);
/// Per token the one whose vector it has: the first with its label, or itself if it has none. Empty: each its own.
std::vector<Index> same_vectors(const Experiment& experiment, Index tokens);

}  // namespace attnscope
