// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/compare_edges.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "execute/agreement.hpp"
#include "foundation/hash.hpp"
#include "foundation/text/wording.hpp"
#include "plan/gathered.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

// What one rank lists, summed up for each peer: a hash of the lengths in their order, 0 without edges.
struct Summary {
  std::vector<std::uint64_t> sent, received;

  Summary(const Edges& edges, Count ranks) : sent(index(ranks)), received(index(ranks)) {
    const auto add = [](std::uint64_t& hash, Bytes bytes) {
      if (bytes != 0) hash = mixed(hash + static_cast<std::uint64_t>(bytes));
    };
    for (const Edges::Send& edge : edges.sends) add(sent[index(edge.to)], edge.bytes);
    for (const Edges::Receive& edge : edges.receives) add(received[index(edge.from)], edge.bytes);
  }

  // Of all ranks together, these numbers add up to 0 if both ends of all edges agree.
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

// Collective. Throws if the two ranks list different edges from one to the other.
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

}  // namespace

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

}  // namespace quadrille
