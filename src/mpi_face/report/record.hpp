// SPDX-License-Identifier: BSD-3-Clause
// The counters of one rank. They are in a memory-mapped file, so they remain however the rank ends, and no signal handler is
// needed. Nothing here depends on MPI.
//
// Counting a call costs a few plain stores: `enter`, `count_ours` or `count_passed`, `leave`, `keep_if_costly`. If two threads
// count in the same entry at the same time, a call may be lost. All other functions may be called by any number of threads at the
// same time. Only the constructor throws.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/system/files.hpp"
#include "foundation/system/ticks.hpp"
#include "mpi_face/report/record_layout.hpp"

namespace quadrille::mpi_face {

struct RecordOptions {
  std::string path;  // the file; an older file of counters with this name is replaced; empty: memory only
  Rank world_rank = 0;
  Count world_size = 1;
  std::span<const std::string_view> functions;  // names by number, such as "Alltoall"; at most 32 - 1 letters each
  std::uint64_t run = 0;                        // equal on all ranks of a run and different for other runs; 0: unknown
  std::string program, mpi, thread_level;
  std::optional<TickMoment> start;  // when the rank started, if that was before this record is made
  bool sees_messages = false;       // are point-to-point and one-sided functions counted, too?
  bool is_watched = false;          // does a watcher read the last calls?
  bool has_threads = false;         // may several threads call MPI at the same time?
};

// Uses a plain load and store, not a locked instruction.
inline void add_to(std::uint64_t& counter, std::uint64_t more) noexcept {
  std::atomic_ref shared(counter);
  shared.store(shared.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

inline void count_ours(Counters& counters, Bytes bytes, std::uint64_t ticks) noexcept {
  add_to(counters.ours_calls, 1);
  add_to(counters.ours_ticks, ticks);
  add_to(counters.bytes, static_cast<std::uint64_t>(bytes));
}

// `reason` must come from Record::reason for the same counters.
inline void count_passed(Counters& counters, PassedCalls& reason, Bytes bytes, std::uint64_t ticks) noexcept {
  add_to(counters.passed_calls, 1);
  add_to(counters.passed_ticks, ticks);
  add_to(counters.bytes, static_cast<std::uint64_t>(bytes));
  add_to(reason.calls, 1);
}

// Call this in addition if this rank is the root of a rooted call.
inline void count_root(Counters& counters, Bytes bytes) noexcept { add_to(counters.root_bytes, static_cast<std::uint64_t>(bytes)); }

// Call this in addition for a call before which late ranks were measured. `took`: ticks of the whole call; `late`: the part of
// `took` in which the rank waited for late ranks.
inline void count_late(Counters& counters, std::uint64_t late, std::uint64_t took) noexcept {
  add_to(counters.late_ticks, late);
  add_to(counters.late_call_ticks, took);
  add_to(counters.late_samples, 1);
}
void add_sample(TickSamples& samples, std::uint64_t ticks) noexcept;

class Record {
 public:
  static constexpr std::uint32_t own_communicators = 256, most_communicators = 320;
  static constexpr std::uint32_t most_counters = 4096;  // besides one for each function

  // Throws Error{environment} if the file cannot be made, Error{misuse} if the rank is outside of the world or there are too many
  // functions.
  explicit Record(const RecordOptions& options);
  ~Record();  // does not remove the file
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // Returns the communicator's number. `world_ranks`: its members in order; -1 for a process of another world. The first 256
  // communicators get their own numbers. Each later communicator shares a number with all later ones of its size. A communicator
  // with the name and members of a freed one gets the freed one's number.
  int add_communicator(std::string_view name, std::span<const Rank> world_ranks) noexcept;
  void rename_communicator(int communicator, std::string_view name) noexcept;
  void free_communicator(int communicator) noexcept;
  // A hash of the communicator's members, in order; 0: unknown.
  std::uint64_t members_hash(int communicator) const noexcept;

  const CallRing& ring() const noexcept { return ring_; }  // false unless the rank is watched

  // Finds or makes the entry, whose address never changes. If the table is full, returns the entry for all other calls of the
  // function.
  Counters& counters(int function, int communicator, Bytes block_bytes) noexcept;

  // Finds or makes the entry for count_passed. Counters have entries for three reasons; calls for further reasons are counted
  // together.
  PassedCalls& reason(Counters& counters, std::string_view why) noexcept;

  // Records what runs our calls, and why.
  void describe(Counters& counters, std::string_view what, std::string_view why) noexcept;

  // This rank's row of the traffic matrix: bytes sent to each rank of the world by irregular collectives (alltoallv, allgatherv,
  // scatterv at the root, gatherv elsewhere). Traffic of regular collectives follows from their counters.
  std::uint64_t* traffic() noexcept;

  // Costs two stores. `now` is a value of ticks().
  void enter(int function, int communicator, std::uint64_t now) noexcept {
    store(header_->in_call, (static_cast<std::uint64_t>(communicator) << 32) | (static_cast<std::uint64_t>(function) + 1));
    store(header_->in_since, now);
  }
  void leave() noexcept { store(header_->in_call, 0); }
  bool is_inside() const noexcept { return std::atomic_ref(header_->in_call).load(std::memory_order_relaxed) != 0; }

  // The entry for calls of a function on no communicator in particular.
  Counters& others(int function) noexcept { return part<Counters>(places_.counters)[function]; }

  // Keeps the call if it is one of the costliest. For any other call it costs one comparison.
  void keep_if_costly(const CostlyCall& call) noexcept {
    if (call.ticks > std::atomic_ref(header_->costly_ticks).load(std::memory_order_relaxed)) [[unlikely]]
      keep(call);
  }

  void count_own(std::uint64_t ticks) noexcept { add_to(header_->own_ticks, ticks); }

  // What the program had in the heap, if it was asked for.
  void describe_heap(Bytes most_bytes, std::uint64_t lent, std::string_view why_none) noexcept;

  // Measures the rate of ticks again, in about 1 us. Call it from time to time, so that the counters of a rank that
  // dies have an accurate rate.
  void calibrate() noexcept;
  double ticks_per_second() const noexcept { return header_->ticks_per_second; }

  // Marks that the rank ended normally. Does nothing in a forked child.
  void end() noexcept;

  // The used parts of the record in the file's format, for sending to rank 0. Throws std::bad_alloc.
  std::string packed() const;

  const RecordHeader& header() const noexcept { return *header_; }
  const std::string& path() const noexcept { return path_; }

 private:
  static void store(std::uint64_t& place, std::uint64_t value) noexcept {
    std::atomic_ref(place).store(value, std::memory_order_relaxed);
  }
  void keep(const CostlyCall& call) noexcept;
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
  CallRing ring_{nullptr, false};
  TickMoment start_;
  std::atomic_flag is_keeping_;                  // guards the costliest calls
  std::size_t least_costly_ = 0;                 // index of the shortest of the costliest calls
  std::mutex mutex_;                             // guards the members below and the tables of the file
  std::vector<bool> backed_;                     // for each piece of the file: has disk space been reserved?
  std::vector<std::uint32_t> index_;             // hash table of counters; 0: empty
  std::vector<std::uint64_t> homeless_traffic_;  // used instead of the file if the disk is full
};

}  // namespace quadrille::mpi_face
