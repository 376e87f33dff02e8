// SPDX-License-Identifier: BSD-3-Clause
// Stores a value for each link of a network, in an array by link number. If a network has too many link numbers for an array (a
// fully connected one), a hash table stores the values of the links that were used.
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
