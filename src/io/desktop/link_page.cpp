#include "io/desktop/link_page.h"

#include "io/experiments/experiment_link.h"

namespace attnscope {

std::string link_page() { return std::string(kLinkPage); }

}  // namespace attnscope
