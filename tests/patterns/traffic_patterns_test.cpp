// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/traffic_patterns.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "quadrille/error.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

TEST(TrafficPatterns, HaveNames) {
  for (const TrafficKind kind : all_traffic_kinds()) EXPECT_EQ(traffic_kind_named(name(kind)), kind);
  EXPECT_EQ(all_traffic_kinds().size(), 11u);
  EXPECT_EQ(traffic_kind_named("spiky"), std::nullopt);
}

TEST(TrafficPatterns, AreDrawnFromTheSeed) {
  for (const TrafficKind kind : all_traffic_kinds()) {
    const TrafficPattern pattern{.kind = kind, .most = 100, .small = 3, .typical = 50, .density = 0.2, .seed = 3};
    TrafficPattern other = pattern;
    other.seed = 4;
    const Problem a = make_traffic(30, pattern), b = make_traffic(30, pattern), c = make_traffic(30, other);
    bool differs = false;
    for (Rank rank = 0; rank < 30; ++rank) {
      EXPECT_EQ(Traffic(a).row(rank), Traffic(b).row(rank));
      differs = differs || Traffic(a).row(rank) != Traffic(c).row(rank);
    }
    const std::set<TrafficKind> fixed{TrafficKind::transpose, TrafficKind::equal, TrafficKind::all_to_one, TrafficKind::one_to_all};
    EXPECT_EQ(differs, !fixed.contains(kind)) << name(kind);
  }
}

// On the paper's square, the image of row q, column c is row c, column q. For all other p the map is still a
// permutation.
TEST(TrafficPatterns, TransposeIsAPermutationForEveryNumberOfRanks) {
  for (Count p = 1; p <= 200; ++p) {
    const Problem problem = make_traffic(p, {.kind = TrafficKind::transpose, .most = 7});
    for (Rank rank = 0; rank < p; ++rank) {
      ASSERT_EQ(Traffic(problem).sent_bytes(rank), 7) << p;
      ASSERT_EQ(Traffic(problem).received_bytes(rank), 7) << p;
    }
  }
  const Problem square = make_traffic(64, {.kind = TrafficKind::transpose, .most = 1024, .small = 2});
  for (Rank from = 0; from < 64; ++from)
    for (Rank to = 0; to < 64; ++to) EXPECT_EQ(Traffic(square).bytes(from, to), to == from % 8 * 8 + from / 8 ? 1024 : 2);
}

TEST(TrafficPatterns, MatchTheirDefinitions) {
  const Count p = 50;
  const auto make = [&](TrafficKind kind) {
    return make_traffic(p, {.kind = kind, .most = 900, .small = 1, .typical = 100, .density = 0.1});
  };
  const auto mean = [&](TrafficKind kind) {
    Bytes total = 0;
    const Problem problem = make(kind);
    for (Rank rank = 0; rank < p; ++rank) total += Traffic(problem).sent_bytes(rank);
    return static_cast<double>(total) / static_cast<double>(p * p);
  };
  EXPECT_EQ(mean(TrafficKind::equal), 100);
  EXPECT_NEAR(mean(TrafficKind::uniform), 100, 5);
  EXPECT_NEAR(mean(TrafficKind::normal), 100, 2);
  EXPECT_NEAR(mean(TrafficKind::power_law), 100, 20);
  EXPECT_LE(Traffic(make(TrafficKind::uniform)).longest(), 200);
  EXPECT_GT(Traffic(make(TrafficKind::power_law)).longest(), 1000);

  const Problem spike = make(TrafficKind::spike), sparse = make(TrafficKind::sparse), permutation = make(TrafficKind::permutation);
  const Problem to_one = make(TrafficKind::all_to_one), from_one = make(TrafficKind::one_to_all);
  const Problem halves = make(TrafficKind::groups),
                groups = make_traffic(p, {.kind = TrafficKind::groups, .typical = 100, .senders = 7});
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to) {
      EXPECT_LE(Traffic(groups).bytes(from, to), from < 7 && to >= 7 ? 200 : 0);
      EXPECT_LE(Traffic(halves).bytes(from, to), from < p / 2 && to >= p / 2 ? 200 : 0);
    }
  for (Rank from = 0; from < 7; ++from) EXPECT_NEAR(static_cast<double>(Traffic(groups).sent_bytes(from)), 100 * (p - 7), 1500);
  for (Rank rank = 0; rank < p; ++rank) {
    EXPECT_EQ(Traffic(spike).sent_bytes(rank), 900 + p - 1);
    EXPECT_EQ(Traffic(sparse).sent_by(rank).size(), 5u);
    EXPECT_EQ(Traffic(permutation).sent_bytes(rank), 100);
    EXPECT_EQ(Traffic(permutation).received_bytes(rank), 100);
    EXPECT_EQ(Traffic(to_one).received_bytes(rank), rank == 0 ? 100 * p : 0);
    EXPECT_EQ(Traffic(from_one).sent_bytes(rank), rank == 0 ? 100 * p : 0);
  }
}

TEST(TrafficPatterns, DrawnSizesAreWholeElementsAroundATypicalOne) {
  const std::vector<Bytes> sizes = drawn_sizes(2500, 100);
  EXPECT_EQ(sizes, drawn_sizes(2500, 100));
  EXPECT_EQ(sizes, *make_traffic(50, {.typical = 100}).counts) << "the same as a uniform alltoallv has";
  for (const Bytes size : drawn_sizes(1000, 100, 8)) EXPECT_TRUE(size % 8 == 0 && size >= 0 && size <= 200) << size;
  EXPECT_EQ(drawn_sizes(3, 3, 8), std::vector<Bytes>(3, 0)) << "no element fits";
  EXPECT_TRUE(drawn_sizes(0, 100).empty());
}

TEST(TrafficPatterns, RefuseValuesOutOfRange) {
  EXPECT_THROW(drawn_sizes(4, -1), Error);
  EXPECT_THROW(drawn_sizes(4, 8, 0), Error);
  EXPECT_THROW(drawn_sizes(4, std::numeric_limits<Bytes>::max() / 2), Error);
  EXPECT_NO_THROW(drawn_sizes(4, std::numeric_limits<Bytes>::max() / 2 - 1));
  EXPECT_THROW(drawn_sizes((Count{1} << 24) + 1, 8), Error);
  EXPECT_THROW(make_traffic(0, {}), Error);
  EXPECT_THROW(make_traffic(4, {.typical = -1}), Error);
  EXPECT_THROW(make_traffic(4, {.kind = TrafficKind::sparse, .density = 1.5}), Error);
  EXPECT_THROW(make_traffic(4, {.kind = TrafficKind::groups, .senders = 5}), Error);
  EXPECT_THROW(make_traffic(4, {.kind = TrafficKind::groups, .senders = -1}), Error);
  EXPECT_THROW(make_traffic(4, {.kind = TrafficKind::equal, .typical = Bytes{1} << 62}), Error);
  EXPECT_THROW(make_traffic(4, {.kind = TrafficKind::spike, .most = Bytes{1} << 62}), Error);
}

}  // namespace
}  // namespace quadrille
