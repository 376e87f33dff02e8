// SPDX-License-Identifier: BSD-3-Clause
// Which situations wisdom answers for, and its text format.
#include "quadrille/wisdom.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "quadrille/algorithm.hpp"
#include "quadrille/traffic.hpp"
#include "support/wisdom_samples.hpp"

namespace quadrille {
namespace {

using namespace testing;

std::string reason_against(const std::string& text) {
  try {
    parse_wisdom(text, "it");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::malformed);
    return error.what();
  }
  return "";
}

void expect_refused(const std::string& text, const std::string& reason) {
  const std::string sentence = reason_against(text);
  EXPECT_NE(sentence.find(reason), std::string::npos) << sentence << "\nis not: " << reason;
  EXPECT_NE(sentence.find("line "), std::string::npos) << sentence;
}

TEST(WisdomText, IsReadAsItWasWritten) {
  const Wisdom wisdom = sample();
  const std::string text = wisdom_text(wisdom);
  EXPECT_EQ(wisdom_text(parse_wisdom(text, "it")), text);
  const Wisdom again = parse_wisdom(text, "it");
  ASSERT_EQ(again.records.size(), wisdom.records.size());
  for (std::size_t i = 0; i < again.records.size(); ++i) {
    EXPECT_EQ(again.records[i].situation, wisdom.records[i].situation);
    EXPECT_EQ(again.records[i].least_bytes, wisdom.records[i].least_bytes);
    EXPECT_EQ(again.records[i].entries.front().way, wisdom.records[i].entries.front().way);
    EXPECT_NEAR(again.records[i].entries.front().timing.median_s, wisdom.records[i].entries.front().timing.median_s, 1e-12);
  }
  EXPECT_EQ(again.executors.at(0).coefficients.at("cores"), 123457);  // whole numbers keep all their digits
  EXPECT_EQ(again.machine, machine);
  EXPECT_NE(text.find("median_us=300000 lower_us=0 upper_us=1000000 executor=hybrid policy=dataflow buffers=1"), std::string::npos);
  EXPECT_EQ(parse_wisdom(wisdom_text({}), "it"), Wisdom{});
  EXPECT_EQ(wisdom_text(parse_wisdom("" + changed(text, "\nrace", "\n# a remark\n\nrace"), "it")), text);
}

TEST(WisdomText, IsRefusedWithLineAndReason) {
  const std::string text = wisdom_text(sample());
  const auto with = [&](const std::string& from, const std::string& to) { return changed(text, from, to); };
  expect_refused("", "line 1: the file ends too early");
  expect_refused("hello", "line 1: a file of wisdom begins with 'quadrille-wisdom 3', not 'hello'");
  expect_refused(with("wisdom 3", "wisdom 2"),
                 "line 1: this is 'quadrille-wisdom 2', but this version of quadrille reads 'quadrille-wisdom 3' only");
  const std::size_t table = text.find("algorithms ") + std::string("algorithms ").size();
  expect_refused(with(text.substr(table, 16), "012345789abcdef"), "line 3: it is for the algorithms of another version");
  expect_refused(with("processor", "procesor"), "line 4: 'processor' is expected");
  expect_refused(with("cores 8", "cores eight"), "line 5: 'cores eight' is not a whole number");
  expect_refused(with("race", "rice"), "not 'rice'");
  expect_refused(with("race alltoall ", "race alltoal "), "there is no 'alltoal' here");
  expect_refused(with("ranks=4", "ranks=x"), "'ranks=x' is not a whole number");
  expect_refused(with("ranks=4", "ranks=-4"), "'ranks=-4' is not a whole number");
  expect_refused(with("ranks=4", "ranks=99999999999999999999"), "is not a whole number");
  expect_refused(with("ranks=4 nodes=1", "ranks=4 nodes=5"), "4 ranks cannot be on 5 nodes");
  expect_refused(with("ranks_of_node=4", "ranks_of_node=3"), "none can be the largest with 3 ranks");
  expect_refused(with("repetitions=15", "repetitions=15 "), "the line must end before ' '");
  expect_refused(with("repetitions=15", "repetitions=0"), "at least one repetition");
  expect_refused(with("date=2026-11-22", "date=2026-13-22"), "is not a date");
  expect_refused(with("median_us=2", "median_us=2s"), "is not a number");
  expect_refused(with("median_us=2", "median_us=inf"), "is not a number");
  expect_refused(with("median_us=2", "median_us=1e300"), "from 1e-9 us");
  expect_refused(with("median_us=2", "median_us=0"), "the median is more than 0");
  expect_refused(with("median_us=2", "median_us=200"), "in its interval");
  expect_refused(with("upper_us=4", "upper_us=1"), "in its interval");
  expect_refused(with("median_us=4 lower_us=2", "median_us=1 lower_us=1"), "the fastest way must come first");
  expect_refused(with("executor=shared", "executor=automatic"), "there is no 'automatic' here");
  expect_refused(with("policy=blocking", "policy=blockin"), "there is no 'blockin' here");
  expect_refused(with("buffers=1", "buffers=3"), "1 or 2 buffers");
  expect_refused(with("bruck:radix=4", "brook:radix=4"), "alltoall has no algorithm 'brook'");
  expect_refused(with("bruck:radix=4", "bruck:rodix=4"), "'rodix=4' is not a setting of alltoall/bruck");
  expect_refused(with("bruck:radix=4", "bruck:radix="), "is not a setting");
  expect_refused(
      with("executor=mpi policy=blocking algorithm=vendor", "executor=shared policy=blocking algorithm=bruck:radix=4,ports=1"),
      "occurs twice in a race");
  expect_refused(with("block_bytes=64", "block_bytes=8"), "this situation occurs twice");
  expect_refused(with("time=13:05:22.123", "time=12:00:00.000"), "this situation occurs twice, with the same date and time");
  for (const char* time :
       {"24:00:00.000", "13:60:22.123", "13:05:60.123", "13:05:22", "13:05:22.1234", "13:05:22,123", "13:0x:22.123"})
    expect_refused(with("13:05:22.123", time), "is not a time such as");
  expect_refused(with("others=1.5", "others=-1"), "is not a number");
  expect_refused(with("others=1.5", "others=1e7"), "from 0 to 1e6 cores");
  expect_refused(with("skew=4", "skew=3"), "powers of two");
  expect_refused(with("race alltoallv", "race alltoall"), "alltoall has no counts");
  expect_refused(with("counts=own", "counts=all"), "the counts are 'own'");
  expect_refused(with("combining=fixed_tree", "combining=any_order"), "there is no 'any_order' here");
  expect_refused(with("  startup_us", "  start_us"), "the coefficient 'startup_us' is missing");
  expect_refused(with("  startup_us=1.25", "  startup_us=1.25\n  startup_us=2"), "'startup_us=' occurs twice");
  expect_refused(with("  startup_us=1.25", "  startup_us=1.25\n  color=2"), "no coefficient 'color'");
  expect_refused(with("  cores=123457", "  cores=1.5"), "a whole number");
  expect_refused(with("block_bytes=64 time_us", "block_bytes=8 time_us"), "sizes are 0 or more, and ascend");
  expect_refused(text.substr(0, text.size() - 4), "the file ends too early");
  expect_refused(text + "more", "there is text after 'end'");
  expect_refused(with("repetitions=15\n", "repetitions=15\r\n"), "'repetitions=15\\x0d' is not a whole number");
}

// A record that was added without races becomes one race without a time of day.
TEST(WisdomText, LeavesOutAnUnknownTimeOfDay) {
  Wisdom wisdom{machine, {}, {}, {}};
  wisdom.add(record(situation(8, 4)));
  const std::string text = wisdom_text(wisdom);
  EXPECT_EQ(text.find("time="), std::string::npos);
  EXPECT_EQ(parse_wisdom(text, "it"), wisdom);
}

// Random changes of the text are either refused, or the result can be written and read again.
TEST(WisdomText, IsReadOrRefusedAfterMutations) {
  std::mt19937 random(19);
  const std::string good = wisdom_text(sample());
  static constexpr std::string_view alphabet = "012345789 =\n#.-eraceblock\xff\r";
  int refused = 0, read = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string text = good;
    for (int change = static_cast<int>(random() % 3); change >= 0 && !text.empty(); --change) {
      const std::size_t at = random() % text.size(), length = random() % 8;
      switch (random() % 4) {
        case 0: text[at] = alphabet[random() % alphabet.size()]; break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(random() % text.size(), length)); break;
        default: text.resize(random() % 8 == 0 ? at : text.size());
      }
    }
    try {
      const std::string again = wisdom_text(parse_wisdom(text, "mutant"));
      EXPECT_EQ(wisdom_text(parse_wisdom(again, "again")), again);
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::malformed) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 100);
}

std::string best_of(const Wisdom& wisdom, const Situation& situation) {
  const WisdomRecord* found = wisdom.find(situation);
  return found ? found->entries.front().way.algorithm : "";
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
  if (s.collective == Collective::alltoallv) s.skew = Count{1} << random() % 2;
  return s;
}

Wisdom random_wisdom(std::mt19937& random, int year) {
  Wisdom wisdom{machine, {}, {}, {}};
  for (int i = static_cast<int>(random() % 60); i > 0; --i)
    wisdom.add(record(random_situation(random), random() % 3 ? "direct" : "shift",
                      fmt::format("{}-{:02}-{:02}", year, 1 + random() % 12, 1 + random() % 28)));
  return wisdom;
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
  EXPECT_EQ(gathered.skew, 4);      // 3, rounded to a power of two on a logarithmic scale
  EXPECT_EQ(gathered.sparsity, 1);  // 4/3
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
