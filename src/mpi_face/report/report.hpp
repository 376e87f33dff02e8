// SPDX-License-Identifier: BSD-3-Clause
// Merges the counters of all ranks of a run. Nothing here depends on MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi_face/report/record_read.hpp"

namespace quadrille::mpi_face {

enum class RankState { ended, running, died, unknown };  // unknown: it is on another machine and did not end normally

struct ReportedRank {
  Rank rank = 0;
  RankState state = RankState::ended;
  std::string host, path;
  double seconds = 0;             // from the rank's start to its end, or to the last known moment
  double collective_seconds = 0;  // the part spent in collectives, the one under way included
  double message_seconds = 0;     // the part spent in point-to-point and one-sided calls
  std::int64_t process = 0;
  std::string function;      // for a rank that did not end normally: the call that it was in, such as "Alltoall"; otherwise empty
  std::string communicator;  // of that call; empty: of a point-to-point call
  double entered_s = 0;      // when the last call began, from the rank's start
  double inside_s = 0;       // for a running rank on this machine: how long it has been in that call
};

struct ReportedCommunicator {
  std::string name;           // such as "MPI_COMM_WORLD"; empty: no name
  Count ranks = 0;            // 0: communicators of several sizes
  Count made = 0;             // number of the program's communicators that this entry stands for
  std::vector<Rank> members;  // in order of their ranks; empty: unknown, or too many to list
  std::string label() const;  // such as "MPI_COMM_WORLD" or "4 ranks"
};

// The time of our calls divided by that of the MPI library's, in the trials that ours won.
struct MeasuredRatio {
  double median = 0;
  double least = 0, most = 0;  // interval of the true median with 95 % confidence, or the extremes of few samples
  double vendor_s = 0;         // median time of the MPI library's calls
  Count samples = 0;           // measured in total; the median is of the last 15 at most
};

struct PassedReason {
  std::string why;
  Count calls = 0;
};

// Calls of one collective, size class and communicator. A call by all ranks counts as one call. "Ours" are the calls that Quadrille
// ran; the MPI library ("the vendor") ran the others.
struct ReportRow {
  std::string collective;                 // "Alltoall"
  int communicator = -1;                  // index into RunReport::communicators; -1: several
  Bytes least_block = 0, most_block = 0;  // bounds of the size class; most is -1 if sizes differ between ranks
  // False for nonblocking, persistent and neighbourhood collectives and for alltoallw: their sizes are not counted.
  bool has_sizes = true;
  Count calls = 0, ours_calls = 0;
  Count ranks_inside = 0;                     // not 0: the row is a call under way, and so many ranks are in it
  Bytes block_bytes = 0;                      // sum over all calls; if sizes differ between ranks, the bytes that all ranks sent
  double rank_seconds = 0, most_seconds = 0;  // spent in the calls: by all ranks together, and by the rank that spent most
  Count rank_calls = 0;                       // calls summed over all ranks
  double ours_rank_seconds = 0;               // the part of rank_seconds in calls that Quadrille ran
  double share = 0;                           // part of the ranks' total time
  // The part of rank_seconds spent waiting for late ranks, estimated from the measured calls. late_samples: the number of
  // measured calls on the rank with the most.
  double late_rank_seconds = 0;
  Count late_samples = 0;
  std::optional<MeasuredRatio> ratio;  // measured by trials
  double trial_s = 0;                  // the cost of a trial that was put off as too costly; 0: none was
  std::string what, why;               // what ran our calls most recently, and why; empty: nothing
  std::vector<PassedReason> passed;    // calls that the MPI library ran, by reason; from the rank with the most calls
};

// One of the blocking calls in which its rank spent most time, waiting included.
struct ReportedCall {
  Rank rank = 0;
  double begin_s = 0, seconds = 0;  // begin: from the start of the run, by the clock of the rank's machine
  std::string collective;
  int communicator = -1;      // index into RunReport::communicators; -1: unknown
  Bytes bytes = 0;            // of a block; if sizes differ between ranks, those that the rank sent
  bool has_sizes = true;      // as in ReportRow
  bool is_irregular = false;  // sizes differ between ranks
  bool is_ours = false;
};

// Calls of one point-to-point or one-sided function, or of one that completes requests.
struct ReportedMessages {
  std::string function;  // "Sendrecv"
  Count rank_calls = 0;  // of all ranks together
  double rank_seconds = 0;
};

struct RunReport {
  std::string program, mpi, thread_level, version;
  std::int64_t start_unix_ns = 0;
  Count world_size = 0;
  std::vector<std::string> hosts;
  std::vector<ReportedRank> ranks;  // those whose counters were found, in order
  std::vector<Rank> missing;        // the first 1,000 ranks without counters
  Count missing_ranks = 0;
  std::string elsewhere;  // where other machines keep the counters of their ranks, if known
  std::vector<ReportedCommunicator> communicators;
  std::vector<ReportRow> rows;             // ordered by time, largest first
  std::vector<ReportedCall> costliest;     // at most 32 of each rank and 4,096 in all, ordered by rank, then begin
  double seconds = 0;                      // duration of the rank that ran longest
  double share = 0;                        // the part of the ranks' total time that was spent in collectives
  bool sees_messages = false;              // were point-to-point and one-sided calls counted?
  std::vector<ReportedMessages> messages;  // ordered by time, largest first
  double message_share = 0;                // the part that was spent in point-to-point and one-sided calls
  double own_rank_seconds = 0;             // spent by all ranks together on groups, plans and trials; not included in `share`
  double own_share = 0;
  // If the program's large buffers were to lie in the heap: the most that a rank's heap held, how often ranks offered buffers there
  // to others, and why a rank had none there.
  Bytes most_heap_bytes = 0;
  Count lent = 0;
  std::string why_no_heap;
  // Bytes of rank i's data that are meant for rank j, at index i * world_size + j. Counts only collectives in which bytes go from
  // one rank to another, so no barriers, allreduces, reduce_scatters or scans, and no neighbourhood collectives. Empty for more
  // than 2,048 ranks.
  std::vector<std::uint64_t> traffic;
  Count other_runs = 0;              // number of files that belong to other runs and were ignored
  std::vector<std::string> remarks;  // files that could not be read, and why
};

// Counts in a damaged file may have any value, so sums wrap around.
inline void add_count(Count& sum, Count more) {
  sum = static_cast<Count>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(more));
}

// Throws Error{misuse} if there are no records. If they belong to several runs, uses those of the given run (0: of the one that
// began last).
RunReport merged(std::vector<RankRecord> records, std::uint64_t run = 0);

// Reads the given files, and all files of counters in the given folders. Throws Error{environment} or Error{malformed}.
RunReport read_run(std::span<const std::string> places, std::uint64_t run = 0);

struct ReportStyle {
  bool full = false;  // show every row, the ranks, the communicators and the traffic matrix
};

std::string text_of(const RunReport& report, const ReportStyle& style);
std::string json_text_of(const RunReport& report);  // docs/report.md describes the fields

}  // namespace quadrille::mpi_face
