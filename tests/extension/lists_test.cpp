// The lists of this test program. They take the place of view_list.cpp, system_list.cpp and measure_list.cpp, and
// differ from those by the line that CONTRIBUTING.md asks for.
#include "core/heads/measure.h"
#include "core/systems/systems.h"
#include "figure/views/view.h"

namespace attnscope {

#define ATTNSCOPE_VIEW(make) View make();
#include "views.inc"
#undef ATTNSCOPE_VIEW

std::vector<View> make_views() {
  return {
#define ATTNSCOPE_VIEW(make) make(),
#include "views.inc"
#undef ATTNSCOPE_VIEW
  };
}

#define ATTNSCOPE_SYSTEM(make) System make();
#include "systems.inc"
#undef ATTNSCOPE_SYSTEM

std::vector<System> make_systems() {
  return {
#define ATTNSCOPE_SYSTEM(make) make(),
#include "systems.inc"
#undef ATTNSCOPE_SYSTEM
  };
}

#define ATTNSCOPE_MEASURE(make) Measure make();
#include "measures.inc"
#undef ATTNSCOPE_MEASURE

std::vector<Measure> make_measures() {
  return {
#define ATTNSCOPE_MEASURE(make) make(),
#include "measures.inc"
#undef ATTNSCOPE_MEASURE
  };
}

}  // namespace attnscope
