# The programs that Emscripten links: the command line under Node.js, which tests compare with the native program.

set(web_link_options
  -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=4MB)

# It reads and writes the files of the machine.
add_executable(attnscope_node "${PROJECT_SOURCE_DIR}/tests/web/command_line.cpp")
target_link_libraries(attnscope_node PRIVATE attnscope_app attnscope_options)
target_compile_definitions(attnscope_node PRIVATE ATTNSCOPE_VERSION="${PROJECT_VERSION}")
target_link_options(attnscope_node PRIVATE ${web_link_options}
  -sENVIRONMENT=node -sNODERAWFS -sEXIT_RUNTIME -sEXPORTED_FUNCTIONS=_main,_malloc,_free "--pre-js=${PROJECT_SOURCE_DIR}/tests/web/environment.js")
