// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/planned/node_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execute/agreement.hpp"
#include "execute/shared/memory/shared_memory.hpp"
#include "foundation/assert.hpp"

namespace quadrille {

NodeSteps::NodeSteps(SharedSpace& space, const std::vector<Rank>& members, const Script& script) : space_(space) {
  const auto node_of = [&](Rank rank) { return script.nodes[index(rank)]; };
  const auto is_member = [&](Rank rank) { return std::find(members.begin(), members.end(), rank) != members.end(); };
  const Count node = node_of(script.rank);
  for (Rank rank = 0; rank < size(script.nodes); ++rank)  // each rank checks all nodes, so that all throw the same error
    if (!is_member(rank) && std::any_of(members.begin(), members.end(), [&](Rank each) { return node_of(each) == node_of(rank); }))
      throw Error(ErrorCode::misuse,
                  fmt::format("rank {} shares no memory with the others of its node, so they cannot keep step", rank));

  std::vector<Count> rounds;  // in which this rank has messages to or from other nodes; ascending, since windows are rounds
  for (const ScriptMessage& message : script.messages)
    if (node_of(message.peer) != node && (rounds.empty() || rounds.back() != message.round)) rounds.push_back(message.round);

  std::vector<Rank> mates;  // the ranks of the node, numbered as in the space
  for (Rank rank = 0; rank < size(members); ++rank)
    if (node_of(members[index(rank)]) == node) mates.push_back(rank);
  mates_ = size(mates);
  QUADRILLE_ASSERT(std::is_sorted(rounds.begin(), rounds.end()));
  QUADRILLE_ASSERT(std::find(mates.begin(), mates.end(), space_.rank()) != mates.end());

  struct Card {
    Offset counter;
    Count rounds;
  };
  Claim claim(space_);
  const auto cards = gathered_or_thrown(space_, [&] {
    if (space_.rank() == mates.front()) new (space_.at(claim.allocate_control(sizeof(Counter)))) Counter;
    return Card{claim.place(), size(rounds)};
  });
  own_ = claim.keep();
  Count most = 1;
  for (const Card& card : cards) most = std::max(most, card.rounds);
  rounds.resize(index(most));
  std::vector<Count> all(rounds.size() * members.size());
  space_.all_gather(rounds.data(), all.data(), most * static_cast<Bytes>(sizeof(Count)));

  counter_ = reinterpret_cast<Counter*>(space_.at(cards[mates.front()].counter));

  std::vector<Count> exchanges;  // these rounds of all ranks of the node
  for (const Rank mate : mates) {
    const auto first = all.begin() + mate * size(rounds);
    exchanges.insert(exchanges.end(), first, first + cards[mate].rounds);
  }
  std::sort(exchanges.begin(), exchanges.end());
  total_ = exchanges.size();
  for (const Window& window : script.windows) {
    const auto first = script.messages.begin() + window.messages.first, last = script.messages.begin() + window.messages.last;
    const auto exchange = std::find_if(first, last, [&](const ScriptMessage& each) { return node_of(each.peer) != node; });
    needed_.push_back(exchange == last
                          ? none
                          : static_cast<std::uint64_t>(std::lower_bound(exchanges.begin(), exchanges.end(), exchange->round) -
                                                       exchanges.begin()));
  }
}

NodeSteps::~NodeSteps() {
  if (!space_.is_usable()) return;
  counter_->closing.go_through();
  if (own_) space_.retire(own_, [counter = counter_, mates = mates_] { return counter->closing.are_through(mates); });
}

}  // namespace quadrille
