// The clipboard of a browser is the page's. These take the place of the functions that GLFW has of these names.
#include <string>

#include "io/desktop/page_web.h"

struct GLFWwindow;

extern "C" {

// NOLINTNEXTLINE(readability-identifier-naming): GLFW's name
const char* glfwGetClipboardString(GLFWwindow* /*window*/) {
  static std::string text;
  text = attnscope::page::pasted_text();
  return text.c_str();
}

// NOLINTNEXTLINE(readability-identifier-naming): GLFW's name
void glfwSetClipboardString(GLFWwindow* /*window*/, const char* text) { attnscope::page::copy_text(text); }

}  // extern "C"
