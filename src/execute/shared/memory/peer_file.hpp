// SPDX-License-Identifier: BSD-3-Clause
// This process's mapping of a shared file (shared_file.hpp) of another process.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "execute/fork_mark.hpp"
#include "execute/shared/memory/shared_file.hpp"
#include "foundation/system/files.hpp"

namespace quadrille {

// Thread-safe.
class PeerFile {
 public:
  // Opens `path` (/proc/PID/fd/N), checks seals, size and title, maps the first extent, and closes the file again. Throws
  // Error{environment} with the reason if the file is out of reach, is not the file of `process`, or is damaged, or if address
  // space is exhausted.
  PeerFile(std::string path, FileKind kind, std::uint64_t process, ino_t inode);
  ~PeerFile();
  PeerFile(const PeerFile&) = delete;
  PeerFile& operator=(const PeerFile&) = delete;

  // Returns the address of `place` here; maps its extent at the first access. Throws Error{environment} if the extent cannot be
  // mapped, Error{peer_lost} if the other process has ended, Error{transport} if the file is too short for the place.
  std::byte* at(Place place) {
    const std::size_t extent = Extents::of(place);
    std::byte* memory = extent < Extents::most ? extents_[extent].load(std::memory_order_acquire) : nullptr;
    return (memory ? memory : map(extent)) + (place - Extents::begin(extent));
  }

  // Does the other process still have the file? False once that process has ended, or has called exec.
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
  std::uint64_t started_ = 0;  // start time of the process; 0 if not known
  const ForkMark mark_;        // the mappings do not exist in a forked child
  dev_t device_ = 0;           // this and the size are known after the file was first opened
  Bytes bytes_ = 0;
  std::mutex mutex_;  // held while an extent is being mapped
  Extents::Mapped extents_{};
};

}  // namespace quadrille
