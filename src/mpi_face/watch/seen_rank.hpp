// SPDX-License-Identifier: BSD-3-Clause
// What a watcher knows of a rank at one moment: its state, and its last calls. Watchers read this from the rank's counters, and
// send it to each other. A verdict (verdict.hpp) is made from the seen ranks of a whole run. Nothing here depends on MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

// A call of an MPI function.
struct WatchedCall {
  std::string function;       // "Allreduce", "Recv"
  bool is_collective = true;  // false: point-to-point, one-sided, or on requests
  bool is_blocking = true;    // false: nonblocking or persistent; it returns before it is complete
  bool has_left = false;      // the call has returned
  bool is_nested = false;     // it began while the rank's only thread was in another call
  int communicator = -1;      // index in SeenRank::communicators; -1: none or unknown
  // Number of the call among the collectives on its communicator, from 1. Of a call that waits for a request of a collective: that
  // collective's number. 0: neither.
  std::uint64_t number = 0;
  Bytes bytes = 0;                // of a block, as in MPI's arguments; -1: blocks differ (alltoallv and so on)
  Rank root = -1;                 // of a rooted collective; -1: none
  Rank peer = -1;                 // of a message, in its communicator; -1: none; -2: any source
  int tag = -1;                   // of a message; -1: none; -2: any tag
  std::uint64_t begun_ticks = 0;  // when it began, by the clock of the rank's machine
  std::string operation;          // "sum", "max"; "" if the call does not reduce; "user" if the program defined it
  std::string element;            // the basic type, such as "f64"; "" for MPI_BYTE, MPI_PACKED and mixed types, which match all
  std::string place;              // where it was called: "solver.c:88 (residual)", or "app+0x1234"; "" if unknown
  double usual_s = 0;             // how long a call of the function took on the communicator, on average; 0: unknown
  // Of an irregular collective that the rank is in: bytes to and from each rank of the communicator. One number: the same for all,
  // or for the root. Empty if unknown.
  std::vector<Bytes> sent, received;

  auto operator<=>(const WatchedCall&) const = default;
};

// Equal on all members of a communicator: `members` is a hash of the ranks of the world that it has, in order; `made` is its
// number, from 0, among this rank's communicators with these members.
struct CommunicatorKey {
  std::uint64_t members = 0, made = 0;
  bool operator==(const CommunicatorKey&) const = default;
  auto operator<=>(const CommunicatorKey&) const = default;
};

struct SeenCommunicator {
  CommunicatorKey key;
  std::string name;               // "MPI_COMM_WORLD"; "" if the program has not set one
  std::vector<Rank> world_ranks;  // the members, in order; empty: unknown, as for intercommunicators
  std::uint64_t calls = 0;        // collective calls that the rank has begun on it
};

// Objects that the program has made and not freed, by the place that made them.
struct LiveObjects {
  std::string what;   // "communicators", "types", "requests"
  std::string place;  // as in WatchedCall
  std::uint64_t live = 0;
};

struct SeenRank {
  enum class State : std::uint8_t {
    computes,   // outside of MPI, and running
    sleeps,     // outside of MPI, in a system call
    in_call,    // inside MPI: calls.back() says in which call
    stopped,    // by a signal such as SIGSTOP, or by a debugger
    died,       // it ended without MPI_Finalize
    finalised,  // it has called MPI_Finalize, or waits in it
    unknown,    // nothing is known of it: its node has not answered
  };

  Rank rank = 0;
  std::string host;
  std::int64_t process = 0;
  State state = State::unknown;
  double since_s = 0;              // how long it has been so: since it entered the call, or left the last one
  double processor_s = 0;          // processor time that it has used since then; negative: unknown
  std::string end;                 // died: "was ended by signal 9 (SIGKILL)", "ended with exit code 3"
  std::string waits_in;            // sleeps: the kernel's word for what it waits for, such as "pipe_read"; may be empty
  std::vector<std::string> stack;  // of a rank that computes, innermost first; or one sentence why there is none
  std::vector<SeenCommunicator> communicators;
  std::vector<WatchedCall> calls;  // its last calls in the order of their beginnings; the current one is not always the last
  std::vector<LiveObjects> live;
  std::uint64_t begun = 0;  // calls begun so far, of all kinds: it changes if the rank makes progress
};

// A text of bytes with all of a rank, to send it. `from_bytes` returns false if the text is damaged.
std::string to_bytes(SeenRank rank);
bool from_bytes(std::string_view bytes, SeenRank& rank);

}  // namespace quadrille::mpi_face
