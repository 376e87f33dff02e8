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
#include <optional>
#include <string_view>

#include "foundation/system/files.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

// The bytes of a file, mapped to memory, because a few small structures are read at many places. Reads outside the file return
// nothing instead of failing.
class FileBytes {
 public:
  explicit FileBytes(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return;  // opening a pipe would block
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts {};
    if (opened.number() < 0 || fstat(opened.number(), &facts) != 0 || facts.st_size <= 0) return;
    void* const mapped = mmap(nullptr, static_cast<std::size_t>(facts.st_size), PROT_READ, MAP_PRIVATE, opened.number(), 0);
    if (mapped != MAP_FAILED) all_ = {static_cast<const char*>(mapped), static_cast<std::size_t>(facts.st_size)};
  }
  ~FileBytes() {
    if (!all_.empty()) munmap(const_cast<char*>(all_.data()), all_.size());
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  template <class T>
  std::optional<T> at(std::uint64_t place) const {
    T value;
    if (place > all_.size() || sizeof value > all_.size() - place) return {};
    std::memcpy(&value, all_.data() + place, sizeof value);
    return value;
  }
  std::string_view all() const { return all_; }
  bool has_text(std::uint64_t place, std::string_view text) const {
    return place < all_.size() && all_.substr(place).starts_with(text) && at<char>(place + text.size()) == '\0';
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

Segments read_segments(const FileBytes& bytes, const Elf64_Ehdr& head) {
  Segments segments;
  for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
    const auto segment = bytes.at<Elf64_Phdr>(head.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type == PT_LOAD) segments.loaded.push_back(*segment);
    if (segment->p_type == PT_DYNAMIC) segments.dynamic = segment;
  }
  return segments;
}

// The loader's table of libraries, /etc/ld.so.cache. It is searched in place: it has about a thousand entries, and each rank of a
// job looks for a few of them.
class LoaderCache {
 public:
  LoaderCache() : bytes_("/etc/ld.so.cache") {
    constexpr std::string_view name = "glibc-ld.so.cache1.1";
    if (const auto found = bytes_.all().find(name); found != std::string_view::npos) base_ = found;
    entries_ = base_ ? bytes_.at<std::uint32_t>(*base_ + name.size()).value_or(0) : 0;
  }

  // Returns the path of the library; empty if it is not in the table.
  std::string find(const std::string& name) const {
    constexpr std::uint64_t head_bytes = 48, entry_bytes = 24, key = 4, path = 8;
    for (std::uint64_t i = 0; i < entries_; ++i) {
      const std::uint64_t entry = *base_ + head_bytes + i * entry_bytes;
      const auto key_place = bytes_.at<std::uint32_t>(entry + key), path_place = bytes_.at<std::uint32_t>(entry + path);
      if (!key_place || !path_place) break;
      if (bytes_.has_text(*base_ + *key_place, name)) return bytes_.text(*base_ + *path_place);
    }
    return {};
  }

 private:
  FileBytes bytes_;
  std::optional<std::uint64_t> base_;  // where the table begins in the file
  std::uint64_t entries_ = 0;
};

fs::path find_library(const std::string& name, const std::vector<std::string>& folders) {
  static const LoaderCache cache;
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
  if (std::string found = cache.find(name); !found.empty()) return found;
  return in({"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
}

}  // namespace

ElfFile read_elf(const fs::path& file) {
  ElfFile elf;
  const FileBytes bytes(file);
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

std::set<std::string> libraries_of(const fs::path& program, const std::function<bool(const std::string&)>& enters) {
  std::set<std::string> names;
  std::deque<std::pair<fs::path, std::vector<std::string>>> waiting{{program, {}}};
  while (!waiting.empty()) {
    auto [file, folders] = waiting.front();
    waiting.pop_front();
    const ElfFile elf = read_elf(file);
    // A program's RPATH also applies to the libraries of its libraries. A RUNPATH does not, but it does no harm to search it for
    // them, too.
    folders.insert(folders.begin(), elf.searched.begin(), elf.searched.end());
    for (const std::string& name : elf.needed)
      if (names.insert(name).second && enters(name))
        if (const fs::path found = find_library(name, folders); !found.empty()) waiting.emplace_back(found, folders);
  }
  return names;
}

}  // namespace quadrille::command
