# Installs the man page, completion and desktop files, and describes the packages (see scripts/package). The version is the
# one of project() in the top CMakeLists.txt; a test compares it with the first heading of CHANGELOG.md.

include(GNUInstallDirs)
set(packaging "${PROJECT_SOURCE_DIR}/scripts/packaging")
set(packaged "${PROJECT_BINARY_DIR}/packaging")
file(MAKE_DIRECTORY "${packaged}")

# attnscope_compress(<file> <file.gz>): without a time stamp, so that the same file gives the same bytes.
function(attnscope_compress from to)
  execute_process(COMMAND gzip -9 -n -c "${from}" OUTPUT_FILE "${to}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Releases are the headings of CHANGELOG.md that have a date.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS CHANGELOG.md)
file(STRINGS CHANGELOG.md headings REGEX "^## ")
set(ATTNSCOPE_RELEASES "")
foreach(heading IN LISTS headings)
  if(heading MATCHES "^## ([0-9.]+), ([0-9-]+)$")
    string(APPEND ATTNSCOPE_RELEASES "\n    <release version=\"${CMAKE_MATCH_1}\" date=\"${CMAKE_MATCH_2}\"/>")
  endif()
endforeach()
if(ATTNSCOPE_RELEASES)
  set(ATTNSCOPE_RELEASES "\n  <releases>${ATTNSCOPE_RELEASES}\n  </releases>")
endif()

set(metainfo io.github.attnscope.attnscope.metainfo.xml)
configure_file("${packaging}/${metainfo}.in" "${packaged}/${metainfo}" @ONLY)
configure_file("${packaging}/attnscope.1.in" "${packaged}/attnscope.1" @ONLY)
attnscope_compress("${packaged}/attnscope.1" "${packaged}/attnscope.1.gz")

install(FILES "${packaged}/${metainfo}" DESTINATION share/metainfo)
install(FILES "${packaged}/attnscope.1.gz" DESTINATION share/man/man1)
install(FILES "${packaging}/attnscope.bash" DESTINATION share/bash-completion/completions RENAME attnscope)
install(FILES "${packaging}/attnscope.fish" DESTINATION share/fish/vendor_completions.d)
# Debian's zsh reads the completion of packages from vendor-completions.
install(CODE "
  set(folder site-functions)
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX STREQUAL /usr)
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${packaging}/_attnscope\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/zsh/\${folder}\")")

# The version names the Debian release that the package is built on and for. "1~deb12" sorts before "1~deb13", and both
# before the plain "1" of sid, which has no number.
set(release 1)
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release suite REGEX "^(ID=debian|VERSION_ID=.*)$")
  if(suite MATCHES "ID=debian" AND suite MATCHES "VERSION_ID=\"?([0-9]+)")
    set(release "1~deb${CMAKE_MATCH_1}")
  endif()
endif()
set(CPACK_PACKAGE_CONTACT "attnscope contributors <attnscope@users.noreply.github.com>" CACHE STRING "Who makes the package")

# Files that only Debian packages have.
# As old as the last commit, however often it is made; without one, as now or as SOURCE_DATE_EPOCH says.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C TZ=UTC
  git -C "${PROJECT_SOURCE_DIR}" log -1 --format=%cd "--date=format-local:%a, %d %b %Y %H:%M:%S +0000"
  OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(WRITE "${packaged}/changelog.Debian" "attnscope (${PROJECT_VERSION}-${release}) unstable; urgency=medium

  * Version ${PROJECT_VERSION}; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
attnscope_compress("${packaged}/changelog.Debian" "${packaged}/changelog.Debian.gz")
attnscope_compress("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${packaged}/changelog.gz")
set(debian COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES "${packaging}/copyright" "${packaged}/changelog.gz" "${packaged}/changelog.Debian.gz"
  DESTINATION share/doc/attnscope ${debian})
# Licences of the libraries that are compiled into the program.
foreach(library IN ITEMS libcli11-dev libeigen3-dev libexpected-dev libimgui-dev nlohmann-json3-dev python3-glad)
  install(FILES /usr/share/doc/${library}/copyright DESTINATION share/doc/attnscope/libraries RENAME ${library} ${debian})
endforeach()

# Installing must not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME attnscope)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};attnscope;ALL;/;${PROJECT_BINARY_DIR};attnscope;debian;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEBIAN_PACKAGE_RELEASE "${release}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "desktop instrument for attention")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Computes attention layers as other people's PyTorch code does, number for
number, and shows them: drag a slider and see queries, keys, values and every
head change; click a number and see the arithmetic behind it.

Compares and measures heads, opens attention that other programs computed,
walks through lessons, and writes figures, animations and PyTorch scripts.
The commands need no display.")
# dpkg-shlibdeps finds linked libraries, but neither fonts nor OpenGL, which is loaded at run time.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "fonts-dejavu-core, fonts-inter, libgl1")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libgl1-mesa-dri")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg, fonts-lmodern, fonts-stix, xclip | wl-clipboard, xdg-desktop-portal | zenity | kdialog")
include(CPack)
