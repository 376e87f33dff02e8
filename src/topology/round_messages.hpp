// SPDX-License-Identifier: BSD-3-Clause
// The messages of each round, the links that they share, and the messages and bytes on each link.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foundation/arithmetic.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/schedule.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

struct RoutedMessage {
  Rank from = 0;
  Rank to = 0;
  std::optional<Port> port;
  Bytes bytes = 0;
};

using MessagesByRound = std::map<Count, std::vector<RoutedMessage>>;

// Adds the messages that the program's rank sends to other ranks. If the collective moves no data (a barrier), adds its control
// messages, because it has no other messages.
void add_messages(Count ranks, const Program& program, Collective collective, MessagesByRound& rounds);

// The link that the messages of a round share most, and two of its messages.
// Messages share a link by the capacities that the slowest links of their ways have: messages that flow at a quarter of a link's
// speed do not disturb each other if there are at most four. On links of equal speed `sharing` is the number of messages.
struct BusiestLink {
  Count sharing = 0;
  Count messages = 0;
  Link link;
  std::size_t first = 0, second = 0;  // indices of two messages, if there are at least two
  Bytes bytes = 0;  // the most bytes on any link, in those of the machine's link (Capacities), which may be another link
};

// Returns the busiest link. A message with a port takes the straight way that begins at the port. If this way does not lead to
// the receiver, refuse(message, reason) is called, and the message takes the route of a message without a port.
BusiestLink busiest_link(const Topology& topology, const std::vector<RoutedMessage>& messages,
                         const std::function<void(const RoutedMessage&, const std::string&)>& refuse);

// The capacity of the slowest link of a way. It is 1 if the network states no capacities, or the way has no links.
inline Count least_capacity(const Capacities& capacities, std::span<const Count> way) {
  if (capacities.of_links.empty() || way.empty()) return 1;
  Count least = capacities.of(way[0]);
  for (const Count number : way) least = std::min(least, capacities.of(number));
  return least;
}

// Throws Error{misuse} if the topology has a different number of ranks from the problem.
void check_ranks(const Topology& topology, const Problem& problem);

// The messages of a schedule, round by round. If the schedule states a symmetry, only the programs of the representatives are
// made and stored. The messages of other ranks are images of the stored messages. So the 16.7 million messages of an exchange
// among 4,096 ranks take the memory of 4,095 messages.
class SendsByRound {
 public:
  // A message of an owner: a rank whose messages are stored.
  struct Send {
    Bytes bytes = 0;
    std::int32_t peer = 0;  // as seen by the owner
    std::int16_t dimension = -1;
    std::int8_t direction = 0;
    std::optional<Port> port() const { return dimension < 0 ? std::nullopt : std::optional(Port{dimension, direction}); }
  };

  // Ignores messages to ranks that do not exist and, unless `with_controls`, control messages. Only the programs of owners need to
  // be added. Throws Error{too_large}, as `add` does, if the messages do not fit in memory.
  SendsByRound(const Schedule& schedule, bool with_controls);
  bool is_owner(Rank rank) const { return owner_.empty() || owner_[index(rank)] == rank; }
  void add(const Program& program);  // of an owner; in ascending order of rank

  // Calls visit(round, from, sends, image) in the order of rounds, once for each rank that sends messages in the round. For each
  // of its owner's `sends`, rank `from` sends a message to image(peer).
  template <class Visit, class EndOfRound>
  void for_each(Visit&& visit, EndOfRound&& end_of_round);

 private:
  struct Group {  // the messages that one owner sends in one round
    Count round = 0;
    Rank owner = 0;
    std::size_t first = 0, last = 0;
  };

  void sort();
  std::span<const Rank> orbit(const Rank& owner) const;

  const Schedule& schedule_;
  const bool with_controls_;
  Count most_sends_ = 0;            // limit by memory
  std::vector<Rank> owner_;         // by rank; empty if every rank is its own owner
  std::vector<Rank> orbits_;        // the ranks, sorted by owner
  std::vector<Count> orbit_start_;  // by owner: where its ranks begin in orbits_; one more entry marks the end
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

// Stores a value for each link of a network, in an array by link number. If a network has too many link numbers for an array (a
// fully connected one), a hash table stores the values of the links that were used.
template <class Value>
class PerLink {
 public:
  explicit PerLink(const Topology& topology) {
    if (topology.link_numbers() <= most_numbers) values_.resize(index(topology.link_numbers()));
  }

  Value& operator[](Count number) { return values_.empty() ? rare_[number] : values_[index(number)]; }

 private:
  static constexpr Count most_numbers = Count{1} << 24;

  std::vector<Value> values_;
  std::unordered_map<Count, Value> rare_;
};

// Counts the messages and bytes of a round on each link of a network. The time is proportional to the total
// length of the messages' routes.
class LinkLoads {
 public:
  explicit LinkLoads(const Topology& topology) : topology_(topology), capacities_(topology.capacities()), loads_(topology) {}

  // Adds a message to the links of its route. If the message's port does not lead to the receiver, the message takes the route of
  // a message without a port.
  void add(Rank from, Rank to, const std::optional<Port>& port, Bytes bytes) {
    way_.clear();
    if (!topology_.append_way(from, to, port, way_)) topology_.append_way(from, to, {}, way_);
    const Count slowest = least_capacity(capacities_, way_);
    longest_ = std::max(longest_, capacities_.on_machine(bytes, slowest));
    for (const Count number : way_) {
      Load& load = loads_[number];
      if (load.taken == 0) used_.push_back(number);
      load.taken += slowest;
      add_bytes(load.bytes, bytes);
    }
  }

  struct Busiest {
    Count sharing = 0;  // the most of any link, as in BusiestLink
    Count number = 0;   // number of the first such link; undefined if there are no messages
    Bytes bytes = 0;    // the most bytes of any link, as in BusiestLink
    Bytes longest = 0;  // of the messages, on the slowest links of their ways: in bytes of the machine's link
  };

  // Returns the maxima over everything that was added since the last call, and resets them.
  Busiest take() {
    Busiest busiest;
    for (const Count number : used_) {
      Load& load = loads_[number];
      const Count capacity = capacities_.of(number), sharing = ceil_divide(load.taken, capacity);
      if (sharing > busiest.sharing || (sharing == busiest.sharing && number < busiest.number))
        busiest.sharing = sharing, busiest.number = number;
      busiest.bytes = std::max(busiest.bytes, capacities_.on_machine(load.bytes, capacity));
      load = {};
    }
    busiest.longest = std::exchange(longest_, 0);
    used_.clear();
    return busiest;
  }

 private:
  struct Load {
    Bytes bytes = 0;
    Count taken = 0;  // the sum, over the messages, of the capacity of the slowest link of their way
  };

  const Topology& topology_;
  const Capacities& capacities_;
  PerLink<Load> loads_;
  Bytes longest_ = 0;
  std::vector<Count> used_;  // numbers of the links that carry messages
  std::vector<Count> way_;
};

}  // namespace quadrille
