// In a browser there is no FreeType: Dear ImGui draws letters by its own means.
#pragma once

#include <imgui.h>

namespace ImGuiFreeType {

inline const ImFontBuilderIO* GetBuilderForFreeType() { return nullptr; }

}  // namespace ImGuiFreeType
