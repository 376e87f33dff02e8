// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/symbols/library_in_use.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::mpi_face {
namespace {

// Enough for all MPI libraries; MPI_MAX_LIBRARY_VERSION_STRING depends on the library.
constexpr std::size_t longest_version = 8192;

// The first line of the library's version text, such as "Open MPI v4.1.4, ...".
std::string version_in_use() {
  std::string text(longest_version, '\0');
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  text.resize(std::min(text.find_first_of(std::string("\n\0", 2)), text.size()));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// True if the library has the file name that the standard prescribes for the ABI. Functions and macros cannot decide this, because
// a library with its native interface may have MPI_Abi_get_version as well, and its header may have MPI_ABI_VERSION.
bool has_name_of_standard_abi() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  if (!symbol || dladdr(symbol, &info) == 0 || !info.dli_fname) return false;
  const std::string path = info.dli_fname;
  return path.compare(path.rfind('/') + 1, 10, "libmpi_abi") == 0;
}

// True for version 1 of the ABI, which MPI 5.0 defines; drafts of it differ.
bool has_standard_abi() {
  if (!has_name_of_standard_abi()) return false;
  const auto get_version = reinterpret_cast<int (*)(int*, int*)>(dlsym(RTLD_DEFAULT, "MPI_Abi_get_version"));
  int major = -1, minor = -1;
  return get_version && get_version(&major, &minor) == MPI_SUCCESS && major == 1;
}

// A library with an unknown name is accepted, because it may be derived from Open MPI or MPICH.
bool is_right(const std::string& wanted) {
  if (wanted == "abi") return has_standard_abi();
  if (has_name_of_standard_abi()) return false;
  const std::string version = version_in_use();
  const bool is_mpich = version.find("MPICH") != std::string::npos || version.starts_with("Intel(R) MPI");
  return wanted == "openmpi" ? !is_mpich : !version.starts_with("Open MPI");
}

const char* title(std::string_view built_for) {
  if (built_for == "abi") return "the standard ABI of MPI 5";
  return built_for == "openmpi" ? "Open MPI" : "MPICH";
}

std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  const auto add = [](dl_phdr_info* info, std::size_t, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name ? info->dlpi_name : "");
    return 0;
  };
  dl_iterate_phdr(add, &files);
  return files;
}

// Is the file Open MPI's library ("openmpi"), or MPICH's ("mpich")? Both may be called libmpi.so.
bool is_of(std::string_view library, const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  if (name.starts_with("libmpich.so")) return library == "mpich";
  if (!name.starts_with("libmpi.so")) return false;
  void* const loaded = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!loaded) return false;
  const bool is_open_mpi = dlsym(loaded, "ompi_mpi_comm_world") != nullptr;
  dlclose(loaded);
  return is_open_mpi == (library == "openmpi");
}

}  // namespace

void check_only_library(std::string_view asked) {
  static constexpr std::string_view built_for = QUADRILLE_MPI_LIBRARY;
  if (built_for == "abi" || asked == built_for) return;  // the user knows of both libraries
  static constexpr std::string_view other = built_for == "openmpi" ? "mpich" : "openmpi";
  const std::vector<std::string> files = loaded_files();
  if (std::none_of(files.begin(), files.end(), [](const std::string& file) { return is_of(other, file); })) return;
  std::fprintf(stderr,
               "quadrille: the preloaded library is for %s, but the program has loaded %s; start it by that library's launcher, or "
               "set QUADRILLE_MPI=%s\n",
               title(built_for), title(other), other.data());
  std::_Exit(2);
}

void check_library_in_use() {
  const std::string built_for = QUADRILLE_MPI_LIBRARY;
  if (is_right(built_for)) return;
  std::fprintf(
      stderr,
      "quadrille: the preloaded library is for %s, but the program's MPI library%s says \"%s\"; 'quadrille wrap' finds the right "
      "one\n",
      title(built_for), has_name_of_standard_abi() ? ", libmpi_abi.so," : "", version_in_use().c_str());
  std::_Exit(2);
}

}  // namespace quadrille::mpi_face
