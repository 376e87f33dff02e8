// SPDX-License-Identifier: BSD-3-Clause
// Exchanges by edges, without a plan: for edges that the caller lists, for neighbourhood collectives, and for alltoallw. If ranks
// compare their calls, an edge that only one of its ranks lists is found before a rank waits for it.
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/executions/exchanger.hpp"
#include "foundation/hash.hpp"
#include "foundation/text/wording.hpp"
#include "plan/calls/calls.hpp"
#include "plan/gathered.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/error.hpp"
#include "quadrille/exchange.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille {
namespace {

// For each peer, a hash of the lengths of the edges that one rank lists, in their order; 0 without edges.
struct Summary {
  std::vector<std::uint64_t> sent, received;

  Summary(const Edges& edges, Count ranks) : sent(index(ranks)), received(index(ranks)) {
    const auto add = [](std::uint64_t& hash, Bytes bytes) {
      if (bytes != 0) hash = mixed(hash + static_cast<std::uint64_t>(bytes));
    };
    for (const Edges::Send& edge : edges.sends) add(sent[index(edge.to)], edge.bytes);
    for (const Edges::Receive& edge : edges.receives) add(received[index(edge.from)], edge.bytes);
  }

  // The sum of these numbers over all ranks is 0 if the two ranks of each edge agree.
  std::uint64_t balance(Rank me) const {
    std::uint64_t sum = 0;
    const auto of_pair = [&](Rank from, Rank to, std::uint64_t hash) {
      return hash == 0 ? 0 : mixed(mixed(mixed(static_cast<std::uint64_t>(from)) + static_cast<std::uint64_t>(to)) ^ hash);
    };
    for (Rank peer = 0; peer < size(sent); ++peer) {
      sum += of_pair(me, peer, sent[index(peer)]);
      sum -= of_pair(peer, me, received[index(peer)]);
    }
    return sum;
  }
};

// Adds up lengths: "3 edges, 24 bytes in all".
class EdgeSum {
 public:
  void add(Bytes bytes) {
    if (bytes == 0) return;
    ++edges_;
    bytes_ += static_cast<std::uint64_t>(bytes);
  }
  std::string text() const {
    if (edges_ == 0) return "nothing";
    return edges_ == 1 ? counted(bytes_, "byte") : fmt::format("{}, {} in all", counted(edges_, "edge"), counted(bytes_, "byte"));
  }

 private:
  Count edges_ = 0;
  std::uint64_t bytes_ = 0;
};

// Collective. Throws an error that names the edges from `from` to `to`, on which the two ranks disagree.
[[noreturn]] void throw_pair(Communicator& ranks, const Edges& edges, Rank from, Rank to) {
  EdgeSum sent, received;
  for (const Edges::Send& edge : edges.sends)
    if (edge.to == to) sent.add(edge.bytes);
  for (const Edges::Receive& edge : edges.receives)
    if (edge.from == from) received.add(edge.bytes);
  const std::string at_sender = told_by(ranks, from, ranks.rank() == from ? sent.text() : "");
  const std::string at_receiver = told_by(ranks, to, ranks.rank() == to ? received.text() : "");
  throw Error(ErrorCode::misuse, fmt::format("rank {} sends {} to rank {}, which expects {}; let both list the same edges", from,
                                             at_sender, to, at_receiver));
}

// Collective. Throws Error{misuse} on all ranks unless, for each pair of ranks, the sender and the receiver list the same number
// of edges, with the same lengths in the same order. Edges of no bytes do not count. The edges must pass Exchanger::check. Each
// rank gathers one number from each rank, and two numbers for each pair if edges differ.
void compare_edges(Communicator& ranks, const Edges& edges) {
  const Count p = ranks.size();
  const Summary mine(edges, p);
  std::uint64_t sum = 0;
  for (const std::uint64_t each : gathered(ranks, mine.balance(ranks.rank()))) sum += each;
  if (sum == 0) return;
  std::vector<std::uint64_t> sent(index(p * p)), received(index(p * p));
  const Bytes row_bytes = p * static_cast<Bytes>(sizeof(std::uint64_t));
  ranks.all_gather(mine.sent.data(), sent.data(), row_bytes);
  ranks.all_gather(mine.received.data(), received.data(), row_bytes);
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to)
      if (sent[index(from * p + to)] != received[index(to * p + from)]) throw_pair(ranks, edges, from, to);
}

// Collective if the ranks compare their calls, and in the first call of the group. Checks the edges.
const std::shared_ptr<Exchanger>& exchanger_for(Communicator& ranks, const Edges& edges, bool compares) {
  const auto& exchanger = ranks.calls().exchanger_for(ranks, compares, "exchange", [&] { Exchanger::check(edges, ranks.size()); });
  if (ranks.calls().compares(ranks, compares)) compare_edges(ranks, edges);
  return exchanger;
}

// An exchange with lists of its own.
struct Listed {
  Listed(std::vector<Edges::Send> sent, std::vector<Edges::Receive> received)
      : sends(std::move(sent)), receives(std::move(received)), edges{sends, receives} {}
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  const std::vector<Edges::Send> sends;
  const std::vector<Edges::Receive> receives;
  const Edges edges;
};

// Lists the call's edges in `edges` by `list`. Collective if the ranks compare their calls and edges, and in the first call of the
// group.
template <class List>
const std::shared_ptr<Exchanger>& exchanger_of(Communicator& ranks, bool compares, std::string_view function, NeighborEdges& edges,
                                               List&& list) {
  Calls& calls = ranks.calls();
  const auto& exchanger = calls.exchanger_for(ranks, compares, function, [&] { list(edges); });
  if (calls.compares(ranks, compares)) compare_edges(ranks, edges.edges());
  return exchanger;
}

template <class List>
void execute_listed(Communicator& ranks, bool compares, std::string_view function, List&& list) {
  NeighborEdges& edges = ranks.calls().neighbor_edges;
  exchanger_of(ranks, compares, function, edges, list)->execute(edges.edges());
  edges.unpack();
}

template <class List>
Request start_listed(Communicator& ranks, bool compares, std::string_view function, List&& list) {
  const auto open = std::make_shared<NeighborEdges>();
  const auto& exchanger = exchanger_of(ranks, compares, function, *open, list);
  return exchanger->start(open->edges(), open, [edges = open.get()] { edges->unpack(); });
}

void execute_laid_out(Communicator& ranks, const LayoutCall& call, bool compares) {
  execute_listed(ranks, compares, call.function, [&](NeighborEdges& edges) {
    edges.list(call, ranks.rank(), ranks.size(), ranks.calls().compares(ranks, compares));
  });
}

Request start_laid_out(Communicator& ranks, const LayoutCall& call, bool compares) {
  return start_listed(ranks, compares, call.function, [&](NeighborEdges& edges) {
    edges.list(call, ranks.rank(), ranks.size(), ranks.calls().compares(ranks, compares));
  });
}

constexpr std::string_view total = "alltoallw", total_in_place = "alltoallw in place", near = "neighbor_alltoallw";

}  // namespace

void exchange(Group ranks, std::span<const Edges::Send> sends, std::span<const Edges::Receive> receives, bool compares) {
  const Edges edges{sends, receives};
  exchanger_for(ranks, edges, compares)->execute(edges);
}

Request iexchange(Group ranks, std::span<const Edges::Send> sends, std::span<const Edges::Receive> receives, bool compares) {
  const std::shared_ptr<Exchanger>& exchanger = exchanger_for(ranks, {sends, receives}, compares);
  const auto listed =
      std::make_shared<Listed>(std::vector(sends.begin(), sends.end()), std::vector(receives.begin(), receives.end()));
  return exchanger->start(listed->edges, listed);
}

struct Exchange::Kept : Listed {
  using Listed::Listed;
  std::shared_ptr<Exchanger> exchanger;
};

Exchange::Exchange(Group ranks, std::vector<Edges::Send> sends, std::vector<Edges::Receive> receives, bool compares) {
  const auto kept = std::make_shared<Kept>(std::move(sends), std::move(receives));
  kept->exchanger = exchanger_for(ranks, kept->edges, compares);
  kept_ = kept;
}

void Exchange::execute() { kept_->exchanger->execute(kept_->edges); }

Request Exchange::start() { return kept_->exchanger->start(kept_->edges, kept_); }

void execute_among_neighbors(Communicator& ranks, const Neighbors& neighbors, const IrregularCall& call) {
  execute_listed(ranks, call.arguments.compares, neighbor_function(call.arguments.collective),
                 [&](NeighborEdges& edges) { edges.list(call, neighbors, ranks.size()); });
}

Request start_among_neighbors(Communicator& ranks, const Neighbors& neighbors, const IrregularCall& call) {
  return start_listed(ranks, call.arguments.compares, neighbor_function(call.arguments.collective),
                      [&](NeighborEdges& edges) { edges.list(call, neighbors, ranks.size()); });
}

void alltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
               std::span<const Layout> receive_layouts, bool compares) {
  execute_laid_out(ranks, {total, nullptr, false, input, send_layouts, output, receive_layouts}, compares);
}

Request ialltoallw(Group ranks, const void* input, std::span<const Layout> send_layouts, void* output,
                   std::span<const Layout> receive_layouts, bool compares) {
  return start_laid_out(ranks, {total, nullptr, false, input, send_layouts, output, receive_layouts}, compares);
}

void alltoallw(Group ranks, InPlace, void* buffer, std::span<const Layout> layouts, bool compares) {
  execute_laid_out(ranks, {total_in_place, nullptr, true, nullptr, {}, buffer, layouts}, compares);
}

Request ialltoallw(Group ranks, InPlace, void* buffer, std::span<const Layout> layouts, bool compares) {
  return start_laid_out(ranks, {total_in_place, nullptr, true, nullptr, {}, buffer, layouts}, compares);
}

void neighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                        void* output, std::span<const Layout> receive_layouts, bool compares) {
  execute_laid_out(ranks, {near, &neighbors, false, input, send_layouts, output, receive_layouts}, compares);
}

Request ineighbor_alltoallw(Group ranks, const Neighbors& neighbors, const void* input, std::span<const Layout> send_layouts,
                            void* output, std::span<const Layout> receive_layouts, bool compares) {
  return start_laid_out(ranks, {near, &neighbors, false, input, send_layouts, output, receive_layouts}, compares);
}

}  // namespace quadrille
