// SPDX-License-Identifier: BSD-3-Clause
// allreduce/swing: recursive halving and doubling on a torus; partners are alternately above and below, and nearer than on a
// hypercube.
// Source  [desensi2024] Swing, for long vectors.
// Needs   an operator that commutes if p > 2; each side of the problem's grid a power of two; with ports=all, equal sides.
//         Without a grid the ranks form a ring.
// Idea    On a ring the partners are those of the Bine butterfly (patterns/bine.hpp), at distances 1, 1, 3, 5, 11, .. On a torus
//         the steps take the dimensions in turn, nearest partners first; a dimension whose steps are done is left out. The vector
//         is cut into a share for each rank. Shares are combined in this order and gathered in the reverse order, so most data
//         goes to the nearest partners. With ports=all each share is cut into two parts for each dimension, which travel at the
//         same time. Both parts of a dimension begin with this dimension. One of the two is mirrored, so that all parts leave by
//         different links.
// Cost    C1 = 2 log2 p rounds; C2 = 2 b (p - 1) / p bytes on one port, and 1 / (2 D) of that on the 2 D ports of a torus with D
//         equal sides, if the parts divide the vector.
// Prefer  medium vectors on rings and tori: far fewer rounds than in rings, and fewer messages share a link than with hypercube
//         partners.
#include <algorithm>

#include "collectives/exchange/torus_slots.hpp"
#include "collectives/reducing/folding.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/spreading/two_parts.hpp"
#include "patterns/bine.hpp"
#include "patterns/integers.hpp"
#include "problem/limits.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

struct Step {
  std::size_t dimension = 0;
  Count number = 0;  // step of the butterfly in this dimension
};

// The steps of the parts that begin with dimension `first`, nearest partners first.
std::vector<Step> steps_from(const std::vector<TorusSide>& sides, std::size_t first) {
  std::vector<Step> steps;
  for (Count number = 0, left = 1; left > 0; ++number) {
    left = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::size_t dimension = (first + i) % sides.size();
      const Count count = ceil_log2(sides[dimension].length);
      if (number < count) steps.push_back({dimension, number});
      if (number + 1 < count) ++left;
    }
  }
  return steps;
}

Count parts_of(const std::vector<TorusSide>& sides, const Parameters& parameters) {
  return word(parameters, "ports") == "all" ? std::max<Count>(1, 2 * static_cast<Count>(sides.size())) : 1;
}

class Swing {
 public:
  Swing(const Problem& problem, const Parameters& parameters, Rank me)
      : problem_(problem), sides_(torus_sides(problem)), parts_(parts_of(sides_, parameters)), me_(me) {}

  // The gather of all shares, from the rank's own share in the input. The steps run backwards. With `to_be_reversed`, each
  // message has the port by which it leaves in the reversed program.
  Program gather(bool to_be_reversed) const {
    std::vector<std::vector<Step>> steps;  // of each part
    for (Count part = 0; part < parts_; ++part) steps.push_back(steps_from(sides_, dimension_of(part)));
    const Region own = vector_share(Buffer::output, problem_, me_);
    ProgramBuilder program{me_};
    program.expect(problem_.ranks, parts_);
    program.stage(to_be_reversed ? "combine" : "gather");
    program.begin_round();
    program.copy({{Buffer::input, 0, own.length, {}}}, {own});
    for (std::size_t round = steps.front().size(); round-- > 0;) {
      const bool first = round + 1 == steps.front().size();
      if (!first) program.begin_round();
      for (Count part = 0; part < parts_; ++part) {
        const std::vector<Step>& of_part = steps[static_cast<std::size_t>(part)];
        const Step step = of_part[round];
        const Rank partner = partner_of(me_, step, part);
        Regions sent = first ? Regions{segment_of(me_, part)} : held(me_, of_part, round + 1, part);
        if (first) sent[0] = {Buffer::input, sent[0].offset - own.offset, sent[0].length, {}};
        const Rank sender = to_be_reversed ? partner : me_, receiver = to_be_reversed ? me_ : partner;
        program.send(partner, std::move(sent), port_of(sender, step, part));
        program.receive(partner, held(partner, of_part, round + 1, part), port_of(receiver, step, part));
      }
    }
    return std::move(program).finish();
  }

 private:
  std::size_t dimension_of(Count part) const { return static_cast<std::size_t>(part / 2); }

  Region segment_of(Rank rank, Count part) const {
    return segment(Buffer::output, problem_, problem_.ranks * parts_, rank * parts_ + part);
  }

  // The number of places from the rank up to its partner along the side; negative if the partner is below.
  Count way(Rank rank, const Step& step, Count part) const {
    const bool upwards = (place_on(sides_[step.dimension], rank) + part) % 2 == 0;  // every second part is mirrored
    return upwards ? bine_distance(step.number) : -bine_distance(step.number);
  }

  Rank partner_of(Rank rank, const Step& step, Count part) const {
    return moved(rank, sides_[step.dimension], way(rank, step, part));
  }

  Port port_of(Rank rank, const Step& step, Count part) const {
    return {sides_[step.dimension].dimension, way(rank, step, part) > 0 ? 1 : -1};
  }

  // Returns the segments of a part that the rank has when the gather has run the steps down to `first`. Let i be the lowest of
  // these steps in a dimension. In this dimension the rank has the segments of all places that are congruent, modulo 2^(i+1), to
  // its own place or to that of its partner in step i.
  Regions held(Rank rank, const std::vector<Step>& steps, std::size_t first, Count part) const {
    std::vector<Rank> ranks{rank};
    for (std::size_t d = 0; d < sides_.size(); ++d) {
      const auto nearest = std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end(),
                                        [d](const Step& step) { return step.dimension == d; });
      if (nearest == steps.end()) continue;
      std::vector<Rank> more;
      for (const Rank each : ranks)
        for (const Rank member : {each, partner_of(each, *nearest, part)})
          for (Count distance = 0; distance < sides_[d].length; distance += Count{2} << nearest->number)
            more.push_back(moved(member, sides_[d], distance));
      ranks = std::move(more);
    }
    Regions regions;
    for (const Rank each : ranks) append(regions, segment_of(each, part));
    return folded(regions);
  }

  const Problem& problem_;
  std::vector<TorusSide> sides_;
  Count parts_;
  Rank me_;
};

Program generate_swing(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Swing swing(problem, parameters, me);
  const BufferPosition share{Buffer::output, vector_share(Buffer::output, problem, me).offset};
  return joined({.program = reduced(swing.gather(/*to_be_reversed=*/true)), .output = share},
                {.program = swing.gather(/*to_be_reversed=*/false), .input = share});
}

bool has_equal_sides(const Problem& problem) {
  const std::vector<TorusSide> sides = torus_sides(problem);
  return std::all_of(sides.begin(), sides.end(), [&](const TorusSide& side) { return side.length == sides.front().length; });
}

Result<> swing_applies(const Problem& problem, const Parameters& parameters) {
  for (const TorusSide& side : torus_sides(problem))
    if (!is_power_of_two(side.length))
      return cannot("its steps halve each side of the torus, so sides must be powers of two, not " + std::to_string(side.length));
  if (word(parameters, "ports") == "all" && !has_equal_sides(problem))
    return cannot("with ports=all the parts use all dimensions in each step, so sides must be equal");
  return {};
}

Parameter swing_ports() {
  return {.name = "ports",
          .summary = "send each message as a whole, or parts of it by all links of the torus at once",
          .standard = "all",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return has_equal_sides(problem) ? "all" : "one";
          },
          .standard_rule = "all if the sides are equal, else one",
          .choices = {"one", "all"},
          .range = {},
          .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
            if (!has_equal_sides(problem)) return {"one"};
            return {"one", "all"};
          }};
}

}  // namespace

extern const Algorithm allreduce_swing{
    .collective = Collective::allreduce,
    .id = "swing",
    .summary = "combine and gather shares on a torus, dimensions in turn, with partners on alternating sides",
    .picture =
        "Shares are combined and then spread, with partners that lie on alternating sides: at distances 1, 1, 3, 5, .. on a ring, "
        "and on a grid in each dimension in turn. They are nearer than those of a hypercube, so messages share fewer links of a "
        "ring or torus, in far fewer rounds than the ring takes.",
    .needs = "sides that are powers of two; ports=all: equal sides",
    .source = "desensi2024",
    .parameters = {swing_ports()},
    .generate = generate_swing,
    .applies = swing_applies,
    .cuts_blocks = true,
    .ports = [](const Problem& problem, const Parameters& parameters) { return parts_of(torus_sides(problem), parameters); },
    .combining = any_order_of_more_than_two,
    .combining_rule = any_order_of_more_than_two_rule,
};

}  // namespace quadrille
