// SPDX-License-Identifier: BSD-3-Clause
// What a file of counters holds. One rank writes it, by plain stores to mapped memory; `quadrille report` reads it, after the
// rank's end or while it runs. The parts follow each other in the order of RecordPlaces. Each has room for as many items as the
// header says, and as many as the header says are used. What is not used was never written, so it takes no room on the disk.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

inline constexpr char record_magic[8] = {'q', 'u', 'a', 'd', 'r', 'e', 'c', '\n'};
inline constexpr std::uint32_t record_version = 1;
inline constexpr std::uint32_t record_byte_order = 0x01020304;

// How many items a part has room for, and how many there are.
struct RecordPart {
  std::uint32_t room = 0, used = 0;
};

// The first page.
struct RecordHeader {
  char magic[8];
  std::uint32_t version, byte_order;
  std::uint32_t header_bytes, function_bytes, reason_bytes, communicator_bytes, run_bytes, counters_bytes;  // sizes of the structs
  RecordPart functions, reasons, communicators, runs, counters;
  std::uint64_t traffic;  // items of the traffic row: the ranks of the world, or 0
  std::uint64_t file_bytes;

  std::uint64_t run;  // the same on all ranks of a run; 0: not known
  std::int64_t world_rank, world_size, process;
  std::int64_t start_unix_ns, end_unix_ns;  // end: 0 until the rank ended well
  std::uint64_t start_ticks, last_ticks;    // last: when the rate was found out last
  double ticks_per_second;
  std::uint64_t own_ticks;  // spent on groups, plans and trials, beside what calls took

  // Where the rank is now: its own line, because it is written at each call.
  alignas(64) std::uint64_t in_call;  // 0: in none; else the function's number plus 1, and the communicator's shifted by 32
  std::uint64_t in_since;             // ticks when the last call began

  alignas(64) char program[256];
  char transport[96], mpi[160], version_text[32], thread_level[32], host[64], fingerprint[256];
};

struct RecordFunction {
  char name[32];  // "Alltoall"
};

struct RecordReason {
  char text[160];
};

struct RecordCommunicator {
  char name[64];
  std::int64_t ranks;             // 0: several numbers of ranks
  std::uint64_t members_hash;     // of the runs
  std::uint64_t made;             // how many communicators of the program this one stands for
  std::uint32_t first_run, runs;  // its members, in order of their ranks in it; no runs: not known
  std::uint32_t is_shared;        // it stands for all that came when the table was full
  std::uint32_t is_freed;
};

// World ranks first, first + stride, ...
struct RecordRun {
  std::int32_t first, stride, count;

  bool operator==(const RecordRun&) const = default;
};

// The last times of something that is timed now and then, in ticks.
struct TickSamples {
  static constexpr std::size_t kept = 15;
  std::uint64_t count;        // how many there were
  std::uint64_t ticks[kept];  // the k-th is at k % kept
};

// Calls that the MPI library ran, for one reason.
struct PassedCalls {
  std::uint64_t calls;
  std::uint32_t reason;  // its number; 0: other reasons
  std::uint32_t is_used;
};

// One function, size class and communicator.
struct alignas(64) Counters {
  // Written at each call.
  std::uint64_t ours_calls, ours_ticks;
  std::uint64_t passed_calls, passed_ticks;
  std::uint64_t bytes;                     // regular: the sum of the calls' block bytes; irregular: all that this rank sent
  std::uint64_t root_bytes;                // rooted: the same, of calls in which this rank was the root
  std::uint64_t late_ticks, late_samples;  // waiting for late ranks, where that was measured

  PassedCalls passed[4];     // the last is for all further reasons
  TickSamples vendor, ours;  // clean times: after a barrier

  std::int32_t function, communicator;
  std::uint32_t size_class;
  std::uint32_t is_others;  // 1: the table was full, so this entry counts all further calls of its function
  char what[144];           // what ran by ours last: "bruck:radix=4 (shared)"; empty: nothing
  char why[160];            // and the reason
};

static_assert(sizeof(RecordHeader) <= 4096 && sizeof(Counters) == 704 && sizeof(RecordCommunicator) == 104 &&
              sizeof(RecordRun) == 12);
static_assert(std::is_trivially_copyable_v<RecordHeader> && std::is_trivially_copyable_v<Counters>);

// 0 B apart; else 1 + floor(log2(block bytes)).
constexpr std::uint32_t size_class_of(Bytes block_bytes) {
  return block_bytes <= 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(block_bytes)));
}
inline constexpr std::uint32_t size_classes = 64;

// Offsets of the parts of the file, in bytes.
struct RecordPlaces {
  std::uint64_t functions, reasons, communicators, runs, counters, traffic, end;

  explicit constexpr RecordPlaces(const RecordHeader& header) {
    const auto after = [](std::uint64_t begin, std::uint64_t items, std::uint64_t each) {
      return (begin + items * each + 63) / 64 * 64;
    };
    functions = 4096;
    reasons = after(functions, header.functions.room, sizeof(RecordFunction));
    communicators = after(reasons, header.reasons.room, sizeof(RecordReason));
    runs = after(communicators, header.communicators.room, sizeof(RecordCommunicator));
    counters = after(runs, header.runs.room, sizeof(RecordRun));
    traffic = after(counters, header.counters.room, sizeof(Counters));
    end = after(traffic, header.traffic, sizeof(std::uint64_t));
  }
};

}  // namespace quadrille::mpi_face
