// SPDX-License-Identifier: BSD-3-Clause
// The text format of wisdom.
#include <gtest/gtest.h>

#include <random>

#include "quadrille/wisdom.hpp"
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
  expect_refused(with("irregularity=2", "irregularity=3"), "powers of two");
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

}  // namespace
}  // namespace quadrille
