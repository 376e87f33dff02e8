// SPDX-License-Identifier: BSD-3-Clause
// The table's algorithms are verified, priced and drawn; a call with counts lists its edges by itself. Both must be the same
// messages.
#include "plan/calls/irregular_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "quadrille/algorithm.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

using PeersAndBytes = std::vector<std::pair<Rank, Bytes>>;

PeersAndBytes of_program(const std::vector<Message>& messages) {
  PeersAndBytes all;
  for (const Message& message : messages) all.emplace_back(message.peer, bytes(message.regions));
  return all;
}

PeersAndBytes of_edges(const Edges& edges, bool sent, Rank me) {
  PeersAndBytes all;
  for (const auto& [to, memory, bytes] : edges.sends)
    if (sent && to != me) all.emplace_back(to, bytes);
  for (const auto& [from, memory, bytes] : edges.receives)
    if (!sent && from != me) all.emplace_back(from, bytes);
  return all;
}

void expect_messages(const Schedule& schedule, const IrregularCall& call, Rank me) {
  const Program program = schedule.program(me);
  ASSERT_LE(program.rounds.size(), 1u) << "all in one round";
  const Round round = program.rounds.empty() ? Round{} : program.rounds[0];
  IrregularEdges edges;
  edges.list({call, me, schedule.problem.ranks}, "the call");
  EXPECT_EQ(of_edges(edges.edges(), true, me), of_program(round.sends)) << "in the same order, rank " << me;
  PeersAndBytes got = of_edges(edges.edges(), false, me), expected = of_program(round.receives);
  std::sort(got.begin(), got.end()), std::sort(expected.begin(), expected.end());
  EXPECT_EQ(got, expected) << "rank " << me;
}

TEST(IrregularEdges, AreTheMessagesOfTheTablesAlgorithms) {
  std::mt19937_64 random(1);
  std::vector<std::byte> input(1000), output(1000);
  for (const Count p : {2, 3, 5, 40})
    for (int turn = 0; turn < 5; ++turn) {
      std::vector<Bytes> counts(index(p * p));
      for (Bytes& count : counts) count = random() % 3 == 0 ? 0 : static_cast<Bytes>(random() % 20);
      const Schedule direct = make_schedule(Problem::alltoallv(p, counts), fmt::format("direct:window={}", p - 1));
      const std::vector<Bytes> shares(counts.begin(), counts.begin() + p);
      const Rank root = static_cast<Rank>(random() % index(p));
      const Schedule scattered = make_schedule(Problem::scatterv(p, shares, root), fmt::format("linear:ports={}", p - 1));
      for (Rank me = 0; me < p; ++me) {
        std::vector<Bytes> row, column;
        for (Rank other = 0; other < p; ++other)
          row.push_back(counts[index(me * p + other)]), column.push_back(counts[index(other * p + me)]);
        CallArguments arguments{.collective = Collective::alltoallv,
                                .input = input.data(),
                                .input_elements = 1000,
                                .output = output.data(),
                                .output_elements = 1000};
        expect_messages(direct, {arguments, Blocks(row), Blocks(column)}, me);
        arguments.collective = Collective::scatterv;
        arguments.root = root;
        arguments.output_elements = shares[index(me)];
        expect_messages(scattered, {arguments, Blocks(shares)}, me);
      }
    }
}

}  // namespace
}  // namespace quadrille
