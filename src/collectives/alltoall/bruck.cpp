// SPDX-License-Identifier: BSD-3-Clause
// alltoall/bruck: the index algorithm, which stores and forwards blocks, with a choice of radix, on k ports.
// Source  [bruck1997] sections 3 and 4; the zero-rotation form and other covers are generalisations
//         (docs/collectives/alltoall.md).
// Needs   nothing: any p, 2 <= radix <= max(2, p), 1 <= ports <= max(1, p - 1).
// Idea    A block has to travel j = (target - source) mod p ranks. Write j in base r. For each place and each non-zero digit, one
//         message moves every block with this digit at this place by digit * place ranks. A block is identified by its distance
//         j: it lies in slot j of every rank that it visits.
// Cost    k messages per round: C1 = sum over places of ceil((h - 1) / k), where h is the number of values of the
//         digit at that place. r = 2 on one port: ceil(log2 p) rounds of at most floor(p/2) blocks. r = p: the volume
//         of alltoall/shift.
// Prefer  small blocks, where the number of rounds dominates the time.
#include "collectives/saying.hpp"
#include "collectives/worth_trying.hpp"
#include "patterns/covers.hpp"
#include "patterns/integers.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

struct Levels : Analysis {
  std::vector<CoverLevel> levels;
};

std::shared_ptr<const Analysis> analyse_bruck(const Problem& problem, const Parameters& parameters) {
  const Count p = problem.ranks;
  const Count radix = number(parameters, "radix");
  const Count ports = number(parameters, "ports");
  auto analysis = std::make_shared<Levels>();
  if (word(parameters, "level") == "positional")
    analysis->levels = positional_levels(p, radix, ports);
  else
    analysis->levels = balanced_levels(word(parameters, "level") == "halving" ? halving_cover(p) : radix_cover(p, radix), ports);
  return analysis;
}

// Lists slots as regions of a buffer of p blocks, where slot j is block (origin + sign * j) mod p. Slots are listed
// from the largest to the smallest, because runs of slots are then contiguous in memory if the sign is negative. With a
// positive sign, runs must have length 1.
class SlotsAround {
 public:
  SlotsAround(Buffer buffer, Rank origin, Count sign, Count p, Bytes block_bytes)
      : buffer_(buffer), origin_(origin), sign_(sign), p_(p), b_(block_bytes), wrap_(sign > 0 ? p - origin : origin + 1) {}

  void append(Regions& regions, const IndexSet& slots) const {
    append_unwrapped(regions, part(slots, wrap_, p_));
    append_unwrapped(regions, part(slots, 0, wrap_));
  }

 private:
  void append_unwrapped(Regions& regions, const IndexSet& slots) const {
    for (auto runs = slots.rbegin(); runs != slots.rend(); ++runs) {
      const Count farthest = runs->first + (runs->count - 1) * runs->stride + (sign_ > 0 ? 0 : runs->length - 1);
      const Count place = modulo(origin_ + sign_ * farthest, p_);
      regions.push_back({buffer_, place * b_, runs->length * b_, {{{runs->count, -sign_ * runs->stride * b_}, {}, {}}}});
    }
  }

  Buffer buffer_;
  Rank origin_;
  Count sign_;
  Count p_;
  Bytes b_;
  Count wrap_;  // the first slot after the wrap-around
};

// The form without rotations and scratch memory. Slot j of rank i is output block i - j, because the last block in this slot
// comes from rank i - j and stays here. Before its first hop a block is read from input block i + j.
void zero_rotation(ProgramBuilder& program, const std::vector<CoverLevel>& levels, Rank me, Count p, Bytes b) {
  const SlotsAround unmoved(Buffer::input, me, +1, p, b);
  const SlotsAround moved(Buffer::output, me, -1, p, b);
  for (std::size_t x = 0; x < levels.size(); ++x) {
    program.stage("level " + std::to_string(x));
    for (const auto& round : levels[x].rounds) {
      program.begin_round();
      if (x == 0 && &round == &levels[0].rounds[0]) program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
      for (const Hop& hop : round) {
        Regions read, write;
        unmoved.append(read, hop.fresh);
        moved.append(read, hop.rest);
        moved.append(write, hop.fresh);
        moved.append(write, hop.rest);
        program.send((me + hop.offset) % p, std::move(read));
        program.receive((me + p - hop.offset) % p, std::move(write));
      }
    }
  }
}

// The form of the paper: rotate the input, exchange in place, then reflect and rotate. The reflection is needed because
// slot j finally holds the block from rank i - j.
void classical(ProgramBuilder& program, const std::vector<CoverLevel>& levels, Rank me, Count p, Bytes b) {
  const auto append_slots = [b](Regions& regions, const IndexSet& slots) {  // slot j is scratch block j
    for (const Runs& runs : slots)
      regions.push_back({Buffer::scratch, runs.first * b, runs.length * b, {{{runs.count, runs.stride * b}, {}, {}}}});
  };
  program.scratch(p * b);
  program.stage("rotate");
  program.begin_round();
  program.copy(blocks_upward(Buffer::input, me, p, p, b), {blocks(Buffer::scratch, 0, p, b)});
  for (std::size_t x = 0; x < levels.size(); ++x) {
    program.stage("level " + std::to_string(x));
    for (const auto& round : levels[x].rounds) {
      program.begin_round();
      for (const Hop& hop : round) {
        Regions moving;
        append_slots(moving, hop.fresh);
        append_slots(moving, hop.rest);
        program.send((me + hop.offset) % p, moving);
        program.receive((me + p - hop.offset) % p, std::move(moving));
      }
    }
  }
  program.stage("reflect and rotate");
  program.begin_round();
  program.copy({blocks(Buffer::scratch, 0, p, b)}, blocks_downward(Buffer::output, me, p, p, b));
}

Program generate_bruck(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const auto& levels = static_cast<const Levels&>(*analysis).levels;
  ProgramBuilder program{me};
  if (p == 1)
    program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, 0, b)});
  else if (word(parameters, "form") == "classical")
    classical(program, levels, me, p, b);
  else
    zero_rotation(program, levels, me, p, b);
  return std::move(program).finish();
}

// `round` counts from 0; the classical form begins with a round of copies.
std::string says_of_bruck(const Problem& problem, const Parameters& parameters, Count round) {
  const auto levels = std::static_pointer_cast<const Levels>(analyse_bruck(problem, parameters));
  const Count radix = number(parameters, "radix");
  if (word(parameters, "form") == "classical") --round;
  Count place = 1, number_of_level = 0;
  for (const CoverLevel& level : levels->levels) {
    if (round < static_cast<Count>(level.rounds.size())) {
      const auto& hops = level.rounds[index(round)];
      const Hop& hop = hops.front();
      const std::string moved = counted(size(hop.fresh) + size(hop.rest), "block");
      if (hops.size() > 1) return fmt::format("Every rank sends blocks to {} others, each as far on as a digit says", hops.size());
      if (word(parameters, "level") != "positional")
        return fmt::format("Every rank sends {} to the rank {} further", moved, hop.offset);
      if (radix == 2)
        return fmt::format("Every rank sends the {} whose distance has bit {} set to the rank {} further", moved, number_of_level,
                           hop.offset);
      return fmt::format("Every rank sends the {} whose distance has the digit {} at place {} (base {}) to the rank {} further",
                         moved, hop.offset / place, number_of_level, radix, hop.offset);
    }
    round -= static_cast<Count>(level.rounds.size());
    place *= radix;
    ++number_of_level;
  }
  return {};
}

Result<> bruck_applies(const Problem&, const Parameters& parameters) {
  if (word(parameters, "level") != "halving") return {};
  if (number(parameters, "ports") == 1) return {};
  return cannot("level=halving has one hop per level and therefore needs ports=1");
}

}  // namespace

extern const Algorithm alltoall_bruck{
    .collective = Collective::alltoall,
    .id = "bruck",
    .summary = "store and forward, one digit of the distance after the other: few rounds, more volume",
    .picture =
        "A block moves in round k if bit k of its distance is 1: follow 0>5, which moves in rounds 0 and 2 and rests in round 1. "
        "About log2 p rounds take the place of p - 1, which decides for short blocks; in return about half of all blocks travel in "
        "each round.",
    .source = "bruck1997, sections 3 and 4",
    .parameters = {radix_parameter("base of the digits: 2 has the fewest rounds on one port, p the smallest volume"),
                   ports_parameter(),
                   {.name = "form",
                    .summary = "as printed (classical), or without rotations and scratch memory (zero-rotation)",
                    .standard = "zero-rotation",
                    .choices = {"classical", "zero-rotation"}},
                   {.name = "level",
                    .summary =
                        "how distances are divided into hops: by digits, in equal parts, or (one port, any radix) by halving p",
                    .standard = "positional",
                    .choices = {"positional", "balanced", "halving"},
                    .worth_trying = [](const Problem&, const Parameters& before) -> std::vector<ParameterValue> {
                      if (number(before, "ports") > 1) return {"positional"};
                      return {"positional", "balanced", "halving"};
                    }}},
    .says = says_of_bruck,
    .generate = generate_bruck,
    .applies = bruck_applies,
    .analyse = analyse_bruck,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille
