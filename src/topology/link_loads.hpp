// SPDX-License-Identifier: BSD-3-Clause
// A value for each link of a network, and the messages and bytes of a round on each link.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

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

  // Adds a message to the links of its route. If its port does not lead to the receiver, it takes the route without a
  // port.
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
