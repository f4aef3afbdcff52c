#include "platform/gl/shader.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "platform/gl/gl.h"

namespace attnscope::platform {
namespace {

/// Owns one compiled shader until its program is linked.
class Shader {
 public:
  explicit Shader(GLenum stage) : name_(glCreateShader(stage)) {}
  ~Shader() { glDeleteShader(name_); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

  [[nodiscard]] GLuint name() const { return name_; }

 private:
  GLuint name_;
};

Result<std::string> read_source(const std::filesystem::path& file) {
  // A folder opens like a file but reads as empty.
  if (std::filesystem::is_directory(file)) return fail(file.string() + ": is a folder, not a shader");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(file.string() + ": cannot be read: " + std::strerror(errno != 0 ? errno : EIO));
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// The first non-empty line of a driver's log.
std::string first_line(const std::string& log) {
  const std::size_t begin = log.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || log[begin] == '\0') return "the driver gave no reason";
  return log.substr(begin, log.find_first_of(std::string("\r\n\0", 3), begin) - begin);
}

Result<void> compile(const Shader& shader, const std::filesystem::path& file, std::string_view definitions) {
  Result<std::string> source = read_source(file);
  if (!source) return fail(source.error().message);
  if (!definitions.empty()) {
    // #line keeps the line numbers of the file in errors.
    const std::size_t newline = source->find('\n');
    source->insert(newline == std::string::npos ? source->size() : newline + 1,
                   std::string(definitions) + "\n#line 2\n");
  }
  const char* text = source->c_str();
  glShaderSource(shader.name(), 1, &text, nullptr);
  glCompileShader(shader.name());

  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return {};
  std::string log(4096, '\0');
  glGetShaderInfoLog(shader.name(), static_cast<GLsizei>(log.size()), nullptr, log.data());
  return fail(file.string() + ": " + first_line(log));
}

}  // namespace

Result<ShaderProgram> ShaderProgram::load(const std::filesystem::path& vertex_file,
                                          const std::filesystem::path& fragment_file, std::string_view definitions) {
  const Shader vertex(GL_VERTEX_SHADER);
  const Shader fragment(GL_FRAGMENT_SHADER);
  if (const Result<void> done = compile(vertex, vertex_file, definitions); !done) return fail(done.error().message);
  if (const Result<void> done = compile(fragment, fragment_file, definitions); !done) return fail(done.error().message);

  ShaderProgram program(glCreateProgram());
  glAttachShader(program.name_, vertex.name());
  glAttachShader(program.name_, fragment.name());
  glLinkProgram(program.name_);
  glDetachShader(program.name_, vertex.name());
  glDetachShader(program.name_, fragment.name());

  GLint linked = GL_FALSE;
  glGetProgramiv(program.name_, GL_LINK_STATUS, &linked);
  if (linked == GL_TRUE) return program;
  std::string log(4096, '\0');
  glGetProgramInfoLog(program.name_, static_cast<GLsizei>(log.size()), nullptr, log.data());
  return fail(fragment_file.string() + ": does not link with " + vertex_file.filename().string() + ": " +
              first_line(log));
}

ShaderProgram::~ShaderProgram() {
  if (name_ != 0) glDeleteProgram(name_);
}

ShaderProgram::ShaderProgram(ShaderProgram&& other) noexcept : name_(std::exchange(other.name_, 0)) {}

ShaderProgram& ShaderProgram::operator=(ShaderProgram&& other) noexcept {
  std::swap(name_, other.name_);
  return *this;
}

void ShaderProgram::use() const { glUseProgram(name_); }

int ShaderProgram::uniform(const char* name) const { return glGetUniformLocation(name_, name); }

}  // namespace attnscope::platform
