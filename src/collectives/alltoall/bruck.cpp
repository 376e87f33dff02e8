// SPDX-License-Identifier: BSD-3-Clause
// alltoall/bruck: store-and-forward personalised exchange with tunable radix and k ports (the index algorithm).
// Source  [bruck1997] sections 3 and 4; zero-rotation form and covers as generalisations (docs/algorithms.md).
// Needs   nothing: any p, 2 <= radix <= max(2, p), 1 <= ports <= max(1, p - 1).
// Idea    A block travels j = (target - source) mod p ranks in all. Write j in base r; for each digit place and value one
//         message moves every block with that digit by digit * place ranks. Slot j is where the block at distance j
//         lives; its rank changes, its slot never does.
// Cost    k messages a round: C1 = sum over places of ceil((h - 1) / k), h the number of values of that digit;
//         r = 2, one port: ceil(log2 p) rounds of at most floor(p/2) blocks. r = p: the volume of shift.
// Prefer  small blocks, where the number of rounds rules.
#include "collectives/worth_trying.hpp"
#include "patterns/covers.hpp"
#include "patterns/modulo.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

struct Levels : Analysis {
  std::vector<CoverLevel> levels;
};

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters& parameters) {
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

// Slots, from the farthest down, as regions of a buffer of p blocks in which slot j lies at (origin + sign * j) mod p.
// Downward order makes runs contiguous where the sign is negative; runs are of length 1 where it is positive.
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
  Count wrap_;  // slots from here on lie behind the wrap
};

// No rotation and no scratch: slot j of rank i lives at output block i - j, where its final origin will put it, and is
// read from input block i + j before its first hop.
void zero_rotation(ProgramBuilder& program, const std::vector<CoverLevel>& levels, Rank me, Count p, Bytes b) {
  const SlotsAround unmoved(Buffer::input, me, +1, p, b);
  const SlotsAround moved(Buffer::output, me, -1, p, b);
  for (std::size_t x = 0; x < levels.size(); ++x) {
    program.stage("level " + std::to_string(x));
    for (const auto& round : levels[x].rounds) {
      program.begin_round();
      if (x == 0 && &round == &levels[0].rounds[0]) program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
      for (const Piece& piece : round) {
        Regions read, write;
        unmoved.append(read, piece.fresh);
        moved.append(read, piece.rest);
        moved.append(write, piece.fresh);
        moved.append(write, piece.rest);
        program.send((me + piece.offset) % p, std::move(read));
        program.receive((me + p - piece.offset) % p, std::move(write));
      }
    }
  }
}

// As printed: rotate, exchange in place, then reflect and rotate (slot j came from rank i - j).
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
      for (const Piece& piece : round) {
        Regions moving;
        append_slots(moving, piece.fresh);
        append_slots(moving, piece.rest);
        program.send((me + piece.offset) % p, moving);
        program.receive((me + p - piece.offset) % p, std::move(moving));
      }
    }
  }
  program.stage("reflect and rotate");
  program.begin_round();
  program.copy({blocks(Buffer::scratch, 0, p, b)}, blocks_downward(Buffer::output, me, p, p, b));
}

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
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

Result<> applies(const Problem&, const Parameters& parameters) {
  if (word(parameters, "level") != "halving") return {};
  if (number(parameters, "ports") == 1) return {};
  return cannot("level=halving makes one hop a level, so it goes with ports=1 only");
}

}  // namespace

extern const Algorithm alltoall_bruck{
    .collective = Collective::alltoall,
    .id = "bruck",
    .summary = "store and forward by the digits of the distance: few rounds, more volume",
    .source = "bruck1997, sections 3 and 4",
    .parameters = {{.name = "radix",
                    .summary = "base of the digits: 2 has the fewest rounds on one port, p the least volume",
                    .standard = Count{2},
                    .least = 2,
                    .most = [](const Problem& problem) { return std::max<Count>(2, problem.ranks); },
                    .range = "2..max(2,p)",
                    .worth_trying = radices_worth_trying},
                   {.name = "ports",
                    .summary = "messages that a rank sends, and receives, in a round",
                    .standard = Count{1},
                    .least = 1,
                    .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
                    .range = "1..max(1,p-1)",
                    .worth_trying = ports_worth_trying},
                   {.name = "form",
                    .summary = "as printed, or without rotations and scratch memory",
                    .standard = "zero-rotation",
                    .choices = {"classical", "zero-rotation"}},
                   {.name = "level",
                    .summary =
                        "how a level's hops are cut: by digits, in equal shares, or (one port, whatever the radix) by halving p",
                    .standard = "positional",
                    .choices = {"positional", "balanced", "halving"},
                    .worth_trying = [](const Problem&, const Parameters& before) -> std::vector<ParameterValue> {
                      if (number(before, "ports") > 1) return {"positional"};
                      return {"positional", "balanced", "halving"};
                    }}},
    .generate = generate,
    .applies = applies,
    .analyse = analyse,
    .symmetry = [](const Problem& problem, const Parameters&) { return std::optional(translation_symmetry(problem.ranks)); },
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
};

}  // namespace quadrille
