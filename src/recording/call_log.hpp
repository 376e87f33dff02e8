// SPDX-License-Identifier: BSD-3-Clause
// Writes the recording of a rank, rank-N.recording, by plain stores to mapped memory. Most entries cost one store. Every 65,536th
// store maps the next part of the file. The file can be read at any time, even if the rank is killed. Used by one thread at a
// time.
//
// The file is a page with CallLogHeader, and then units (entries.hpp): entries, and definitions of what they refer to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "foundation/system/files.hpp"
#include "recording/definitions.hpp"
#include "recording/entries.hpp"

namespace quadrille::recording {

inline constexpr char call_log_magic[24] = "quadrille-recording/2\n";
inline constexpr std::string_view any_call_log_magic = "quadrille-recording/";  // files of all versions begin with it
inline constexpr std::uint32_t call_log_byte_order = 0x01020304;
inline constexpr std::size_t most_functions = 120;

// Calls of a point-to-point function.
struct LoggedFunction {
  std::uint64_t calls, ticks;
};

struct CallLogHeader {
  static constexpr std::size_t bytes = 4096;

  char magic[24];
  std::uint32_t byte_order, reserved;
  double ticks_per_second;
  std::uint64_t start_ticks;
  std::uint64_t end_ticks;  // 0 unless the rank ended normally
  std::uint64_t checksum;   // words_hash of the file with 0 here; 0: the rank did not end normally
  std::uint64_t uses_wall_time, is_cut, unseen_calls;
  LoggedFunction functions[most_functions];  // by their numbers in the definition of functions
};
static_assert(sizeof(CallLogHeader) <= CallLogHeader::bytes && std::is_trivially_copyable_v<CallLogHeader>);

// Letters of definitions. The bytes that follow are those of definitions.hpp.
inline constexpr char facts_letter = 'r', functions_letter = 'f', communicator_letter = 'c', name_letter = 'n', site_letter = 's',
                      sampled_letter = 'm', settings_letter = 'e', variation_letter = 'v';

std::uint64_t checksum_of(std::string_view file);  // the checksum in the header of `file` must be 0

std::string recording_path(const std::string& folder, Rank rank);

class CallLog {
 public:
  // Replaces an older recording of this rank in the folder. Throws Error{environment} if the file cannot be made, or if a process
  // that still runs writes it. `functions`: names of point-to-point functions, by number.
  CallLog(const std::string& folder, const RankFacts& facts, std::span<const std::string_view> functions,
          std::uint64_t start_ticks);
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  // Communicators and sites are numbered from 0 in the order of their definitions.
  void define(const RecordedCommunicator& communicator);
  void define(const RecordedSite& site);
  void rename(std::size_t communicator, std::string_view name);
  void mark_sampled(std::size_t site);  // RecordedSite::are_sampled

  // The entry's site must have been defined.
  void add(const Entry& entry) noexcept {
    coder_.code(entry, [this](Unit unit) { put(unit); });
  }

  // Called when the rank has ended: gives unused disk space back, and sets the checksum. Afterwards no entries may be added, and
  // the header must not change.
  void close() noexcept;

  CallLogHeader& header() noexcept { return *header_; }

 private:
  void put(Unit unit) noexcept {
    if (next_ == end_) [[unlikely]]
      if (!extend()) return;
    std::atomic_ref(*next_++).store(unit, std::memory_order_relaxed);
  }
  void define(char letter, std::string_view bytes) noexcept;
  bool extend() noexcept;
  void cut() noexcept;

  Descriptor file_;
  CallLogHeader* header_ = nullptr;
  Unit* part_ = nullptr;  // the part of the file that is mapped
  Unit *next_ = nullptr, *end_ = nullptr;
  std::uint64_t size_ = CallLogHeader::bytes;
  EntryCoder coder_;
};

}  // namespace quadrille::recording
