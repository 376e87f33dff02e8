// SPDX-License-Identifier: BSD-3-Clause
#include "verify/causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace quadrille {
namespace {

using Between = Likeness::Between;
using Kind = NamedOperation::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<Stage> two_stages{{"one", 0, 2}, {"two", 2, 4}};

NamedOperation message(Count round, Rank from, Rank to) { return {round, Kind::message, from, to}; }

Likeness of_messages(Count first, Count last, Between between, Count value) { return {Kind::message, first, last, between, value}; }

TEST(Likeness, HasTheRoundItsStageAndAllRounds) {
  EXPECT_THAT(
      likenesses(message(3, 6, 1), two_stages, 7),
      ElementsAre(
          of_messages(3, 3, Between::distance, 2), of_messages(3, 3, Between::exclusive_or, 7), of_messages(3, 3, Between::sum, 0),
          of_messages(3, 3, Between::sender, 6), of_messages(3, 3, Between::receiver, 1), of_messages(3, 3, Between::any, 0),
          of_messages(2, 5, Between::distance, 2), of_messages(2, 5, Between::exclusive_or, 7), of_messages(2, 5, Between::sum, 0),
          of_messages(2, 5, Between::sender, 6), of_messages(2, 5, Between::receiver, 1), of_messages(2, 5, Between::any, 0),
          of_messages(0, 5, Between::distance, 2), of_messages(0, 5, Between::exclusive_or, 7), of_messages(0, 5, Between::sum, 0),
          of_messages(0, 5, Between::sender, 6), of_messages(0, 5, Between::receiver, 1), of_messages(0, 5, Between::any, 0)));
  EXPECT_THAT(likenesses({0, Kind::copy, 2, 2}, {{"only", 0, 1}}, 4),
              ElementsAre(Likeness{Kind::copy, 0, 0, Between::distance, 0}, Likeness{Kind::copy, 0, 0, Between::sender, 2},
                          Likeness{Kind::copy, 0, 0, Between::any, 0}));
}

// A rank that does not exist has no distance; the extreme ones cause no overflow.
TEST(Likeness, KnowsNoDistanceOrSumOfRanksThatDoNotExist) {
  for (const Rank to : {Rank{4}, Rank{-1}, std::numeric_limits<Rank>::min(), std::numeric_limits<Rank>::max()})
    for (const Likeness& likeness : likenesses(message(0, 2, to), {}, 4))
      EXPECT_TRUE(likeness.between != Between::distance && likeness.between != Between::sum);
}

TEST(Likeness, IsSystematicFromABorderOn) {
  const Likeness at_ranks = of_messages(3, 3, Between::distance, 2), of_rounds = of_messages(0, 5, Between::distance, 2),
                 of_sender = of_messages(3, 3, Between::sender, 2);
  EXPECT_FALSE(is_systematic(at_ranks, 8, 16));
  EXPECT_TRUE(is_systematic(at_ranks, 9, 16));
  for (const Likeness& likeness : {of_rounds, of_sender, of_messages(-1, -1, Between::distance, 2)}) {
    EXPECT_FALSE(is_systematic(likeness, 11, 16));
    EXPECT_TRUE(is_systematic(likeness, 12, 16));
  }
  EXPECT_TRUE(is_systematic(at_ranks, 2, 2)) << "both of two ranks";
  EXPECT_FALSE(is_systematic(at_ranks, 2, 3));
  EXPECT_FALSE(is_systematic(of_rounds, 2, 2));
  EXPECT_FALSE(is_systematic(at_ranks, 1, 1));
}

TEST(Likeness, IsSaid) {
  const Likeness at_ranks = of_messages(3, 3, Between::distance, 2);
  EXPECT_EQ(text_of(at_ranks, 16, 16, 16), "the same at every rank");
  EXPECT_EQ(text_of(at_ranks, 15, 16, 16), "the same at 15 of 16 ranks");
  EXPECT_EQ(text_of(at_ranks, 7, 8, 16), "the same for 7 of 8 messages from a rank r to rank r + 2 (mod 16) in round 3");
  EXPECT_EQ(text_of(of_messages(0, 3, Between::any, 0), 60, 64, 16), "the same for 60 of 64 messages in rounds 0 to 3");
  EXPECT_EQ(text_of(of_messages(0, 3, Between::sender, 5), 4, 4, 16), "the same for 4 of 4 messages from rank 5 in rounds 0 to 3");
  EXPECT_EQ(text_of(of_messages(-1, -1, Between::receiver, 5), 14, 15, 16), "the same for 14 of 15 messages to rank 5");
  EXPECT_EQ(text_of(of_messages(0, 1, Between::sum, 3), 5, 6, 8),
            "the same for 5 of 6 messages from a rank r to rank 3 - r (mod 8) in rounds 0 to 1");
  EXPECT_EQ(text_of({Kind::reduce, 0, 3, Between::exclusive_or, 4}, 3, 4, 16),
            "the same for 3 of 4 reductions from a rank r to rank r ^ 4 in rounds 0 to 3");
  EXPECT_EQ(text_of({Kind::copy, 0, 1, Between::any, 0}, 3, 4, 16, "places"), "the same for 3 of 4 places in rounds 0 to 1");
}

TEST(Patterns, TellHowWellAMissingOperationFits) {
  const Patterns patterns({message(0, 0, 1), message(0, 1, 2), message(0, 2, 3), message(1, 0, 2), message(1, 1, 3)}, 4);
  EXPECT_EQ(patterns.fit(message(0, 3, 0)), 3) << "the ring lacks it";
  EXPECT_EQ(patterns.fit(message(1, 3, 0)), 0) << "of another round";
  EXPECT_EQ(patterns.fit(message(1, 2, 0)), 2);
  EXPECT_EQ(patterns.fit(message(0, 2, 3)), 0) << "it is there";
  EXPECT_EQ(patterns.fit({0, Kind::copy, 3, 0}), 0) << "of another kind";
  EXPECT_EQ(patterns.fit(message(0, 1, 0)), 2) << "by exclusive or, as 0 to 1 and 2 to 3";
}

std::vector<AlikeGroup> groups_of(const std::vector<NamedOperation>& wrong, const SetSizes& all,
                                  const std::vector<std::pair<std::size_t, std::size_t>>& together = {}) {
  return alike_groups(wrong, together, {}, 4, [&](SetSizes& sizes) {
    for (auto& [likeness, size] : sizes)
      if (const auto known = all.find(likeness); known != all.end()) size = known->second;
  });
}

TEST(AlikeGroups, UniteWhatIsSystematic) {
  const std::vector<NamedOperation> wrong{message(0, 0, 1), message(0, 1, 2), message(1, 3, 2), message(0, 3, 0)};
  SetSizes all;
  for (const NamedOperation& operation : wrong)
    for (const Likeness& likeness : likenesses(operation, {}, 4)) all[likeness] = 100;
  EXPECT_THAT(groups_of(wrong, all), SizeIs(4)) << "too few of each set";
  all[of_messages(0, 0, Between::distance, 1)] = 4;
  const std::vector<AlikeGroup> groups = groups_of(wrong, all);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].members, ElementsAre(0, 1, 3));
  EXPECT_EQ(groups[0].text, "the same at 3 of 4 ranks");
  EXPECT_THAT(groups[1].members, ElementsAre(2));
  EXPECT_EQ(groups[1].text, "");
}

TEST(AlikeGroups, UniteWhatBelongsTogether) {
  const std::vector<NamedOperation> wrong{message(0, 0, 1), message(0, 1, 3), message(1, 3, 2), message(2, 3, 0)};
  SetSizes none;
  for (const NamedOperation& operation : wrong)
    for (const Likeness& likeness : likenesses(operation, {}, 4)) none[likeness] = 100;
  const std::vector<AlikeGroup> groups = groups_of(wrong, none, {{3, 1}, {1, 0}});
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].members, ElementsAre(0, 1, 3));
  EXPECT_EQ(groups[0].text, "");
  EXPECT_THAT(groups[1].members, ElementsAre(2));
  EXPECT_THAT(groups_of({}, {}), IsEmpty());
}

}  // namespace
}  // namespace quadrille
