# The libraries of the program in a browser (preset `web`), compiled by Emscripten: the sources of one known release each.
# scripts/web puts those of Debian's packages into ATTNSCOPE_WEB_SOURCES instead. They are compiled by the lines below and
# not by their own build files, which look for a system that is not there. Everything here is SYSTEM: no warnings from
# headers that are not ours.

include(FetchContent)
set(ATTNSCOPE_WEB_SOURCES "${PROJECT_SOURCE_DIR}/build/web-sources" CACHE PATH "Sources that need not be fetched")
set(desktop_libraries)
add_library(Threads::Threads INTERFACE IMPORTED)  # there are none

# attnscope_sources(<name> <repository> <tag>): the sources are in ${<name>_SOURCE_DIR}.
macro(attnscope_sources name repository tag)
  if(IS_DIRECTORY "${ATTNSCOPE_WEB_SOURCES}/${name}")
    string(TOUPPER ${name} upper)
    set(FETCHCONTENT_SOURCE_DIR_${upper} "${ATTNSCOPE_WEB_SOURCES}/${name}")
  endif()
  FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON
    SOURCE_SUBDIR none)  # no such folder: FetchContent then builds nothing
  FetchContent_MakeAvailable(${name})
endmacro()

# attnscope_header_library(<target> <folder>)
function(attnscope_header_library target folder)
  string(REPLACE "::" "_" plain ${target})
  add_library(${plain} INTERFACE)
  target_include_directories(${plain} SYSTEM INTERFACE "${folder}")
  add_library(${target} ALIAS ${plain})
endfunction()

attnscope_sources(eigen3 https://gitlab.com/libeigen/eigen.git 3.4.0)
attnscope_header_library(Eigen3::Eigen "${eigen3_SOURCE_DIR}")
attnscope_sources(tl_expected https://github.com/TartanLlama/expected.git v1.1.0)
attnscope_header_library(tl::expected "${tl_expected_SOURCE_DIR}/include")
attnscope_sources(nlohmann_json https://github.com/nlohmann/json.git v3.11.3)
attnscope_header_library(nlohmann_json::nlohmann_json "${nlohmann_json_SOURCE_DIR}/include")
attnscope_sources(cli11 https://github.com/CLIUtils/CLI11.git v2.4.2)
attnscope_header_library(CLI11::CLI11 "${cli11_SOURCE_DIR}/include")

attnscope_sources(zlib https://github.com/madler/zlib.git v1.3.1)
file(GLOB zlib_sources "${zlib_SOURCE_DIR}/*.c")
add_library(zlib STATIC ${zlib_sources})
target_include_directories(zlib SYSTEM PUBLIC "${zlib_SOURCE_DIR}")
target_compile_definitions(zlib PRIVATE HAVE_UNISTD_H)
add_library(ZLIB::ZLIB ALIAS zlib)

attnscope_sources(libpng https://github.com/pnggroup/libpng.git v1.6.48)
set(png_sources png pngerror pngget pngmem pngpread pngread pngrio pngrtran pngrutil pngset pngtrans pngwio pngwrite pngwtran
  pngwutil)
list(TRANSFORM png_sources PREPEND "${libpng_SOURCE_DIR}/")
list(TRANSFORM png_sources APPEND ".c")
configure_file("${libpng_SOURCE_DIR}/scripts/pnglibconf.h.prebuilt" "${PROJECT_BINARY_DIR}/libpng/pnglibconf.h" COPYONLY)
add_library(png STATIC ${png_sources})
target_include_directories(png SYSTEM PUBLIC "${libpng_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/libpng")
target_link_libraries(png PUBLIC zlib)
add_library(PNG::PNG ALIAS png)

attnscope_sources(pcre2 https://github.com/PCRE2Project/pcre2.git pcre2-10.45)
set(pcre2_dir "${PROJECT_BINARY_DIR}/pcre2")
configure_file("${pcre2_SOURCE_DIR}/src/config.h.generic" "${pcre2_dir}/config.h" COPYONLY)
configure_file("${pcre2_SOURCE_DIR}/src/pcre2.h.generic" "${pcre2_dir}/pcre2.h" COPYONLY)
configure_file("${pcre2_SOURCE_DIR}/src/pcre2_chartables.c.dist" "${pcre2_dir}/pcre2_chartables.c" COPYONLY)
file(GLOB pcre2_sources "${pcre2_SOURCE_DIR}/src/pcre2_*.c")
# A program, its parts, and files that others include.
list(FILTER pcre2_sources EXCLUDE REGEX "_(dftables|jit_.*|printint.*|fuzzsupport|ucptables|tables_inc)\\.c$")
add_library(pcre2 STATIC ${pcre2_sources} "${pcre2_SOURCE_DIR}/src/pcre2_jit_compile.c" "${pcre2_dir}/pcre2_chartables.c")
target_include_directories(pcre2 SYSTEM PUBLIC "${pcre2_dir}" PRIVATE "${pcre2_SOURCE_DIR}/src")
target_compile_definitions(pcre2
  PUBLIC PCRE2_CODE_UNIT_WIDTH=8 PRIVATE HAVE_CONFIG_H SUPPORT_UNICODE SUPPORT_PCRE2_8 PCRE2_STATIC)
add_library(PkgConfig::pcre2 ALIAS pcre2)

# GLFW is a part of Emscripten, and so are the functions of OpenGL ES.
add_library(glfw INTERFACE)
target_link_options(glfw INTERFACE -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)
add_library(glad INTERFACE)
target_include_directories(glad SYSTEM INTERFACE "${PROJECT_SOURCE_DIR}/src/web/headers")

attnscope_sources(imgui_source https://github.com/ocornut/imgui.git v1.91.9b)
file(GLOB imgui_sources "${imgui_source_SOURCE_DIR}/*.cpp")
add_library(imgui STATIC ${imgui_sources}
  "${imgui_source_SOURCE_DIR}/backends/imgui_impl_glfw.cpp"
  "${imgui_source_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp"
  "${imgui_source_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp")
target_include_directories(imgui SYSTEM PUBLIC  # so that every header has the name that it has in Debian
  "${imgui_source_SOURCE_DIR}" "${imgui_source_SOURCE_DIR}/backends" "${imgui_source_SOURCE_DIR}/misc/cpp"
  "${PROJECT_SOURCE_DIR}/src/web/headers")
target_link_libraries(imgui PUBLIC glfw)

# Not written to be compiled together; and their warnings are not ours.
set_target_properties(zlib png pcre2 imgui PROPERTIES UNITY_BUILD OFF COMPILE_WARNING_AS_ERROR OFF)
foreach(library IN ITEMS zlib png pcre2 imgui)
  target_compile_options(${library} PRIVATE -w)
endforeach()
