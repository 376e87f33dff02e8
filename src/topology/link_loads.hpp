// SPDX-License-Identifier: BSD-3-Clause
// What the messages of a round put on the links of a network. Plain arrays by the link's number, so that millions of ways cost
// little more than looking at their links; where a network has too many numbers for that, as a full one has, a table of the links
// in use.
#pragma once

#include <unordered_map>
#include <vector>

#include "quadrille/error.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

class LinkLoads {
 public:
  explicit LinkLoads(const Topology& topology) : topology_(topology) {
    if (topology.link_numbers() <= most_numbers) loads_.resize(static_cast<std::size_t>(topology.link_numbers()));
  }

  // A message goes over the links of its way; with a port that leads nowhere, as if it had none.
  void add(Rank from, Rank to, const std::optional<Port>& port, Bytes bytes) {
    way_.clear();
    if (!topology_.append_way(from, to, port, way_)) topology_.append_way(from, to, {}, way_);
    for (const Count number : way_) {
      Load& load = loads_.empty() ? rare_[number] : loads_[static_cast<std::size_t>(number)];
      if (load.messages++ == 0) used_.push_back(number);
      add_bytes(load.bytes, bytes);
    }
  }

  struct Busiest {
    Count messages = 0;  // the most that a link carries
    Count number = 0;    // of the first such link; none without messages
    Bytes bytes = 0;     // the most that any link carries, be it this one or another
  };

  // Of everything added since the last time.
  Busiest take() {
    Busiest busiest;
    for (const Count number : used_) {
      Load& load = loads_.empty() ? rare_[number] : loads_[static_cast<std::size_t>(number)];
      if (load.messages > busiest.messages || (load.messages == busiest.messages && number < busiest.number))
        busiest.messages = load.messages, busiest.number = number;
      busiest.bytes = std::max(busiest.bytes, load.bytes);
      load = {};
    }
    used_.clear();
    rare_.clear();
    return busiest;
  }

 private:
  static constexpr Count most_numbers = Count{1} << 24;

  struct Load {
    Bytes bytes = 0;
    Count messages = 0;
  };

  const Topology& topology_;
  std::vector<Load> loads_;  // by number
  std::unordered_map<Count, Load> rare_;
  std::vector<Count> used_;  // numbers of the links that carry something
  std::vector<Count> way_;
};

}  // namespace quadrille
