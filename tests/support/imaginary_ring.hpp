// SPDX-License-Identifier: BSD-3-Clause
// The exchange on rings of an odd number of ranks as its source describes it, block by block, so that alltoall/imaginary-node can
// be tested against it [liu2005, section VI]. An imaginary position behind the last rank makes the ring even. Rank 0 does the work
// of this position. There are no blocks from or to this position.
#pragma once

#include <map>

#include "quadrille/program_builder.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille::testing {

struct RingMove {
  Count step = 0;
  Count hop = 0;  // number of links; positive: to the right
};

// Returns the moves of a block from one position of an even ring to another: first one link if the distance is odd, then two links
// at a time. Blocks for even targets go to the right in the first half of the steps, those for odd targets in the second half.
inline std::vector<RingMove> alternating_moves(Count from, Count to, Count size) {
  const Count right = (to - from + size) % size, left = size - right;
  if (right == 0) return {};
  const Count early = to % 2 == 0 ? 1 : -1;
  const Count direction = right < left ? 1 : right > left ? -1 : early;
  const Count length = std::min(right, left);
  std::vector<RingMove> moves;
  if (length % 2 == 1) moves.push_back({0, direction});
  for (Count i = 0; i < length / 2; ++i) moves.push_back({(direction == early ? 1 : 1 + size / 4) + i, 2 * direction});
  return moves;
}

// Makes the schedule. Each block has a slot of its own at every rank that it passes.
inline Schedule imaginary_ring(Count ranks, Bytes block_bytes) {
  Schedule schedule;
  schedule.problem = Problem::alltoall(ranks, block_bytes);
  schedule.algorithm = "imaginary-node";
  schedule.program = [ranks, block_bytes](Rank me) {
    const Count size = ranks + 1;
    const auto host = [&](Count place) { return place % ranks; };
    std::map<std::tuple<Count, Rank, int>, Regions> sent, received;  // by step, peer, direction
    ProgramBuilder program(me);
    program.scratch(ranks * ranks * block_bytes);
    Regions output;
    for (Rank from = 0; from < ranks; ++from)
      for (Rank to = 0; to < ranks; ++to) {
        const Region slot{Buffer::scratch, (from * ranks + to) * block_bytes, block_bytes, {}};
        if (to == me) output.push_back(slot);
        Count place = from;
        for (const auto& [step, hop] : alternating_moves(from, to, size)) {
          const Rank old = host(place);
          place = (place + hop + size) % size;
          if (host(place) == old) continue;
          if (old == me) sent[{step, host(place), hop > 0 ? 1 : -1}].push_back(slot);
          if (host(place) == me) received[{step, old, hop > 0 ? 1 : -1}].push_back(slot);
        }
      }
    program.stage("arrange");
    program.begin_round();
    program.copy({{Buffer::input, 0, ranks * block_bytes, {}}},
                 {{Buffer::scratch, me * ranks * block_bytes, ranks * block_bytes, {}}});
    program.stage("exchange");
    for (Count step = 0; step < size / 2; ++step) {
      program.begin_round();
      for (const auto& [key, regions] : sent)
        if (std::get<0>(key) == step) program.send(std::get<1>(key), regions, Port{0, std::get<2>(key)});
      for (const auto& [key, regions] : received)
        if (std::get<0>(key) == step) program.receive(std::get<1>(key), regions, Port{0, std::get<2>(key)});
    }
    program.stage("rearrange");
    program.begin_round();
    program.copy(output, {{Buffer::output, 0, ranks * block_bytes, {}}});
    return std::move(program).finish();
  };
  return schedule;
}

}  // namespace quadrille::testing
