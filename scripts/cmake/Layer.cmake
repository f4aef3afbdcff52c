# attnscope_add_include_root(<target> <PUBLIC|PRIVATE> <folder>)
#
# Lets `target` write #include "<name of the folder>/…", and nothing else from beside that folder: its include path is a
# folder in the build tree that holds a single link. With src/ itself on the path every layer would see every other.
function(attnscope_add_include_root target visibility folder)
  get_filename_component(name "${folder}" NAME)
  set(root "${PROJECT_BINARY_DIR}/include_roots/${name}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${folder}" "${root}/${name}" SYMBOLIC)
  target_include_directories(${target} ${visibility} "${root}")
endfunction()

# attnscope_choose_sources(<list>)
#
# Leaves the files of `list` that belong to this platform. X_web.cpp takes the place of X.cpp in a browser; so does nothing for
# the files of ATTNSCOPE_DESKTOP_ONLY, whose headers only other such files include.
set(ATTNSCOPE_DESKTOP_ONLY io/canvas/cairo_canvas.cpp io/canvas/cairo_handle.cpp)
function(attnscope_choose_sources list)
  set(sources ${${list}})
  set(web ${sources})
  list(FILTER web INCLUDE REGEX "_web\\.cpp$")
  if(EMSCRIPTEN)
    list(TRANSFORM web REPLACE "_web\\.cpp$" ".cpp" OUTPUT_VARIABLE replaced)
    list(TRANSFORM ATTNSCOPE_DESKTOP_ONLY PREPEND "${PROJECT_SOURCE_DIR}/src/" OUTPUT_VARIABLE desktop_only)
    list(REMOVE_ITEM sources ${replaced} ${desktop_only})
  elseif(web)
    list(REMOVE_ITEM sources ${web})
  endif()
  set(${list} ${sources} PARENT_SCOPE)
endfunction()

# attnscope_add_layer(<name> [PUBLIC <library>…] [PRIVATE <library>…])
#
# The static library attnscope_<name> of everything in src/<name>/ that belongs to this platform. Libraries that its headers mention are PUBLIC; those
# that only its .cpp files use are PRIVATE, and then the layers above cannot include them either.
function(attnscope_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 link "" "" "PUBLIC;PRIVATE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  attnscope_choose_sources(sources)
  add_library(attnscope_${name} STATIC ${sources})
  attnscope_add_include_root(attnscope_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src/${name}")
  target_link_libraries(attnscope_${name} PUBLIC ${link_PUBLIC} PRIVATE ${link_PRIVATE} attnscope_options)
endfunction()
