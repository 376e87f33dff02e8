// SPDX-License-Identifier: BSD-3-Clause
// What the replay asks for, what it shows to an observer, and its limits.
#include "verify/replay.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "schedule/symmetry.hpp"
#include "verify/broken_exchange.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

std::vector<Program> programs_of(const Schedule& schedule) {
  std::vector<Program> programs;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
  return programs;
}

// By its symmetry a schedule is replayed with the programs of the representatives, of which a translation has one.
TEST(Replay, NeedsTheProgramsOfTheRepresentatives) {
  const Schedule schedule = make_schedule(Problem::alltoall(4, 8), "shift");
  const std::vector<Program> programs = programs_of(schedule);
  FindingList findings(10);
  replay(schedule, no_symmetry(4), programs, {}, findings);
  replay(schedule, *schedule.symmetry, {programs[0]}, {}, findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_DEATH(replay(schedule, *schedule.symmetry, programs, {}, findings), "broken contract.*representatives\\(\\)\\.size\\(\\)");
}

// The operand of each byte of a rank's output; -1 where nothing was written.
std::vector<Terms::Term> output_terms(const SymbolicMemory& memory, Bytes length) {
  Strip strip;
  memory[static_cast<std::size_t>(out)].read(0, length, strip);
  std::vector<Terms::Term> terms;
  for (const SymbolRun& run : strip) terms.insert(terms.end(), static_cast<std::size_t>(run.length), run.term);
  return terms;
}

// A ring of three ranks with blocks of one byte: the observer sees how rank 0's output fills, round by round.
TEST(Replay, ShowsTheMemoryAfterEachRound) {
  Problem problem{.collective = Collective::allgather, .ranks = 3, .block_bytes = 1};
  const Schedule ring = make_schedule(problem, "ring");
  std::vector<std::optional<Count>> rounds;
  std::vector<std::vector<Terms::Term>> outputs;
  const auto note = [&](std::optional<Count> round, const std::vector<SymbolicMemory>& memories, const Terms&) {
    EXPECT_EQ(memories.size(), 3u);
    rounds.push_back(round);
    outputs.push_back(output_terms(memories[0], 3));
  };
  int ends = 0;
  const auto at_end = [&](std::optional<Count> round, const auto&, const auto&) { ends += round ? 100 : 1; };
  FindingList findings(10);
  replay(ring, no_symmetry(3), programs_of(ring), {}, findings, note, at_end);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(rounds, (std::vector<std::optional<Count>>{std::nullopt, 0, 1}));
  constexpr Terms::Term none = Terms::undefined;
  EXPECT_EQ(outputs, (std::vector<std::vector<Terms::Term>>{{none, none, none}, {0, none, 2}, {0, 1, 2}}));
  EXPECT_EQ(ends, 1);
}

// The single representative receives the images of what it sends.
TEST(Replay, BySymmetryGivesARepresentativeTheSameMemory) {
  const Schedule shift = make_schedule(Problem::alltoall(4, 1), "shift");
  std::vector<Terms::Term> of_all, of_representative;
  FindingList findings(10);
  replay(shift, no_symmetry(4), programs_of(shift), {}, findings, {},
         [&](auto, const auto& memories, const auto&) { of_all = output_terms(memories[0], 4); });
  replay(shift, *shift.symmetry, {shift.program(0)}, {}, findings, {},
         [&](auto, const auto& memories, const auto&) { of_representative = output_terms(memories[0], 4); });
  EXPECT_EQ(of_all, (std::vector<Terms::Term>{0, 1, 2, 3}));
  EXPECT_EQ(of_representative, of_all);
}

// A full list of findings ends the replay; what is at the end is then not known.
TEST(Replay, EndsWhenTheListOfFindingsIsFull) {
  std::vector<Program> programs = exchange();
  for (Program& program : programs) program.rounds[0].sends.clear();
  const auto replayed_to_the_end = [&](std::size_t most_findings) {
    bool is_at_end = false;
    FindingList findings(most_findings);
    replay(of(Problem::alltoall(2, 4), programs), no_symmetry(2), programs, {}, findings, {}, [&](auto&&...) { is_at_end = true; });
    return is_at_end;
  };
  EXPECT_FALSE(replayed_to_the_end(0));
  EXPECT_TRUE(replayed_to_the_end(3));
  FindingList none = FindingList::that_keeps_nothing();
  bool is_at_end = false;
  replay(of(Problem::alltoall(2, 4), programs), no_symmetry(2), programs, {}, none, {}, [&](auto&&...) { is_at_end = true; });
  EXPECT_TRUE(is_at_end);
  EXPECT_TRUE(none.empty());
}

// Of several rounds with one number only the last is replayed, and rounds out of order are left out.
TEST(Replay, LeavesOutRoundsThatAreReportedAlready) {
  std::vector<Program> programs = exchange();
  Round empty{.number = 0};
  programs[0].rounds.push_back(empty);
  FindingList findings(10);
  replay(of(Problem::alltoall(2, 4), programs), no_symmetry(2), programs, {}, findings);
  EXPECT_TRUE(findings.has(Rule::unmatched_message)) << "rank 0 sends nothing any more";
  programs = exchange();
  programs[0].rounds.insert(programs[0].rounds.begin(), {.number = 5});
  FindingList again(10);
  replay(of(Problem::alltoall(2, 4), programs), no_symmetry(2), programs, {}, again);
  EXPECT_TRUE(again.has(Rule::unmatched_message)) << "round 0 comes after round 5";
}

// The limits are multiplied by the size of a piece, which must not overflow.
TEST(Replay, AcceptsTheLargestLimits) {
  constexpr Count largest = std::numeric_limits<Count>::max();
  for (const Count most : {largest, largest - 1, largest / 64 + 1})
    EXPECT_TRUE(found(make_schedule(Problem::alltoall(4, 8), "direct"), {.most_pieces = most, .most_operations = most}).empty());
  EXPECT_THROW(
      found(make_schedule(Problem::alltoall(Count{1} << 31, 1), "bruck"), {.most_pieces = largest, .most_operations = largest}),
      Error);
}

TEST(Replay, RefusesWhatIsTooLarge) {
  EXPECT_THROW(found(make_schedule(Problem::alltoall(64, 4), "direct"), {.most_pieces = 63}), Error);
  EXPECT_THROW(found(make_schedule(Problem::alltoall(64, 4), "one-factor"), {.most_pieces = 100}), Error);
  // A short description of 2^40 pieces.
  Schedule schedule = make_schedule(Problem::alltoall(2, Bytes{1} << 40), "direct");
  schedule.program = [inner = schedule.program](Rank rank) {
    Program program = inner(rank);
    Region& region = program.rounds[0].sends[0].regions[0];
    region = {region.buffer, region.offset, 1, {{{region.length, 1}, {}, {}}}};
    return program;
  };
  EXPECT_THROW(found(schedule), Error);
}

TEST(Replay, SkipsEmptyRegions) {
  const Region nothing{in, 0, 4, {{{0, 1}, {Count{1} << 60, 0}, {}}}};
  EXPECT_TRUE(broken([&](auto& p) { p[0].rounds[0].sends[0].regions.push_back(nothing); }).empty());
}

}  // namespace
}  // namespace quadrille
