// SPDX-License-Identifier: BSD-3-Clause
#include "support/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "foundation/system/descriptor.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

// The bytes of a file, mapped to memory, because a few small structures are read at many places. Reads outside the file return
// nothing instead of failing.
class Bytes {
 public:
  explicit Bytes(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return;  // opening a pipe would block
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts {};
    if (opened.number() < 0 || fstat(opened.number(), &facts) != 0 || facts.st_size <= 0) return;
    void* const mapped = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, opened.number(), 0);
    if (mapped != MAP_FAILED) all_ = {static_cast<const char*>(mapped), static_cast<std::size_t>(facts.st_size)};
  }
  ~Bytes() {
    if (!all_.empty()) munmap(const_cast<char*>(all_.data()), all_.size());
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  template <class T>
  std::optional<T> at(std::uint64_t place) const {
    T value;
    if (place > all_.size() || sizeof value > all_.size() - place) return {};
    std::memcpy(&value, all_.data() + place, sizeof value);
    return value;
  }
  std::string text(std::uint64_t place) const {
    if (place >= all_.size()) return {};
    const std::string_view rest = all_.substr(place, 4096);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  std::string_view all_;
};

std::vector<std::string> split_folders(const std::string& list, const fs::path& origin) {
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    std::string folder = list.substr(begin, end - begin);
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
      if (const auto place = folder.find(word); place != std::string::npos) folder.replace(place, word.size(), origin.string());
    if (!folder.empty()) folders.push_back(std::move(folder));
    begin = end + 1;
  }
  return folders;
}

struct Segments {
  std::vector<Elf64_Phdr> loaded;
  std::optional<Elf64_Phdr> dynamic;

  std::uint64_t in_file(std::uint64_t address) const {
    for (const Elf64_Phdr& segment : loaded)
      if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
        return address - segment.p_vaddr + segment.p_offset;
    return ~std::uint64_t{0};
  }
};

Segments read_segments(const Bytes& bytes, const Elf64_Ehdr& head) {
  Segments segments;
  for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
    const auto segment = bytes.at<Elf64_Phdr>(head.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type == PT_LOAD) segments.loaded.push_back(*segment);
    if (segment->p_type == PT_DYNAMIC) segments.dynamic = segment;
  }
  return segments;
}

// Reads the loader's table of libraries, /etc/ld.so.cache: from a library's name to its path.
std::map<std::string, std::string> read_loader_cache() {
  std::ifstream stream("/etc/ld.so.cache", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t base = all.find("glibc-ld.so.cache1.1");
  std::map<std::string, std::string> paths;
  if (base == std::string::npos) return paths;
  const auto number = [&](std::size_t place) {
    std::uint32_t value = 0;
    if (place + sizeof value <= all.size()) std::memcpy(&value, all.data() + place, sizeof value);
    return value;
  };
  const auto text = [&](std::size_t place) { return place < all.size() ? std::string(all.c_str() + place) : std::string(); };
  constexpr std::size_t head_bytes = 48, entry_bytes = 24;
  const std::size_t entries = std::min<std::size_t>(number(base + 20), all.size() / entry_bytes);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = base + head_bytes + i * entry_bytes;
    paths.try_emplace(text(base + number(entry + 4)), text(base + number(entry + 8)));
  }
  return paths;
}

fs::path find_library(const std::string& name, const std::vector<std::string>& folders) {
  static const auto cache = read_loader_cache();
  if (name.find('/') != std::string::npos) return name;
  std::error_code ignored;
  const auto in = [&](const std::vector<std::string>& places) -> fs::path {
    for (const std::string& folder : places)
      if (fs::is_regular_file(fs::path(folder) / name, ignored)) return fs::path(folder) / name;
    return {};
  };
  if (const auto found = in(folders); !found.empty()) return found;
  if (const char* list = std::getenv("LD_LIBRARY_PATH"))
    if (const auto found = in(split_folders(list, {})); !found.empty()) return found;
  if (const auto entry = cache.find(name); entry != cache.end()) return entry->second;
  return in({"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
}

}  // namespace

ElfFile read_elf(const fs::path& file) {
  ElfFile elf;
  const Bytes bytes(file);
  const auto head = bytes.at<Elf64_Ehdr>(0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return elf;
  elf.is_elf = true;
  elf.is_64_bit = head->e_ident[EI_CLASS] == ELFCLASS64;
  if (!elf.is_64_bit) return elf;
  const Segments segments = read_segments(bytes, *head);
  if (!segments.dynamic) return elf;

  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> rpath, runpath;
  std::uint64_t strings = 0;
  for (std::uint64_t place = 0; place < segments.dynamic->p_filesz; place += sizeof(Elf64_Dyn)) {
    const auto entry = bytes.at<Elf64_Dyn>(segments.dynamic->p_offset + place);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) needed.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_RPATH) rpath = entry->d_un.d_val;
    if (entry->d_tag == DT_RUNPATH) runpath = entry->d_un.d_val;
    if (entry->d_tag == DT_STRTAB) strings = segments.in_file(entry->d_un.d_ptr);
  }
  elf.is_dynamic = !needed.empty();
  for (const std::uint64_t name : needed) elf.needed.push_back(bytes.text(strings + name));
  std::error_code ignored;
  const auto folders = runpath ? runpath : rpath;
  if (folders) elf.searched = split_folders(bytes.text(strings + *folders), fs::canonical(file, ignored).parent_path());
  return elf;
}

std::set<std::string> libraries_of(const fs::path& program) {
  std::set<std::string> names;
  std::deque<std::pair<fs::path, std::vector<std::string>>> waiting{{program, {}}};
  while (!waiting.empty()) {
    auto [file, folders] = waiting.front();
    waiting.pop_front();
    const ElfFile elf = read_elf(file);
    // A program's RPATH also applies to the libraries of its libraries. A RUNPATH does not, but searching it there does no harm.
    folders.insert(folders.begin(), elf.searched.begin(), elf.searched.end());
    for (const std::string& name : elf.needed)
      if (names.insert(name).second)
        if (const fs::path found = find_library(name, folders); !found.empty()) waiting.emplace_back(found, folders);
  }
  return names;
}

}  // namespace quadrille::command
