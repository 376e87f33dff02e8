// SPDX-License-Identifier: BSD-3-Clause
// What the messages of a round put on the links of a network: a look at each link of each way, and no more.
#pragma once

#include <algorithm>
#include <vector>

#include "quadrille/error.hpp"
#include "topology/per_link.hpp"

namespace quadrille {

class LinkLoads {
 public:
  explicit LinkLoads(const Topology& topology) : topology_(topology), loads_(topology) {}

  // A message goes over the links of its way; with a port that leads nowhere, as if it had none.
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
    Count messages = 0;  // the most that a link carries
    Count number = 0;    // of the first such link; none without messages
    Bytes bytes = 0;     // the most that any link carries, be it this one or another
  };

  // Of everything added since the last time.
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
  std::vector<Count> used_;  // numbers of the links that carry something
  std::vector<Count> way_;
};

}  // namespace quadrille
