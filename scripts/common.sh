# shellcheck shell=bash disable=SC2034,SC2154
# Shared by scripts/run, scripts/test and .ci/run: sourced, not run, under `set -euo pipefail` and with `root`, the folder
# of the checkout.

packages_build=(
  ccache cmake g++ ninja-build pkgconf python3-glad
  libabsl-dev libbenchmark-dev libcairo2-dev libcli11-dev libegl-dev libeigen3-dev libexpected-dev libfontconfig-dev
  libfreetype-dev libglfw3-dev libglib2.0-dev libgtest-dev libimgui-dev libpango1.0-dev libpcre2-dev libpng-dev
  libsentencepiece-dev nlohmann-json3-dev zlib1g-dev
)
packages_run=(fonts-dejavu-core fonts-inter libegl1 libgl1 libgl1-mesa-dri)
packages_test=(dbus-daemon ffmpeg fonts-lmodern fonts-stix librsvg2-bin libxml2-utils locales poppler-utils qpdf
  texlive-latex-base xauth xdotool xvfb)
packages_checks=(appstream clang clang-format clang-tidy desktop-file-utils libclang-rt-dev lintian shellcheck universal-ctags)
packages_libcxx=(clang googletest libc++-dev libc++abi-dev)
packages_web=(
  ccache cmake dpkg-dev emscripten fonts-dejavu-core fonts-inter fonttools libcli11-dev libeigen3-dev libexpected-dev ninja-build
  nlohmann-json3-dev pkgconf
)
packages_web_test=(chromium ffmpeg firefox-esr python3-pil python3-websocket xauth xvfb)
packages_package=(binutils dpkg-dev file gzip libxcursor1 libxi6 libxinerama1 libxrandr2 libxxf86vm1 patchelf)

# The counterparts of packages_build on systems without apt-get.
tools_build=(cmake ninja c++ pkg-config glad)
libraries_build=(benchmark CLI11 egl eigen3 fontconfig freetype2 gio-2.0 glfw3 gtest imgui libpcre2-8 libpng nlohmann_json pangocairo
  sentencepiece zlib)

# take_yes ARGUMENT…: whether the first argument is --yes, which answers all questions.
take_yes() {
  [[ ${1:-} == --yes ]] || return 1
  export ATTNSCOPE_YES=1
}

# Whether a user can answer questions and has not answered them in advance.
can_ask() { [[ -t 0 && -t 2 && -z ${CI:-} && -z ${ATTNSCOPE_YES:-} ]]; }

# need PACKAGE…: lists the missing packages, asks if a user is present, and installs them. If none is missing, it needs
# neither network nor privileges nor time.
need() {
  command -v apt-get dpkg-query >/dev/null || { name_missing; return; }
  local installed missing=() package as_root=() answer
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  ((EUID == 0)) || as_root=(sudo)
  {
    echo "These Debian packages are required but not installed:"
    fold -s -w 100 <<<"${missing[*]}" | sed 's/^/  /'
  } >&2
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    echo "Not root, and sudo is missing: install the packages and try again." >&2
    return 1
  fi
  if can_ask; then
    read -r -p "Install them now? [Y/n] " answer || answer=no
    [[ -z $answer || $answer == [yY]* ]] || { echo "Nothing was installed." >&2; return 1; }
  fi
  # An old package list may name files that are gone; without a network, it may still work.
  "${as_root[@]}" apt-get -q update </dev/null || echo "The package lists could not be updated; trying the old ones." >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y install --no-install-recommends "${missing[@]}" </dev/null
  rm -f "$root"/build/*/CMakeCache.txt  # caches what was missing
}

# Not Debian: lists what seems to be missing, and lets CMake decide (it fetches the source of some libraries itself).
name_missing() {
  local tool library missing=()
  for tool in "${tools_build[@]}"; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  for library in "${libraries_build[@]}"; do
    pkg-config --exists "$library" 2>/dev/null || missing+=("$library")
  done
  ((${#missing[@]} == 0)) || echo "This system has no apt-get; not found: ${missing[*]}" >&2
}

# build PRESET [cmake --build options]: configures if necessary, and builds. With ATTNSCOPE_STRICT, as in .ci/run,
# warnings are errors. With ATTNSCOPE_TESTS_TOGETHER, ctest knows the tests by the hundred, and needs less time for them;
# and twice as many files are compiled together, which is faster where everything is compiled.
build() {
  local preset=$1
  shift
  if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]] && command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  cd "$root" || return
  # Ninja notices changes of CMakeLists.txt, but not of the presets; and what .ci/run has set would stay.
  if [[ -n ${ATTNSCOPE_STRICT:-} ]] || grep -qs '^CMAKE_COMPILE_WARNING_AS_ERROR:.*=ON$' "build/$preset/CMakeCache.txt" ||
    [[ ! build/$preset/CMakeCache.txt -nt CMakePresets.json ||
    ! -e build/$preset/build.ninja ]]; then
    cmake --preset "$preset" "-DCMAKE_COMPILE_WARNING_AS_ERROR=$([[ -n ${ATTNSCOPE_STRICT:-} ]] && echo ON || echo OFF)" \
      ${ATTNSCOPE_TESTS_TOGETHER:+-DATTNSCOPE_TESTS_TOGETHER=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32}
  fi
  cmake --build --preset "$preset" "$@"
}

# run_tests PRESET [CTEST ARGUMENT…]: on a virtual screen: window tests neither need nor touch the user's. One more at a
# time than there are processors: those of the window mostly wait.
run_tests() {
  local screen=()
  if command -v xvfb-run >/dev/null; then screen=(xvfb-run -a -s "-screen 0 1280x800x24 -nolisten tcp"); fi
  "${screen[@]}" ctest --preset "$1" --parallel $(($(nproc) + 1)) "${@:2}"
}
