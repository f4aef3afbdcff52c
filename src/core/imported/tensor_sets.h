// Which tensors of a file belong together, as their names suggest. Private to this room.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/experiment/imported_tensors.h"
#include "core/imported/tensor_roles.h"

namespace attnscope {

/// The groups of tensors that the names in a file suggest.
struct TensorSets {
  struct Candidate {
    std::size_t which = 0;
    NamedRole named;
    FirstAxis first = FirstAxis::unknown;
  };
  /// Tensors that belong together, by role; one per layer.
  using Group = std::map<TensorRole, std::vector<Candidate>>;

  std::map<std::string, std::vector<Group>> groups;  ///< by use
  bool shown = false;                                ///< whether any tensor can be shown
  bool of_model = false;                             ///< most tensors are parameters of a model, and none is attention
};

/// Whether the tensor has numbers that can be read.
bool has_numbers(const ImportedTensor& tensor);

/// The tensor's name; an array without a name is named after its file.
std::string name_in(const ImportedTensors& given, std::size_t which);

/// The role of the main tensors of a value of the parameter `use`.
TensorRole role_of_use(const std::string& use);

std::shared_ptr<const TensorSets> make_sets(const ImportedTensors& given);

}  // namespace attnscope
