// SPDX-License-Identifier: BSD-3-Clause
// A file (shared_file.hpp) of another process, as this process maps it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "execute/fork_mark.hpp"
#include "execute/shared/descriptor.hpp"
#include "execute/shared/shared_file.hpp"

namespace quadrille {

// Any number of threads may use it.
class PeerFile {
 public:
  // Opens `path` (/proc/PID/fd/N), checks seals, size and title, and maps the first extent; keeps no descriptor. Throws
  // Error{environment} with the reason: it is out of reach, it is not this process's file, it is damaged, addresses are missing.
  PeerFile(std::string path, FileKind kind, std::uint64_t process, ino_t inode);
  ~PeerFile();
  PeerFile(const PeerFile&) = delete;
  PeerFile& operator=(const PeerFile&) = delete;

  // Maps the extent when it is first asked for. Throws Error{environment} if it cannot, Error{peer_lost} if its process is gone,
  // Error{transport} for a place that the file does not have.
  std::byte* at(Place place) {
    const std::size_t extent = Extents::of(place);
    std::byte* memory = extent < Extents::most ? extents_[extent].load(std::memory_order_acquire) : nullptr;
    return (memory ? memory : map(extent)) + (place - Extents::begin(extent));
  }

  // Does its process still have it? Not when the process is gone, or executes another program.
  bool is_there() const;
  Bytes mapped_bytes() const { return Extents::bytes(extents_); }

 private:
  std::byte* map(std::size_t extent);
  std::string directory() const { return path_.substr(0, path_.find("/fd/")); }
  std::optional<std::string> path_of_any_thread() const;
  Descriptor open(const std::string& path);
  std::byte* map_of(const Descriptor& file, std::size_t extent);

  const std::string path_;
  const FileKind kind_;
  const std::uint64_t process_;
  const ino_t inode_;
  std::uint64_t started_ = 0;  // when the process started; 0: not known
  const ForkMark mark_;        // a forked child does not have the mappings
  dev_t device_ = 0;           // known, as the size is, once the file is opened for the first time
  Bytes bytes_ = 0;
  std::mutex mutex_;  // while an extent is mapped
  Extents::Mapped extents_{};
};

}  // namespace quadrille
