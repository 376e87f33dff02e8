// SPDX-License-Identifier: BSD-3-Clause
#include "watch/places.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <tuple>

#include "foundation/system/files.hpp"

#ifdef QUADRILLE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#endif

namespace quadrille::command {
namespace {

constexpr std::string_view deleted = " (deleted)";

#ifdef QUADRILLE_LIBDW

class ElfOnDisk {
 public:
  explicit ElfOnDisk(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return;  // opening a pipe would block
    file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    elf_version(EV_CURRENT);
    if (file_.number() >= 0) elf_ = elf_begin(file_.number(), ELF_C_READ_MMAP, nullptr);
  }
  ~ElfOnDisk() { elf_end(elf_); }
  ElfOnDisk(const ElfOnDisk&) = delete;
  ElfOnDisk& operator=(const ElfOnDisk&) = delete;

  Elf* get() const { return elf_; }

 private:
  Descriptor file_;
  Elf* elf_ = nullptr;
};

std::string in_hexadecimal(const unsigned char* bytes, int count) {
  std::string text;
  for (int i = 0; bytes && i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// A file without a build-id is known by its place on the disk, its size and its time.
std::string build_id_on_disk(const std::string& path, const struct stat& facts) {
  const ElfOnDisk file(path);
  const void* id = nullptr;
  const ssize_t length = file.get() ? dwelf_elf_gnu_build_id(file.get(), &id) : 0;
  if (length > 0) return in_hexadecimal(static_cast<const unsigned char*>(id), static_cast<int>(length));
  return fmt::format("{}-{}-{}-{}.{}", facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
}

std::string build_id_of(const std::string& path) {
  using Identity = std::tuple<dev_t, ino_t, off_t, time_t, long>;
  static thread_local std::map<std::pair<std::string, Identity>, std::string> known;
  struct stat facts {};
  if (!path.starts_with('/') || path.ends_with(deleted) || ::stat(path.c_str(), &facts) != 0) return {};
  const Identity identity{facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
  const auto [found, is_new] = known.try_emplace({path, identity});
  if (is_new) found->second = build_id_on_disk(path, facts);
  return found->second;
}

// Returns the address that the file itself gives to a place in it; nothing if no executable segment has it.
std::optional<std::uint64_t> address_in_file(Elf* elf, std::uint64_t offset) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return {};
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, static_cast<int>(i), &segment) || segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    // A mapping begins at a page, so it may begin before its segment.
    const std::uint64_t before = segment.p_offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (offset + before >= segment.p_offset && offset < segment.p_offset + segment.p_filesz)
      return offset - segment.p_offset + segment.p_vaddr;
  }
  return {};
}

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

#else

std::string build_id_of(const std::string&) { return {}; }

#endif

}  // namespace

std::vector<Module> modules_of(pid_t process) { return modules_in(fmt::format("/proc/{}/maps", process)); }

std::vector<Module> modules_in(const std::string& file) {
  std::vector<Module> modules;
  std::ifstream maps(file);
  for (std::string line; std::getline(maps, line);) {
    std::istringstream in(line);
    Module module;
    char dash = 0;
    std::string mode, device, inode;
    if (!(in >> std::hex >> module.begin >> dash >> module.end >> mode >> module.offset >> device >> inode)) continue;
    if (mode.size() < 3 || mode[2] != 'x' || !std::getline(in >> std::ws, module.path)) continue;
    module.build_id = build_id_of(module.path);
    modules.push_back(std::move(module));
  }
  return modules;
}

const Module* module_at(std::uint64_t address, std::span<const Module> modules) {
  const auto found = std::find_if(modules.begin(), modules.end(),
                                  [&](const Module& module) { return address >= module.begin && address < module.end; });
  return found == modules.end() ? nullptr : &*found;
}

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

#ifdef QUADRILLE_LIBDW

std::optional<std::uint64_t> address_of(const char* symbol, const Module& module) {
  if (module.build_id.empty() || build_id_of(module.path) != module.build_id) return {};
  const ElfOnDisk file(module.path);
  const auto begin = file.get() ? address_in_file(file.get(), module.offset) : std::nullopt;
  for (Elf_Scn* section = nullptr; begin && (section = elf_nextscn(file.get(), section));) {
    GElf_Shdr head;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (!gelf_getshdr(section, &head) || head.sh_type != SHT_DYNSYM || head.sh_entsize == 0 || !data) continue;
    for (std::uint64_t i = 0; i < head.sh_size / head.sh_entsize; ++i) {
      GElf_Sym found;
      if (!gelf_getsym(data, static_cast<int>(i), &found) || found.st_shndx == SHN_UNDEF) continue;
      const char* const name = elf_strptr(file.get(), head.sh_link, found.st_name);
      if (name && std::string_view(name) == symbol) return module.begin - *begin + found.st_value;
    }
  }
  return {};
}

// A file as libdwfl sees it. The addresses are those that the file itself gives.
class SourcePlaces::File {
 public:
  explicit File(const Module& of) {
    if (of.build_id.empty() || build_id_of(of.path) != of.build_id) return;
    dwfl_ = dwfl_begin(&callbacks);
    if (!dwfl_) return;
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_elf(dwfl_, base_name(of.path).c_str(), of.path.c_str(), -1, 0, true);
    dwfl_report_end(dwfl_, nullptr, nullptr);
    const unsigned char* id = nullptr;
    GElf_Addr ignored = 0;
    const int length = module_ ? dwfl_module_build_id(module_, &id, &ignored) : 0;
    if (length > 0 && in_hexadecimal(id, length) != of.build_id) module_ = nullptr;  // it was replaced just now
    if (module_) elf_ = dwfl_module_getelf(module_, &ignored);
  }
  ~File() { dwfl_end(dwfl_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string place(std::uint64_t offset, const std::string& file_name) const {
    const auto address = elf_ ? address_in_file(elf_, offset) : std::nullopt;
    if (!address) return fmt::format("{}+{:#x}", file_name, offset);
    GElf_Sym ignored;
    GElf_Off distance = 0;
    const char* const name = dwfl_module_addrinfo(module_, *address, &distance, &ignored, nullptr, nullptr, nullptr);
    const std::string symbol = name ? demangled(name) : "";
    if (const std::string line = line_of(*address, symbol); !line.empty()) return line;
    if (!symbol.empty()) return fmt::format("{}+{:#x} ({})", symbol, distance, file_name);
    return fmt::format("{}+{:#x}", file_name, *address);
  }

 private:
  static constexpr Dwfl_Callbacks callbacks{// dwfl_standard_find_debuginfo would also ask servers.
                                            .find_elf = dwfl_build_id_find_elf,
                                            .find_debuginfo = dwfl_build_id_find_debuginfo,
                                            .section_address = nullptr,
                                            .debuginfo_path = nullptr};

  // Returns the compilation unit with the address, and subtracts what the addresses of its debug information differ by.
  Dwarf_Die* unit_of(Dwarf_Addr& address) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module_, address, &bias);
    if (!unit)  // some compilers write no table of addresses
      while ((unit = dwfl_module_nextcu(module_, unit, &bias)) && dwarf_haspc(unit, address - bias) != 1) continue;
    address -= bias;
    return unit;
  }

  static bool is_of_system(std::string_view path) {
    return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/") || path.find("/include/c++/") != path.npos;
  }

  // Adds the scopes with the address, from the outermost to the innermost. dwarf_getscopes finds no procedures of Fortran's
  // modules.
  static bool enclose(Dwarf_Die* outer, Dwarf_Addr address, std::vector<Dwarf_Die>& scopes) {
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
  std::string line_of(Dwarf_Addr address, std::string symbol) const {
    Dwarf_Die* const unit = unit_of(address);
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

  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Elf* elf_ = nullptr;
};

#else

std::optional<std::uint64_t> address_of(const char*, const Module&) { return {}; }

class SourcePlaces::File {
 public:
  explicit File(const Module&) {}
  std::string place(std::uint64_t offset, const std::string& file_name) const { return fmt::format("{}+{:#x}", file_name, offset); }
};

#endif

SourcePlaces::SourcePlaces() = default;
SourcePlaces::~SourcePlaces() = default;

const SourcePlaces::File& SourcePlaces::file_of(const Module& module) {
  std::unique_ptr<File>& file = files_[module.build_id + module.path];
  if (!file) file = std::make_unique<File>(module);
  return *file;
}

std::string SourcePlaces::of(std::uint64_t return_address, std::span<const Module> modules) {
  if (return_address == 0) return {};
  const Module* const module = module_at(return_address - 1, modules);
  if (!module) return fmt::format("{:#x}", return_address);
  const std::uint64_t offset = return_address - 1 - module->begin + module->offset;
  const auto [found, is_new] = places_.try_emplace({module->build_id + module->path, offset});
  if (is_new) found->second = file_of(*module).place(offset, base_name(module->path));
  return found->second;
}

}  // namespace quadrille::command
