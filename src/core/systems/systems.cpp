#include "core/systems/systems.h"

#include <algorithm>

namespace attnscope {
namespace {

System with_common_parameters(System system) {
  for (Parameter& parameter : common_parameters()) system.parameters.push_back(std::move(parameter));
  return system;
}

}  // namespace

std::span<const System> systems() {
  static const std::vector<System> list = {
      with_common_parameters(worked_example()),       with_common_parameters(scaled_dot_product()),
      with_common_parameters(image_self_attention()), with_common_parameters(image_multihead()),
      with_common_parameters(packed_multihead()),     with_common_parameters(conv_attention()),
      with_common_parameters(projected_multihead()),  with_common_parameters(stacked_multihead()),
  };
  return list;
}

const System* find_system(std::string_view name) {
  const std::span<const System> all = systems();
  const auto found = std::find_if(all.begin(), all.end(), [&](const System& system) { return system.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace attnscope
