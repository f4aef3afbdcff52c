// A GLSL program read from two files.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"

namespace attnscope::platform {

/// A linked pair of vertex and fragment shader. Needs a current OpenGL 3.3 context from `load` to the destructor.
class ShaderProgram {
 public:
  /// Reads, compiles and links. `definitions` (lines of GLSL) follow the #version line of both files: one file
  /// can hold several variants. Errors, one line each: a file that cannot be read (its path and why), or the first
  /// line of the compiler's or linker's log after the path of the file at fault.
  static Result<ShaderProgram> load(const std::filesystem::path& vertex_file,
                                    const std::filesystem::path& fragment_file, std::string_view definitions = {});

  ~ShaderProgram();
  ShaderProgram(ShaderProgram&& other) noexcept;
  ShaderProgram& operator=(ShaderProgram&& other) noexcept;
  ShaderProgram(const ShaderProgram&) = delete;
  ShaderProgram& operator=(const ShaderProgram&) = delete;

  /// Makes it the current program.
  void use() const;

  /// Location of a uniform for glUniform*; -1, which OpenGL ignores, if the program has no such uniform.
  [[nodiscard]] int uniform(const char* name) const;

 private:
  explicit ShaderProgram(unsigned name) : name_(name) {}

  unsigned name_ = 0;
};

}  // namespace attnscope::platform
