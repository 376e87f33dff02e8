// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by edges: each rank lists what it sends to whom and what it receives from whom.
//
//   const std::vector<Edges::Send> sends{edge_to(left, first_cell), edge_to(right, last_cell)};
//   const std::vector<Edges::Receive> receives{edge_from(right, behind), edge_from(left, before)};
//   exchange(ranks, sends, receives);
//
// Exchanges are for sparse and irregular patterns: the time of a rank depends on its own edges and not on the number of ranks. No
// plan is made, so edges may change in every call. A rank waits only for the ranks at the other ends of its edges. An alltoallv
// has lists of p counts and exactly one block for each pair of ranks. An exchange may have several edges from one rank to
// another: the k-th edge that the sender lists for the receiver belongs to the k-th edge that the receiver lists for the sender.
// Both ends must name the same length. Edges of 0 bytes move nothing, and are not counted. A rank may have edges to itself. It
// lists at most Edges::most sends, and at most as many receives.
//
// All ranks of the group make the call, also those without edges, and all make their calls in the same order. Received memory
// must not overlap any other memory of the exchange. `edge_to` and `edge_from` take anything with data() and size()
// (elements.hpp).
//
// On several nodes a rank that has edges of at most 512 B to or from other nodes also waits until all ranks of its node have
// called, because such edges from one node to another may go in one message. A rank without such edges waits for the ranks of its
// node only if it would be more than 16 calls ahead of one of them.
//
// Errors: Error{misuse} at this rank, before anything is sent, if one of its edges names a rank that is not in the group, a
// negative length, or bytes without memory; Error{too_large} if there are too many edges. If the ends of an edge name different
// lengths, the receiver throws Error{misuse} after all other edges are complete; the ranks may then go on. If only one end lists
// an edge, the rank that lists it throws Error{misuse}, or the other rank does so in a later exchange. Further exchanges between
// the two ranks may go wrong: go on with another communicator. Between nodes, differing lengths may also make all ranks of a node
// throw Error{misuse}, after a wait of some 100 ms. This happens if the two ends expect different forms of messages: the edge is
// short for one end only, or the two nodes have decided differently what goes in one message. Ranks may wait for ever only if an
// edge is listed at one end alone. In debug builds, and with QUADRILLE_CHECK=1, the ranks first check together that all of them
// call an exchange, and that both ends list the same edges; if not, all ranks throw. Other errors are those of Plan::execute.
#pragma once

#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "quadrille/call.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/elements.hpp"

namespace quadrille {

// Edges of whole ranges. The elements must stay until the exchange is complete.
Edges::Send edge_to(Rank to, const InputRange auto& elements) {
  return {to, reinterpret_cast<const std::byte*>(std::data(elements)),
          count_of(elements) * static_cast<Bytes>(sizeof *std::data(elements))};
}
Edges::Receive edge_from(Rank from, OutputRange auto&& elements) {
  return {from, reinterpret_cast<std::byte*>(std::data(elements)),
          count_of(elements) * static_cast<Bytes>(sizeof *std::data(elements))};
}

// Collective. Returns when this rank has received everything and the memory of its sends may be changed. `compares`: whether the
// ranks compare their calls first.
void exchange(Group ranks, std::span<const Edges::Send> sends, std::span<const Edges::Receive> receives,
              bool compares = CallArguments{}.compares);

// Waits for other ranks in two cases only: in the first exchange of a group, because the ranks allocate memory together, and if
// the ranks compare their calls. The lists may be destroyed after the call; the memory that they name must stay until the request
// is over.
Request iexchange(Group ranks, std::span<const Edges::Send> sends, std::span<const Edges::Receive> receives,
                  bool compares = CallArguments{}.compares);

// An exchange that is repeated with the same edges. The edges are checked once, and executing allocates no memory. The
// communicator may be destroyed before the Exchange. All ranks start exchanges and plans in the same order; they may also call
// `exchange` in between.
class Exchange {
 public:
  // Collective.
  Exchange(Group ranks, std::vector<Edges::Send> sends, std::vector<Edges::Receive> receives,
           bool compares = CallArguments{}.compares);

  void execute();   // as `exchange`
  Request start();  // as `iexchange`; if an execution is in flight, later ones queue behind it

 private:
  struct Kept;
  std::shared_ptr<const Kept> kept_;  // shared with open requests
};

}  // namespace quadrille
