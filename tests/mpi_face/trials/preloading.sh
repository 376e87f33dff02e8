#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# preloading.sh LIBRARIES PROGRAM...: runs the program with these libraries preloaded, but not its launcher.
LD_PRELOAD=$1
export LD_PRELOAD
shift
exec "$@"
