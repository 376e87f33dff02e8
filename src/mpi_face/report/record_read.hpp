// SPDX-License-Identifier: BSD-3-Clause
// Reads the counters of a rank that has ended, has died or is still running. The file is not trusted: every offset, count and
// number is checked before use, and the memory used is proportional to the file's contents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi_face/report/record_layout.hpp"

namespace quadrille::mpi_face {

// What one rank counted. All indices in it are valid: the communicator in an entry of `counters` is an index into `communicators`
// or -1, and so on.
struct RankRecord {
  std::string path;
  RecordHeader header{};
  bool is_running = false;  // a process on this machine is writing it
  std::vector<std::string> functions, reasons;
  std::vector<RecordCommunicator> communicators;
  std::vector<RecordRun> runs;
  std::vector<Counters> counters;
  std::vector<CostlyCall> costliest;  // by their begin
  std::optional<WatchPage> watch;     // if the rank is watched
  // The bytes that irregular collectives sent to each rank of the world; only non-zero entries.
  std::vector<std::pair<Rank, std::uint64_t>> traffic;

  bool has_ended() const { return header.end_unix_ns != 0; }
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) / header.ticks_per_second; }
};

// Throws Error{environment} if the file cannot be read, Error{malformed} if it is not a file of counters or is damaged. The
// sentence names the file.
RankRecord read_record(const std::string& path);

// Reads only what a watcher needs: no reasons, costly calls or traffic. Its counters may contain numbers of functions and
// communicators that the record does not list. Throws as read_record does.
RankRecord read_watched_record(const std::string& path);

// True if the file begins like a file of counters. False if it cannot be read.
bool looks_like_record(const std::string& path);

}  // namespace quadrille::mpi_face
