# The programs that Emscripten links: the page, and the command line under Node.js, which tests compare with the native
# program.

set(web_link_options
  -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=4MB)

# It reads and writes the files of the machine.
add_executable(attnscope_node "${PROJECT_SOURCE_DIR}/tests/web/command_line.cpp")
target_link_libraries(attnscope_node PRIVATE attnscope_app attnscope_options)
target_compile_definitions(attnscope_node PRIVATE ATTNSCOPE_VERSION="${PROJECT_VERSION}")
target_link_options(attnscope_node PRIVATE ${web_link_options}
  -sENVIRONMENT=node -sNODERAWFS -sEXIT_RUNTIME -sEXPORTED_FUNCTIONS=_main,_malloc,_free "--pre-js=${PROJECT_SOURCE_DIR}/tests/web/environment.js")

# What the page's program finds in /data. Shaders have the first lines that WebGL wants, on as many lines as before.
set(web_data "${PROJECT_BINARY_DIR}/data")
file(GLOB shaders "${PROJECT_SOURCE_DIR}/shaders/*")
foreach(shader IN LISTS shaders)
  get_filename_component(name "${shader}" NAME)
  file(READ "${shader}" text)
  string(REGEX REPLACE "^#version [^\n]*\n" "#version 300 es\nprecision highp float; precision highp int; \
precision highp sampler2D; precision highp usampler2D;\n#line 2\n" text "${text}")
  file(CONFIGURE OUTPUT "${web_data}/shaders/${name}" CONTENT "${text}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${shader}")
endforeach()
file(GLOB_RECURSE lessons CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/assets/lessons/*")
foreach(lesson IN LISTS lessons)
  configure_file("${PROJECT_SOURCE_DIR}/${lesson}" "${web_data}/${lesson}" COPYONLY)
endforeach()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(fonts)
foreach(font IN ITEMS Inter-Regular.otf Inter-SemiBold.otf DejaVuSans.ttf)
  file(GLOB_RECURSE found "/usr/share/fonts/*/${font}")
  if(NOT found)
    message(FATAL_ERROR "The font ${font} is missing: Debian's packages fonts-inter and fonts-dejavu-core have it.")
  endif()
  list(GET found 0 found)
  list(APPEND fonts "${found}")
endforeach()
set(web_fonts "${PROJECT_SOURCE_DIR}/scripts/web_fonts")
add_custom_command(OUTPUT "${web_data}/fonts/DejaVuSans.ttf" DEPENDS "${web_fonts}" ${fonts}
  COMMAND "${Python3_EXECUTABLE}" "${web_fonts}" "${web_data}/fonts" ${fonts} VERBATIM)
add_custom_target(attnscope_page_data DEPENDS "${web_data}/fonts/DejaVuSans.ttf")

set(page "${PROJECT_BINARY_DIR}/page")
add_executable(attnscope_page "${PROJECT_SOURCE_DIR}/src/main.cpp")
set_target_properties(attnscope_page PROPERTIES OUTPUT_NAME attnscope RUNTIME_OUTPUT_DIRECTORY "${page}")
add_dependencies(attnscope_page attnscope_page_data)
target_link_libraries(attnscope_page PRIVATE attnscope_ui attnscope_options)
target_compile_definitions(attnscope_page PRIVATE ATTNSCOPE_VERSION="${PROJECT_VERSION}")
target_link_options(attnscope_page PRIVATE ${web_link_options} -sENVIRONMENT=web -sFORCE_FILESYSTEM -lidbfs.js
  "-sEXPORTED_FUNCTIONS=_main,_malloc,_free,_attnscope_open,_attnscope_leave,_attnscope_touch"
  "-sEXPORTED_RUNTIME_METHODS=FS,IDBFS,ENV,ccall,addRunDependency,removeRunDependency,UTF8ToString,stringToNewUTF8"
  "SHELL:--preload-file ${web_data}@/data")
# The weights of the models are files of the page; models.json has their sizes.
set(assets "${PROJECT_SOURCE_DIR}/assets")
file(GLOB_RECURSE model_files CONFIGURE_DEPENDS RELATIVE "${assets}/models" "${assets}/models/*")
set(weights "{}")
foreach(file IN LISTS model_files)
  if(file MATCHES "\\.safetensors$")
    file(SIZE "${assets}/models/${file}" size)
    string(JSON weights SET "${weights}" "${file}" "${size}")
    configure_file("${assets}/models/${file}" "${page}/models/${file}" COPYONLY)
  else()
    configure_file("${assets}/models/${file}" "${web_data}/assets/models/${file}" COPYONLY)
  endif()
endforeach()
file(WRITE "${page}/models.json" "${weights}\n")
# What the page brings along is linked into it.
file(GLOB_RECURSE linked_data "${web_data}/*")
list(APPEND linked_data "${web_data}/fonts/DejaVuSans.ttf")
list(REMOVE_DUPLICATES linked_data)
set_property(TARGET attnscope_page PROPERTY LINK_DEPENDS ${linked_data})

# The version changes with each build: what browsers have cached of an earlier one is replaced.
string(TIMESTAMP ATTNSCOPE_WEB_VERSION "${PROJECT_VERSION}-%Y%m%d%H%M%S" UTC)
configure_file("${PROJECT_SOURCE_DIR}/src/web/service_worker.js" "${page}/service_worker.js" @ONLY)
file(GLOB page_files src/web/*.js src/web/*.html src/web/*.webmanifest assets/attnscope.svg)
list(FILTER page_files EXCLUDE REGEX "/service_worker\\.js$")
set(page_copies)
foreach(file IN LISTS page_files)
  get_filename_component(name "${file}" NAME)
  configure_file("${file}" "${page}/${name}" COPYONLY)
  list(APPEND page_copies "${page}/${name}")
endforeach()

# The same in one file.
set(web_page "${PROJECT_SOURCE_DIR}/scripts/web_page")
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/attnscope.html" DEPENDS attnscope_page "${web_page}" ${page_copies}
  COMMAND "${Python3_EXECUTABLE}" "${web_page}" "${page}" "${PROJECT_BINARY_DIR}/attnscope.html" VERBATIM)
add_custom_target(attnscope_single_page ALL DEPENDS "${PROJECT_BINARY_DIR}/attnscope.html")
