#include "io/desktop/link_page.h"
#include "io/desktop/page_web.h"

namespace attnscope {

std::string link_page() { return page::address(); }

}  // namespace attnscope
