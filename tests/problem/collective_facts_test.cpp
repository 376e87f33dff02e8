// SPDX-License-Identifier: BSD-3-Clause
// Compares the facts of each collective, on which other layers rely, with its postcondition.
#include "problem/collective_facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "quadrille/indexed.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

constexpr Bytes block = 4;

using Sources = ByRank<std::set<Rank>>;  // by rank: the ranks on whose inputs its output depends

Sources sources_of(const Problem& problem) {
  Sources sources(problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    for (const ExpectedPiece& piece : expected_output(problem, rank))
      for (Rank source = piece.first; source <= piece.last; ++source) sources[rank].insert(source);
  return sources;
}

// Returns a problem of the collective; its counts, if it has any, are greater than 0.
Problem problem_without_empty_shares(Collective collective, Count ranks) {
  Problem problem = testing::problem_of(collective, ranks, block, ranks / 2);
  if (problem.counts) problem.counts = std::make_shared<const std::vector<Bytes>>(problem.counts->size(), block);
  return problem;
}

std::vector<Collective> collectives_with_data() {
  std::vector<Collective> some;
  std::copy_if(all_collectives().begin(), all_collectives().end(), std::back_inserter(some), moves_data);
  return some;
}

TEST(CollectiveFacts, SayWhetherEveryOutputDependsOnEveryInput) {
  for (const Collective collective : collectives_with_data()) {
    const Sources sources = sources_of(problem_without_empty_shares(collective, 5));
    const bool all = std::all_of(sources.begin(), sources.end(), [](const auto& each) { return each.size() == 5; });
    EXPECT_EQ(all_depend_on_all(collective), all) << name(collective);
  }
  EXPECT_TRUE(all_depend_on_all(Collective::barrier));
}

TEST(CollectiveFacts, CountTheRanksThatOneRankHearsOfOrReaches) {
  for (const Collective collective : collectives_with_data())
    for (Count p = 1; p <= 9; ++p) {
      const Sources sources = sources_of(problem_without_empty_shares(collective, p));
      ByRank<Count> heard(p), reached(p);
      for (Rank rank = 0; rank < p; ++rank)
        for (const Rank source : sources[rank])
          if (source != rank) ++heard[rank], ++reached[source];
      const Count most = std::max(*std::max_element(heard.begin(), heard.end()), *std::max_element(reached.begin(), reached.end()));
      EXPECT_EQ(facts_of(collective).bounds.connected_ranks(p), most + 1) << name(collective) << ", p = " << p;
    }
}

// Leaves out reductions. There a rank combines several operands into one vector before it sends, so the bytes that it sends or
// receives do not follow from the postcondition.
TEST(CollectiveFacts, CountTheBytesThatOneRankSendsOrReceives) {
  for (const Collective collective : collectives_with_data())
    for (Count p = 2; p <= 9 && has_blocks(collective) && !is_reduction(collective); ++p) {
      const Problem problem = problem_without_empty_shares(collective, p);
      ByRank<Bytes> received(p);
      ByRank<std::set<Bytes>> sent(p);  // offsets in the input
      for (Rank rank = 0; rank < p; ++rank)
        for (const ExpectedPiece& piece : expected_output(problem, rank))
          if (piece.first != rank) {
            received[rank] += piece.length;
            for (Bytes i = 0; i < piece.length; ++i) sent[piece.first].insert(piece.input_offset + i);
          }
      Bytes most = *std::max_element(received.begin(), received.end());
      for (const auto& bytes : sent) most = std::max(most, static_cast<Bytes>(bytes.size()));
      const BlockRatio volume = facts_of(collective).bounds.volume(p);
      EXPECT_EQ(block * volume.times, most * volume.parts) << name(collective) << ", p = " << p;
    }
}

TEST(CollectiveFacts, SayWhereAShareBegins) {
  const Problem regular = Problem::allgather(4, 10);
  EXPECT_EQ(share_bytes(regular, 3), 10);
  EXPECT_EQ(share_offset(regular, 3), 30);
  const Problem irregular = Problem::allgatherv(4, {1, 2, 0, 5});
  EXPECT_EQ(share_bytes(irregular, 3), 5);
  EXPECT_EQ(share_offset(irregular, 3), 3);
  EXPECT_EQ(share_offset(irregular, 4), 8) << "the end of the last share";
}

TEST(CollectiveFacts, HaveTheNamesOfMpiFunctions) {
  EXPECT_EQ(mpi_name(Collective::alltoall), "alltoall");
  EXPECT_EQ(mpi_name(Collective::broadcast), "bcast");
  EXPECT_EQ(mpi_name(Collective::reduce_scatter), "reduce_scatter_block");
  EXPECT_EQ(mpi_name(Collective::reduce_scatterv), "reduce_scatter");
}

}  // namespace
}  // namespace quadrille
