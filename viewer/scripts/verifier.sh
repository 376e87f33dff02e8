#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles the verifier to WebAssembly for the page on which readers write schedules: scripts/verifier.sh FOLDER FILE
# Writes FILE, the script verifier.js; keeps objects in FOLDER. Needs Debian's emscripten, Node, and the headers of the library.
set -euo pipefail
folder=$(mkdir -p "$1" && realpath "$1") file=$(realpath -m "$2")
cd "$(dirname "$0")/../.."
command -v emcc >/dev/null || { echo "There is no emcc; install it: apt-get install emscripten" >&2; exit 1; }

# emcc looks for headers in its own sysroot only.
mkdir -p "$folder/headers"
for header in fmt nlohmann tl toml++ boost pugixml.hpp pugiconfig.hpp; do ln -sfn "/usr/include/$header" "$folder/headers/$header"; done

export flags="-std=c++20 -O1 -fwasm-exceptions -ffunction-sections -w -DNDEBUG -DFMT_HEADER_ONLY
  -include viewer/verifier/older_library.hpp -Iinclude -Isrc -Iviewer/verifier -isystem $folder/headers"
compile() {  # compile FOLDER LAYER SOURCE...: the sources of a layer as one file, if one has changed
  local source="$1/${2//\//_}.cpp" object="$1/${2//\//_}.o"
  # Clang 14 gives a function no signature in WebAssembly as long as the class template that it returns has no size.
  printf '#include "quadrille/result.hpp"\nstatic_assert(sizeof(quadrille::Result<>) > 0);\n' >"$source"
  printf '#include "%s"\n' "${@:3}" >>"$source"
  if [ -e "$object" ] && ! find src include viewer/verifier -name '*.?pp' -newer "$object" -print -quit | grep -q .; then return; fi
  emcc $flags -I. -c "$source" -o "$object"
}
export -f compile
{
  for layer in cost verify trace simulate schedule foundation problem patterns topology src/collectives/*/; do
    layer=${layer#src/} && layer=${layer%/}
    echo "$layer" $(find "src/$layer" -name "*.cpp" ! -name perfetto.cpp | sort)
  done
  echo collectives src/collectives/*.cpp
  echo page src/draw/{viewer_page,layout,geometry}.cpp viewer/verifier/*.cpp
} | xargs -P "$(nproc)" -I{} bash -c "set -e; compile '$folder' {}"

export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}  # where Debian's emscripten has its modules, if Node is not Debian's
emcc -O2 -fwasm-exceptions -sMODULARIZE -sEXPORT_NAME=makeVerifier -sENVIRONMENT=worker,node -sALLOW_MEMORY_GROWTH \
  -sEXPORTED_FUNCTIONS=_quadrille_answer,_free -sEXPORTED_RUNTIME_METHODS=allocateUTF8,UTF8ToString -Wl,--gc-sections \
  "$folder"/*.o -o "$folder/glue.js"
node viewer/scripts/pack_verifier.js "$folder/glue.js" "$folder/glue.wasm" "$file"
