// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/neighbors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "foundation/text/wording.hpp"
#include "plan/calls/call_checks.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/edges.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/neighborhood.hpp"

namespace quadrille {
namespace {

constexpr Rank nobody = -1;

Count ranks_of(const CartesianGrid& grid) {
  if (grid.dimensions.size() != grid.periodic.size())
    throw Error(ErrorCode::misuse, fmt::format("a grid has {} dimensions, and says of {} whether they are periodic",
                                               grid.dimensions.size(), grid.periodic.size()));
  Count ranks = 1;
  for (const Count side : grid.dimensions) {
    if (side < 1)
      throw Error(ErrorCode::misuse, fmt::format("a dimension of a grid has {}; it needs one or more", counted(side, "rank")));
    const auto product = checked_product(ranks, side);
    if (!product) throw Error(ErrorCode::too_large, "a grid has 2^63 ranks or more");
    ranks = *product;
  }
  return ranks;
}

void check_peers(std::string_view function, const Neighbors& neighbors, Count ranks) {
  const auto check = [&](const std::vector<Rank>& peers, const char* direction) {
    for (const Rank peer : peers)
      if (peer >= ranks) [[unlikely]]
        throw Error(ErrorCode::misuse,
                    fmt::format("{} {} rank {}, but the group has {}", function, direction, peer, counted(ranks, "rank")));
  };
  check(neighbors.sources(), "receives from");
  check(neighbors.destinations(), "sends to");
}

// Returns the elements of each block if the buffer has one for each neighbour.
Count even_share(std::string_view function, std::string_view buffer, Count elements, Count blocks, std::string_view peers) {
  if (blocks == 0 ? elements != 0 : elements % blocks != 0)
    throw Error(ErrorCode::misuse, fmt::format("the {} of {} has {} elements for {} {}; blocks have the same length", buffer,
                                               function, elements, blocks, peers));
  return blocks == 0 ? 0 : elements / blocks;
}

CountList repeated(std::vector<Count>& memory, Count number, Count times) {
  memory.assign(index(times), number);
  return CountList(memory);
}

template <class Edge>
void add_layouts(std::string_view function, std::string_view list, std::span<const Layout> layouts, const std::vector<Rank>& peers,
                 std::string_view what, LaidOutBlocks<Edge>& blocks) {
  if (layouts.size() != peers.size())
    throw Error(ErrorCode::misuse, fmt::format("{} has {} {} for {} {}", function, layouts.size(), list, peers.size(), what));
  for (std::size_t block = 0; block < peers.size(); ++block) {
    blocks.add_block(peers[block]);
    for (const auto& [offset, length] : layouts[block]) {
      if (length < 0 || !checked_sum(offset, length))
        throw Error(ErrorCode::misuse, fmt::format("{}[{}] has a piece of {} bytes at {}", list, block, length, offset));
      if (!checked_sum(blocks.bytes_of_last(), length))
        throw Error(ErrorCode::too_large, fmt::format("{}[{}] reaches 2^63 bytes", list, block));
      if (peers[block] >= 0) blocks.add_bytes(offset, length);
    }
  }
}

}  // namespace

Neighbors::Neighbors(std::vector<Rank> sources, std::vector<Rank> destinations)
    : sources_(std::move(sources)), destinations_(std::move(destinations)), meeting_order_(sources_.size()) {
  if (std::max(sources_.size(), destinations_.size()) > static_cast<std::size_t>(Edges::most))
    throw Error(ErrorCode::too_large, fmt::format("a rank has at most {} neighbours", Edges::most));
  std::iota(meeting_order_.begin(), meeting_order_.end(), std::size_t{0});
}

Neighbors::Neighbors(const CartesianGrid& grid, Rank rank) {
  const Count ranks = ranks_of(grid);
  if (rank < 0 || rank >= ranks)
    throw Error(ErrorCode::misuse, fmt::format("a grid of {} has no rank {}", counted(ranks, "rank"), rank));
  Count stride = ranks;  // between neighbours in a dimension
  for (std::size_t dimension = 0; dimension < grid.dimensions.size(); ++dimension) {
    const Count side = grid.dimensions[dimension];
    stride /= side;
    const Count own = rank / stride % side;
    const auto neighbor = [&](Count step) {
      const Count at = own + step;
      if (at >= 0 && at < side) return rank + step * stride;
      return grid.periodic[dimension] ? rank + ((at + side) % side - own) * stride : nobody;
    };
    sources_.insert(sources_.end(), {neighbor(-1), neighbor(1)});
    // First the rank before, then the rank behind. A block sent to the rank before arrives there as the block from the rank
    // behind.
    meeting_order_.insert(meeting_order_.end(), {2 * dimension + 1, 2 * dimension});
  }
  destinations_ = sources_;
}

std::string_view neighbor_function(Collective collective) {
  switch (collective) {
    case Collective::alltoall: return "neighbor_alltoall";
    case Collective::alltoallv: return "neighbor_alltoallv";
    case Collective::allgather: return "neighbor_allgather";
    default: return "neighbor_allgatherv";
  }
}

void NeighborEdges::list(const IrregularCall& call, const Neighbors& neighbors, Count ranks) {
  const CallArguments& arguments = call.arguments;
  const std::string_view function = neighbor_function(arguments.collective);
  const Count destinations = size(neighbors.destinations()), sources = size(neighbors.sources());
  const bool gathers = arguments.collective == Collective::allgather || arguments.collective == Collective::allgatherv;
  const bool has_counts = arguments.collective == Collective::alltoallv || arguments.collective == Collective::allgatherv;
  check_peers(function, neighbors, ranks);
  Blocks send = call.send, receive = call.receive;
  Count sent = arguments.input_elements, received = 0;
  if (!gathers && !has_counts) sent = even_share(function, "input", arguments.input_elements, destinations, "destinations");
  if (gathers || !has_counts) send.counts = repeated(send_counts_, sent, destinations);
  if (gathers) send.displacements = repeated(zeros_, 0, destinations);  // the same block for all
  if (!has_counts) {
    received = even_share(function, "output", arguments.output_elements, sources, "sources");
    receive.counts = repeated(receive_counts_, received, sources);
    if (destinations > 0 && sources > 0 && sent != received)
      throw Error(ErrorCode::misuse, fmt::format("{} sends blocks of {} elements and receives blocks of {}; they must be equal",
                                                 function, sent, received));
  }
  const bool has_both = arguments.collective == Collective::alltoallv;  // counts of what is sent, and of what is received
  sent_.clear(), received_.clear();                                     // nothing has gaps
  lists_.clear();
  InputSide input(arguments.input, arguments.element_bytes);
  OutputSide output(arguments.output, arguments.element_bytes);
  const CountedBlocks all_sent{send,           function, has_both ? "send" : "",  destinations,
                               "destinations", "input",  arguments.input_elements};
  all_sent.visit([&](Count block, Count first, Count count) {
    const Rank to = neighbors.destinations()[index(block)];
    if (to < 0 || count == 0) return;
    input.use(first, count);
    lists_.send(to, input.place(first), input.bytes(count));
  });
  by_source_.clear();
  const CountedBlocks all_received{receive,   function, has_both ? "receive" : "", sources,
                                   "sources", "output", arguments.output_elements};
  all_received.visit([&](Count block, Count first, Count count) {
    const Rank from = neighbors.sources()[index(block)];
    by_source_.push_back({from, nullptr, 0});
    if (from < 0 || count == 0) return;
    output.use(first, count);
    by_source_.back() = {from, output.place(first), output.bytes(count)};
  });
  for (const std::size_t block : neighbors.meeting_order()) {
    const auto& [from, memory, bytes] = by_source_[block];
    lists_.receive(from, memory, bytes);
  }
  input.check_given("input");
  output.check_given("output");
  edges_ = lists_.edges();
  refuse_overlap(edges_.sends, edges_.receives, order_);
}

void NeighborEdges::list(const LayoutCall& call, Rank me, Count ranks, bool refuses_overlaps) {
  const bool is_total = !call.neighbors;
  const Neighbors& neighbors = is_total ? all(ranks) : *call.neighbors;
  check_peers(call.function, neighbors, ranks);
  sent_.begin(call.in_place ? call.output : call.input);
  add_layouts(call.function, call.in_place ? "layouts" : "send_layouts", call.in_place ? call.receive : call.send,
              neighbors.destinations(), is_total ? "ranks" : "destinations", sent_);
  received_.begin(call.output);
  add_layouts(call.function, call.in_place ? "layouts" : "receive_layouts", call.receive, neighbors.sources(),
              is_total ? "ranks" : "sources", received_);
  sent_.check_given("input");
  received_.check_given("output");
  if (refuses_overlaps) refuse_overlap(call.in_place ? std::span<const Edges::Send>() : sent_.parts(), received_.parts(), order_);
  sent_.place_blocks(call.in_place);
  list_edges(neighbors);
  if (is_total) lists_.begin_after(me);
  edges_ = lists_.edges();
}

const Neighbors& NeighborEdges::all(Count ranks) {
  if (!all_ || size(all_->sources()) != ranks) {
    std::vector<Rank> each(index(ranks));
    std::iota(each.begin(), each.end(), Rank{0});
    all_.emplace(each, each);
  }
  return *all_;
}

void NeighborEdges::list_edges(const Neighbors& neighbors) {
  sent_.pack();
  received_.place_blocks();
  lists_.clear();
  for (std::size_t block = 0; block < sent_.size(); ++block) {
    const auto [to, memory, bytes] = sent_.edge(block);
    lists_.send(to, memory, bytes);
  }
  for (const std::size_t block : neighbors.meeting_order()) {
    const auto [from, memory, bytes] = received_.edge(block);
    lists_.receive(from, memory, bytes);
  }
}

}  // namespace quadrille
