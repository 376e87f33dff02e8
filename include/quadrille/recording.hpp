// SPDX-License-Identifier: BSD-3-Clause
// Recordings: what a program did between and inside its collectives, call by call. `quadrille wrap --record` makes them;
// docs/recording.md describes what they hold and the format of their files.
//
//   const Recording recording = read_recording("quadrille-recording");
//   for (const RecordedRank& rank : recording.ranks) {
//     RecordedCalls calls(rank);
//     while (const auto call = calls.next()) replay(recording.sites[call->site], call->gap_s, call->duration_s);
//   }
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille {

struct RecordedCommunicator {
  std::string name;
  // Ranks of MPI_COMM_WORLD in the communicator's order; -1: a process of another world. For an intercommunicator: its local
  // group.
  std::vector<Rank> members;
  Count nth = 0;  // number of earlier communicators of these members; `members` and `nth` identify it on all ranks
  bool is_inter = false;
  auto operator<=>(const RecordedCommunicator&) const = default;
};

enum class RecordedKind : std::uint8_t {
  collective,      // a blocking collective
  start,           // a nonblocking collective, or MPI_Start of a persistent one
  completion,      // waiting or testing for such a collective, until it was complete
  point_to_point,  // messages, requests of messages and one-sided communication since the entry before
  making,          // making a communicator or a persistent request; MPI_Finalize
  others,          // collectives for whose sites there was no room
};

// What calls of one kind have in common. Ranks share sites whose contents are equal.
struct RecordedSite {
  RecordedKind kind = RecordedKind::collective;
  std::string function;          // without MPI_: "Alltoallv", "Ibcast"; empty for point_to_point and others
  std::size_t communicator = 0;  // index in Recording::communicators
  Rank root = -1;                // for rooted collectives: the root; otherwise -1
  std::string type, operation;   // for reductions: "f64", "sum"; "?": a type or an operator of the program's own
  Bytes type_bytes = 0;          // for reductions: size of an element
  // Bytes of a block as in Problem: for an alltoall what goes to one rank, for a reduction the vector. For collectives with
  // counts: the sum of `counts` or, in a gatherv or scatterv at a rank that is not the root, the rank's own block.
  Bytes block_bytes = 0;
  // Bytes of each block. Allgatherv, reduce_scatter: the share of each rank. Alltoallv, alltoallw: the block for each rank.
  // Gatherv, scatterv: the block of each rank, at the root only. Neighbourhood collectives with counts: the block for each
  // neighbour.
  std::vector<Bytes> counts;
  std::vector<Rank> peers;   // neighbourhood collectives: the receivers of the blocks; -1: beyond the border of a grid
  bool are_sampled = false;  // true: the site also has calls with other counts, which were not kept
  auto operator<=>(const RecordedSite&) const = default;
};

// An entry of a rank's recording. Times are in seconds. Times below a few milliseconds are rounded to steps of 3 to 6 %, up or
// down so that their sums are right.
struct RecordedCall {
  std::uint32_t site = 0;  // index in Recording::sites
  double gap_s = 0;        // computing since the end of the previous entry, estimated
  double away_s = 0;       // time since then in which the thread had no processor: it slept, read a file, or other threads ran
  double duration_s = 0;   // inside the call, waiting included
};

// Sums over a rank's entries of a site, and how the times vary: standard deviations from one call to the next or, where repetitions
// are kept as means, among these repetitions.
struct RecordedTimes {
  Count calls = 0;
  double gap_s = 0, away_s = 0, duration_s = 0;
  double gap_deviation_s = 0, duration_deviation_s = 0;
};

struct RecordedFunction {
  std::string name;  // "Sendrecv"
  Count calls = 0;
  double seconds = 0;
};

struct RecordedRank {
  Rank rank = 0;
  std::string host;
  bool has_ended = false;                   // false: the rank was killed, or still runs
  bool uses_wall_time = false;              // gaps are wall time, because the program has threads
  bool is_cut = false;                      // the disk was full before the end
  Count unseen_calls = 0;                   // made while another thread was in MPI: not recorded
  double seconds = 0;                       // duration from the end of MPI_Init to MPI_Finalize or the last entry
  Count calls = 0;                          // entries, repetitions included
  std::vector<std::uint32_t> sites;         // the rank's sites, as indices in Recording::sites
  std::vector<RecordedTimes> times;         // by entry of `sites`
  std::vector<RecordedFunction> functions;  // point-to-point functions
  double tick_s = 1e-9;                     // unit of the times in `entries`
  std::string entries;                      // read them by RecordedCalls
};

struct Recording {
  std::string program, mpi, version;  // version: of Quadrille
  std::vector<std::string> settings;  // variables of the environment that change what the MPI library does: "NAME=VALUE"
  std::int64_t start_unix_ns = 0;     // when rank 0 started
  Count world_size = 0;
  bool is_folded = false;  // repetitions are kept as means
  std::vector<RecordedCommunicator> communicators;
  std::vector<RecordedSite> sites;
  std::vector<RecordedRank> ranks;   // in ascending order; ranks may be missing
  std::vector<std::string> remarks;  // files that could not be read, and why
};

// Reads the folder of a recording, of a run that has ended, was killed or still runs. Throws Error{environment} if there is no such
// folder, Error{malformed} if no file in it can be read as a recording, or if `check` refuses their contents; damaged files
// beside good ones become remarks.
Recording read_recording(const std::string& folder);

// Throws Error{malformed} if the parts contradict each other: ranks are not in order, a communicator has a rank twice, or a rank
// has a site on a communicator of which it is no member. read_recording and `project` make this check.
void check(const Recording& recording);

// Reads the entries of a rank one after the other. The RecordedRank must outlive this object.
class RecordedCalls {
 public:
  explicit RecordedCalls(const RecordedRank& rank);
  ~RecordedCalls();
  RecordedCalls(RecordedCalls&&) noexcept;
  RecordedCalls& operator=(RecordedCalls&&) noexcept;

  // The next entry; nothing at the end. Throws Error{malformed} if the entries are damaged.
  std::optional<RecordedCall> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
