// SPDX-License-Identifier: BSD-3-Clause
// Stores one value for each round. If a schedule states its number of rounds, the values are in a vector. A vector is faster, and
// each of many programs may touch a hundred thousand rounds. Files may number their rounds freely; the values are then in a map.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

inline Count stated_rounds(const Program& program) {
  Count rounds = 0;
  for (const Stage& stage : program.stages)
    if (const auto end = checked_sum(stage.first_round, stage.round_count)) rounds = std::max(rounds, *end);
  return rounds;
}

template <class Value>
class ByRound {
 public:
  // Allocates the vector, with a length taken from the stages of the first program. Must be called before any value is stored.
  void expect(const Program& program) {
    constexpr Count most = Count{1} << 22;
    if (const Count rounds = stated_rounds(program); stated_.empty() && rounds <= most) stated_.resize(index(rounds));
  }

  Value& operator[](Count number) { return number >= 0 && number < size(stated_) ? stated_[index(number)] : others_[number]; }

  // Calls visit(number, value) in the order of round numbers, also for rounds of the vector that were never used.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (Count number = 0; number < size(stated_); ++number) visit(number, stated_[index(number)]);
    for (const auto& [number, value] : others_) visit(number, value);
  }

 private:
  std::vector<Value> stated_;
  std::map<Count, Value> others_;
};

}  // namespace quadrille
