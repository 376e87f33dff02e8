// SPDX-License-Identifier: BSD-3-Clause
// What a rank asks for when it makes a plan, and the comparison with what the other ranks ask for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "execute/plan_memory.hpp"
#include "execute/transport.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

// Who chose the algorithm of a request.
enum class Chooser : std::uint8_t {
  caller,     // it was named
  plan,       // the plan did, by the knowledge whose hash the request has
  undecided,  // the plan will, when the ranks know the same
};

// Counts of an alltoallv at one rank.
struct CountFacts {
  std::uint64_t all = 0;         // fingerprint of all counts that it was given
  Bytes sent = 0, received = 0;  // by this rank
  Count blocks = 0;              // that it sends and that are not empty
};

struct PlanRequest {
  // Names and values of what must be the same on all ranks, in the order in which differences are told; each ends with a zero.
  std::string fields;
  std::uint64_t hash = 0;  // of the fields
  // Of an alltoallv: the hash of all counts if the ranks must know them all, else 0; and what this rank sends and receives.
  std::uint64_t counts = 0;
  std::vector<Share> sent, received;
  Chooser chooser = Chooser::caller;
  std::uint64_t knowledge = 0;  // Knowledge::hash
  bool refuses_vendor = false;  // the plan chose the vendor's collective, and it cannot run what this rank asks for
  CountFacts facts;
  std::uint64_t verified = 0;  // of a schedule of the caller's own: with which the rank remembers to have verified it, or 0
  MemoryReport memory;         // of the plans that this rank has
  Offer::Words offer{};
};

struct Agreement {
  bool is_settled = true;          // false: the ranks have not chosen by the same knowledge, and nothing else was compared
  bool has_same_knowledge = true;  // and all have some
  bool vendor_is_refused = false;  // by some rank; then nothing else was compared
  bool is_verified = true;         // do all ranks remember to have verified the same schedule of the caller's own
  std::vector<CountFacts> facts;   // of undecided requests
  MemoryReport memory;             // of all ranks
  std::vector<Offer::Words> offers;
};

// What undecided requests name as their algorithm.
inline constexpr std::string_view automatic = "auto";

CountFacts count_facts(const Problem& problem, Rank me);

// `algorithm` has all its parameters. `own_counts`: rank `me` needs to know no more than what it itself sends and receives.
PlanRequest request_of(const Problem& problem, const PlanOptions& options, Rank me, std::string_view algorithm, bool own_counts);

// Collective: rank 0 and `other` ask for something different, as their fields say (PlanRequest::fields). Throws Error{misuse}; the
// sentence names the first field that differs, and ends with the rule that was broken.
[[noreturn]] void throw_difference(Communicator& communicator, const std::string& fields, Rank other, std::string_view rule);

// Collective. Each rank calls `make`. Throws on all ranks: Error{misuse}, which names a difference, if the requests differ;
// or what `make` threw on a rank (execute/agreement.hpp).
//
// Plans that choose their algorithm do so before they compare, by what each rank knows. If the ranks do not all know the same, or
// some are undecided and others not, the agreement is not settled, on all ranks: they ask again, all of them undecided.
Agreement agree(Communicator& communicator, const std::function<PlanRequest()>& make);

}  // namespace quadrille
