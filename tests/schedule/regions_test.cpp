// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/regions.hpp"

#include <gtest/gtest.h>

#include <random>

namespace quadrille {
namespace {

Region run(Buffer buffer, Bytes offset, Bytes length) { return {buffer, offset, length, {}}; }

TEST(Regions, EachListOfARoundIsVisitedOnce) {
  Round round;
  for (const Bytes offset : {1, 3}) {
    Local local;
    local.source = {run(Buffer::input, offset, 1)};
    local.target = {run(Buffer::output, offset + 1, 1)};
    round.locals.push_back(local);
  }
  round.sends.resize(1);
  round.sends[0].regions = {run(Buffer::input, 5, 1)};
  round.receives.resize(2);
  round.receives[0].regions = {run(Buffer::output, 6, 1)};
  round.receives[1].regions = {run(Buffer::output, 7, 1)};
  std::vector<Bytes> offsets;
  for_all_regions(std::as_const(round), [&](const Regions& regions) { offsets.push_back(regions.at(0).offset); });
  EXPECT_EQ(offsets, (std::vector<Bytes>{1, 2, 3, 4, 5, 6, 7}));
  for_all_regions(round, [](Regions& regions) { regions.clear(); });
  EXPECT_TRUE(round.locals[1].target.empty() && round.sends[0].regions.empty() && round.receives[1].regions.empty());
}

TEST(Regions, RunsThatFollowOneAnotherAreMerged) {
  const Region pairs{Buffer::input, 0, 4, {{{2, 4}, {2, 16}, {}}}};  // 0..8 and 16..24
  EXPECT_EQ(merged_runs({pairs}), (Regions{run(Buffer::input, 0, 8), run(Buffer::input, 16, 8)}));
  EXPECT_EQ(merged_runs({pairs, run(Buffer::input, 24, 1), run(Buffer::input, 25, 2)}),
            (Regions{run(Buffer::input, 0, 8), run(Buffer::input, 16, 11)}));
}

TEST(Regions, OtherRunsStayApart) {
  const Regions apart{run(Buffer::input, 4, 4), run(Buffer::input, 0, 4), run(Buffer::output, 4, 4), run(Buffer::output, 9, 1),
                      run(Buffer::output, 9, 1)};
  EXPECT_EQ(merged_runs(apart), apart);
}

TEST(Regions, EmptyRegionsHaveNoRuns) {
  EXPECT_EQ(merged_runs({}), Regions{});
  EXPECT_EQ(merged_runs({run(Buffer::input, 3, 0)}), Regions{});
  EXPECT_EQ(merged_runs({run(Buffer::input, 0, 4), run(Buffer::output, 3, 0), run(Buffer::input, 4, 4)}),
            (Regions{run(Buffer::input, 0, 8)}));
}

TEST(Regions, AreToldInWords) {
  EXPECT_EQ(in_words(run(Buffer::output, 16, 8)), "8 bytes from output[16]");
  EXPECT_EQ(in_words(run(Buffer::scratch, 0, 1)), "1 byte from scratch[0]");
  EXPECT_EQ(in_words({Buffer::input, 24, 8, {{{2, -16}, {}, {}}}}), "8 bytes from input[24], 2 times, -16 bytes apart");
  EXPECT_EQ(in_words({Buffer::input, 8, 4, {{{3, 16}, {}, {2, 64}}}}),
            "4 bytes from input[8], 3 times, 16 bytes apart, all that 2 times, 64 bytes apart");
}

// Random runs, from which other cuts of the same bytes are made; compared with lists of single bytes.
TEST(Regions, AreTheSameBytesHoweverTheyAreCut) {
  std::mt19937_64 random(3);
  const auto below = [&](std::uint64_t n) { return static_cast<Bytes>(random() % n); };
  int equal = 0, different = 0;
  for (int i = 0; i < 20000; ++i) {
    Regions one, other;
    std::vector<std::pair<Buffer, Bytes>> bytes_of_one, bytes_of_other;
    const auto add = [](Regions& regions, auto& bytes, const Region& region) {
      regions.push_back(region);
      for_each_run(region, [&](Bytes offset, Bytes length) {
        for (Bytes byte = 0; byte < length; ++byte) bytes.emplace_back(region.buffer, offset + byte);
      });
    };
    for (Bytes n = 1 + below(3); n > 0; --n) {
      Region runs{below(2) == 0 ? Buffer::input : Buffer::output,
                  below(4),
                  below(4),
                  {{{below(5), below(9) - 4}, {1 + below(2), below(20)}, {}}}};
      add(one, bytes_of_one, runs);
      if (below(8) == 0) runs.offset += 1;
      if (below(4) == 0) {
        add(other, bytes_of_other, runs);
        continue;
      }
      const auto [count, stride] = runs.levels[0];
      const Count first = below(static_cast<std::uint64_t>(count + 1));
      for (Count outer = 0; outer < runs.levels[1].count; ++outer, runs.offset += runs.levels[1].stride) {
        add(other, bytes_of_other, {runs.buffer, runs.offset, runs.length, {Level{first, stride}}});
        for (Count run = first; run < count; ++run) {
          const Bytes cut = below(static_cast<std::uint64_t>(runs.length + 1));
          add(other, bytes_of_other, {runs.buffer, runs.offset + run * stride, cut, {}});
          add(other, bytes_of_other, {runs.buffer, runs.offset + run * stride + cut, runs.length - cut, {}});
        }
      }
    }
    ASSERT_EQ(are_same_bytes(one, other), bytes_of_one == bytes_of_other);
    ++(bytes_of_one == bytes_of_other ? equal : different);
  }
  EXPECT_GT(equal, 5000);
  EXPECT_GT(different, 1000);
}

}  // namespace
}  // namespace quadrille
