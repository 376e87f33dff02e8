// SPDX-License-Identifier: BSD-3-Clause
// Which situations wisdom answers for.
#include "quadrille/wisdom.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "quadrille/traffic.hpp"
#include "support/wisdom_samples.hpp"

namespace quadrille {
namespace {

using namespace testing;

std::string best_of(const Wisdom& wisdom, const Situation& situation) {
  const WisdomRecord* found = wisdom.find(situation);
  return found ? specification(found->entries.front().way.algorithm) : "";
}

bool is_even(const Situation& s) { return s.ranks == s.nodes * s.ranks_of_node; }

// Checks the definition in the header from the record's ranges alone.
bool speaks_for(const WisdomRecord& record, const Situation& asked) {
  Situation same = record.situation;
  same.block_bytes = asked.block_bytes;
  if (is_even(same) && is_even(asked)) {
    same.ranks = asked.ranks;
    same.ranks_of_node = asked.ranks_of_node;
  }
  return same == asked && record.least_bytes <= asked.block_bytes && asked.block_bytes <= record.most_bytes &&
         record.least_ranks <= asked.ranks && asked.ranks <= record.most_ranks;
}

Situation random_situation(std::mt19937& random) {
  Situation s{.collective = random() % 2 ? Collective::alltoall : Collective::alltoallv};
  s.nodes = static_cast<Count>(1 + random() % 2);
  s.ranks_of_node = static_cast<Count>(2 + random() % 9);
  s.ranks = s.nodes * s.ranks_of_node - (s.nodes > 1 ? static_cast<Count>(random() % 2) : 0);
  s.block_bytes = random() % 9 ? Bytes{1} << random() % 12 : 0;
  if (s.collective == Collective::alltoallv) s.skew = Count{1} << random() % 2, s.irregularity = Count{1} << random() % 2;
  return s;
}

Wisdom random_wisdom(std::mt19937& random, int year) {
  Wisdom wisdom{machine, {}, {}, {}};
  for (int i = static_cast<int>(random() % 60); i > 0; --i)
    wisdom.add(record(random_situation(random), random() % 3 ? "direct" : "shift",
                      fmt::format("{}-{:02}-{:02}", year, 1 + random() % 12, 1 + random() % 28)));
  return wisdom;
}

TEST(Wisdom, AppliesUpToTheMiddleBetweenSizes) {
  Wisdom wisdom{machine, {}, {}, {}};
  wisdom.add(record(situation(64, 4), "bruck:radix=2"));
  EXPECT_EQ(best_of(wisdom, situation(15, 4)), "");
  EXPECT_EQ(best_of(wisdom, situation(16, 4)), "bruck:radix=2");
  EXPECT_EQ(best_of(wisdom, situation(256, 4)), "bruck:radix=2");
  EXPECT_EQ(best_of(wisdom, situation(257, 4)), "");
  wisdom.add(record(situation(1024, 4), "direct"));
  EXPECT_EQ(best_of(wisdom, situation(256, 4)), "bruck:radix=2");
  EXPECT_EQ(best_of(wisdom, situation(257, 4)), "direct");
  wisdom.add(record(situation(1 << 20, 4), "shift"));  // far away: no record answers for the sizes in between
  EXPECT_EQ(best_of(wisdom, situation(16 << 10, 4)), "direct");
  EXPECT_EQ(best_of(wisdom, situation((16 << 10) + 1, 4)), "");
  EXPECT_EQ(best_of(wisdom, situation(64 << 10, 4)), "shift");
  EXPECT_EQ(best_of(wisdom, situation(0, 4)), "");
  wisdom.add(record(situation(0, 4), "shift"));
  EXPECT_EQ(best_of(wisdom, situation(0, 4)), "shift");
  EXPECT_EQ(best_of(wisdom, situation(1, 4)), "");
  const Bytes most = std::numeric_limits<Bytes>::max();
  wisdom.add(record(situation(most, 4), "direct"));
  EXPECT_EQ(best_of(wisdom, situation(most, 4)), "direct");
  EXPECT_EQ(best_of(wisdom, situation(64, 4)), "bruck:radix=2");
  EXPECT_EQ(best_of(wisdom, situation(64, 4, Collective::allgather)), "");
}

TEST(Wisdom, AppliesToRanksInBetweenIfNeighboursAgree) {
  Wisdom wisdom{machine, {}, {}, {}};
  for (const Count ranks : {4, 16}) {
    wisdom.add(record(situation(8, ranks), "bruck:radix=2"));
    wisdom.add(record(situation(1024, ranks), ranks == 4 ? "direct" : "shift"));
  }
  EXPECT_EQ(wisdom.find(situation(8, 7)), wisdom.find(situation(8, 4)));
  EXPECT_EQ(wisdom.find(situation(8, 8)), wisdom.find(situation(8, 4)));
  EXPECT_EQ(wisdom.find(situation(8, 9)), wisdom.find(situation(8, 16)));
  EXPECT_NE(wisdom.find(situation(8, 9)), nullptr);
  EXPECT_EQ(wisdom.find(situation(1024, 8)), nullptr);
  EXPECT_EQ(wisdom.find(situation(8, 3)), nullptr);
  EXPECT_EQ(wisdom.find(situation(8, 17)), nullptr);
  Situation two_nodes = situation(8, 8);
  two_nodes.nodes = 2;
  two_nodes.ranks_of_node = 4;
  EXPECT_EQ(wisdom.find(two_nodes), nullptr);
  wisdom.add(record(situation(40, 16), "direct"));  // a size within the range of the record for 4 ranks
  EXPECT_EQ(wisdom.find(situation(8, 7)), nullptr);
  // Nodes with unequal numbers of ranks are a different structure.
  Wisdom uneven{machine, {}, {}, {}};
  for (const Count ranks : {5, 9})
    uneven.add(record({.ranks = ranks, .nodes = 2, .ranks_of_node = ranks / 2 + 1, .block_bytes = 8}));
  EXPECT_NE(uneven.find({.ranks = 5, .nodes = 2, .ranks_of_node = 3, .block_bytes = 8}), nullptr);
  EXPECT_EQ(uneven.find({.ranks = 5, .nodes = 2, .ranks_of_node = 4, .block_bytes = 8}), nullptr);
  EXPECT_EQ(uneven.find({.ranks = 6, .nodes = 2, .ranks_of_node = 3, .block_bytes = 8}), nullptr);
}

TEST(Wisdom, HasOneRecordForEachSituation) {
  std::mt19937 random(7);
  int spoken = 0, in_between = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const Wisdom a = random_wisdom(random, 2025), b = random_wisdom(random, 2026);
    Wisdom ab = a, ba = b, aa = a, aba = a;
    ab.merge(b);
    ba.merge(a);
    aa.merge(a);
    aba.merge(b);
    aba.merge(a);
    EXPECT_EQ(ab, ba);  // no date occurs in both
    EXPECT_EQ(aa, a);
    EXPECT_EQ(aba, ab);
    Wisdom again{machine, {}, {}, {}};  // adding records one by one in another order
    for (auto known = ab.records.rbegin(); known != ab.records.rend(); ++known) again.add(*known);
    EXPECT_EQ(again, ab);
    const std::string text = wisdom_text(ab);
    EXPECT_EQ(wisdom_text(parse_wisdom(text, "it")), text);
    for (const WisdomRecord& known : ab.records) EXPECT_EQ(ab.find(known.situation), &known);
    for (int i = 0; i < 300; ++i) {
      Situation asked = random_situation(random);
      asked.block_bytes += static_cast<Bytes>(random() % 3);
      std::vector<const WisdomRecord*> speakers;
      for (const WisdomRecord& known : ab.records)
        if (speaks_for(known, asked)) speakers.push_back(&known);
      ASSERT_LE(speakers.size(), 1u);
      ASSERT_EQ(ab.find(asked), speakers.empty() ? nullptr : speakers[0]);
      spoken += !speakers.empty();
      in_between += !speakers.empty() && speakers[0]->situation.ranks != asked.ranks;
    }
  }
  EXPECT_GT(spoken, 1000);
  EXPECT_GT(in_between, 50);
}

TEST(Wisdom, ReplacesOlderResults) {
  Wisdom wisdom{machine, {}, {}, {}};
  WisdomRecord unordered = record(situation(8, 4));
  std::reverse(unordered.entries.begin(), unordered.entries.end());
  wisdom.add(unordered);
  EXPECT_EQ(best_of(wisdom, situation(8, 4)), "direct");
  wisdom.add(record(situation(8, 4), "shift", "2020-01-01"));
  EXPECT_EQ(best_of(wisdom, situation(8, 4)), "shift");
  Wisdom older{machine, {}, {}, {}};
  older.add(record(situation(8, 4), "direct", "2019-01-01"));
  wisdom.merge(older);
  EXPECT_EQ(best_of(wisdom, situation(8, 4)), "shift");
  EXPECT_EQ(wisdom.records.size(), 1u);
  EXPECT_THROW(wisdom.merge({}), Error);
  Wisdom empty;
  empty.merge(wisdom);
  EXPECT_EQ(empty, wisdom);
  EXPECT_THROW(wisdom.add(record(situation(8, 4), "brook")), Error);
  EXPECT_THROW(wisdom.add(record(situation(8, 4), "direct", "today")), Error);
  EXPECT_THROW(wisdom.add(record(situation(-8, 4))), Error);
  EXPECT_EQ(wisdom.records.size(), 1u);
  EXPECT_EQ(today().size(), 10u);
  WisdomRecord now{.situation = situation(8, 4), .races = {{today(), time_of_day(), 1, 0, {entry("direct", 2)}}}};
  EXPECT_NO_THROW(wisdom.add(now));
  now.races[0].time = "noon";
  EXPECT_THROW(wisdom.add(now), Error);
}

TEST(Wisdom, FindsTheNearestFit) {
  Wisdom wisdom{machine, {}, {}, {}};
  EXPECT_EQ(wisdom.find_fit(Executor::shared, situation(8, 4)), nullptr);
  for (const Count ranks : {2, 8}) wisdom.add(fit(Executor::shared, ranks, 1));
  wisdom.add(fit(Executor::mpi, 24, 6));
  EXPECT_EQ(wisdom.find_fit(Executor::shared, situation(8, 8))->ranks, 8);
  EXPECT_EQ(wisdom.find_fit(Executor::shared, situation(8, 3))->ranks, 2);
  EXPECT_EQ(wisdom.find_fit(Executor::shared, situation(8, 100))->ranks, 8);
  EXPECT_EQ(wisdom.find_fit(Executor::mpi, situation(8, 24)), nullptr);  // a fit for one node is not used for several nodes
  EXPECT_EQ(wisdom.find_fit(Executor::mpi, {.ranks = 8, .nodes = 2, .ranks_of_node = 4})->nodes, 6);
  EXPECT_EQ(sample().find_vendor(situation(1000, 4))->seconds.size(), 2u);
  EXPECT_EQ(sample().find_vendor(situation(1000, 5)), nullptr);
  ExecutorFit bad = fit(Executor::shared, 2, 1);
  bad.coefficients.erase("startup_us");
  EXPECT_THROW(wisdom.add(bad), Error);
}

TEST(Wisdom, ComputesSituationsOfProblems) {
  EXPECT_EQ(situation_of(Problem::alltoall(4, 64)), situation(64, 4));
  Problem placed = Problem::alltoall(7, 64);
  placed.nodes = {5, 2, 5, 2, 5, 9, 5};
  EXPECT_EQ(situation_of(placed), (Situation{.ranks = 7, .nodes = 3, .ranks_of_node = 4, .block_bytes = 64}));
  const Problem even = Problem::alltoallv(4, std::vector<Bytes>(16, 10));
  EXPECT_EQ(situation_of(even), situation(10, 4, Collective::alltoallv));
  // Rank 0 sends all data, 100 bytes to each of two ranks: skew is 200 bytes / a mean of 50; 2 of 16 blocks are not empty.
  Situation spike = situation_of(Problem::alltoallv(4, {{0, 1, 100}, {0, 2, 100}}));
  EXPECT_EQ(spike.block_bytes, 13);
  EXPECT_EQ(spike.skew, 4);
  EXPECT_EQ(spike.sparsity, 8);
  EXPECT_EQ(spike.irregularity, 1) << "both blocks are as long as their mean";
  std::vector<Bytes> matrix(16);
  matrix[1] = matrix[2] = 100;
  EXPECT_EQ(situation_of(Problem::alltoallv(4, matrix)), spike);
  EXPECT_EQ(situation_of(Problem::alltoallv(4, std::vector<Bytes>(16))).block_bytes, 0);
  Problem gather;
  gather.collective = Collective::gatherv;
  gather.ranks = 4;
  gather.counts = std::make_shared<const std::vector<Bytes>>(std::vector<Bytes>{30, 5, 5, 0});
  const Situation gathered = situation_of(gather);
  EXPECT_TRUE(gathered.counts_known);
  EXPECT_EQ(gathered.block_bytes, 10);
  EXPECT_EQ(gathered.skew, 4);          // 3, rounded to a power of two on a logarithmic scale
  EXPECT_EQ(gathered.sparsity, 1);      // 4/3
  EXPECT_EQ(gathered.irregularity, 2);  // 30 over the mean of 30, 5 and 5 is 2.25
  Problem reduction;
  reduction.collective = Collective::allreduce;
  reduction.ranks = 4;
  reduction.block_bytes = 8;
  EXPECT_EQ(situation_of(reduction).combining, Combining::any_order);
  reduction.commutative = false;
  EXPECT_EQ(situation_of(reduction).combining, Combining::rank_order);
  reduction.reproducible = true;
  EXPECT_EQ(situation_of(reduction).combining, Combining::fixed_tree);
}

}  // namespace
}  // namespace quadrille
