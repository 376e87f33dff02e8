# SPDX-License-Identifier: BSD-3-Clause
# Cross-compiles for 64-bit Arm with Debian's cross compiler, and runs the tests under qemu-user. The arm64 packages of the
# libraries are unpacked in build/aarch64-packages (unpack_aarch64 in scripts/setup.sh). Libraries that consist of headers only are
# the same for all processors, so those of this machine are used.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(packages ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-packages ABSOLUTE)
set(libraries ${packages}/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${packages})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${packages})

# Set as RPATH (not RUNPATH), which also applies to the libraries of libraries.
set(CMAKE_BUILD_RPATH ${libraries})
set(CMAKE_CXX_FLAGS_INIT "-isystem ${packages}/usr/include/aarch64-linux-gnu")  # headers that differ by processor
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--disable-new-dtags -Wl,-rpath-link,${libraries}")

find_program(QUADRILLE_EMULATOR NAMES qemu-aarch64 qemu-aarch64-static)
set(CMAKE_CROSSCOMPILING_EMULATOR ${QUADRILLE_EMULATOR} -L /usr/aarch64-linux-gnu)
