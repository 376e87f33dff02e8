// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/concatenation.hpp"
#include "collectives/worth_trying.hpp"

#include <algorithm>

#include "patterns/concatenation.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille::concatenation {
namespace {

__extension__ typedef __int128 Wide;

struct Lines : Analysis {
  Count ranks = 1;
  Bytes longest = 0;          // length of the longest share
  std::vector<Bytes> starts;  // offsets of the shares in the output, and the end; empty: all shares have equal length
  ConcatenationRounds rounds;

  Bytes start(Rank rank) const { return starts.empty() ? rank * longest : starts[index(rank)]; }
  Bytes share(Rank rank) const { return start(rank + 1) - start(rank); }

  // Returns the offset in the output that corresponds to byte `from_end`, counted from the end, of a block of the
  // longest size. Shorter shares are cut in proportion. All ranks know all sizes, so sender and receiver cut alike, and
  // no part is longer than the same part of the longest share.
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

  // The same bytes in the memory of the sender: its own block is in the input.
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

}  // namespace

std::vector<Parameter> parameters() {
  return {{.name = "ports",
           .summary = "messages that a rank sends, and receives, in one round",
           .standard = Count{1},
           .choices = {},
           .least = 1,
           .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
           .range = "1..max(1,p-1)",
           .worth_trying = ports_worth_trying},
          {.name = "last",
           .summary = "if one last round has more than the least volume: keep it, or use two rounds, or (best) use two if that "
                      "saves over 8 KiB",
           .standard = "best",
           .choices = {"one-round", "two-rounds", "best"},
           .range = {}}};
}

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters& parameters) {
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

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
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

}  // namespace quadrille::concatenation
