#include "core/heads/measure.h"

namespace attnscope {

#define ATTNSCOPE_MEASURE(make) Measure make();
#include "core/heads/measures.inc"
#undef ATTNSCOPE_MEASURE

std::vector<Measure> make_measures() {
  return {
#define ATTNSCOPE_MEASURE(make) make(),
#include "core/heads/measures.inc"
#undef ATTNSCOPE_MEASURE
  };
}

}  // namespace attnscope
