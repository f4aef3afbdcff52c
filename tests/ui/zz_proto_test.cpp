#include <cstdio>
#include "interface_test.h"
namespace attnscope::test { namespace {
class ProtoT : public Interface {};
TEST_F(ProtoT, P) {
  for (const char* system : {"worked-example", "packed-multihead"}) {
  InterfaceOptions o; o.width = 1500; o.height = 1100; o.experiment = *default_experiment(system);
  start(o);
  screen().settle(); screen().key('I'); screen().settle();
  for (const View& view : views()) {
    try { if (view.name != screen().experiment().view.name) open_view(view.name);} catch (...) { printf("no %s\n", std::string(view.name).c_str()); continue; }
    screen().move({-100,-100}); screen().settle();
    const auto t = screen().transform(); const auto& f = screen().workbench().figure(); auto p = screen().picture_place();
    printf("%s %s fig %.3f x %.3f scale %.4f off %.3f %.3f place %.1f %.1f %.1f %.1f\n", system, std::string(view.name).c_str(), f.width, f.height, t.scale, t.offset.x, t.offset.y, p.x,p.y,p.width,p.height);
  }}
}
}}
