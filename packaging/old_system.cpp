// SPDX-License-Identifier: BSD-3-Clause
// Functions and variables that the objects and archives of the tarball use, and that the oldest system it runs on lacks. Each file
// of the tarball contains them, and hides them from others (packaging/portable.cmake).
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#pragma GCC visibility push(hidden)
extern "C" {

// From glibc 2.32 on, this says whether the process has one thread only. The value 0 lets shared pointers always count atomically.
char __libc_single_threaded = 0;

// From glibc 2.36 on. std::random_device uses it.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) std::abort();
  return value;
}

// From glibc 2.32 on. Before, the names were a table, which later libraries keep for programs that were linked with it.
extern const char* const sys_sigabbrev[65] __attribute__((visibility("default")));
const char* sigabbrev_np(int signal) { return signal > 0 && signal < 65 ? sys_sigabbrev[signal] : nullptr; }

// hwloc asks libudev for the names of disks, which Quadrille does not show. Without a context hwloc asks no further.
void* udev_new() { return nullptr; }
void* udev_unref(void*) { return nullptr; }
void* udev_device_new_from_subsystem_sysname(void*, const char*, const char*) { return nullptr; }
void* udev_device_unref(void*) { return nullptr; }
const char* udev_device_get_property_value(void*, const char*) { return nullptr; }

// The library of C++ would have these, one for each file that it is inside of. See exceptions_of_thread.cpp.
void* quadrille_exceptions_of_thread() __attribute__((visibility("default")));
void* __cxa_get_globals() { return quadrille_exceptions_of_thread(); }
void* __cxa_get_globals_fast() { return quadrille_exceptions_of_thread(); }

}  // extern "C"
#pragma GCC visibility pop
