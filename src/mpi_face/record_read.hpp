// SPDX-License-Identifier: BSD-3-Clause
// Reading the file of a rank's counters, whether the rank has ended, died or still runs. The file may come from anybody: every
// offset, count and number is checked before it is used, and memory stays proportional to what the file holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi_face/record_layout.hpp"

namespace quadrille::mpi_face {

// What one rank counted. Numbers in it are right: a communicator of `counters` is one of `communicators` or -1, and so on.
struct RankRecord {
  std::string path;
  RecordHeader header{};
  bool is_running = false;  // a process of this machine writes it
  std::vector<std::string> functions, reasons;
  std::vector<RecordCommunicator> communicators;
  std::vector<RecordRun> runs;
  std::vector<Counters> counters;
  std::vector<std::pair<Rank, std::uint64_t>> traffic;  // of irregular collectives: bytes sent to ranks of the world, if any

  bool has_ended() const { return header.end_unix_ns != 0; }
  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) / header.ticks_per_second; }
};

// Throws Error{environment} where the file cannot be read, Error{malformed} where it is no file of counters or is damaged; the
// sentence names it.
RankRecord read_record(const std::string& path);

// The same of bytes in memory (Record::packed); `name` is for the sentences.
RankRecord parse_record(std::string_view bytes, const std::string& name);

// Does the file begin as a file of counters does? False where it cannot be read.
bool looks_like_record(const std::string& path);

}  // namespace quadrille::mpi_face
