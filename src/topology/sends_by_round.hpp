// SPDX-License-Identifier: BSD-3-Clause
// The messages of a schedule round by round. Where it states a symmetry, only the programs of the representatives are made and
// kept, and everybody else's messages are their images: 4,096 ranks that exchange 16.7 million messages take the memory of 4,095.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

class SendsByRound {
 public:
  struct Send {
    Bytes bytes = 0;
    std::int32_t peer = 0;  // of the owner's
    std::int16_t dimension = -1;
    std::int8_t direction = 0;
    std::optional<Port> port() const { return dimension < 0 ? std::nullopt : std::optional(Port{dimension, direction}); }
  };

  // Messages to ranks that do not exist are left out, and control messages unless they are asked for. Of a rank that is an image,
  // programs need not be added. Throws Error{too_large}, as `add` does, where there is no memory for all.
  SendsByRound(const Schedule& schedule, bool with_controls);
  bool is_owner(Rank rank) const { return owner_.empty() || owner_[index(rank)] == rank; }
  void add(const Program& program);  // of an owner, in ascending order

  // visit(round, from, sends of the owner, image): the messages of `from` in that round go to image(peer). By round; in a round all
  // that one rank sends comes together.
  template <class Visit, class EndOfRound>
  void for_each(Visit&& visit, EndOfRound&& end_of_round);

 private:
  struct Group {  // what one owner sends in one round
    Count round = 0;
    Rank owner = 0;
    std::size_t first = 0, last = 0;
  };

  void sort();
  std::span<const Rank> orbit(const Rank& owner) const;

  const Schedule& schedule_;
  const bool with_controls_;
  Count most_sends_ = 0;            // that there is memory for
  std::vector<Rank> owner_;         // of each rank; empty: everybody owns their own
  std::vector<Rank> orbits_;        // by owner
  std::vector<Count> orbit_start_;  // of each owner's in orbits_, and the end
  std::vector<Send> sends_;
  std::vector<Group> groups_;
};

template <class Visit, class EndOfRound>
void SendsByRound::for_each(Visit&& visit, EndOfRound&& end_of_round) {
  sort();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const std::span<const Send> sends(sends_.data() + group.first, group.last - group.first);
    for (const Rank from : orbit(group.owner))
      if (owner_.empty())
        visit(group.round, from, sends, [](Rank peer) { return peer; });
      else
        visit(group.round, from, sends, [&](Rank peer) { return schedule_.symmetry->image(from, peer); });
    if (i + 1 == groups_.size() || groups_[i + 1].round != group.round) end_of_round(group.round);
  }
}

}  // namespace quadrille
