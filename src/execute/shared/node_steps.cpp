// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/node_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

namespace quadrille {

NodeSteps::NodeSteps(SharedSpace& space, const std::vector<Rank>& members, const Script& script) : space_(space) {
  const auto node_of = [&](Rank rank) { return script.nodes[static_cast<std::size_t>(rank)]; };
  const Count node = node_of(script.rank);
  std::vector<Count> rounds;  // of this rank in which it exchanges something with another node; windows are rounds, so they ascend
  for (const ScriptMessage& message : script.messages)
    if (node_of(message.peer) != node && (rounds.empty() || rounds.back() != message.round)) rounds.push_back(message.round);

  std::vector<Rank> mates;  // the node's ranks, in the space
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    if (node_of(members[rank]) == node) mates.push_back(static_cast<Rank>(rank));
  mates_ = mates.size();
  place_ = static_cast<std::size_t>(std::find(mates.begin(), mates.end(), space_.rank()) - mates.begin());
  if (place_ == 0) try {
      own_ = space_.allocate(static_cast<Bytes>(sizeof(Counter) + mates_ * sizeof(Closed)));
      auto* counter = new (space_.at(own_)) Counter;
      for (std::size_t i = 0; i < mates_; ++i) new (reinterpret_cast<Closed*>(counter + 1) + i) Closed(false);
    } catch (const std::bad_alloc&) {  // 0 tells the others
    }

  struct Card {
    bool fine;
    Offset counter;
    Count rounds;
  };
  const Card mine{place_ > 0 || own_ != 0, own_, static_cast<Count>(rounds.size())};
  std::vector<Card> cards(members.size());
  space_.all_gather(&mine, cards.data(), sizeof mine);
  Count most = 1;
  for (const Card& card : cards) most = std::max(most, card.rounds);
  rounds.resize(static_cast<std::size_t>(most));
  std::vector<Count> all(rounds.size() * members.size());
  space_.all_gather(rounds.data(), all.data(), most * static_cast<Bytes>(sizeof(Count)));

  std::optional<Error> error;  // the same at all ranks of the space, since each looks at all of its nodes
  if (std::any_of(cards.begin(), cards.end(), [](const Card& card) { return !card.fine; }))
    error = Error(ErrorCode::too_large, "there is not enough memory for this plan on every rank");
  for (Rank rank = 0; rank < static_cast<Rank>(script.nodes.size()); ++rank)
    if (std::find(members.begin(), members.end(), rank) == members.end() &&
        std::any_of(members.begin(), members.end(), [&](Rank member) { return node_of(member) == node_of(rank); }))
      error = Error(ErrorCode::misuse,
                    fmt::format("rank {} shares no memory with the others of its node, so they cannot keep step", rank));
  if (error) {
    if (own_) space_.release(own_);
    throw *error;
  }
  counter_ = reinterpret_cast<Counter*>(space_.at(cards[static_cast<std::size_t>(mates.front())].counter));
  closed_ = reinterpret_cast<Closed*>(counter_ + 1);

  std::vector<Count> exchanges;  // the rounds of the node's exchanges
  for (const Rank mate : mates) {
    const auto first = all.begin() + mate * static_cast<Count>(rounds.size());
    exchanges.insert(exchanges.end(), first, first + cards[static_cast<std::size_t>(mate)].rounds);
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
  // For release_retired: this rank's last look at the counter comes before. Otherwise its memory might be somebody else's by then.
  closed_[place_].store(true, std::memory_order_release);
  if (!own_) return;
  std::vector<const std::atomic<bool>*> closed;
  for (std::size_t i = 0; i < mates_; ++i) closed.push_back(closed_ + i);
  space_.retire(own_, std::move(closed));
}

}  // namespace quadrille
