// SPDX-License-Identifier: BSD-3-Clause
// The request of a rank that makes a plan, and the comparison with the requests of the other ranks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "execute/executions/plan_memory.hpp"
#include "execute/transport.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

// Who chose the algorithm of a request.
enum class Chooser : std::uint8_t {
  caller,     // the caller named it
  plan,       // the plan chose it, by the knowledge whose hash is in the request
  undecided,  // the plan will choose it, as soon as all ranks have the same knowledge
};

// Facts about the counts of an alltoallv on one rank.
struct CountFacts {
  std::uint64_t all = 0;         // fingerprint of all counts that the rank was given
  Bytes sent = 0, received = 0;  // bytes that this rank sends and receives
  Count blocks = 0;              // blocks that it sends and that are not empty
  Bytes longest = 0;             // the longest of these
};

constexpr std::uint64_t no_knowledge = 0;  // the hash of a rank that has no knowledge yet

struct PlanRequest {
  // Names and values of everything that must be equal on all ranks. The first difference is
  // reported. A zero ends each name and each value.
  std::string fields;
  std::uint64_t hash = 0;  // hash of the fields
  // These three are only for alltoallv. `counts` is the hash of all counts if the algorithm needs all counts on each rank,
  // otherwise 0. `sent` and `received` are this rank's own counts.
  std::uint64_t counts = 0;
  std::vector<Share> sent, received;
  Chooser chooser = Chooser::caller;
  std::uint64_t knowledge = no_knowledge;  // hash of the knowledge by which the rank chooses
  bool refuses_vendor = false;             // the plan chose the vendor's collective, which cannot run this request
  CountFacts facts;
  // For a caller's schedule: the hash of the schedule with which this rank's program was verified, or 0 if the rank remembers
  // none.
  std::uint64_t verified = 0;
  MemoryReport memory;  // about the plans that this rank has
  Offer::Words offer{};
};

struct Agreement {
  bool is_settled = true;          // false: ranks chose by different knowledge, so nothing else was compared
  bool has_same_knowledge = true;  // true if all ranks have knowledge, and it is the same
  bool vendor_is_refused = false;  // by at least one rank, so nothing else was compared
  bool is_verified = true;         // true if all ranks remember that they verified the same caller's schedule
  std::vector<CountFacts> facts;   // set if requests are undecided
  MemoryReport memory;             // combined over all ranks
  std::vector<Offer::Words> offers;
};

// The algorithm's name in an undecided request.
inline constexpr std::string_view automatic = "auto";

// Throws Error{misuse} for options that contradict the problem or each other. `vendor`: the plan will run the vendor's collective.
void check_options(const Problem& problem, const PlanOptions& options, bool vendor);

CountFacts count_facts(const Problem& problem, Rank me);

// `algorithm` is the specification with all parameters. `own_counts` is true if rank `me` needs to know only
// the counts that it sends and receives itself.
PlanRequest request_of(const Problem& problem, const PlanOptions& options, Rank me, std::string_view algorithm, bool own_counts);

// Returns a list of numbers as text; of a long list, its length and a fingerprint.
std::string listed(const std::vector<Count>& numbers);

// Collective: throws Error{misuse} because the requests of rank 0 and `other` differ. The message names the first differing field
// of PlanRequest::fields and ends with `rule`.
[[noreturn]] void throw_difference(Communicator& communicator, const std::string& fields, Rank other, std::string_view rule);

// Collective: each rank calls `make`, then all ranks compare their requests. If the requests differ, all ranks throw
// Error{misuse}, which names a difference. If `make` throws on a rank, all ranks throw the same error (execute/agreement.hpp).
//
// If the algorithm is not named, each rank chooses by its own knowledge before this comparison. If the ranks' knowledge differs,
// or if some ranks are undecided and others are not, the agreement is not settled on any rank. All ranks then ask again with
// undecided requests.
Agreement agree(Communicator& communicator, const std::function<PlanRequest()>& make);

}  // namespace quadrille
