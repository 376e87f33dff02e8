// SPDX-License-Identifier: BSD-3-Clause
// A site stands for all calls of one kind on one communicator. It knows how many there were, how long they took, and whether
// Quadrille ("ours") or the MPI library ("the vendor") runs them. All ranks make the same sites in the same order, and change their
// modes in the same calls.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi_face/blocks.hpp"
#include "mpi_face/call.hpp"
#include "mpi_face/policy/alternation.hpp"
#include "mpi_face/policy/call_times.hpp"
#include "mpi_face/policy/trials.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/symbols/function.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::mpi_face {

struct Counters;
struct PassedCalls;

struct Key {
  Bytes block_bytes = 0;
  Function function = Function::Barrier;
  int element = -1;                     // for reductions (ElementType::number)
  Rank root = 0;                        // for rooted collectives
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

// What runs a site's calls, and why.
struct SiteChoice {
  std::optional<Plan> plan;
  std::optional<Way> way;  // of the plan, if it was chosen and not named by the user
  std::string what;        // empty if the MPI library runs them
  std::string why;         // for the MPI library a sentence of policy/cause.hpp

  void be_vendor(std::string cause);
  void be_ours(Contender contender);
};

// A trial in place: the site's own calls are run by the MPI library and by the contenders alternately. Without contenders, the one
// contender is the exchange, which has no plan.
struct TrialInPlace {
  std::vector<Contender> contenders;
  Alternation alternation;

  // A contender is taken if its time is at most `bar` times the MPI library's.
  TrialInPlace(std::vector<Contender> all, double bar)
      : contenders(std::move(all)), alternation(std::max(1, static_cast<int>(contenders.size())), bar) {}

  // Lets that way run a call whose turn it is: the MPI library, or `ours(contender)`. Calls `due()` when the ranks should meet.
  int run(VendorCall vendor, const auto& ours, const auto& due, bool& by_ours) {
    const int way = alternation.next();
    by_ours = way != Alternation::vendor;
    const double begin = PMPI_Wtime();
    const int code = by_ours ? ours(static_cast<std::size_t>(way - 1)) : vendor();
    if (alternation.is_due()) return code;
    alternation.count(PMPI_Wtime() - begin);
    if (alternation.is_due()) due();
    return code;
  }
};

// Arguments with which trials call the MPI library, on buffers of ours. Handles are predefined, so never freed.
struct TrialArguments {
  MPI_Datatype type = MPI_BYTE;
  Bytes type_bytes = 1, type_extent = 1;
  MPI_Op operation = MPI_OP_NULL;
  // Exchanges: the root of a recent call, equal on all ranks, if there is one; and this rank's blocks (SideBlocks::lengths) in the
  // call of this number. If there is a root, only the root has them.
  Rank root = 0;
  std::vector<Bytes> sent, received;
  std::uint64_t call = 0;
};

struct alignas(64) Site {  // 64: a cache line, see below
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  enum class Mode {
    counting,  // the MPI library runs the calls; Quadrille may do so later
    trying,    // both run them alternately
    ours,
    vendor,  // the MPI library runs the calls for good
  };
  // A rule of the user names what runs the calls. It is refused if it does not fit the site's problem.
  enum class Rule { none, followed, refused };

  // What calls read and write that the MPI library runs, up to the key's block size, is in one cache line: a program with many
  // sites finds them cold.
  std::uint64_t calls = 0;
  Mode mode = Mode::counting;
  bool is_rooted = false, synchronises = false;
  double price_s = 0;      // of a call, equal on all ranks; by which ranks decide when to meet
  CallTimes vendor_times;  // of the calls that the MPI library ran while the mode was `counting`, on this rank
  Key key;
  // On rank 0, of calls that do not synchronise: seconds of a call and of all calls on the rank where they took longest, as of the
  // latest meeting. A root may leave a broadcast long before the others have its data.
  double slowest_call_s = 0, slowest_s = 0;
  SiteChoice choice;

  std::uint32_t number = 0;   // among the communicator's sites
  Bytes moved = 0;            // bytes that leave or reach a rank in a call; 0 for exchanges
  std::vector<Bytes> shares;  // the shares whose hash is in the key
  Rule rule = Rule::none;
  bool is_tuned = false;             // candidates were raced during the program's run
  std::uint64_t next_trial = never;  // mode ours: from this call on, ours is compared with the MPI library's again
  std::uint64_t second_trial =
      0;                       // mode counting: a trial in place was lost by little; the call from which on there may be another
  double trial_put_off_s = 0;  // rank 0, mode counting: what a trial would cost that is put off for its cost
  std::optional<TrialInPlace> trial;  // in mode trying
  TrialTimes trial_times;             // of the latest trials
  TrialArguments trial_arguments;
  const Neighbourhood* neighbours = nullptr;  // of the communicator, if the calls are those of neighbours

  // For the report (counting.cpp): what was last described.
  struct Told {
    bool is_current = false;  // false if the mode, the choice or the times of trials have changed since
    std::size_t size_class = 0;
    std::size_t samples = 0;
    double last_sample_s = 0;
    Counters* counters = nullptr;
    PassedCalls* passed = nullptr;
  } told;

  bool may_be_ours() const { return mode == Mode::ours || mode == Mode::trying; }  // may ours run its next call?

  // Lets the MPI library run a call, and counts its time.
  [[gnu::hot]] int timed(VendorCall vendor);

  // Leaves the site to the MPI library for good.
  void leave(std::string cause);
  // Lets a contender's plan run the calls.
  void take(Contender contender);
};

// What the site's calls are called in the user's rules: a collective's name, or the function's.
std::string_view name_in_rules(const Site& site);

}  // namespace quadrille::mpi_face
