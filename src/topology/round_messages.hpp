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
#include <vector>

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

// The link that carries the most messages of a round, and two of its messages.
struct BusiestLink {
  Count messages = 0;
  Link link;
  std::size_t first = 0, second = 0;  // indices of two messages, if there are at least two
  Bytes bytes = 0;                    // the most bytes on any link, which may be another link
};

// Returns the busiest link. A message with a port takes the straight way that begins at the port. If this way does not lead to
// the receiver, refuse(message, reason) is called, and the message takes the route of a message without a port.
BusiestLink busiest_link(const Topology& topology, const std::vector<RoutedMessage>& messages,
                         const std::function<void(const RoutedMessage&, const std::string&)>& refuse);

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
  explicit LinkLoads(const Topology& topology) : topology_(topology), loads_(topology) {}

  // Adds a message to the links of its route. If the message's port does not lead to the receiver, the message takes the route of
  // a message without a port.
  void add(Rank from, Rank to, const std::optional<Port>& port, Bytes bytes) {
    way_.clear();
    if (!topology_.append_way(from, to, port, way_)) topology_.append_way(from, to, {}, way_);
    for (const Count number : way_) {
      Load& load = loads_[number];
      if (load.messages++ == 0) used_.push_back(number);
      add_bytes(load.bytes, bytes);
    }
  }

  struct Busiest {
    Count messages = 0;  // the most messages that any link carries
    Count number = 0;    // number of the first such link; undefined if there are no messages
    Bytes bytes = 0;     // the most bytes that any link carries, which may be another link
  };

  // Returns the maxima over everything that was added since the last call, and resets them.
  Busiest take() {
    Busiest busiest;
    for (const Count number : used_) {
      Load& load = loads_[number];
      if (load.messages > busiest.messages || (load.messages == busiest.messages && number < busiest.number))
        busiest.messages = load.messages, busiest.number = number;
      busiest.bytes = std::max(busiest.bytes, load.bytes);
      load = {};
    }
    used_.clear();
    return busiest;
  }

 private:
  struct Load {
    Bytes bytes = 0;
    Count messages = 0;
  };

  const Topology& topology_;
  PerLink<Load> loads_;
  std::vector<Count> used_;  // numbers of the links that carry messages
  std::vector<Count> way_;
};

}  // namespace quadrille
