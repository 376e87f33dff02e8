// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/symbols/preloaded.hpp"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/mpi_libraries.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr const MpiLibrary& built_for = *find_mpi_library(QUADRILLE_MPI_LIBRARY);
constexpr std::string_view standard_abi = "abi";

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

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// True if the library has the file name that the standard prescribes for the ABI. Functions and macros cannot decide this, because
// a library with its native interface may have MPI_Abi_get_version as well, and its header may have MPI_ABI_VERSION.
bool has_name_of_standard_abi() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  if (!symbol || dladdr(symbol, &info) == 0 || !info.dli_fname) return false;
  const MpiLibrary* const library = library_of_file(name_of(info.dli_fname));
  return library && library->id == standard_abi;
}

// True for version 1 of the ABI, which MPI 5.0 defines; drafts of it differ.
bool has_standard_abi() {
  if (!has_name_of_standard_abi()) return false;
  const auto get_version = reinterpret_cast<int (*)(int*, int*)>(dlsym(RTLD_DEFAULT, "MPI_Abi_get_version"));
  int major = -1, minor = -1;
  return get_version && get_version(&major, &minor) == MPI_SUCCESS && major == 1;
}

// A library with an unknown name is accepted, because it may be derived from the MPI library for which this library was built.
bool is_right() {
  if (built_for.id == standard_abi) return has_standard_abi();
  if (has_name_of_standard_abi()) return false;
  const MpiLibrary* const library = library_of_version(version_in_use());
  return !library || library == &built_for;
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

// Returns the MPI library of a loaded file; null if the file is not an MPI library.
const MpiLibrary* library_of_loaded(const std::string& file) {
  const std::string_view name = name_of(file);
  if (const MpiLibrary* const library = library_of_file(name)) return library;
  if (!name.starts_with(common_file)) return nullptr;
  void* const loaded = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!loaded) return nullptr;
  const MpiLibrary* const library = library_of_symbols([&](const char* symbol) { return dlsym(loaded, symbol) != nullptr; });
  dlclose(loaded);
  return library;
}

// Returns an MPI library that the program has loaded besides the one for which this library was built; null if there is none.
const MpiLibrary* other_library() {
  for (const std::string& file : loaded_files())
    if (const MpiLibrary* const library = library_of_loaded(file); library && library->has_plug_in && library != &built_for)
      return library;
  return nullptr;
}

}  // namespace

void check_only_library(std::string_view asked) {
  if (!built_for.has_plug_in || asked == built_for.id) return;  // the user knows of both libraries
  const MpiLibrary* const other = other_library();
  if (!other) return;
  std::fprintf(stderr,
               "quadrille: the preloaded library is for %s, but the program has loaded %s; start it by that library's launcher, or "
               "set QUADRILLE_MPI=%s\n",
               built_for.title.data(), other->title.data(), other->id.data());
  std::_Exit(2);
}

void check_library_in_use() {
  if (is_right()) return;
  std::fprintf(
      stderr,
      "quadrille: the preloaded library is for %s, but the program's MPI library%s says \"%s\"; 'quadrille wrap' finds the right "
      "one\n",
      built_for.title.data(), has_name_of_standard_abi() ? ", libmpi_abi.so," : "", version_in_use().c_str());
  std::_Exit(2);
}

constinit std::atomic<bool> collective_seen{false};

void see_first_collective() {
  check_library_in_use();
  collective_seen.store(true, std::memory_order_relaxed);
}

namespace {

// `quadrille wrap` sets QUADRILLE_WRAPPED to the id of its process. The wrapped program has the same id; its children do not.
[[gnu::destructor]] void say_that_none_was_seen() {
  const char* const wrapped = std::getenv("QUADRILLE_WRAPPED");  // this library may not be linked with the table of variables
  if (!wrapped || std::atoi(wrapped) != getpid() || collective_seen.load(std::memory_order_relaxed) || !is_first_launched()) return;
  std::fputs("quadrille: no collective was seen: linked statically?\n", stderr);
}

}  // namespace
}  // namespace quadrille::mpi_face
