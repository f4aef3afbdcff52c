// A page ends when its tab is closed, or hidden and forgotten: the browser says so before.
#include "app/jobs/ending.h"
#include "io/desktop/page_web.h"

namespace attnscope {

EndingWatch::EndingWatch() = default;
EndingWatch::~EndingWatch() { page::set_last_act({}); }

void EndingWatch::set_last_act(std::function<void()> act) { page::set_last_act(std::move(act)); }

}  // namespace attnscope
