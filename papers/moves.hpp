// SPDX-License-Identifier: BSD-3-Clause
// Lists the messages that one rank sends, from its program.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille::papers {

struct Move {
  Count round = 0;   // from 0
  Count offset = 0;  // the receiver is rank + offset, modulo p
  Bytes length = 0;
  std::vector<Bytes> places;  // offset in its buffer of each byte that is sent, in ascending order
};

inline std::vector<Bytes> places_of(const Regions& regions) {
  std::vector<Bytes> places;
  for (const Region& region : regions)
    for_each_run(region, [&](Bytes offset, Bytes length) {
      for (Bytes i = 0; i < length; ++i) places.push_back(offset + i);
    });
  return places;
}

inline std::vector<Move> moves_of(const Schedule& schedule, Rank rank) {
  std::vector<Move> moves;
  for (const Round& round : schedule.program(rank).rounds)
    for (const Message& message : round.sends) {
      Move& move = moves.emplace_back(
          Move{.round = round.number, .offset = (message.peer - rank + schedule.problem.ranks) % schedule.problem.ranks});
      move.length = bytes(message.regions);
      move.places = places_of(message.regions);
      std::sort(move.places.begin(), move.places.end());
    }
  return moves;
}

inline std::string listed(const std::vector<Bytes>& numbers) { return fmt::format("{}", fmt::join(numbers, " ")); }

}  // namespace quadrille::papers
