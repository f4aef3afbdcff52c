#include "ui/imgui/imgui_host.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include "platform/gl/window.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/text_field.h"

namespace attnscope::ui {

ImGuiHost::ImGuiHost(GLFWwindow* window) : context_(ImGui::CreateContext()), has_window_(window != nullptr) {
  ImGuiIO& io = ImGui::GetIO();
  // ImGui must not write its settings into the current folder.
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  // A blinking cursor would keep an idle window busy.
  io.ConfigInputTextCursorBlink = false;
  if (has_window_) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    // ImGui would replace what its fields cannot hold.
    platform::call_for_characters(window, [](GLFWwindow* typed_in, unsigned character) {
      ImGui_ImplGlfw_CharCallback(typed_in, typed_in_field(character));
    });
  } else {
    feed_key_map();
  }
  texts_.emplace();
  ImGui_ImplOpenGL3_Init(platform::shader_version());
}

ImGuiHost::~ImGuiHost() {
  ImGui_ImplOpenGL3_Shutdown();
  if (has_window_) ImGui_ImplGlfw_Shutdown();
}

void ImGuiHost::new_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  if (has_window_) ImGui_ImplGlfw_NewFrame();
  let_enter_press();
  close_menu_without_window();
  ImGui::NewFrame();
}

void ImGuiHost::drop_frame() { ImGui::EndFrame(); }

void ImGuiHost::render() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void ImGuiHost::refresh_fonts() {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
}

}  // namespace attnscope::ui
