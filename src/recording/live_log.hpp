// SPDX-License-Identifier: BSD-3-Clause
// Writes the log of a rank. Adding an entry costs one store; every 32,768th makes room for more. Used by one thread at a time.
//
// The log of a rank while it runs is two files, which stay readable however the rank ends.
// - rank-N.log: a page with LiveHeader, and then 8 bytes for each entry, written by plain stores to mapped memory. Entries that
// were
//   not written are 0.
// - rank-N.sites: what entries refer to. Records are appended: a letter, the length of the rest, and the rest (definitions.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "foundation/system/files.hpp"
#include "recording/definitions.hpp"

namespace quadrille::recording {

inline constexpr char live_magic[24] = "quadrille-log/1\n";
inline constexpr std::uint32_t live_byte_order = 0x01020304;
inline constexpr std::size_t most_functions = 120;

// Calls of a point-to-point function.
struct LiveFunction {
  std::uint64_t calls, ticks;
};

struct LiveHeader {
  static constexpr std::size_t bytes = 4096;

  char magic[24];
  std::uint32_t byte_order, version;
  double ticks_per_second;
  std::uint64_t start_ticks;
  std::uint64_t end_ticks;  // 0 unless the rank ended normally
  std::uint64_t uses_wall_time, is_cut, unseen_calls;
  LiveFunction functions[most_functions];  // by their numbers in the record of functions
};
static_assert(sizeof(LiveHeader) <= LiveHeader::bytes && std::is_trivially_copyable_v<LiveHeader>);

// Letters of records.
inline constexpr char facts_record = 'r', functions_record = 'f', communicator_record = 'c', name_record = 'n', site_record = 's',
                      sampled_record = 'm';

// A time of up to 2^63 ticks in 22 bits: 6 bits shift, 16 bits number. The error is at most 2^-15 of the time.
struct LiveTime {
  static constexpr int bits = 22, number_bits = 16;
  static constexpr std::uint64_t code(std::uint64_t ticks) {
    const auto shift = static_cast<std::uint64_t>(std::max(0, static_cast<int>(std::bit_width(ticks)) - number_bits));
    return shift << number_bits | ticks >> shift;
  }
  static constexpr std::uint64_t ticks(std::uint64_t code) {
    return (code & ((1u << number_bits) - 1)) << (code >> number_bits & 63);
  }
};

// An entry: the site, the gap before the call, the duration of the call. Site 0: there is no entry yet. Site `away`: the gap of the
// next entry was longer by this duration, in which the thread was not on a processor. The rank's k-th site is first_site + k.
struct LiveEntry {
  static constexpr std::uint32_t away = 1, first_site = 2, most_sites = (1u << 20) - first_site;
  std::uint32_t site = 0;
  std::uint64_t gap = 0, duration = 0;  // ticks

  constexpr std::uint64_t word() const {
    return std::uint64_t{site} << 2 * LiveTime::bits | LiveTime::code(gap) << LiveTime::bits | LiveTime::code(duration);
  }
  static constexpr LiveEntry of(std::uint64_t word) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << LiveTime::bits) - 1;
    return {static_cast<std::uint32_t>(word >> 2 * LiveTime::bits), LiveTime::ticks(word >> LiveTime::bits & mask),
            LiveTime::ticks(word & mask)};
  }
};

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
