// SPDX-License-Identifier: BSD-3-Clause
// Writes the log of a rank. Adding an entry costs one store; every 32,768th makes room for more. Used by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "foundation/system/files.hpp"
#include "recording/definitions.hpp"
#include "recording/live_layout.hpp"

namespace quadrille::recording {

std::string log_path(const std::string& folder, Rank rank);
std::string sites_path(const std::string& folder, Rank rank);
std::string file_path(const std::string& folder, Rank rank);  // of the packed recording

class LiveLog {
 public:
  // Replaces an older log and an older recording of this rank in the folder. Throws Error{environment} if the files cannot be made,
  // or if a process that still runs writes them. `functions`: names of point-to-point functions, by number.
  LiveLog(const std::string& folder, const RankFacts& facts, std::span<const std::string_view> functions,
          std::uint64_t start_ticks);
  ~LiveLog();
  LiveLog(const LiveLog&) = delete;
  LiveLog& operator=(const LiveLog&) = delete;

  void define(const RecordedCommunicator& communicator);
  void define(const RecordedSite& site);
  void rename(std::size_t communicator, std::string_view name);
  void mark_sampled(std::size_t site);  // RecordedSite::are_sampled

  void add(const LiveEntry& entry) noexcept {
    if (next_ == end_) [[unlikely]]
      if (!extend()) return;
    std::atomic_ref(*next_++).store(entry.word(), std::memory_order_relaxed);
  }

  LiveHeader& header() noexcept { return *header_; }

 private:
  void append(char letter, const std::string& bytes) noexcept;
  bool extend() noexcept;
  void cut() noexcept;

  Descriptor log_, sites_;
  LiveHeader* header_ = nullptr;
  std::uint64_t* part_ = nullptr;  // the part of the log that is mapped
  std::uint64_t *next_ = nullptr, *end_ = nullptr;
  std::uint64_t size_ = LiveHeader::bytes;  // of the log
};

}  // namespace quadrille::recording
