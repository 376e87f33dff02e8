// SPDX-License-Identifier: BSD-3-Clause
// Calls of one communicator that are alike: what runs them, and how often they came. All that is kept here follows from what MPI
// makes equal on all ranks, so that all ranks do the same at the same call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mpi_face/function.hpp"
#include "mpi_face/shape.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::mpi_face {

struct Counters;
struct PassedCalls;

struct Key {
  Function function = Function::Barrier;
  Bytes block_bytes = 0;
  Rank root = 0;                        // of rooted collectives
  int element = -1;                     // of reductions (ElementType::number)
  const Operator* operation = nullptr;  // of reductions; one object for each of MPI's
  std::uint64_t counts = 0;             // of allgatherv and reduce_scatter: a hash of the shares
  bool operator==(const Key&) const = default;
};

struct Site {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  enum class Mode {
    counting,  // the MPI library's; ours may come
    ours,
    vendor,  // for good
  };

  // First what each call looks at.
  Key key;
  std::uint64_t calls = 0;
  std::uint64_t next_event = never;  // the call from which on it waits to be settled (admission.cpp)
  Mode mode = Mode::counting;
  Bytes moved = 0;            // leave or reach a rank in a call; of alltoallv 0
  std::vector<Bytes> shares;  // whose hash is in the key
  bool is_waiting = false;
  bool is_forced = false;  // the user named what runs
  bool is_tuned = false;   // candidates raced inside the run
  std::optional<Plan> plan;
  std::optional<Way> way;  // of the plan, where it was chosen
  std::string what;        // runs; empty where it is the MPI library's
  std::string why;         // that runs

  // For the report (counting.cpp): how it was when it was described last, and where its calls are counted.
  struct Told {
    std::uint64_t next_event = 0;
    bool is_waiting = false;
    std::size_t samples = 0;
    double last_sample_s = 0;
    Counters* counters = nullptr;
    PassedCalls* passed = nullptr;
  } told;

  // Times of the latest trials, in seconds, of the slowest rank; ours_s[i] and vendors_s[i] are of the same round.
  std::vector<double> ours_s, vendors_s;

  // For trials: the MPI library's call with buffers of ours. Of predefined types, which are never freed.
  MPI_Datatype type = MPI_BYTE;
  Bytes type_bytes = 1;
  MPI_Op operation = MPI_OP_NULL;
  std::vector<Bytes> sent, received;  // alltoallv: of this rank, at the call that made it wait
};

constexpr double enough_gain = 0.9;  // ours is taken where it takes at most this share of the MPI library's time

// How many executions of a trial are timed together. Loops overlap calls, which a single call after a barrier does not show, and
// short calls are as short as the inaccuracy of the clock and the barrier. `moved` bytes leave or reach a rank.
int batch_of_trial(Bytes moved);
constexpr int rounds_of_trial = 4;  // of both, the first to warm up

// At which call a plan is made: when the calls so far have taken about as long as making it, and trying it if `is_tried`. So a
// program loses no more than it would have gained, and nobody pays for what is called once.
std::uint64_t call_of_plan(Count ranks, Bytes moved, bool is_tried);

// The call, a power of two, at which ours is compared with the MPI library's again: rarely enough that trials take some percent of
// all calls at most.
std::uint64_t next_epoch(std::uint64_t calls, Bytes moved);

// The median of the ratios ours / the MPI library's; as many of one as of the other, and at least one.
double median_ratio(const std::vector<double>& ours_s, const std::vector<double>& vendors_s);

}  // namespace quadrille::mpi_face
