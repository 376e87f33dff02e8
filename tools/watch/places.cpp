// SPDX-License-Identifier: BSD-3-Clause
#include "watch/places.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#ifdef QUADRILLE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#endif

namespace quadrille::command {
namespace {

constexpr std::string_view deleted = " (deleted)";

std::vector<Module> modules_in(const std::string& file) {
  std::vector<Module> modules;
  std::ifstream maps(file);
  for (std::string line; std::getline(maps, line);) {
    Module module;
    char is_executable = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*2c%c%*c %" SCNx64 " %*s %*s %n", &module.begin, &module.end,
                    &is_executable, &module.offset, &path_at) != 4 ||
        is_executable != 'x' || line.size() <= static_cast<std::size_t>(path_at))
      continue;
    module.path = line.substr(static_cast<std::size_t>(path_at));
    modules.push_back(std::move(module));
  }
  return modules;
}

#ifdef QUADRILLE_LIBDW

constexpr Dwfl_Callbacks callbacks{// dwfl_standard_find_debuginfo would also ask servers.
                                   .find_elf = dwfl_linux_proc_find_elf,
                                   .find_debuginfo = dwfl_build_id_find_debuginfo,
                                   .section_address = nullptr,
                                   .debuginfo_path = nullptr};

std::string demangled(const char* symbol) {
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  if (status != 0) return symbol;
  std::string name = text.get();
  constexpr std::string_view unnamed = "(anonymous namespace)::", call = "operator()";
  for (std::size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
  const std::size_t operator_at = name.find(call);
  return name.substr(0, name.find('(', operator_at == std::string::npos ? 0 : operator_at + call.size()));
}

// Returns the compilation unit with the address, and subtracts what the addresses of its debug information differ by.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr& address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  if (!unit)  // some compilers write no table of addresses
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) && dwarf_haspc(unit, address - bias) != 1) continue;
  address -= bias;
  return unit;
}

bool is_of_system(std::string_view path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") || path.find("/include/c++/") != path.npos;
}

// Adds the scopes with the address, from the outermost to the innermost. dwarf_getscopes finds no procedures of Fortran's
// modules.
bool enclose(Dwarf_Die* outer, Dwarf_Addr address, std::vector<Dwarf_Die>& scopes) {
  Dwarf_Die die;
  for (int end = dwarf_child(outer, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block && tag != DW_TAG_module &&
        tag != DW_TAG_namespace)
      continue;
    const bool is_around = dwarf_haspc(&die, address) == 1;
    if (is_around) scopes.push_back(die);
    if (enclose(&die, address, scopes) || is_around) return true;  // procedures inside of others have other addresses
  }
  return false;
}

// Returns "solver.c:88 (residual)"; empty if the file does not say it.
std::string line_of(Dwfl_Module* module, Dwarf_Addr address, std::string symbol) {
  Dwarf_Die* const unit = unit_of(module, address);
  Dwarf_Line* const found = unit ? dwarf_getsrc_die(unit, address) : nullptr;
  int line = 0;
  const char* path = found ? dwarf_linesrc(found, nullptr, nullptr) : nullptr;
  if (!path || dwarf_lineno(found, &line) != 0 || line == 0) return {};

  Dwarf_Files* paths = nullptr;
  std::size_t ignored = 0;
  dwarf_getsrcfiles(unit, &paths, &ignored);
  std::vector<Dwarf_Die> scopes;
  enclose(unit, address, scopes);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {  // outwards, through the lines that inline
    const int tag = dwarf_tag(&*scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0, call_line = 0;
    const auto value = [&](unsigned name, Dwarf_Word& result) {
      return dwarf_formudata(dwarf_attr(&*scope, name, &attribute), &result) == 0;
    };
    if (tag == DW_TAG_inlined_subroutine && is_of_system(path) && value(DW_AT_call_file, number) &&
        value(DW_AT_call_line, call_line) && dwarf_filesrc(paths, number, nullptr, nullptr)) {
      path = dwarf_filesrc(paths, number, nullptr, nullptr);
      line = static_cast<int>(call_line);
      continue;
    }
    if (const char* name = dwarf_formstring(dwarf_attr_integrate(&*scope, DW_AT_name, &attribute))) symbol = name;
    break;
  }
  symbol = symbol.substr(0, symbol.find('.', 1));  // the compiler's copies have names such as "residual.constprop.0"
  return fmt::format("{}:{}{}", base_name(path), line, symbol.empty() ? "" : " (" + symbol + ")");
}

#endif

}  // namespace

std::string base_name(std::string_view path) {
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  return std::string(path.substr(path.rfind('/') + 1));
}

bool is_mpi_binding(const Module& module) {
  const std::string name = base_name(module.path);
  static constexpr std::array beginnings{
      // MPI libraries, their bindings and plug-ins; other names of MPICH's: Intel, Cray
      "libmpi", "libpmpi", "mpich", "libopen-", "libompi", "liboshmem", "libmca_", "mca_", "ompi_", "libmvapich", "libmpl.",
      "libopa.", "libpmi", "libprrte", "libquadrille", "quadrille-",
      // networks
      "libuc", "libfabric", "libibverbs", "librdmacm", "libmlx", "libpsm", "libefa", "libnl-", "libcxi", "libhcoll", "libsharp",
      "libxpmem", "libhwloc", "libevent"};
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* beginning) { return name.starts_with(beginning); }) ||
         (name.starts_with("MPI.") && name.ends_with(".so"));  // mpi4py's module
}

const Module* SourcePlaces::module_at(std::uint64_t address) const {
  const auto found = std::find_if(modules_.begin(), modules_.end(),
                                  [&](const Module& module) { return address >= module.begin && address < module.end; });
  return found == modules_.end() ? nullptr : &*found;
}

std::string SourcePlaces::of(std::uint64_t return_address) {
  if (return_address == 0) return {};
  const auto [found, is_new] = places_.try_emplace(return_address);
  const Module* const module = module_at(return_address - 1);
  if (is_new) found->second = module ? find(return_address - 1, *module) : fmt::format("{:#x}", return_address);
  return found->second;
}

void SourcePlaces::read(pid_t process, const std::string& copy) {
  const std::string live = fmt::format("/proc/{}/maps", process);
  auto modules = modules_in(live);
  const bool is_live = !modules.empty();
  if (!is_live && modules_.empty()) modules = modules_in(copy);
  if (modules.empty() || modules == modules_) return;
  modules_ = std::move(modules);
  places_.clear();
#ifdef QUADRILLE_LIBDW
  dwfl_report_begin(files_);
  if (is_live) {
    dwfl_linux_proc_report(files_, process);
  } else if (std::FILE* const maps = std::fopen(copy.c_str(), "re")) {
    dwfl_linux_proc_maps_report(files_, maps);
    std::fclose(maps);
  }
  dwfl_report_end(files_, nullptr, nullptr);
#endif
}

#ifdef QUADRILLE_LIBDW

SourcePlaces::SourcePlaces() : files_(dwfl_begin(&callbacks)) {}
SourcePlaces::~SourcePlaces() { dwfl_end(files_); }

std::uint64_t SourcePlaces::address_of(const char* symbol, const Module& module) const {
  Dwfl_Module* const file = dwfl_addrmodule(files_, module.begin);
  GElf_Sym found;
  GElf_Addr address = 0;
  for (int i = file ? dwfl_module_getsymtab(file) : 0; i > 0; --i) {
    const char* const name = dwfl_module_getsym_info(file, i - 1, &found, &address, nullptr, nullptr, nullptr);
    if (name && std::string_view(name) == symbol && found.st_shndx != SHN_UNDEF) return address;
  }
  return 0;
}

std::string SourcePlaces::find(std::uint64_t address, const Module& module) const {
  const std::string file_name = base_name(module.path);
  Dwfl_Module* const file = dwfl_addrmodule(files_, address);
  GElf_Addr bias = 0;
  if (!file || !dwfl_module_getelf(file, &bias)) return fmt::format("{}+{:#x}", file_name, address - module.begin + module.offset);
  GElf_Sym ignored;
  GElf_Off distance = 0;
  const char* const name = dwfl_module_addrinfo(file, address, &distance, &ignored, nullptr, nullptr, nullptr);
  const std::string symbol = name ? demangled(name) : "";
  if (const std::string line = line_of(file, address, symbol); !line.empty()) return line;
  if (!symbol.empty()) return fmt::format("{}+{:#x} ({})", symbol, distance, file_name);
  return fmt::format("{}+{:#x}", file_name, address - bias);
}

#else

SourcePlaces::SourcePlaces() = default;
SourcePlaces::~SourcePlaces() = default;

std::uint64_t SourcePlaces::address_of(const char*, const Module&) const { return 0; }

std::string SourcePlaces::find(std::uint64_t address, const Module& module) const {
  return fmt::format("{}+{:#x}", base_name(module.path), address - module.begin + module.offset);
}

#endif

}  // namespace quadrille::command
