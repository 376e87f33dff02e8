// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a run counted, put together. Nothing here knows MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi_face/record_read.hpp"

namespace quadrille::mpi_face {

enum class RankState { ended, running, died, unknown };  // unknown: it has not ended well, on another machine

struct ReportedRank {
  Rank rank = 0;
  RankState state = RankState::ended;
  std::string host, path;
  double seconds = 0;             // from its start to its end, or to the last moment that is known
  double collective_seconds = 0;  // of these, inside collectives
  std::string function;           // of a rank that did not end well: the collective that it was inside, "Alltoall"; else empty
  std::string communicator;       // and its communicator
  double entered_s = 0;           // when the last collective began, from the rank's start
  double inside_s = 0;            // of a running rank of this machine: for how long it has been inside
};

struct ReportedCommunicator {
  std::string name;           // "MPI_COMM_WORLD"; empty: it has none
  Count ranks = 0;            // 0: several numbers of ranks
  Count made = 0;             // how many communicators of the program it stands for
  std::vector<Rank> members;  // in order of their ranks in it; empty: not known, or too many to list
  std::string label() const;  // "MPI_COMM_WORLD", "4 ranks"
};

// A time as measured now and then, each after a barrier, by the slowest rank.
struct MeasuredTime {
  double median_s = 0;
  Count samples = 0;  // all that were measured; the median is of the last 15 at most
};

struct PassedReason {
  std::string why;
  Count calls = 0;
};

// Calls of one collective, size class and communicator. A call of all ranks counts as one.
struct ReportRow {
  std::string collective;                 // "Alltoall"
  int communicator = -1;                  // of RunReport::communicators; -1: several
  Bytes least_block = 0, most_block = 0;  // the size class; the most is -1 where sizes are each rank's own
  bool has_sizes = true;  // they are not counted of nonblocking, persistent and neighbourhood collectives, nor of alltoallw
  Count calls = 0, ours_calls = 0;
  Bytes block_bytes = 0;                      // of all calls; where sizes are each rank's own, what all ranks sent
  double rank_seconds = 0, most_seconds = 0;  // inside the calls: of all ranks together, of the rank that spent most
  Count rank_calls = 0;                       // calls of all ranks together
  double share = 0;                           // of the ranks' time
  std::optional<MeasuredTime> late;           // mean wait for late ranks per call; `samples` of calls
  std::optional<MeasuredTime> vendor, ours;
  std::string what, why;             // what ran by ours last, and the reason; empty: nothing
  std::vector<PassedReason> passed;  // calls that the MPI library ran, and why; of the rank that called most
};

struct RunReport {
  std::string program, mpi, transport, thread_level, version, fingerprint;
  std::int64_t start_unix_ns = 0;
  Count world_size = 0;
  std::vector<std::string> hosts;
  std::vector<ReportedRank> ranks;  // whose counters were found, in order
  std::vector<Rank> missing;        // the first 1,000 of the others
  Count missing_ranks = 0;
  std::string elsewhere;  // where on their machines the counters of ranks of other machines are, if that is known
  std::vector<ReportedCommunicator> communicators;
  std::vector<ReportRow> rows;  // most time first
  double seconds = 0;           // of the rank that took longest
  double share = 0;             // of the ranks' time, inside collectives
  double own_rank_seconds = 0;  // of all ranks together, on groups, plans and trials; not part of the share
  double own_share = 0;
  // Bytes that rank i handed over for rank j, at i * world_size + j. By all collectives that have pairs: not of barriers, of
  // allreduce, reduce_scatter and scans, nor of nonblocking and neighbourhood ones. Empty for more than 2,048 ranks.
  std::vector<std::uint64_t> traffic;
  Count other_runs = 0;              // files of other runs that were left out
  std::vector<std::string> remarks;  // files of folders that could not be read, and why
};

// Counters of a damaged file may be of any size, so sums wrap round.
inline void add_count(Count& sum, Count more) {
  sum = static_cast<Count>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(more));
}

// Of this machine, as records have it.
std::string host_name();

// Throws Error{misuse} without records. Of several runs the one that began last is taken.
RunReport merged(std::vector<RankRecord> records);

// Of files, and of all files of counters in folders. Throws Error{environment} or Error{malformed} with a sentence.
RunReport read_run(std::span<const std::string> places);

struct ReportStyle {
  bool full = false;  // every row, the ranks, the communicators and the traffic matrix
};

std::string text_of(const RunReport& report, const ReportStyle& style);
std::string json_text_of(const RunReport& report);  // docs/drop-in.md says what the fields mean

}  // namespace quadrille::mpi_face
