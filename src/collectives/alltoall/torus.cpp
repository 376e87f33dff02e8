// SPDX-License-Identifier: BSD-3-Clause
// alltoall/torus: complete exchange on all-port rings and tori, every block on a shortest path and no link used twice at a time.
// Source  [liu2005], corrected and extended to all side lengths and any number of dimensions.
// Needs   order=at2 two sides, both even; kernel=ar even sides, and with at2 multiples of 4.
// Idea    Along a line blocks go the shorter way (patterns/ring_kernel.hpp); half way round half of the bytes go each way.
//         dimension-split cuts blocks in a part for each dimension; part q crosses dimensions q, q + 1, .., one a turn, so that all
//         links work all the time. at2 first brings blocks, by a link in each dimension, to nodes whose coordinates are both even
//         or odd as the target's are; then two links a step, half of the nodes along their rows and half along their columns, and
//         then the other way round. A block whose target is w further on lies in slot w of the scratch memory of whatever rank it
//         has come to: a message is a box of slots, read at its sender and written at its receiver.
// Cost    N the longest of k sides: k N / 2 rounds, at2 2 + 2 (N / 4) in whole numbers. C2 = p N / 8 blocks for even N, the
//         least for any schedule, exactly where halves and parts divide the block and kernel=sr. Two passes over the blocks inside
//         a rank.
// Prefer  at2 on all networks that are tori of the grid's sides, dimension-split where sides are odd or there are more than two.
#include <fmt/format.h>

#include <algorithm>

#include "collectives/torus_slots.hpp"
#include "patterns/cut.hpp"
#include "patterns/ring_kernel.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

using ring_kernel::Antipode;
using ring_kernel::Kernel;

Spans even_ones(const TorusSide& side) { return {{0, side.length / 2, 2}}; }

// `count` displacements of the lengths shortest, shortest + step, .. to one side.
Displacements towards(int direction, const TorusSide& side, Count shortest, Count count, Count step) {
  return {direction > 0 ? shortest : side.length - shortest - (count - 1) * step, count, step};
}

Displacements half_way(const TorusSide& side, int half) { return {side.length / 2, 1, 1, half}; }

// Is half way round an odd number of links? Then at2 takes halves apart in its first stage, and they stay apart.
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

class TorusExchange {
 public:
  TorusExchange(const Problem& problem, Kernel kernel, Rank me)
      : sides_(torus_sides(problem)),
        block_bytes_(problem.block_bytes),
        ranks_(problem.ranks),
        kernel_(kernel),
        me_(me),
        program_(me) {
    program_.scratch(ranks_ * block_bytes_);
  }

  Program dimension_split() && {
    const std::size_t k = sides_.size();
    const Count parts = std::max<Count>(1, static_cast<Count>(k));
    Count rounds = 0, steps = 0;  // of a turn, and in all dimensions
    for (const TorusSide& side : sides_) {
      rounds = std::max(rounds, ring_kernel::steps(kernel_, side.length));
      steps += ring_kernel::steps(kernel_, side.length);
    }
    program_.expect(steps, 4 * parts);  // in both directions, sent and received
    arrange(parts);
    const bool in_three_stages = k == 1 && kernel_ == Kernel::alternating;  // algorithm AR
    for (std::size_t turn = 0; turn < k; ++turn) {
      if (!in_three_stages) program_.stage(k == 1 ? "around the ring" : fmt::format("turn {}", turn));
      for (Count step = 0; step < rounds; ++step) {
        if (in_three_stages) enter_stage_of_ring(step);
        program_.begin_round();
        for (std::size_t part = 0; part < k; ++part) cross((part + turn) % k, 1, slots_of(parts, static_cast<Count>(part)), step);
      }
    }
    rearrange(parts);
    return std::move(program_).finish();
  }

  Program at2() && {
    const Slots slots = slots_of(1, 0);
    const Count rounds = std::max(sides_[0].length, sides_[1].length) / 4;
    program_.expect(rounds, 8);  // in each dimension in both directions, sent and received
    arrange(1);
    program_.stage("phase 1");
    enter_groups(slots);
    const std::size_t first = (coordinate(0) + coordinate(1)) % 2 == 0 ? 1 : 0;
    for (const std::size_t dimension : {first, 1 - first}) {
      program_.stage(dimension == first ? "phase 2" : "phase 3");
      for (Count step = 0; step < rounds; ++step) {
        program_.begin_round();
        cross(dimension, 2, slots, step);
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

  // Part by part: the blocks of the input to their slots, those in the slots to the output. They lie in the order of the ranks
  // that are 0, 1, .. further on in a direction.
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

  // One step along all lines of a dimension, each `scale`-th rank of which takes part, for the blocks in `slots`.
  void cross(std::size_t dimension, Count scale, const Slots& slots, Count step) {
    const TorusSide& side = sides_[dimension];
    if (step >= ring_kernel::steps(kernel_, side.length / scale)) return;
    const Count hop = scale * ring_kernel::links(kernel_, step);
    for (const int direction : {1, -1}) {
      const Port port{side.dimension, direction};
      program_.send(moved(me_, side, direction * hop), leaving(dimension, scale, slots, step, direction, coordinate(dimension)),
                    port);
      const Rank from = moved(me_, side, -direction * hop);
      program_.receive(from, leaving(dimension, scale, slots, step, direction, place_on(side, from)), port);
    }
  }

  // What the rank at `coordinate` of its line sends to a side.
  Regions leaving(std::size_t dimension, Count scale, const Slots& slots, Count step, int direction, Count coordinate) const {
    const TorusSide& side = sides_[dimension];
    const Count size = side.length / scale;
    const bool by_target = kernel_ == Kernel::alternating && (scale == 1 || size % 4 == 0);
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
    // Distances d of a line of every second rank are displacements 2 d and 2 d + 1: the odd link is behind them.
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
      // Every second rank: whole blocks, one way those an even number of links away in the other dimension, one way the others.
      if (scale == 2 && !by_target)
        product[1 - dimension] = direction > 0 ? even_ones(sides_[1 - dimension]) : odd_ones(sides_[1 - dimension]);
      add(half_way(side, scale == 2 || by_target ? 0 : direction));
    }
    return regions;
  }

  // All odd blocks move a link; then those to one side move two links a step, and then those to the other.
  void enter_stage_of_ring(Count step) {
    if (step == 0) program_.stage("stage 1");
    if (step == 1) program_.stage("stage 2");
    if (step == 1 + sides_[0].length / 4) program_.stage("stage 3");
  }

  // at2: a link in each dimension in which the target is an odd number of links away, so that all links work alike.
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
  ProgramBuilder program_;
};

bool is_at2(const Parameters& parameters) { return word(parameters, "order") == "at2"; }
bool is_alternating(const Parameters& parameters) { return word(parameters, "kernel") == "ar"; }

Program generate(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  TorusExchange exchange(problem, is_alternating(parameters) ? Kernel::alternating : Kernel::simple, me);
  return is_at2(parameters) ? std::move(exchange).at2() : std::move(exchange).dimension_split();
}

Result<> applies(const Problem& problem, const Parameters& parameters) {
  const std::vector<TorusSide> sides = torus_sides(problem);
  if (is_at2(parameters) && (sides.size() != 2 || !sides_divisible(sides, 2)))
    return cannot("order=at2 needs a grid of two sides, both even; order=dimension-split takes any");
  if (is_at2(parameters) && is_alternating(parameters) && !sides_divisible(sides, 4))
    return cannot("kernel=ar needs sides that are multiples of 4 with order=at2; kernel=sr takes all even sides");
  if (is_alternating(parameters) && !sides_divisible(sides, 2))
    return cannot("kernel=ar pairs even with odd places and so needs even sides; kernel=sr takes any");
  return {};
}

}  // namespace

extern const Algorithm alltoall_torus{
    .collective = Collective::alltoall,
    .id = "torus",
    .summary = "all-port exchange on the grid as a torus: shortest paths, no link twice in a round, the least possible volume",
    .needs = "order=at2 two even sides; kernel=ar even sides",
    .source = "liu2005, sections 3 and 4",
    .parameters =
        {{.name = "kernel",
          .summary = "how lines exchange: link by link (sr), or two links at a time, even and odd places alternating (ar)",
          .standard = "sr",
          .choices = {"sr", "ar"}},
         {.name = "order",
          .summary = "in which order the dimensions are crossed: in groups, few rounds (at2), or in parts, one dimension each",
          .standard = "dimension-split",
          .standard_for = [](const Problem& problem, const Parameters& before) -> ParameterValue {
            const std::vector<TorusSide> sides = torus_sides(problem);
            return sides.size() == 2 && sides_divisible(sides, is_alternating(before) ? 4 : 2) ? "at2" : "dimension-split";
          },
          .standard_rule = "at2 where there are two sides, both even (with ar multiples of 4)",
          .choices = {"at2", "dimension-split"}}},
    .generate = generate,
    .applies = applies,
    .symmetry = [](const Problem& problem, const Parameters& parameters) -> std::optional<Symmetry> {
      return torus_symmetry(torus_sides(problem), (is_at2(parameters) ? 2 : 1) * (is_alternating(parameters) ? 2 : 1));
    },
    .ports = [](const Problem& problem,
                const Parameters&) { return std::max<Count>(1, 2 * static_cast<Count>(torus_sides(problem).size())); },
};

}  // namespace quadrille
