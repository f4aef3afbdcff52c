# The libraries the program stands on: the system's package where there is one, otherwise the source of one known
# release. Everything here is SYSTEM: no warnings from headers that are not ours.

if(EMSCRIPTEN)
  include(DependenciesWeb)
  return()
endif()

include(FetchContent)
find_package(PkgConfig REQUIRED)

# Libraries that every desktop has and nobody builds beside their program.
find_package(Threads REQUIRED)
find_package(Freetype REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(egl REQUIRED IMPORTED_TARGET egl)
pkg_check_modules(fontconfig REQUIRED IMPORTED_TARGET fontconfig)
pkg_check_modules(gio REQUIRED IMPORTED_TARGET gio-2.0)
pkg_check_modules(pangocairo REQUIRED IMPORTED_TARGET pangocairo)
pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8)
set(desktop_libraries PkgConfig::pangocairo PkgConfig::fontconfig PkgConfig::gio)

# Its functions take std::string, and Debian builds it with libstdc++: it cannot serve a program with another standard
# library. Without it, tokenizers in *.model files are not read. Its pkg-config file names the trainer as well.
set(sentencepiece_default ON)
if(CMAKE_CXX_FLAGS MATCHES "-stdlib=libc\\+\\+")
  set(sentencepiece_default OFF)
endif()
option(ATTNSCOPE_SENTENCEPIECE "Read tokenizers in *.model files, where SentencePiece is found" ${sentencepiece_default})
if(ATTNSCOPE_SENTENCEPIECE)
  find_path(SENTENCEPIECE_INCLUDE_DIR sentencepiece_processor.h)
  find_library(SENTENCEPIECE_LIBRARY sentencepiece)
  # From 0.2.1 on, its header uses Abseil, which its package does not bring along.
  set(sentencepiece_needs)
  if(SENTENCEPIECE_INCLUDE_DIR)
    file(STRINGS "${SENTENCEPIECE_INCLUDE_DIR}/sentencepiece_processor.h" abseil_headers REGEX "include <absl/")
    if(abseil_headers)
      find_package(absl CONFIG QUIET)
      set(sentencepiece_needs absl::status)
    endif()
  endif()
  if(sentencepiece_needs AND NOT TARGET ${sentencepiece_needs})
    message(WARNING "SentencePiece is here without Abseil, which it needs: tokenizers in *.model files are not read")
  elseif(SENTENCEPIECE_INCLUDE_DIR AND SENTENCEPIECE_LIBRARY)
    add_library(sentencepiece UNKNOWN IMPORTED)
    set_target_properties(sentencepiece PROPERTIES IMPORTED_LOCATION "${SENTENCEPIECE_LIBRARY}")
    target_include_directories(sentencepiece INTERFACE "${SENTENCEPIECE_INCLUDE_DIR}")
    target_link_libraries(sentencepiece INTERFACE ${sentencepiece_needs})
  endif()
endif()

# Switches of the fetched projects: the library only, no tests, documentation or installation of theirs.
set(BUILD_TESTING OFF)
set(EXPECTED_BUILD_TESTS OFF)
set(GLFW_BUILD_DOCS OFF)
set(GLFW_BUILD_EXAMPLES OFF)
set(GLFW_BUILD_TESTS OFF)
set(GLFW_INSTALL OFF)

# attnscope_declare(<package> <repository> <tag>): the package as find_package knows it, or the tag of the repository.
macro(attnscope_declare package repository tag)
  FetchContent_Declare(${package} SYSTEM
    GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON
    FIND_PACKAGE_ARGS)
endmacro()

attnscope_declare(Eigen3 https://gitlab.com/libeigen/eigen.git 3.4.0)  # no least version: 5.0 follows 3.4
attnscope_declare(tl-expected https://github.com/TartanLlama/expected.git v1.1.0)
attnscope_declare(nlohmann_json https://github.com/nlohmann/json.git v3.11.3)
attnscope_declare(glfw3 https://github.com/glfw/glfw.git 3.4)
attnscope_declare(CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
FetchContent_MakeAvailable(Eigen3 tl-expected nlohmann_json glfw3 CLI11)

if(ATTNSCOPE_TESTS)
  set(INSTALL_GTEST OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_ENABLE_TESTING OFF)
  attnscope_declare(GTest https://github.com/google/googletest.git v1.15.2)
  attnscope_declare(benchmark https://github.com/google/benchmark.git v1.9.1)
  FetchContent_MakeAvailable(GTest benchmark)
endif()

# glad: the functions of OpenGL 3.3, written out by a program of Python; no loader of its own, so that the same code
# serves a GLFW window and an EGL context: gladLoadGL(…GetProcAddress). /usr/bin first: the `glad` of a virtual
# environment may lack what it needs.
find_program(ATTNSCOPE_GLAD glad HINTS /usr/bin DOC "glad 2, the OpenGL loader generator")
if(ATTNSCOPE_GLAD)
  set(glad_dir "${PROJECT_BINARY_DIR}/glad")
  add_custom_command(
    OUTPUT "${glad_dir}/src/gl.c" "${glad_dir}/include/glad/gl.h" "${glad_dir}/include/KHR/khrplatform.h"
    COMMAND "${ATTNSCOPE_GLAD}" --quiet --reproducible --api gl:core=3.3 --extensions GL_KHR_debug
            --out-path "${glad_dir}" c
    COMMENT "Generating the OpenGL 3.3 loader"
    VERBATIM)
  add_library(glad STATIC "${glad_dir}/src/gl.c" "${glad_dir}/include/glad/gl.h")
  target_include_directories(glad SYSTEM PUBLIC "${glad_dir}/include")
else()
  FetchContent_Declare(glad SYSTEM
    GIT_REPOSITORY https://github.com/Dav1dde/glad.git GIT_TAG v2.0.8 GIT_SHALLOW ON
    SOURCE_SUBDIR cmake)
  FetchContent_MakeAvailable(glad)
  glad_add_library(glad STATIC REPRODUCIBLE API gl:core=3.3 EXTENSIONS GL_KHR_debug)
endif()

# Dear ImGui, with its GLFW and OpenGL 3 backends, the FreeType font builder and imgui_stdlib. Debian's static library
# holds all of them, and more backends that are never linked; its pkg-config file names neither GLFW nor FreeType.
set(imgui_needs glfw Freetype::Freetype ${CMAKE_DL_LIBS})
pkg_check_modules(imgui imgui>=1.86)
if(imgui_FOUND)
  pkg_check_modules(stb REQUIRED IMPORTED_TARGET stb)
  find_library(IMGUI_LIBRARY imgui HINTS ${imgui_LIBRARY_DIRS} REQUIRED)
  add_library(imgui UNKNOWN IMPORTED)
  set_target_properties(imgui PROPERTIES IMPORTED_LOCATION "${IMGUI_LIBRARY}")
  target_include_directories(imgui INTERFACE ${imgui_INCLUDE_DIRS})
  target_link_libraries(imgui INTERFACE PkgConfig::stb ${imgui_needs})
else()
  FetchContent_Declare(imgui_source
    GIT_REPOSITORY https://github.com/ocornut/imgui.git GIT_TAG v1.92.2b GIT_SHALLOW ON)
  FetchContent_MakeAvailable(imgui_source)
  file(GLOB imgui_sources "${imgui_source_SOURCE_DIR}/*.cpp")
  add_library(imgui STATIC ${imgui_sources}
    "${imgui_source_SOURCE_DIR}/backends/imgui_impl_glfw.cpp"
    "${imgui_source_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp"
    "${imgui_source_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp"
    "${imgui_source_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp")
  target_include_directories(imgui SYSTEM PUBLIC  # so that every header has the name that it has in Debian
    "${imgui_source_SOURCE_DIR}" "${imgui_source_SOURCE_DIR}/misc/cpp" "${imgui_source_SOURCE_DIR}/misc/freetype")
  target_link_libraries(imgui PUBLIC ${imgui_needs})
endif()
