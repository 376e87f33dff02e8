#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# preloading.sh LIBRARIES PROGRAM...: the program with these libraries before all others; the launcher goes without them.
LD_PRELOAD=$1
export LD_PRELOAD
shift
exec "$@"
