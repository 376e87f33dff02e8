// SPDX-License-Identifier: BSD-3-Clause
// The counters of one rank. They lie in a file that is mapped to memory, so that they outlive the rank however it ends, and no
// signal handler is needed. Nothing here knows MPI.
//
// What a call costs is some plain stores: `enter`, `count_ours` or `count_passed`, `leave`. Where two threads count in one entry at
// the same time, a call may be lost; nothing else can go wrong. All other functions may be called by any number of threads. Only
// the constructor throws.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "execute/shared/descriptor.hpp"
#include "mpi_face/record_layout.hpp"
#include "mpi_face/ticks.hpp"

namespace quadrille::mpi_face {

struct RecordOptions {
  std::string path;  // an older file of counters there is replaced; empty: memory only
  Rank world_rank = 0;
  Count world_size = 1;
  std::span<const std::string_view> functions;  // their names by number, "Alltoall"; at most 32 - 1 letters each
  std::uint64_t run = 0;                        // the same on all ranks of a run, and of no other run; 0: not known
  std::string program, transport, mpi, thread_level, fingerprint;
  std::optional<TickMoment> start;  // of the rank, where that was before the record is made
};

// By a plain load and store: no locked instruction.
inline void add_to(std::uint64_t& counter, std::uint64_t more) noexcept {
  std::atomic_ref shared(counter);
  shared.store(shared.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

inline void count_ours(Counters& counters, Bytes bytes, std::uint64_t ticks) noexcept {
  add_to(counters.ours_calls, 1);
  add_to(counters.ours_ticks, ticks);
  add_to(counters.bytes, static_cast<std::uint64_t>(bytes));
}

// `reason` is of Record::reason for the same counters.
inline void count_passed(Counters& counters, PassedCalls& reason, Bytes bytes, std::uint64_t ticks) noexcept {
  add_to(counters.passed_calls, 1);
  add_to(counters.passed_ticks, ticks);
  add_to(counters.bytes, static_cast<std::uint64_t>(bytes));
  add_to(reason.calls, 1);
}

// In addition, for a rooted call in which this rank is the root.
inline void count_root(Counters& counters, Bytes bytes) noexcept { add_to(counters.root_bytes, static_cast<std::uint64_t>(bytes)); }

// At epochs.
inline void count_late(Counters& counters, std::uint64_t ticks) noexcept {
  add_to(counters.late_ticks, ticks);
  add_to(counters.late_samples, 1);
}
void add_sample(TickSamples& samples, std::uint64_t ticks) noexcept;

class Record {
 public:
  static constexpr std::uint32_t own_communicators = 256, most_communicators = 320;
  static constexpr std::uint32_t most_counters = 4096;  // beside one for each function

  // Throws Error{environment} where the file cannot be made, Error{misuse} for a rank outside the world or too many functions.
  explicit Record(const RecordOptions& options);
  ~Record();  // leaves the file
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // Returns its number. `world_ranks` are its members in order; -1 stands for a process of another world. The first 256 have
  // numbers of their own, later ones one for each number of ranks. One with the name and members of a freed one takes its number.
  int add_communicator(std::string_view name, std::span<const Rank> world_ranks) noexcept;
  void rename_communicator(int communicator, std::string_view name) noexcept;
  void free_communicator(int communicator) noexcept;

  // Finds or makes the entry, which stays where it is. Where the table is full, it is that of the function's other calls.
  Counters& counters(int function, int communicator, Bytes block_bytes) noexcept;

  // For count_passed: finds or makes it. The entry knows three reasons, and counts further ones together.
  PassedCalls& reason(Counters& counters, std::string_view why) noexcept;

  // What runs by ours, and why.
  void describe(Counters& counters, std::string_view what, std::string_view why) noexcept;

  // Of this rank: the bytes that it sent to each rank of the world by irregular collectives (alltoallv, allgatherv, scatterv at the
  // root, gatherv elsewhere). What regular ones send follows from their counters.
  std::uint64_t* traffic() noexcept;

  void set_fingerprint(std::string_view fingerprint) noexcept;

  // Two stores; `now` is of ticks().
  void enter(int function, int communicator, std::uint64_t now) noexcept {
    store(header_->in_call, (static_cast<std::uint64_t>(communicator) << 32) | (static_cast<std::uint64_t>(function) + 1));
    store(header_->in_since, now);
  }
  void leave() noexcept { store(header_->in_call, 0); }

  void count_own(std::uint64_t ticks) noexcept { add_to(header_->own_ticks, ticks); }

  // Finds out the rate of ticks anew; takes about 1 µs. Now and then, so that the counters of a rank that died have a good rate.
  void calibrate() noexcept;
  double ticks_per_second() const noexcept { return header_->ticks_per_second; }

  // The rank ended well. Does nothing in a forked child.
  void end() noexcept;

  // What is used of the record, as a file would hold it; for gathering at one rank. Throws std::bad_alloc.
  std::string packed(bool with_traffic = true) const;

  const RecordHeader& header() const noexcept { return *header_; }
  const std::string& path() const noexcept { return path_; }

 private:
  static void store(std::uint64_t& place, std::uint64_t value) noexcept {
    std::atomic_ref(place).store(value, std::memory_order_relaxed);
  }
  bool is_backed(std::uint64_t begin, std::uint64_t end) noexcept;
  template <typename Item>
  Item* part(std::uint64_t begin) const noexcept {
    return reinterpret_cast<Item*>(memory_ + begin);
  }
  int same_freed(std::string_view name, std::span<const RecordRun> runs, std::uint64_t hash) noexcept;
  int shared_communicator(Count ranks) noexcept;
  int write_communicator(std::uint32_t id, std::string_view name, Count ranks, bool is_shared) noexcept;
  void write_runs(RecordCommunicator& communicator, std::span<const RecordRun> runs, std::uint64_t hash) noexcept;

  std::string path_;
  Descriptor file_;
  std::byte* memory_ = nullptr;
  RecordHeader* header_ = nullptr;
  RecordPlaces places_;
  TickMoment start_;
  std::mutex mutex_;                             // of all that follow, and of the tables of the file
  std::vector<bool> backed_;                     // pieces of the file that have room on the disk
  std::vector<std::uint32_t> index_;             // of counters, by hash; 0: none
  std::vector<std::uint64_t> homeless_traffic_;  // where the disk had no room for it
};

}  // namespace quadrille::mpi_face
