// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/library_in_use.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t longest_version = 8192;  // of all MPI libraries; MPI_MAX_LIBRARY_VERSION_STRING is that of one

// The first line of what the library says, such as "Open MPI v4.1.4, ...".
std::string version_in_use() {
  std::string text(longest_version, '\0');
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  text.resize(std::min(text.find_first_of(std::string("\n\0", 2)), text.size()));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// The standard gives the library this name. A library with a native interface may have MPI_Abi_get_version as well, and a
// native header MPI_ABI_VERSION.
bool has_name_of_standard_abi() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  if (!symbol || dladdr(symbol, &info) == 0 || !info.dli_fname) return false;
  const std::string path = info.dli_fname;
  return path.compare(path.rfind('/') + 1, 10, "libmpi_abi") == 0;
}

// Version 1 of the ABI, which MPI 5.0 defines; drafts of it differ.
bool has_standard_abi() {
  if (!has_name_of_standard_abi()) return false;
  const auto get_version = reinterpret_cast<int (*)(int*, int*)>(dlsym(RTLD_DEFAULT, "MPI_Abi_get_version"));
  int major = -1, minor = -1;
  return get_version && get_version(&major, &minor) == MPI_SUCCESS && major == 1;
}

// Of libraries that go by other names, such as those derived from one of the two, nothing is held against them.
bool is_right(const std::string& wanted) {
  if (wanted == "abi") return has_standard_abi();
  if (has_name_of_standard_abi()) return false;
  const std::string version = version_in_use();
  const bool is_mpich = version.find("MPICH") != std::string::npos || version.starts_with("Intel(R) MPI");
  return wanted == "openmpi" ? !is_mpich : !version.starts_with("Open MPI");
}

}  // namespace

void check_library_in_use() {
  const std::string built_for = QUADRILLE_MPI_LIBRARY;
  if (is_right(built_for)) return;
  std::fprintf(
      stderr,
      "quadrille: what is preloaded is for %s, and the program's MPI library%s says \"%s\"; 'quadrille wrap' finds the right "
      "one\n",
      built_for == "openmpi" ? "Open MPI"
      : built_for == "mpich" ? "MPICH"
                             : "the standard ABI of MPI 5",
      has_name_of_standard_abi() ? ", libmpi_abi.so," : "", version_in_use().c_str());
  std::_Exit(2);
}

}  // namespace quadrille::mpi_face
