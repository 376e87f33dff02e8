// SPDX-License-Identifier: BSD-3-Clause
// allgather/concatenation, allgatherv/concatenation: in each round a rank sends all its blocks to k other ranks; the last round
// is divided byte by byte.
// Source  [bruck1997] section 4; different sizes are our addition. docs/collectives/allgather.md lists the cases in which the
//         last round cannot be optimal.
// Needs   nothing: any p, 1 <= ports <= max(1, p - 1), any sizes.
// Idea    After t rounds a rank has (k+1)^t blocks: its own and those of the ranks before it. It sends them to the k
//         ranks at the distances (k+1)^t, 2 (k+1)^t, .., k (k+1)^t. In the last round the missing blocks are divided
//         among the k ports byte by byte, by cutting a table of blocks and bytes. If sizes differ, the messages are planned for
//         blocks that are as long as the longest share. A part of such a block stands for the same fraction of the actual share.
//         All ranks know all sizes, so no sizes are sent.
// Cost    C1 = ceil(log p / log(k+1)), C2 = ceil(b (p - 1) / k): both the least possible, except for C2 with
//         k >= 3 ports and p just below a power of k + 1. In this case last=two-rounds reaches the least C2 with
//         one round more. With shares C2 is at most that of blocks as long as the longest share.
// Prefer  several ports; on one port circulant has the same C1 and C2. If one share is much longer than the others, broadcast the
//         long share instead.
#include <algorithm>

#include "collectives/spreading/spreading.hpp"
#include "collectives/worth_trying.hpp"
#include "patterns/concatenation.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

__extension__ typedef __int128 Wide;

struct Lines : Analysis {
  Count ranks = 1;
  Bytes longest = 0;          // length of the longest share
  std::vector<Bytes> starts;  // offset of each share in the output, then the end; empty: equal lengths
  ConcatenationRounds rounds;

  Bytes start(Rank rank) const { return starts.empty() ? rank * longest : starts[index(rank)]; }
  Bytes share(Rank rank) const { return start(rank + 1) - start(rank); }

  // Returns the offset in the output of the cut that lies `from_end` bytes before the end of a block of the longest size. In
  // shorter shares the cut moves in proportion. All ranks know all sizes, so sender and receiver cut at the same place. No part
  // is longer than the same part of the longest share.
  Bytes cut(Rank origin, Bytes from_end) const {
    return start(origin + 1) - static_cast<Bytes>(Wide{from_end} * share(origin) / longest);
  }

  // Returns where bytes [message.first, message.last) of the line of `rank` lie in an output buffer. Output buffers have the
  // same layout at every rank.
  Regions line(Rank rank, const ConcatenationMessage& message) const {
    const Count newest = message.first / longest, oldest = (message.last - 1) / longest;  // roles
    const Rank from = (rank - oldest + ranks) % ranks, to = (rank - newest + ranks) % ranks;
    const Bytes begin = cut(from, message.last - oldest * longest), end = cut(to, message.first - newest * longest);
    if (from <= to) return {{Buffer::output, begin, end - begin, {}}};
    return {{Buffer::output, begin, start(ranks) - begin, {}}, {Buffer::output, 0, end, {}}};
  }

  // As `line`, but in the memory of the sender, whose own block is in the input.
  Regions line_at_sender(Rank sender, const ConcatenationMessage& message) const {
    Regions regions = line((sender + message.offset) % ranks, message);
    if (message.first >= message.offset * longest && message.last <= (message.offset + 1) * longest)
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

std::vector<Parameter> parameters() {
  return {ports_parameter(),
          {.name = "last",
           .summary = "if one last round has more than the least volume: keep it, or use two rounds, or (best) use two if that "
                      "saves over 8 KiB",
           .standard = "best",
           .choices = {"one-round", "two-rounds", "best"},
           .range = {},
           .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
             return {"best", "one-round", "two-rounds"};
           }}};
}

std::shared_ptr<const Analysis> analyse_concatenation(const Problem& problem, const Parameters& parameters) {
  auto lines = std::make_shared<Lines>();
  lines->ranks = problem.ranks;
  lines->longest = problem.block_bytes;
  if (is_irregular(problem.collective)) {
    lines->starts = {0};
    for (const Bytes count : *problem.counts) lines->starts.push_back(lines->starts.back() + count);
    lines->longest = *std::max_element(problem.counts->begin(), problem.counts->end());
  }
  lines->rounds =
      concatenation_rounds(problem.ranks, number(parameters, "ports"), lines->longest, last_round(word(parameters, "last")));
  return lines;
}

Program generate_concatenation(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const Count p = problem.ranks;
  const Lines& lines = static_cast<const Lines&>(*analysis);
  ProgramBuilder program{me};
  program.stage("concatenate");
  program.begin_round();
  program.copy({{Buffer::input, 0, lines.share(me), {}}}, {{Buffer::output, lines.start(me), lines.share(me), {}}});
  for (const auto& round : lines.rounds) {
    if (&round != &lines.rounds.front()) program.begin_round();
    for (const ConcatenationMessage& message : round) {
      program.send((me + message.offset) % p, lines.line_at_sender(me, message));
      program.receive((me + p - message.offset) % p, lines.line(me, message));
    }
  }
  return std::move(program).finish();
}

}  // namespace

Algorithm allgather_concatenation(Collective collective) {
  return {
      .collective = collective,
      .id = "concatenation",
      .summary = "send all " + share_word(collective) + "s held to k others in each round; the last is divided " +
                 (is_irregular(collective) ? "in proportion to the sizes" : "byte by byte: fewest rounds, least volume on k ports"),
      .picture =
          "A rank sends all that it holds to as many ranks as it has ports, one here; the last round is cut byte by byte, so that "
          "all ports have equally much left to send. With several ports it is the way to have the fewest rounds and, but for a few "
          "numbers of ranks, the least volume.",
      .source = "bruck1997, section 4",
      .parameters = parameters(),
      .generate = generate_concatenation,
      .analyse = analyse_concatenation,
      .cuts_blocks = true,
      .symmetry = is_irregular(collective) ? nullptr : translation,
      .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
  };
}

}  // namespace quadrille
