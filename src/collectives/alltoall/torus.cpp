// SPDX-License-Identifier: BSD-3-Clause
// alltoall/torus: complete exchange on all-port rings and tori; every block takes a shortest path, and no link is used
// twice at a time.
// Source  [liu2005], corrected and extended to all side lengths and any number of dimensions.
// Needs   nothing in general. The parameter order=at2 (the paper's order for two dimensions) needs two sides, both even.
//         kernel=ar (two links per step; kernel=sr: one link; see patterns/ring_kernel.hpp) needs even sides, and with at2
//         multiples of 4.
// Idea    Along a line, blocks go the shorter way (patterns/ring_kernel.hpp). If their distance is half of the line,
//         half of the bytes go each way. order=dimension-split cuts each block into one part per dimension; part q
//         crosses the dimensions q, q + 1, .. in turn, so that all links are busy all the time. order=at2 first moves
//         blocks by at most one link in each dimension, to a rank whose coordinates have the same parities as the
//         target's. Then blocks move two links per step: first along the rows on half of the ranks and along the
//         columns on the others, then the other way round. A block for the target at displacement w lies in slot w of
//         the scratch memory of every rank that it visits. A message is a box of slots, which is read at the sender and
//         written at the receiver.
// Cost    N is the longest of k sides: k N / 2 rounds; at2 takes 2 + 2 floor(N / 4). C2 = p N / 8 blocks for even N,
//         the least possible for any schedule. C2 is exact with kernel=sr, if the halves and parts of a block are whole bytes.
//         With kernel=ar, a ring of p = 2 (mod 4) has ceil(p^2 / 8). at2 with kernel=ar on r x c, r = 0 and c = 4 (mod 8), has up
//         to r blocks more, because here rows and columns share rounds, unlike in the paper. Each rank copies all its blocks
//         twice.
// Prefer  at2 on all networks that are tori with the grid's sides; dimension-split if a side is odd or there are more
//         than two sides.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/exchange/torus_slots.hpp"
#include "collectives/saying.hpp"
#include "patterns/integers.hpp"
#include "patterns/ring_kernel.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

using ring_kernel::Antipode;
using ring_kernel::Kernel;

Spans even_ones(const TorusSide& side) { return {{0, side.length / 2, 2}}; }

// `count` displacements in one direction, of the lengths shortest, shortest + step, ..
Displacements towards(int direction, const TorusSide& side, Count shortest, Count count, Count step) {
  return {direction > 0 ? shortest : side.length - shortest - (count - 1) * step, count, step};
}

Displacements half_way(const TorusSide& side, int half) { return {side.length / 2, 1, 1, half}; }

// True if half the ring is an odd number of links. The first stage of at2 then sends the two halves of a block for the opposite
// place in different directions, and the halves remain separate.
bool is_halved(const TorusSide& side) { return side.length % 4 == 2; }

Spans all_pieces_of(const TorusSide& side) {
  if (!is_halved(side)) return all_of(side);
  const Count half = side.length / 2;
  return {{0, half}, half_way(side, 1), half_way(side, -1), {half + 1, half - 1}};
}

Spans odd_ones_towards(int direction, const TorusSide& side) {
  Spans spans{towards(direction, side, 1, side.length / 4, 2)};
  if (is_halved(side)) spans.push_back(half_way(side, direction));
  return spans;
}

// Decides in which rounds shorter lines take their steps, if the longest lines take one step in each round. The sum over the
// rounds of the longer message is then the least. Both lists have the lengths of messages by step. Returns for each round the
// step of the shorter lines, or -1.
std::vector<Count> steps_by_round(const std::vector<Bytes>& longest, const std::vector<Bytes>& shorter) {
  const std::size_t rounds = longest.size(), steps = shorter.size();
  // least[i][j]: the least sum over rounds i, i + 1, .. if steps j, j + 1, .. are taken in them
  std::vector least(rounds + 1, std::vector<Bytes>(steps + 1, 0));
  const auto with_step = [&](std::size_t i, std::size_t j) { return std::max(longest[i], shorter[j]) + least[i + 1][j + 1]; };
  const auto is_better = [&](std::size_t i, std::size_t j) {
    return j < steps && (steps - j == rounds - i || with_step(i, j) <= longest[i] + least[i + 1][j]);
  };
  for (std::size_t i = rounds; i-- > 0;)
    for (std::size_t j = steps - std::min(steps, rounds - i); j <= steps; ++j)
      least[i][j] = is_better(i, j) ? with_step(i, j) : longest[i] + least[i + 1][j];
  std::vector<Count> by_round(rounds, -1);
  for (std::size_t i = 0, j = 0; i < rounds; ++i)
    if (is_better(i, j)) by_round[i] = static_cast<Count>(j++);
  return by_round;
}

class TorusExchange {
 public:
  TorusExchange(const Problem& problem, Kernel kernel, Rank me)
      : sides_(torus_sides(problem)),
        block_bytes_(problem.block_bytes),
        ranks_(problem.ranks),
        kernel_(kernel),
        me_(me),
        placed_(sides_.size()),
        program_(me) {
    program_.scratch(ranks_ * block_bytes_);
  }

  Program dimension_split() && {
    const std::size_t k = sides_.size();
    const Count parts = std::max<Count>(1, static_cast<Count>(k));
    Count rounds = 0, steps = 0;  // rounds of one turn; steps in all dimensions together
    for (const TorusSide& side : sides_) {
      rounds = std::max(rounds, ring_kernel::steps(kernel_, side.length));
      steps += ring_kernel::steps(kernel_, side.length);
    }
    program_.expect(steps, 4 * parts);  // a message sent and one received in each of two directions
    arrange(parts);
    if (k > 1) place_steps(1, parts);
    const bool in_three_stages = k == 1 && kernel_ == Kernel::alternating;  // algorithm AR
    for (std::size_t turn = 0; turn < k; ++turn) {
      if (!in_three_stages) program_.stage(k == 1 ? "around the ring" : fmt::format("turn {}", turn));
      for (Count round = 0; round < rounds; ++round) {
        if (in_three_stages) enter_stage_of_ring(round);
        program_.begin_round();
        for (std::size_t part = 0; part < k; ++part) cross((part + turn) % k, 1, slots_of(parts, static_cast<Count>(part)), round);
      }
    }
    rearrange(parts);
    return std::move(program_).finish();
  }

  Program at2() && {
    const Slots slots = slots_of(1, 0);
    const Count rounds = std::max(sides_[0].length, sides_[1].length) / 4;
    program_.expect(rounds, 8);  // the same in each of two dimensions
    place_steps(2, 1);
    arrange(1);
    program_.stage("phase 1");
    enter_groups(slots);
    const std::size_t first = (coordinate(0) + coordinate(1)) % 2 == 0 ? 1 : 0;
    for (const std::size_t dimension : {first, 1 - first}) {
      program_.stage(dimension == first ? "phase 2" : "phase 3");
      for (Count round = 0; round < rounds; ++round) {
        program_.begin_round();
        cross(dimension, 2, slots, round);
      }
    }
    rearrange(1);
    return std::move(program_).finish();
  }

 private:
  Count coordinate(std::size_t dimension) const { return place_on(sides_[dimension], me_); }

  Bytes part_begin(Count parts, Count part) const { return cut_position(block_bytes_, parts, part); }

  Slots slots_of(Count parts, Count part) const {
    const Bytes begin = part_begin(parts, part);
    return {sides_, ranks_ * begin, part_begin(parts, part + 1) - begin};
  }

  // For each part, `arrange` copies the blocks of the input into their slots, and `rearrange` copies the slots to the
  // output. Slot w gets the input block for the rank at displacement w. Its last contents go to the output block of the rank at
  // displacement -w.
  void arrange(Count parts) {
    program_.stage("arrange");
    program_.begin_round();
    for (Count part = 0; part < parts; ++part) program_.copy(user_blocks(Buffer::input, 1, parts, part), slot_blocks(parts, part));
  }
  void rearrange(Count parts) {
    program_.stage("rearrange");
    program_.begin_round();
    for (Count part = 0; part < parts; ++part)
      program_.copy(slot_blocks(parts, part), user_blocks(Buffer::output, -1, parts, part));
  }

  Regions user_blocks(Buffer buffer, int direction, Count parts, Count part) const {
    return blocks_by_displacement(sides_, me_, buffer, direction, block_bytes_, part_begin(parts, part),
                                  part_begin(parts, part + 1));
  }

  Regions slot_blocks(Count parts, Count part) const {
    const Bytes begin = part_begin(parts, part), end = part_begin(parts, part + 1);
    return {{Buffer::scratch, ranks_ * begin, ranks_ * (end - begin), {}}};
  }

  // Decides in which rounds lines take their steps. With the simple kernel a line takes a step in each round, until it has no
  // more. With the alternating kernel the messages of a line differ in length, so the steps of shorter lines are placed in rounds
  // in which the longest lines have long messages.
  void place_steps(Count scale, Count parts) {
    if (kernel_ == Kernel::simple) return;
    std::vector<std::vector<Bytes>> lengths;  // by dimension and step
    std::size_t longest = 0;
    for (std::size_t dimension = 0; dimension < sides_.size(); ++dimension) {
      lengths.emplace_back();
      for (Count step = 0; step < ring_kernel::steps(kernel_, sides_[dimension].length / scale); ++step) {
        Bytes length = 0;
        for (const int direction : {1, -1})
          for (const Count place : {Count{0}, scale})
            length = std::max(length, bytes(leaving(dimension, scale, slots_of(parts, 0), step, direction, place)));
        lengths.back().push_back(length);
      }
      if (lengths.back().size() > lengths[longest].size()) longest = dimension;
    }
    for (std::size_t dimension = 0; dimension < sides_.size(); ++dimension)
      if (lengths[dimension].size() < lengths[longest].size())
        placed_[dimension] = steps_by_round(lengths[longest], lengths[dimension]);
  }

  // Adds the step that all lines of a dimension take in a round, if any, for the blocks in `slots`. A line consists of every
  // `scale`-th rank.
  void cross(std::size_t dimension, Count scale, const Slots& slots, Count round) {
    const TorusSide& side = sides_[dimension];
    const Count step = placed_[dimension].empty() ? round : placed_[dimension][static_cast<std::size_t>(round)];
    if (step < 0 || step >= ring_kernel::steps(kernel_, side.length / scale)) return;
    const Count hop = scale * ring_kernel::links(kernel_, step);
    for (const int direction : {1, -1}) {
      const Port port{side.dimension, direction};
      program_.send(moved(me_, side, direction * hop), leaving(dimension, scale, slots, step, direction, coordinate(dimension)),
                    port);
      const Rank from = moved(me_, side, -direction * hop);
      program_.receive(from, leaving(dimension, scale, slots, step, direction, place_on(side, from)), port);
    }
  }

  // The slots that the rank at `coordinate` of its line sends in a direction.
  Regions leaving(std::size_t dimension, Count scale, const Slots& slots, Count step, int direction, Count coordinate) const {
    const TorusSide& side = sides_[dimension];
    const Count size = side.length / scale;
    // Algorithm AR sends whole blocks along a ring. If several dimensions share the blocks, the blocks for the opposite rank are
    // divided.
    const bool by_target = kernel_ == Kernel::alternating && (sides_.size() == 1 || size % 4 == 0);
    const auto found = ring_kernel::departure(kernel_, by_target ? Antipode::by_target : Antipode::shared, size, coordinate / scale,
                                              step, direction);
    Regions regions;
    if (!found) return regions;
    std::vector<Spans> product;
    for (const TorusSide& other : sides_) product.push_back(all_of(other));
    const auto add = [&](Displacements span) {
      product[dimension] = {span};
      slots.append(regions, product);
    };
    // On a line of every second rank, distance d stands for the displacements 2 d and 2 d + 1, because the odd link has
    // already been crossed.
    if (found->count > 0) {
      if (scale == 1) {
        add(towards(direction, side, found->first, found->count, found->step));
      } else if (found->step > 1) {
        for (const Count odd : {0, 1}) add(towards(direction, side, 2 * found->first + odd, found->count, 2 * found->step));
      } else {
        add(towards(direction, side, 2 * found->first, 2 * found->count - (is_halved(side) ? 1 : 0), 1));
      }
    }
    if (scale == 2 && is_halved(side) && found->step == 1) {
      for (std::size_t d = 0; d < sides_.size(); ++d) product[d] = all_pieces_of(sides_[d]);
      add(half_way(side, direction));
    }
    if (found->antipode) {
      // On a line of every second rank, whole blocks are sent: upwards those whose displacement in the other dimension is even,
      // downwards the rest.
      if (scale == 2 && !by_target)
        product[1 - dimension] = direction > 0 ? even_ones(sides_[1 - dimension]) : odd_ones(sides_[1 - dimension]);
      add(half_way(side, scale == 2 || by_target ? 0 : direction));
    }
    return regions;
  }

  // In algorithm AR all blocks at odd distances first move one link. Then the blocks in one direction move two links
  // per step, and after them those in the other direction.
  void enter_stage_of_ring(Count step) {
    if (step == 0) program_.stage("stage 1");
    if (step == 1) program_.stage("stage 2");
    if (step == 1 + sides_[0].length / 4) program_.stage("stage 3");
  }

  // The first stage of at2: a block moves one link in each dimension in which its displacement is odd. The directions
  // are chosen so that all links carry the same number of bytes.
  void enter_groups(const Slots& slots) {
    const TorusSide &vertical = sides_[0], &horizontal = sides_[1];
    const auto odd = [&](int down, int right) {
      return std::vector<Spans>{odd_ones_towards(down, vertical), odd_ones_towards(right, horizontal)};
    };
    const auto exchange = [&](const TorusSide& side, int direction, const std::vector<std::vector<Spans>>& products) {
      Regions regions;
      for (const auto& product : products) slots.append(regions, product);
      const Port port{side.dimension, direction};
      program_.send(moved(me_, side, direction), regions, port);
      program_.receive(moved(me_, side, -direction), regions, port);
    };
    program_.begin_round();
    for (const int direction : {1, -1}) {
      exchange(vertical, direction, {{odd_ones_towards(direction, vertical), even_ones(horizontal)}, odd(direction, direction)});
      exchange(horizontal, direction, {{even_ones(vertical), odd_ones_towards(direction, horizontal)}, odd(-direction, direction)});
    }
    program_.begin_round();
    for (const int direction : {1, -1}) {
      exchange(horizontal, direction, {odd(direction, direction)});
      exchange(vertical, direction, {odd(direction, -direction)});
    }
  }

  const std::vector<TorusSide> sides_;
  const Bytes block_bytes_;
  const Count ranks_;
  const Kernel kernel_;
  const Rank me_;
  std::vector<std::vector<Count>> placed_;  // by dimension and round: the step of its lines, or -1; empty: step i in round i
  ProgramBuilder program_;
};

bool is_at2(const Parameters& parameters) { return word(parameters, "order") == "at2"; }
bool is_alternating(const Parameters& parameters) { return word(parameters, "kernel") == "ar"; }

Program generate_torus(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  TorusExchange exchange(problem, is_alternating(parameters) ? Kernel::alternating : Kernel::simple, me);
  return is_at2(parameters) ? std::move(exchange).at2() : std::move(exchange).dimension_split();
}

Result<> torus_applies(const Problem& problem, const Parameters& parameters) {
  const std::vector<TorusSide> sides = torus_sides(problem);
  if (is_at2(parameters) && (sides.size() != 2 || !sides_divisible(sides, 2)))
    return cannot("order=at2 needs a grid of two sides, both even; order=dimension-split works for any grid");
  if (is_at2(parameters) && is_alternating(parameters) && !sides_divisible(sides, 4))
    return cannot("with order=at2, kernel=ar needs sides that are multiples of 4; kernel=sr works for all even sides");
  if (is_alternating(parameters) && !sides_divisible(sides, 2))
    return cannot("kernel=ar pairs even with odd positions and therefore needs even sides; kernel=sr works for any");
  return {};
}

ParameterValue standard_order(const Problem& problem, const Parameters& before) {
  const std::vector<TorusSide> sides = torus_sides(problem);
  return sides.size() == 2 && sides_divisible(sides, is_alternating(before) ? 4 : 2) ? "at2" : "dimension-split";
}

std::optional<Symmetry> symmetry(const Problem& problem, const Parameters& parameters) {
  return torus_symmetry(torus_sides(problem), (is_at2(parameters) ? 2 : 1) * (is_alternating(parameters) ? 2 : 1));
}

Count torus_ports(const Problem& problem, const Parameters&) {
  return std::max<Count>(1, 2 * static_cast<Count>(torus_sides(problem).size()));
}

const Parameter kernel_parameter{
    .name = "kernel",
    .summary =
        "how blocks move along a line: one link per step (sr), or two, with even and odd positions alternating (ar; on "
        "some tori with sides of different lengths it moves a little more than the least volume)",
    .standard = "sr",
    .choices = {"sr", "ar"},
};

const Parameter order_parameter{
    .name = "order",
    .summary = "order of the dimensions: few rounds, for two sides (at2), or each part of a block starts in a different one",
    .standard = "dimension-split",
    .standard_for = standard_order,
    .standard_rule = "at2 for two sides, both even (with ar multiples of 4)",
    .choices = {"at2", "dimension-split"},
    .worth_trying = [](const Problem& problem, const Parameters& before) -> std::vector<ParameterValue> {
      if (standard_order(problem, before) == ParameterValue("dimension-split")) return {"dimension-split"};
      return {"at2", "dimension-split"};
    },
};

}  // namespace

extern const Algorithm alltoall_torus{
    .collective = Collective::alltoall,
    .id = "torus",
    .summary = "all-port exchange on the grid as a torus: shortest paths, no link used twice in a round, the least possible volume",
    .picture =
        "Blocks leave in several directions at once, each on a shortest way, and in no round do two messages share a link. With "
        "kernel=sr no schedule has a smaller volume on a torus. The price is that a rank copies its blocks before and after.",
    .picture_problem = "--topology torus:4x4",
    .needs = "order=at2 two even sides; kernel=ar even sides",
    .source = "liu2005, sections 3 and 4",
    .parameters = {kernel_parameter, order_parameter},
    .says =
        [](const Problem& problem, const Parameters& parameters, Count) {
          return fmt::format(
              "Blocks move on towards their targets, each along one dimension, and no two messages share a link: at most {} from a "
              "rank",
              counted(torus_ports(problem, parameters), "message"));
        },
    .generate = generate_torus,
    .applies = torus_applies,
    .cuts_blocks = true,
    .symmetry = symmetry,
    .ports = torus_ports,
};

}  // namespace quadrille
