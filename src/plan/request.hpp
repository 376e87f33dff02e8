// SPDX-License-Identifier: BSD-3-Clause
// What a rank asks for when it makes a plan, and the comparison with what the other ranks ask for.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "execute/plan_memory.hpp"
#include "execute/transport.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

struct Request {
  // Names and values of what must be the same on all ranks, in the order in which differences are told; each ends with a zero.
  std::string fields;
  std::uint64_t hash = 0;  // of the fields
  // Of an alltoallv: the hash of all counts if the ranks must know them all, else 0; and what this rank sends and receives.
  std::uint64_t counts = 0;
  std::vector<Share> sent, received;
  MemoryReport memory;  // of the plans that this rank has
  Offer::Words offer{};
};

struct Agreement {
  MemoryReport memory;  // of all ranks
  std::vector<Offer::Words> offers;
};

// `algorithm` has all its parameters. `own_counts`: rank `me` needs to know no more than what it itself sends and receives.
Request request_of(const Problem& problem, const PlanOptions& options, Rank me, const std::string& algorithm, bool own_counts);

// Collective. Each rank calls `make`. Throws on all ranks: Error{misuse}, which names a difference, if the requests differ;
// or what `make` threw on a rank (execute/agreement.hpp).
Agreement agree(Communicator& communicator, const std::function<Request()>& make);

}  // namespace quadrille
