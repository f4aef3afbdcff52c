#include "core/systems/systems.h"

namespace attnscope {

#define ATTNSCOPE_SYSTEM(make) System make();
#include "core/systems/systems.inc"
#undef ATTNSCOPE_SYSTEM

std::vector<System> make_systems() {
  return {
#define ATTNSCOPE_SYSTEM(make) make(),
#include "core/systems/systems.inc"
#undef ATTNSCOPE_SYSTEM
  };
}

}  // namespace attnscope
