// SPDX-License-Identifier: BSD-3-Clause
// One value for each round: side by side where a schedule says how many rounds it has, since there may be a hundred thousand that
// every program goes through; else, as for documents that number their rounds freely, one by one.
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
  // By what the first program says; nothing may be in it before.
  void expect(const Program& program) {
    constexpr Count most = Count{1} << 22;
    if (const Count rounds = stated_rounds(program); stated_.empty() && rounds <= most) stated_.resize(index(rounds));
  }

  Value& operator[](Count number) { return number >= 0 && number < size(stated_) ? stated_[index(number)] : others_[number]; }

  // In the order of their numbers, those that nothing is known of included.
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
