// SPDX-License-Identifier: BSD-3-Clause
// A site stands for all calls of one kind on one communicator. It knows how many there were, and whether Quadrille ("ours") or the
// MPI library ("the vendor") runs them. Everything here follows from values that MPI requires to be equal on all ranks, so all
// ranks act alike at the same call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

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

struct Site {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  enum class Mode {
    counting,  // the MPI library runs the calls; Quadrille may do so later
    ours,
    vendor,  // the MPI library runs the calls for good
  };

  // Members that every call reads come first.
  Key key;
  std::uint64_t calls = 0;
  std::uint64_t next_event = never;  // from this call on, the site waits to be settled (admission.cpp)
  Mode mode = Mode::counting;
  Bytes moved = 0;            // bytes that leave or reach a rank in a call; 0 for alltoallv
  std::vector<Bytes> shares;  // the shares whose hash is in the key
  bool is_waiting = false;
  bool is_forced = false;  // a rule of the user names what runs the calls
  bool is_tuned = false;   // candidates were raced during the program's run
  std::optional<Plan> plan;
  std::optional<Way> way;  // of the plan, if it was chosen and not named by the user
  std::string what;        // what runs the calls; empty if the MPI library does
  std::string why;         // why this runs them

  // For the report (counting.cpp): the site's state when it was last described, and where its calls are counted.
  struct Told {
    std::uint64_t next_event = 0;
    bool is_waiting = false;
    std::size_t samples = 0;
    double last_sample_s = 0;
    Counters* counters = nullptr;
    PassedCalls* passed = nullptr;
  } told;

  // Times of the latest trials, in seconds, on the slowest rank; ours_s[i] and vendors_s[i] belong to the same repetition.
  std::vector<double> ours_s, vendors_s;

  // For trials, which call the MPI library with buffers of ours. Predefined, so never freed.
  MPI_Datatype type = MPI_BYTE;
  Bytes type_bytes = 1;
  MPI_Op operation = MPI_OP_NULL;
  std::vector<Bytes> sent, received;  // alltoallv: this rank's blocks in the call after which the site began to wait
};

constexpr double enough_gain = 0.9;  // a plan is taken if it takes at most this fraction of the MPI library's time

// Number of executions in a trial that are timed together. In a program's loop consecutive calls overlap, which the times of single
// calls after a barrier would not show. And a short call is as short as the errors of the clock and the barrier. `moved`: bytes
// that leave or reach a rank in a call.
int batch_of_trial(Bytes moved);
constexpr int repetitions_of_trial = 4;  // of ours and of the MPI library's; the first is a warm-up

// The number of the call at which a plan is made. The calls so far have then taken about as long as making the plan
// takes and, if `is_tried`, trying it. So making and trying a plan at most about doubles the time of the calls so far,
// and rare calls cost nothing.
std::uint64_t call_of_plan(Count ranks, Bytes moved, bool is_tried);

// The number of the call, a power of two, at which our algorithm is next compared with the MPI library's. This is so rare that the
// calls of trials are at most a few percent of all calls.
std::uint64_t next_epoch(std::uint64_t calls, Bytes moved);

// The median of ours_s[i] / vendors_s[i]. Both lists have the same length, at least one.
double median_ratio(const std::vector<double>& ours_s, const std::vector<double>& vendors_s);

}  // namespace quadrille::mpi_face
