// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/concatenation.hpp"
#include "collectives/worth_trying.hpp"

#include <algorithm>

#include "patterns/concatenation.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille::concatenation {
namespace {

__extension__ typedef __int128 Wide;

struct Plan : Analysis {
  Count ranks = 1;
  Bytes longest = 0;          // share
  std::vector<Bytes> starts;  // of the shares in the output, and its end; empty: all shares are as long
  ConcatenationRounds rounds;

  Bytes start(Rank rank) const { return starts.empty() ? rank * longest : starts[index(rank)]; }
  Bytes share(Rank rank) const { return start(rank + 1) - start(rank); }

  // Where byte `from_end` of a block of the longest size, counted from its end, would be in the output. Shorter shares are cut
  // in proportion: sender and receiver know all sizes, so they agree, and no part grows beyond that of the longest.
  Bytes cut(Rank origin, Bytes from_end) const {
    return start(origin + 1) - static_cast<Bytes>(Wide{from_end} * share(origin) / longest);
  }

  // Bytes [piece.first, piece.last) of the line of roles of `rank`, in its output, which is like everybody's.
  Regions line(Rank rank, const ConcatenationPiece& piece) const {
    const Count newest = piece.first / longest, oldest = (piece.last - 1) / longest;  // roles
    const Rank from = (rank - oldest + ranks) % ranks, to = (rank - newest + ranks) % ranks;
    const Bytes begin = cut(from, piece.last - oldest * longest), end = cut(to, piece.first - newest * longest);
    if (from <= to) return {{Buffer::output, begin, end - begin, {}}};
    return {{Buffer::output, begin, start(ranks) - begin, {}}, {Buffer::output, 0, end, {}}};
  }

  // The same where the sender reads it: its own block it has in the input.
  Regions line_at_sender(Rank sender, const ConcatenationPiece& piece) const {
    Regions regions = line((sender + piece.offset) % ranks, piece);
    if (piece.first >= piece.offset * longest && piece.last <= (piece.offset + 1) * longest)
      for (Region& region : regions) {
        region.buffer = Buffer::input;
        region.offset -= start(sender);
      }
    return regions;
  }
};

LastRound last_round(const std::string& word) {
  if (word == "one-round") return LastRound::one;
  return word == "two-rounds" ? LastRound::two : LastRound::best;
}

}  // namespace

std::vector<Parameter> parameters() {
  return {{.name = "ports",
           .summary = "messages that a rank sends, and receives, in a round",
           .standard = Count{1},
           .choices = {},
           .least = 1,
           .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
           .range = "1..max(1,p-1)",
           .worth_trying = ports_worth_trying},
          {.name = "last",
           .summary = "where one last round has more than the least volume: take it, or a round more, or (best) a round more if "
                      "that saves over 8 KiB",
           .standard = "best",
           .choices = {"one-round", "two-rounds", "best"},
           .range = {}}};
}

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters& parameters) {
  auto plan = std::make_shared<Plan>();
  plan->ranks = problem.ranks;
  plan->longest = problem.block_bytes;
  if (is_irregular(problem.collective)) {
    plan->starts = {0};
    for (const Bytes count : *problem.counts) plan->starts.push_back(plan->starts.back() + count);
    plan->longest = *std::max_element(problem.counts->begin(), problem.counts->end());
  }
  plan->rounds =
      concatenation_rounds(problem.ranks, number(parameters, "ports"), plan->longest, last_round(word(parameters, "last")));
  return plan;
}

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Plan& plan = static_cast<const Plan&>(*analysis);
  ProgramBuilder program{me};
  program.stage("concatenate");
  program.begin_round();
  program.copy({{Buffer::input, 0, plan.share(me), {}}}, {{Buffer::output, plan.start(me), plan.share(me), {}}});
  for (const auto& round : plan.rounds) {
    if (&round != &plan.rounds.front()) program.begin_round();
    for (const ConcatenationPiece& piece : round) {
      program.send((me + piece.offset) % p, plan.line_at_sender(me, piece));
      program.receive((me + p - piece.offset) % p, plan.line(me, piece));
    }
  }
  return std::move(program).finish();
}

}  // namespace quadrille::concatenation
