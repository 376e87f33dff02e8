// SPDX-License-Identifier: BSD-3-Clause
// A site stands for all calls of one kind on one communicator. It knows how many there were, how long they took, and whether
// Quadrille ("ours") or the MPI library ("the vendor") runs them. All ranks make the same sites in the same order, and change their
// modes in the same calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mpi_face/call.hpp"
#include "mpi_face/policy/alternation.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/symbols/function.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::mpi_face {

struct Counters;
struct PassedCalls;

struct Key {
  Function function = Function::Barrier;
  Bytes block_bytes = 0;
  Rank root = 0;                        // for rooted collectives
  int element = -1;                     // for reductions (ElementType::number)
  const Operator* operation = nullptr;  // for reductions; one object per MPI operator
  std::uint64_t counts = 0;             // allgatherv and reduce_scatter: a hash of the shares
  bool operator==(const Key&) const = default;
};

// A plan that competes with the MPI library's function for a site's calls.
struct Contender {
  Plan plan;
  std::optional<Way> way;  // absent if the user named the algorithm
  std::string why;
};

struct Site {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  enum class Mode {
    counting,  // the MPI library runs the calls; Quadrille may do so later
    trying,    // both run them alternately
    ours,
    vendor,  // the MPI library runs the calls for good
  };

  // Members that every call reads come first.
  Key key;
  std::uint64_t calls = 0;
  Mode mode = Mode::counting;
  bool synchronises = false;
  double price_s = 0;  // of a call, equal on all ranks; by which ranks decide when to meet
  // Times of the calls that the MPI library ran while the mode was `counting`, on this rank.
  std::uint64_t timed_calls = 0, ticks = 0;
  std::uint64_t window_ticks = 0, least_window_ticks = never;  // of the present window of calls, and of the shortest one so far

  std::uint32_t number = 0;          // among the communicator's sites
  Bytes moved = 0;                   // bytes that leave or reach a rank in a call; 0 for alltoallv
  std::vector<Bytes> shares;         // the shares whose hash is in the key
  bool is_forced = false;            // a rule of the user names what runs the calls
  bool is_refused = false;           // such a rule does not fit the site's problem
  bool is_tuned = false;             // candidates were raced during the program's run
  std::uint64_t next_trial = never;  // mode ours: from this call on, ours is compared with the MPI library's again
  std::optional<Plan> plan;
  std::optional<Way> way;  // of the plan, if it was chosen and not named by the user
  std::string what;        // what runs the calls; empty if the MPI library does
  std::string why;         // why this runs them; for the MPI library a sentence of policy/cause.hpp

  // Lets the MPI library run a call, and counts its time.
  int timed(VendorCall vendor);

  // Estimates what a call takes: the least mean over `calls_of_window` consecutive calls, or the mean if there were fewer. A single
  // call may miss the time in which ranks wait for cores that they share; a mean over all calls would contain long waits for late
  // ranks. Requires at least one timed call.
  double ticks_of_call() const;
  static constexpr std::uint64_t calls_of_window = 8;

  // A trial in place, with its contenders.
  std::optional<Alternation> trial;
  std::vector<Contender> contenders;

  // Leaves the site to the MPI library for good.
  void leave(std::string cause);
  // Lets a contender's plan run the calls.
  void take(Contender contender);

  // For the report (counting.cpp): changes whenever mode, what, why or the times below change; and what was last described.
  std::uint32_t version = 1;
  struct Told {
    std::uint32_t version = 0;
    std::size_t samples = 0;
    double last_sample_s = 0;
    Counters* counters = nullptr;
    PassedCalls* passed = nullptr;
  } told;

  // Times of the latest trials, in seconds; ours_s[i] and vendors_s[i] belong to the same repetition.
  std::vector<double> ours_s, vendors_s;

  // For trials, which call the MPI library with buffers of ours. Predefined, so never freed.
  MPI_Datatype type = MPI_BYTE;
  Bytes type_bytes = 1;
  MPI_Op operation = MPI_OP_NULL;
  std::vector<Bytes> sent, received;  // alltoallv: this rank's blocks in a recent call
};

constexpr double enough_gain = 0.9;  // a plan is taken if it takes at most this fraction of the MPI library's time

// Number of executions in a trial that are timed together. In a program's loop consecutive calls overlap, which the times of single
// calls after a barrier would not show. And a short call is as short as the errors of the clock and the barrier. `moved`: bytes
// that leave or reach a rank in a call.
int batch_of_trial(Bytes moved);
constexpr int repetitions_of_trial = 4;  // of ours and of the MPI library's; the first is a warm-up

// The number of the call, a power of two, at which our algorithm is next compared with the MPI library's. This is so rare that the
// calls of trials are at most a few percent of all calls.
std::uint64_t next_epoch(std::uint64_t calls, Bytes moved);

// The median of ours_s[i] / vendors_s[i]. Both lists have the same length, at least one.
double median_ratio(const std::vector<double>& ours_s, const std::vector<double>& vendors_s);

}  // namespace quadrille::mpi_face
