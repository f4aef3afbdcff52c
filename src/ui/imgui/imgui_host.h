// The ImGui context with its OpenGL backend, in a window or without one.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>

#include "ui/imgui/text_field.h"

struct GLFWwindow;

namespace attnscope::ui {

/// Owns the ImGui context. The OpenGL context is current and outlives it.
class ImGuiHost {
 public:
  /// With a window, its input goes to ImGui; without one (`window` null), the caller feeds `ImGui::GetIO()`.
  explicit ImGuiHost(GLFWwindow* window);
  ~ImGuiHost();
  ImGuiHost(const ImGuiHost&) = delete;
  ImGuiHost& operator=(const ImGuiHost&) = delete;

  /// Starts a frame. Without a window, display size and time step are as the caller set them.
  void new_frame();
  /// Ends the frame without drawing it.
  void drop_frame();
  /// Ends the frame and draws it on the bound framebuffer.
  void render();
  /// Rebuilds the font texture after fonts were loaded; between frames.
  void refresh_fonts();

 private:
  struct ContextDeleter {
    void operator()(ImGuiContext* context) const { ImGui::DestroyContext(context); }
  };
  std::optional<ContextTexts> texts_;  ///< until the context is gone
  std::unique_ptr<ImGuiContext, ContextDeleter> context_;
  bool has_window_;
};

}  // namespace attnscope::ui
