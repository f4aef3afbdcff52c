#include "figure/views/view.h"

namespace attnscope {

#define ATTNSCOPE_VIEW(make) View make();
#include "figure/views/views.inc"
#undef ATTNSCOPE_VIEW

std::vector<View> make_views() {
  return {
#define ATTNSCOPE_VIEW(make) make(),
#include "figure/views/views.inc"
#undef ATTNSCOPE_VIEW
  };
}

}  // namespace attnscope
