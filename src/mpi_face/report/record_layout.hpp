// SPDX-License-Identifier: BSD-3-Clause
// The format of a file of counters. One rank writes the file by plain stores to mapped memory; `quadrille report` reads it,
// during or after the rank's life. The parts are in the order of RecordPlaces. For each part, the header has the number of items
// that fit, and the number that are used. Unused items were never written, so they take no disk space.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "mpi_face/report/call_ring.hpp"
#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

inline constexpr char record_magic[8] = {'q', 'u', 'a', 'd', 'r', 'e', 'c', '\n'};
inline constexpr std::uint32_t record_version = 6;
inline constexpr std::uint32_t record_byte_order = 0x01020304;
inline constexpr Count most_world_size = Count{1} << 24;

// Capacity and number of items of a part.
struct RecordPart {
  std::uint32_t room = 0, used = 0;
};

// One of the blocking calls in which the rank spent most time.
struct CostlyCall {
  std::uint64_t begin_ticks, ticks;  // ticks: what it took; 0: there is no call
  std::uint64_t bytes;               // as Counters::bytes counts them
  std::int32_t function, communicator;
  std::uint64_t is_ours;
};

// The first page of the file.
struct RecordHeader {
  static constexpr std::size_t costly_calls = 32;

  char magic[8];
  std::uint32_t version, byte_order;
  std::uint32_t header_bytes, function_bytes, reason_bytes, communicator_bytes, run_bytes, counters_bytes;  // sizes of the structs
  RecordPart functions, reasons, communicators, runs, counters;
  std::uint64_t traffic;  // entries in the traffic row: the ranks of the world, or 0
  RecordPart watch;       // 1 page if the rank is watched
  std::uint64_t file_bytes;

  std::uint64_t run;  // equal on all ranks of a run; 0: unknown
  std::int64_t world_rank, world_size, process;
  std::int64_t start_unix_ns, end_unix_ns;  // end: 0 unless the rank ended normally
  std::uint64_t start_ticks, last_ticks;    // last: when the tick rate was last measured
  double ticks_per_second;
  std::uint64_t own_ticks;      // spent on groups, plans and trials; not included in the times of calls
  std::uint64_t heap_bytes;     // the most that the heap held, if the program's large buffers lie there; 0: they do not
  std::uint64_t lent;           // buffers in the heap that other ranks read
  std::uint64_t sees_messages;  // 1: point-to-point and one-sided functions are counted, too

  // The call that the rank is in. In its own cache line, because it is written in each call.
  alignas(64) std::uint64_t in_call;   // 0: not in a call; otherwise function number + 1, and communicator << 32
  std::uint64_t in_since;              // ticks at the start of the last call
  std::uint64_t costly_ticks;          // a call that takes longer than this is one of the costliest
  CostlyCall costliest[costly_calls];  // in no order

  alignas(64) char program[256];
  char mpi[160], version_text[32], thread_level[32], host[64];
  char why_no_heap[224];  // why no large buffers lie in the heap, though that was asked for; empty: they do, or it was not
};

struct RecordFunction {
  char name[32];  // "Alltoall"
};

struct RecordReason {
  char text[160];
};

struct RecordCommunicator {
  char name[64];
  std::int64_t ranks;             // 0: communicators of several sizes
  std::uint64_t members_hash;     // hash of the runs
  std::uint64_t made;             // how many of the program's communicators this entry stands for
  std::uint32_t first_run, runs;  // its members as runs, in order of their ranks; no runs: unknown
  std::uint32_t is_shared;        // stands for all communicators that came after the table was full
  std::uint32_t is_freed;
};

// A run of world ranks: first, first + stride, ...
struct RecordRun {
  std::int32_t first, stride, count;

  bool operator==(const RecordRun&) const = default;
};

// The most recent values of a time that is measured from time to time, in ticks.
struct TickSamples {
  static constexpr std::size_t kept = 15;
  std::uint64_t count;        // measured in total
  std::uint64_t ticks[kept];  // the k-th is at index k % kept
};

// Calls that the MPI library ran for one reason.
struct PassedCalls {
  std::uint64_t calls;
  std::uint32_t reason;  // index of the reason; 0: other reasons
  std::uint32_t is_used;
};

// The counters of one function, size class and communicator. Calls are "ours" if Quadrille ran them, and "passed" if the MPI
// library did.
struct alignas(64) Counters {
  // Written in each call.
  std::uint64_t ours_calls, ours_ticks;
  std::uint64_t passed_calls, passed_ticks;
  std::uint64_t bytes;       // regular collectives: sum of the calls' block bytes; irregular: all bytes that this rank sent
  std::uint64_t root_bytes;  // rooted collectives: the same sum for calls in which this rank was the root
  // For calls before which late ranks were measured: the ticks spent waiting for late ranks, the number of these calls, and all
  // their ticks.
  std::uint64_t late_ticks, late_samples, late_call_ticks;
  std::uint64_t trial_ticks;  // the cost of a trial that was put off as too costly; 0: none was, or it is not known here

  PassedCalls passed[4];     // the last one is for all further reasons
  TickSamples vendor, ours;  // times in the trials that ours won; vendor.ticks[k] and ours.ticks[k] are a pair

  std::int32_t function, communicator;
  std::uint32_t size_class;
  std::uint32_t is_others;  // 1: made when the table was full; counts all further calls of its function
  char what[144];           // what ran our calls most recently, such as "bruck:radix=4 (shared)"; empty: nothing
  char why[160];            // why that was chosen
};

static_assert(sizeof(RecordHeader) <= 4096 && sizeof(Counters) == 768 && sizeof(RecordCommunicator) == 104 &&
              sizeof(RecordRun) == 12);
static_assert(std::is_trivially_copyable_v<RecordHeader> && std::is_trivially_copyable_v<Counters>);

// Class 0 is for 0 bytes; others are 1 + floor(log2(block bytes)).
constexpr std::uint32_t size_class_of(Bytes block_bytes) {
  return block_bytes <= 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(block_bytes)));
}
inline constexpr std::uint32_t size_classes = 64;

// Offsets of the parts in the file, in bytes.
struct RecordPlaces {
  std::uint64_t functions, reasons, communicators, runs, counters, traffic, watch, end;

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
    watch = after(traffic, header.traffic, sizeof(std::uint64_t));
    end = after(watch, header.watch.room, sizeof(WatchPage));
  }
};

// Text in arrays of fixed length. A text that is too long is cut between two UTF-8 characters; the rest of the
// array is filled with zeros.
template <std::size_t length>
void set_words(char (&place)[length], std::string_view words) noexcept {
  std::size_t end = std::min(words.size(), length - 1);
  if (end < words.size())
    while (end > 0 && (words[end] & 0xC0) == 0x80) --end;  // inside a UTF-8 character
  if (end > 0) std::memcpy(place, words.data(), end);      // an empty text may have a null pointer
  std::memset(place + end, 0, length - end);
}

template <std::size_t length>
std::string_view words_of(const char (&place)[length]) noexcept {
  return {place, ::strnlen(place, length)};
}

}  // namespace quadrille::mpi_face
