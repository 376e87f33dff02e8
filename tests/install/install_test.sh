#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs to a temporary prefix, moves it, and uses it as its users do: documents, manual page, completion; programs by find_package and by
# pkg-config, run alone, by `quadrille run` and by each mpirun.
# Usage: install_test.sh BUILD_FOLDER EXAMPLES_FOLDER COMPILER GENERATOR
set -euo pipefail
build=$1 examples=$2 compiler=$3 generator=$4
here=$(cd "$(dirname "$0")" && pwd)
source "$here/launching.sh"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ "$generator" = Ninja ]; then
  step "one target builds all that is installed"
  commands() { ninja -C "$build" -t commands "$1" | sort -u; }
  commands quadrille_installed >"$folder/command"
  ninja -C "$build" -t targets all | sed 's/: [^:]*$//' | sort -u >"$folder/built"
  find "$build" -name cmake_install.cmake -exec grep -ohE "\"$build/[^\"]*\"" {} + | tr -d '"' | sed "s|^$build/||" | sort -u |
    comm -12 - "$folder/built" >"$folder/needed"
  [ -s "$folder/needed" ] || wrong "no file of $build is installed"
  while read -r file; do
    [ -z "$(comm -23 <(commands "$file") "$folder/command")" ] || wrong "$file is installed, and not built by quadrille_installed"
  done <"$folder/needed"
fi

step "install, then move the prefix"
cmake --install "$build" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/prefix"
prefix=$folder/prefix
"$prefix"/bin/quadrille --version
"$prefix"/bin/quadrille verify alltoall --algorithm bruck --ranks 5 --block 8B

step "uninstall removes all but what users wrote"
cmake --install "$build" --prefix "$folder/other" >/dev/null
touch "$folder/other/share/own"
cmake -D BUILD="$build" -P "$here/../../cmake/uninstall.cmake" >/dev/null 2>&1
[ "$(cd "$folder/other" && find . -not -type d)" = ./share/own ] || wrong "uninstall left or removed too much: $(find "$folder/other")"
! cmake -D BUILD="$build" -P "$here/../../cmake/uninstall.cmake" 2>/dev/null || wrong "uninstall works twice"

step "module file"
module=$(echo "$prefix"/share/modulefiles/quadrille/*)
! grep -v '^#' "$module" | grep -q LD_PRELOAD || wrong "the module file preloads"
modulecmd=/usr/lib/x86_64-linux-gnu/modulecmd.tcl
if [ -e "$modulecmd" ]; then
  (
    eval "$(MODULEPATH=$prefix/share/modulefiles "$modulecmd" sh load quadrille)"
    [ "$(command -v quadrille)" = "$prefix/bin/quadrille" ] || wrong "the module gives $(command -v quadrille)"
    pkg-config --exists quadrille || wrong "the module gives no quadrille.pc"
  )
fi

step "documents"
documents=$prefix/share/doc/quadrille
for file in LICENSE CHANGELOG.md docs/architecture.md examples/CMakeLists.txt; do [ -s "$documents/$file" ] || wrong "no $file"; done
while read -r document; do
  grep -oE '\]\([^) ]+\)' "$document" | sed -E 's/^..//; s/\)$//; s/#.*//' | grep -vE '^([a-z]+:.*)?$' | sort -u >"$folder/links" || true
  while read -r link; do
    [ -e "$(dirname "$document")/$link" ] || wrong "${document#"$documents"/} names $link, which is not installed"
  done <"$folder/links"
done < <(find "$documents" -name '*.md')

step "manual page"
page=$prefix/share/man/man1/quadrille.1
"$prefix"/bin/quadrille help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >"$folder/subcommands"
[ "$(wc -l <"$folder/subcommands")" -ge 12 ] || wrong "the help lists no subcommands"
while read -r name; do
  grep -qE "^\.SS .*quadrille $name\\\\fR" "$page" || wrong "quadrille.1 does not describe $name"
done <"$folder/subcommands"
XDG_CONFIG_HOME=/nonexistent "$prefix"/bin/quadrille manual | cmp - "$page" || wrong "quadrille.1 depends on who built it"
awk '/^\.nf/ { getline; if ($0 !~ /^Example/) exit 1 }' "$page" || wrong "quadrille.1 has prose that is not filled"
for heading in Problem: Output:; do grep -qx "$heading" "$page" || wrong "quadrille.1 has no options below $heading"; done
if command -v groff >/dev/null; then
  said=$(groff -man -ww -z "$page" 2>&1) && [ -z "$said" ] || wrong "groff complains about quadrille.1: $said"
else
  echo "skipped: no groff that could read it"
fi

# Each shell loads its completion file and offers the words that may follow.
step "completion"
at() {  # at SHELL WORD...: what the shell offers for the last word
  local shell=$1 line="${*:2}"
  case $shell in
    bash) (cd "$folder/files" && bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _quadrille; printf "%s\n" "${COMPREPLY[@]}"' \
      bash "$prefix/share/bash-completion/completions/quadrille" "${@:2}") ;;
    fish) (cd "$folder/files" && HOME=$folder fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$prefix/share/fish/vendor_completions.d/quadrille.fish" "$line") ;;
    # zsh completes only at a terminal. Here its completion functions are replaced by ones that print their arguments, whatever the
    # last word is.
    zsh) HOME=$folder zsh -fc '_arguments() { print -rl -- "$@" }; _describe() { }; compdef() { }; source $1; shift; words=("$@"); CURRENT=$#; _quadrille' \
      zsh "$prefix/share/zsh/site-functions/_quadrille" "${@:2}" ;;
  esac
}
offers() {  # offers SHELL EXPECTED WORD...
  local said
  said=$(at "$1" "${@:3}") || wrong "$1 refuses its completion"
  grep -qw -e "$2" <<<"$said" || wrong "$1 does not offer $2 for '${*:3}': $said"
}
mkdir "$folder/files"
touch "$folder/files/a file.json"
for shell in bash fish zsh; do
  if ! command -v "$shell" >/dev/null; then echo "skipped: no $shell"; continue; fi
  offers "$shell" alltoall quadrille race allt
  offers "$shell" alltoallv quadrille race allt
  offers "$shell" --algorithm quadrille race --al
  offers "$shell" alltoall quadrille list al
  offers "$shell" bruck quadrille list alltoall b
  offers "$shell" machines quadrille list m
  offers "$shell" verify quadrille help v
done
offers bash bruck quadrille race alltoall --algorithm = br
offers bash bruck quadrille race alltoall --algorithm =
offers bash '^a file.json$' quadrille verify 'a f'
! command -v zsh >/dev/null || offers zsh '^\*--algorithm=.*' quadrille race ''

step "the Python module"
if [ -d "$prefix/lib/quadrille/python" ]; then
  for python in python3 /usr/bin/python3; do  # the module is for one version
    ! compgen -G "$prefix/lib/quadrille/python/quadrille/*$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))').so" >/dev/null ||
      PYTHONPATH=$prefix/lib/quadrille/python PYTHONDONTWRITEBYTECODE=1 "$python" -c '
import quadrille as q
s = q.alltoall("bruck", ranks=5, block=8)
s.check(), s.price("hdr"), s.view()'
  done
else
  echo "skipped: it was not built"
fi

step "the page of the viewer"
grep -q '"format":"quadrille-page/1"' <<<"$("$prefix/bin/quadrille" view alltoall --algorithm bruck --ranks 4)" || wrong "there is no page of the viewer"

step "find_package, threads"
cmake -G "$generator" -S "$examples" -B "$folder/threads" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON >/dev/null
cmake --build "$folder/threads" --target alltoall_threads transpose >/dev/null
run 4 "$folder/threads/alltoall_threads"
"$folder/threads/transpose"
"$prefix/bin/quadrille" run -n 3 "$folder/threads/transpose"

step "pkg-config, threads"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name quadrille.pc)")
export PKG_CONFIG_PATH
library_folder=$(pkg-config --variable=libdir quadrille)
read -ra flags < <(pkg-config --cflags --libs quadrille)
"$compiler" "$examples/alltoall_threads.cpp" "${flags[@]}" -o "$folder/by_pkg_config"
run 4 "$folder/by_pkg_config"

step "a program that is started in any way"
"$compiler" "$here/anywhere.cpp" "${flags[@]}" -o "$folder/anywhere"
mkdir "$folder/project"
cp "$here/anywhere.cpp" "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(anywhere LANGUAGES CXX)
find_package(quadrille REQUIRED)
add_executable(anywhere anywhere.cpp)
target_link_libraries(anywhere PRIVATE quadrille::quadrille)
END
cmake -G "$generator" -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build "$folder/project/build" >/dev/null
anywhere() {  # anywhere RANKS TRANSPORT LAUNCHER...
  local program
  for program in "$folder/anywhere" "$folder/project/build/anywhere"; do
    run "$1" "${@:3}" "$program" | tee "$folder/said"
    [ "$(grep -c "got everything on $2\$" "$folder/said")" = "$1" ] || wrong "expected $1 ranks on $2"
  done
}
anywhere 4 threads
anywhere 2 shared "$prefix/bin/quadrille" run -n 2

for plug_in in "$library_folder"/quadrille/quadrille-*.so; do
  case $plug_in in *-preload-* | *-record-* | *-alias-*) continue ;; esac  # for the drop-in
  [ -e "$plug_in" ] || { echo "no plug-in, so no MPI example"; break; }
  mpi=${plug_in##*quadrille-} mpi=${mpi%.so}
  wrapper=$(command -v "mpicxx.$mpi" || command -v mpicxx)
  launcher=$(command -v "mpirun.$mpi" || command -v mpirun)
  step "find_package, $mpi"
  cmake -G "$generator" -S "$examples" -B "$folder/$mpi" -DCMAKE_PREFIX_PATH="$prefix" -DMPI_CXX_COMPILER="$wrapper" >/dev/null
  cmake --build "$folder/$mpi" --target alltoall_mpi using_mpi >/dev/null
  run 2 "$launcher" -n 2 "$folder/$mpi/alltoall_mpi"
  "$launcher" -n 2 "$folder/$mpi/using_mpi"
  "$launcher" -n 3 "$folder/threads/transpose"
  step "pkg-config, $mpi"
  "$wrapper" "$examples/alltoall_mpi.cpp" "${flags[@]}" -o "$folder/by_pkg_config_$mpi"
  run 2 "$launcher" -n 2 "$folder/by_pkg_config_$mpi"
  anywhere 2 "$mpi" "$launcher" -n 2
done
