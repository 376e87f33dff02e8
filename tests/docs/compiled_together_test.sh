#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Finds sources of the library, the command, the exhibits and the drop-in that are compiled alone, although their folder is compiled
# together: CMake leaves out a source with options of its own.
#
# Usage: compiled_together_test.sh BUILD_FOLDER
set -euo pipefail
together='quadrille_(hot|seldom_run|papers|support|subcommands|on_demand|openmpi|mpich|face_openmpi|face_mpich)\.dir'
objects=$(sed -nE 's/.* -o ([^ ]+\.o) -c .*/\1/p' "$1/compile_commands.json" | grep -E "$together")
[ -n "$objects" ] || { echo "There is no such object: are the targets' names in $0 right?"; exit 1; }
if grep -v '/Unity/' <<<"$objects" | grep -v 'package_'; then
  echo "These are compiled alone. Give their target the options instead (cmake/compile_cost.cmake)."
  exit 1
fi
