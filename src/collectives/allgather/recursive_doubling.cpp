// SPDX-License-Identifier: BSD-3-Clause
// allgather/recursive-doubling: exchange everything you hold with a partner at twice the distance of the last one.
// Source  [grama2003] all-to-all broadcast on a hypercube.
// Needs   p a power of two.
// Idea    Before the exchange with i ^ m, m = 1, 2, 4, .., rank i holds the m blocks of the ranks that differ from it in
//         lower bits only: one run of memory, before and after.
// Cost    C1 = log2 p rounds, C2 = p - 1 blocks: both the least possible on one port.
// Prefer  powers of two, on links that carry both directions at once.
#include <bit>

#include "quadrille/algorithm.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Program generate(const Problem& problem, const Parameters&, const Analysis*, Rank me) {
  const Bytes b = problem.block_bytes;
  ProgramBuilder program{me};
  program.stage("double");
  program.begin_round();
  program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
  for (Count held = 1; held < problem.ranks; held *= 2) {
    if (held > 1) program.begin_round();
    const Rank partner = me ^ held;
    const Rank first = me & -held;  // of the ranks whose blocks are held
    program.send(partner, {held == 1 ? block(Buffer::input, 0, b) : blocks(Buffer::output, first, held, b)});
    program.receive(partner, {blocks(Buffer::output, first ^ held, held, b)});
  }
  return std::move(program).finish();
}

std::optional<std::string> reason_against(const Problem& problem, const Parameters&) {
  if (std::has_single_bit(static_cast<std::uint64_t>(problem.ranks))) return std::nullopt;
  return "it pairs rank i with i ^ m and so needs a power of two, not " + std::to_string(problem.ranks) + " ranks";
}

}  // namespace

// No symmetry is stated: i ^ t changes the order of blocks within a message.
extern const Algorithm allgather_recursive_doubling{
    .collective = Collective::allgather,
    .id = "recursive-doubling",
    .summary = "exchange all you hold with i ^ 1, i ^ 2, i ^ 4, ..",
    .needs = "p a power of two",
    .source = "grama2003",
    .parameters = {},
    .generate = generate,
    .reason_against = reason_against,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
