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
  EXPECT_TRUE(sentence.starts_with("the wisdom 'it': ")) << sentence;
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
  EXPECT_NE(
      text.find(R"({"median_us":300000.0,"lower_us":0.0,"upper_us":1000000.0,"executor":"hybrid","policy":"dataflow","buffers":1)"),
      std::string::npos);
  EXPECT_EQ(parse_wisdom(wisdom_text({}), "it"), Wisdom{});
}

TEST(WisdomText, IsRefusedWithPlaceAndReason) {
  const std::string text = wisdom_text(sample());
  const auto with = [&](const std::string& from, const std::string& to) { return changed(text, from, to); };
  expect_refused("", "the document is not JSON");
  expect_refused("hello", "the document is not JSON: line 1");
  expect_refused("[]", "expected an object, found an array");
  expect_refused("quadrille-wisdom 3\nalgorithms 1\n", "it has the form of an older version of quadrille");
  expect_refused(with(R"("quadrille_wisdom":4)", R"("quadrille_wisdom":5)"),
                 "quadrille_wisdom: this version of quadrille reads version 4 of the format, not 5");
  const std::size_t table = text.find(R"("algorithms":")") + 14;
  expect_refused(with(text.substr(table, 16), "012345789abcdef"), "algorithms: it is for the algorithms of another version");
  expect_refused(with("processor", "procesor"), "machine: expected a key 'processor', found none");
  expect_refused(with(R"("cores":8)", R"("cores":"eight")"), "machine.cores: expected a whole number");
  expect_refused(with(R"("processor":"AMD)", R"("processor":"\u0007AMD)"), "machine.processor: there is a control character");
  expect_refused(with(R"("races")", R"("rices")"), "expected a key 'races', found none");
  expect_refused(with(R"("collective":"alltoall")", R"("collective":"alltoal")"),
                 "races[0].collective: there is no 'alltoal' here");
  expect_refused(with(R"("ranks":4)", R"("ranks":"x")"), "races[0].ranks: expected a whole number");
  expect_refused(with(R"("ranks":4)", R"("ranks":-4)"), "races[0].ranks: expected a whole number");
  expect_refused(with(R"("ranks":4)", R"("ranks":99999999999999999999)"), "races[0].ranks: expected a whole number");
  expect_refused(with(R"("ranks":4,"nodes":1)", R"("ranks":4,"nodes":5)"), "races[0]: 4 ranks cannot be on 5 nodes");
  expect_refused(with(R"("ranks_of_node":4)", R"("ranks_of_node":3)"), "none can be the largest with 3 ranks");
  expect_refused(with(R"("repetitions":15)", R"("repetitions":0)"), "at least one repetition");
  expect_refused(with(R"("repetitions":15)", R"("repetitions":4294967296)"), "races[0].repetitions: expected a whole number");
  expect_refused(with("2026-11-22", "2026-13-22"), "is not a date");
  expect_refused(with(R"("median_us":2.0)", R"("median_us":"2s")"), "races[0].ways[0].median_us: expected a number");
  expect_refused(with(R"("algorithm":"vendor")", R"("algorithm":"")"), "algorithm: expected an algorithm");
  expect_refused(with(R"("median_us":2.0)", R"("median_us":-2)"), "expected a number, 0 or more");
  expect_refused(with(R"("median_us":2.0)", R"("median_us":1e300)"), "from 1e-9 us");
  expect_refused(with(R"("median_us":2.0)", R"("median_us":0)"), "the median is more than 0");
  expect_refused(with(R"("median_us":2.0)", R"("median_us":200)"), "in its interval");
  expect_refused(with(R"("upper_us":4.0)", R"("upper_us":1.0)"), "in its interval");
  expect_refused(with(R"("median_us":4.0,"lower_us":2.0)", R"("median_us":1.0,"lower_us":1.0)"), "the fastest way must come first");
  expect_refused(with(R"("executor":"shared")", R"("executor":"automatic")"), "there is no 'automatic' here");
  expect_refused(with(R"("policy":"blocking")", R"("policy":"blockin")"), "there is no 'blockin' here");
  expect_refused(with(R"("buffers":1)", R"("buffers":3)"), "1 or 2 buffers");
  expect_refused(with("bruck:ports=1,radix=4", "brook:radix=4"),
                 "races[0].ways[0].algorithm: there is no alltoall algorithm 'brook'");
  expect_refused(with("radix=4", "rodix=4"), "alltoall/bruck has no parameter 'rodix'");
  expect_refused(with("radix=4", "radix=best-of-all"), "radix=best-of-all is not a number");
  expect_refused(with("radix=4", "radix=-4"), "radix=-4 is not a number");
  expect_refused(with(R"("executor":"mpi","policy":"blocking","buffers":2,"algorithm":"vendor")",
                      R"("executor":"shared","policy":"blocking","buffers":2,"algorithm":"bruck:ports=1,radix=4")"),
                 "occurs twice in a race");
  expect_refused(with(R"("block_bytes":64)", R"("block_bytes":8)"), "this situation occurs twice");
  expect_refused(with("13:05:22.123", "12:00:00.000"), "this situation occurs twice, with the same date and time");
  for (const char* time :
       {"24:00:00.000", "13:60:22.123", "13:05:60.123", "13:05:22", "13:05:22.1234", "13:05:22,123", "13:0x:22.123"})
    expect_refused(with("13:05:22.123", time), "is not a time such as");
  expect_refused(with(R"("others":1.5)", R"("others":-1)"), "expected a number, 0 or more");
  expect_refused(with(R"("others":1.5)", R"("others":1e7)"), "from 0 to 1e6 cores");
  expect_refused(with(R"("skew":4)", R"("skew":3)"), "powers of two");
  expect_refused(with(R"("irregularity":2)", R"("irregularity":3)"), "powers of two");
  expect_refused(with(R"("counts_known":false)", R"("counts_known":"own")"), "counts_known: expected true or false");
  expect_refused(with(R"("combining":"fixed_tree")", R"("combining":"tree")"), "combining: there is no 'tree' here");
  expect_refused(with(R"("combining":"any_order")", R"("combining":"rank_order")"), "alltoall combines nothing");
  expect_refused(with(R"("startup_us")", R"("start_us")"), "fits[0]: the coefficient 'startup_us' is missing");
  expect_refused(with(R"("startup_us":1.25)", R"("startup_us":1.25,"startup_us":2)"), "found a second 'startup_us'");
  expect_refused(with(R"("startup_us":1.25)", R"("startup_us":1.25,"color":2)"), "no coefficient 'color'");
  expect_refused(with(R"("cores":123457.0)", R"("cores":1.5)"), "a whole number");
  expect_refused(with(R"("block_bytes":64,"time_us")", R"("block_bytes":8,"time_us")"),
                 "vendor[0]: sizes are 0 or more, and ascend");
  expect_refused(text.substr(0, text.size() - 3), "the document is not JSON");
  expect_refused(text + "more", "the document is not JSON");
}

// A record that was added without races becomes one race without a time of day.
TEST(WisdomText, LeavesAnUnknownTimeOfDayEmpty) {
  Wisdom wisdom{machine, {}, {}, {}};
  wisdom.add(record(situation(8, 4)));
  const std::string text = wisdom_text(wisdom);
  EXPECT_NE(text.find(R"("time":"")"), std::string::npos);
  EXPECT_EQ(parse_wisdom(text, "it"), wisdom);
}

// Random changes of the text are either refused, or the result can be written and read again.
TEST(WisdomText, IsReadOrRefusedAfterMutations) {
  std::mt19937 random(19);
  const std::string good = wisdom_text(sample());
  static constexpr std::string_view alphabet = "012345789 =\n#.-eraceblock\xff\r\",:[]{}";
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
