// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/program_heap.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cstring>

#include "execute/shared/memory/extents.hpp"
#include "foundation/environment.hpp"
#include "foundation/system/proc.hpp"

namespace quadrille {
namespace {

// Is this word chosen in a file such as "always [madvise] never"?
bool is_chosen(const char* word, const std::string& text) { return text.find(fmt::format("[{}]", word)) != std::string::npos; }

// Shared memory without huge pages costs a program more than it can gain, if its private memory would have them.
bool loses_huge_pages() {
  const std::string folder = "/sys/kernel/mm/transparent_hugepage/";
  const std::string shared = beginning_of(folder + "shmem_enabled", 80);
  return is_chosen("always", beginning_of(folder + "enabled", 80)) && (is_chosen("never", shared) || is_chosen("deny", shared));
}

}  // namespace

bool has_program_heap() {
  Dl_info library{};
  void* const function = ::dlsym(RTLD_DEFAULT, "malloc");
  return function && ::dladdr(function, &library) != 0 && std::strstr(library.dli_fname, "libquadrille-heap") != nullptr;
}

std::string why_no_program_heap() {
  const std::string wish = tolerated_environment_value(heap_variable);
  if (wish == "off") return "QUADRILLE_HEAP is off";
  for (const char* const begin : {"__asan_init", "__tsan_init", "__msan_init"})
    if (::dlsym(RTLD_DEFAULT, begin)) return "the program has a sanitizer, which needs its own malloc";
  if (environment_value("LD_PRELOAD").find("vgpreload") != std::string::npos) return "valgrind needs its own malloc";
  if (::getauxval(AT_SECURE) != 0) return "the program runs with another user's rights";
  if (::prctl(PR_GET_DUMPABLE) != 1) return "the process is protected from others of its user (not dumpable)";
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return "shared memory does not count for the limit of data (ulimit -d)";
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(Extents::first))
    return "shared memory is a file, and the limit of file sizes (ulimit -f) is less than 1 MiB";
  if (beginning_of("/proc/sys/vm/overcommit_memory", 1) == "2")
    return "vm.overcommit_memory is 2, so the system must know at once how much memory is allocated";
  if (wish != "always" && loses_huge_pages())
    return "private memory has huge pages here and shared memory has none (transparent_hugepage/shmem_enabled); "
           "QUADRILLE_HEAP=always turns it on";
  return "";
}

}  // namespace quadrille
