// SPDX-License-Identifier: BSD-3-Clause
// alltoall/torus-direct: every block goes straight to its target, in rounds in which no link of a torus has two messages.
// Source  [tseng1996] for the problem; [liu2005], section I, cites the number of rounds. The construction here is the cross
//         product of contention-free phases of rings.
// Needs   a grid whose sides are multiples of 4. Blocks that go half around a ring and also cross another dimension need the
//         routing `balanced`.
// Idea    On a ring of n, four messages use each link of one direction once: from a to b over d < n/2 links, from b to a + n/2
//         over n/2 - d links, and the same two messages shifted by n/2. These four messages are a phase. The ends of the four
//         messages have two residues modulo n/2, so a phase is a pair of residues. A 1-factor of the residues
//         (patterns/factors.hpp) is n/4 phases, in which each rank sends one message. One more factor has the messages over n/2
//         links (upwards from even places, downwards from odd ones) and the blocks that do not move on this ring. On a torus a
//         round takes phases of one factor from each dimension. It combines each phase of a dimension with one phase of each
//         other dimension. Two opposite combinations of directions share a round.
// Cost    N is the longest side: p N / 8 rounds on two ports, C2 = p N / 8 blocks: both are the least possible for direct
//         messages without contention, because every link is busy in every round if the sides are equal. Nothing is copied.
// Prefer  long blocks on a torus: alltoall/torus sends as many bytes over each link in far fewer rounds, but copies each block
//         twice.
#include <algorithm>

#include "collectives/exchange/direct_exchange.hpp"
#include "collectives/exchange/torus_slots.hpp"
#include "patterns/factors.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr auto form = one_factor::Form::concentrated;

struct Phase {
  bool upwards = true;
  Count factor = 0;  // 0 .. n/2 - 1
  Count number = 0;  // among the n/4 phases of the factor
};

// Returns the number of the vertex's pair in the factor. Pairs are numbered by their distance from the vertex that meets the last
// vertex.
Count pair_number(Count vertices, Count factor, Count vertex) {
  const Count odd = vertices - 1, middle = one_factor::partner(form, vertices, factor, odd);
  if (vertex == odd) return 0;
  const Count distance = modulo(vertex - middle, odd);
  return std::min(distance, odd - distance);
}

Phase phase_on_ring(Count length, Count from, Count to) {
  const Count residues = length / 2, distance = modulo(to - from, length), residue = from % residues;
  const bool is_even = residue % 2 == 0;
  if (distance == 0) return {!is_even, residues - 1, residue / 2};
  if (distance == residues) return {is_even, residues - 1, residue / 2};
  const Count factor = one_factor::factor_of(form, residues, residue, to % residues);
  return {distance < residues, factor, pair_number(residues, factor, residue)};
}

class DirectRounds {
 public:
  explicit DirectRounds(std::vector<TorusSide> sides) : sides_(std::move(sides)) {
    for (const TorusSide& side : sides_) longest_ = std::max(longest_, side.length);
  }

  Count rounds() const {
    Count rounds = longest_ / 4;
    for (std::size_t d = 0; d < sides_.size(); ++d) rounds *= sides_[d].length / 2 * (d == 0 ? 1 : 2);
    return rounds;
  }

  Count round(Rank from, Rank to) const {
    Count round = 0, numbers = 0;
    bool first_upwards = true;
    for (std::size_t d = 0; d < sides_.size(); ++d) {
      const Count length = sides_[d].length;
      const Phase phase = phase_on_ring(length, place_on(sides_[d], from), place_on(sides_[d], to));
      if (d == 0)
        first_upwards = phase.upwards;
      else
        round = 2 * round + (phase.upwards == first_upwards ? 0 : 1);
      round = round * (length / 2) + phase.factor;
      numbers += phase.number;
    }
    // Phases with the same sum of numbers run together: any two of them have different numbers in at least two dimensions.
    return round * (longest_ / 4) + numbers % (longest_ / 4);
  }

  // A message in one dimension names its port, so that it goes in the intended direction under every routing.
  std::optional<Port> port(Rank from, Rank to) const {
    std::optional<Port> port;
    for (const TorusSide& side : sides_) {
      const Count here = place_on(side, from), there = place_on(side, to);
      if (here == there) continue;
      if (port) return {};
      port = Port{side.dimension, phase_on_ring(side.length, here, there).upwards ? 1 : -1};
    }
    return port;
  }

 private:
  std::vector<TorusSide> sides_;
  Count longest_ = 4;
};

Program generate_torus_direct(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const DirectRounds rounds(torus_sides(problem));
  return exchange_by_timetable(problem,
                               {.stages = {{"direct", 0, rounds.rounds()}},
                                .slot = [&](Rank from, Rank to) { return from == to ? 0 : rounds.round(from, to); },
                                .port = [&](Rank from, Rank to) { return rounds.port(from, to); }},
                               me);
}

}  // namespace

extern const Algorithm alltoall_torus_direct{
    .collective = Collective::alltoall,
    .id = "torus-direct",
    .summary = "on the grid as a torus: every block straight to its target, in rounds in which no link has two messages",
    .picture =
        "A block crosses several links in one round, and the view of the network shows the even load: all links are busy all the "
        "time. There are more rounds than with torus, but nothing is copied on the way: it is for long blocks.",
    .picture_problem = "--topology torus:4x4,balanced",
    .needs = "a grid whose sides are multiples of 4",
    .source = "tseng1996",
    .generate = generate_torus_direct,
    .applies = [](const Problem& problem, const Parameters&) -> Result<> {
      const std::vector<TorusSide> sides = torus_sides(problem);
      if (!problem.grid.empty() && !sides.empty() && sides_divisible(sides, 4)) return {};
      return cannot("direct messages without contention need a grid whose sides are multiples of 4");
    },
    .ports = [](const Problem&, const Parameters&) { return Count{2}; },
};

}  // namespace quadrille
