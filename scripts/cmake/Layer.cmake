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

# attnscope_add_layer(<name> [PUBLIC <library>…] [PRIVATE <library>…])
#
# The static library attnscope_<name> of everything in src/<name>/. Libraries that its headers mention are PUBLIC; those
# that only its .cpp files use are PRIVATE, and then the layers above cannot include them either.
function(attnscope_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 link "" "" "PUBLIC;PRIVATE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  if(NOT EMSCRIPTEN)
    list(FILTER sources EXCLUDE REGEX "_web\\.cpp$")
  endif()
  add_library(attnscope_${name} STATIC ${sources})
  attnscope_add_include_root(attnscope_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src/${name}")
  target_link_libraries(attnscope_${name} PUBLIC ${link_PUBLIC} PRIVATE ${link_PRIVATE} attnscope_options)
endfunction()
