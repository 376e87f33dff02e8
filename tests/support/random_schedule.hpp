// SPDX-License-Identifier: BSD-3-Clause
// Random schedules with arbitrary messages and memory, to test simulators and dependences on cases that no algorithm produces.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille::testing {

struct RandomShape {
  Count ranks = 5;
  Count rounds = 4;
  Count most_messages = 1;  // messages that a rank sends, and receives, in a round
  Bytes longest = 100;      // messages have 1 byte up to this length
  bool with_controls = false;
};

inline Schedule random_schedule(const RandomShape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](Count limit) { return static_cast<Count>(random() % static_cast<std::uint64_t>(limit)); };
  const auto region = [&](Bytes length) {
    return Region{below(2) == 0 ? Buffer::output : Buffer::scratch, below(300), length, {}};
  };
  auto programs = std::make_shared<std::vector<Program>>(static_cast<std::size_t>(shape.ranks));
  const std::vector<Stage> stages{{"one", 0, shape.rounds / 2}, {"two", shape.rounds / 2, shape.rounds - shape.rounds / 2}};
  for (std::size_t rank = 0; rank < programs->size(); ++rank)
    (*programs)[rank] = {.rank = static_cast<Rank>(rank), .scratch_bytes = 400, .stages = stages};
  for (Count number = 0; number < shape.rounds; ++number) {
    std::vector<Round> rounds(programs->size());
    for (Round& round : rounds) {
      round.number = number;
      for (Count i = below(3); i > 0; --i) {
        const Bytes length = 1 + below(20);
        round.locals.push_back({.source = {region(length)}, .target = {region(length)}});
      }
    }
    const bool only_controls = shape.with_controls && below(4) == 0;
    for (Count turn = 0; turn < shape.most_messages; ++turn) {  // each turn draws part of a permutation
      std::vector<Rank> targets(programs->size());
      std::iota(targets.begin(), targets.end(), Rank{0});
      std::shuffle(targets.begin(), targets.end(), random);
      for (Rank from = 0; from < shape.ranks; ++from) {
        const Rank to = targets[static_cast<std::size_t>(from)];
        Round &sender = rounds[static_cast<std::size_t>(from)], &receiver = rounds[static_cast<std::size_t>(to)];
        const auto goes_there = [&](const auto& each) { return each.peer == to; };
        if (to == from || below(4) == 0 || std::any_of(sender.sends.begin(), sender.sends.end(), goes_there) ||
            std::any_of(sender.control_sends.begin(), sender.control_sends.end(), goes_there))
          continue;
        const Bytes length = 1 + below(shape.longest);
        if (only_controls) {
          sender.control_sends.push_back({to, length});
          receiver.control_receives.push_back({from, length});
        } else {
          sender.sends.push_back({to, {region(length)}, {}});
          receiver.receives.push_back({from, {region(length)}, {}});
        }
      }
    }
    for (std::size_t rank = 0; rank < programs->size(); ++rank) {
      const Round& round = rounds[rank];
      if (!round.locals.empty() || !round.sends.empty() || !round.receives.empty() || !round.control_sends.empty() ||
          !round.control_receives.empty())
        (*programs)[rank].rounds.push_back(round);
    }
  }
  Schedule schedule;
  schedule.problem.ranks = shape.ranks;
  schedule.problem.block_bytes = 80;
  schedule.algorithm = "random";
  schedule.program = [programs](Rank rank) { return (*programs)[static_cast<std::size_t>(rank)]; };
  return schedule;
}

}  // namespace quadrille::testing
