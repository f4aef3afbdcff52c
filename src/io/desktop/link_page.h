// Where links that the window copies lead to.
#pragma once

#include <string>

namespace attnscope {

/// The address before the # of a link: `kLinkPage` natively, that of the open page in a browser (link_page_web.cpp).
std::string link_page();

}  // namespace attnscope
