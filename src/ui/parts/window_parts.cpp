#include "ui/parts/window_parts.h"

#include <imgui.h>

#include "ui/imgui/style.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {

void WindowParts::add(Rgb background, const Rect& place) {
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const auto x = static_cast<double>(scale.x);
  const auto y = static_cast<double>(scale.y);
  areas_.push_back({{place.x * x, place.y * y, place.right() * x, place.bottom() * y}, rgba(background)});
}

void WindowParts::begin(const char* name, const Rect& place, int flags, Rgb background, Point padding) {
  add(background, place);
  panels_.push_back(name);
  begin_panel(name, place, flags, ImVec2(static_cast<float>(padding.x), static_cast<float>(padding.y)));
}

}  // namespace attnscope::ui
