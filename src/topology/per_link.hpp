// SPDX-License-Identifier: BSD-3-Clause
// Something for each link of a network: an array by the link's number, or where a network has too many numbers for that, as a full
// one has, a table of the links that were asked for.
#pragma once

#include <unordered_map>
#include <vector>

#include "quadrille/indexed.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

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

}  // namespace quadrille
