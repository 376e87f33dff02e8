// SPDX-License-Identifier: BSD-3-Clause
// Which windows are received by one list, and what the list has.
#include "execute/shared/planned/dense_windows.hpp"

#include <gtest/gtest.h>

#include "quadrille/program_builder.hpp"
#include "support/apart.hpp"

namespace quadrille::testing {
namespace {

// In each window, each of two ranks sends these regions to the other.
void with_windows(const std::vector<std::vector<Region>>& windows,
                  const std::function<void(const Script&, const Connected&, const DenseWindows&)>& check) {
  run_apart(2, {.core_for_every_rank = false, .costs = costs_of_copying_once(0)}, [&](SharedCommunicator& ranks) {
    ProgramBuilder program{ranks.rank()};
    for (const std::vector<Region>& regions : windows) {
      program.begin_round();
      for (const Region& region : regions) {
        program.send(1 - ranks.rank(), {region});
        program.receive(1 - ranks.rank(), {{Buffer::output, region.offset, region.length, {}}});
      }
    }
    const Script script = make_script(std::move(program).finish(), 2, {.strided_messages = true});
    const Connected made = connected(*ranks.space(), ranks.costs(), script);
    check(script, made, DenseWindows(script, made.layout, made.connection));
    ranks.barrier();
  });
}

TEST(DenseWindows, AreThoseOfWhichAllMessagesAreShort) {
  const Region short_one{Buffer::input, 0, 100, {}}, other{Buffer::input, 100, 8, {}}, long_one{Buffer::input, 200, 100'000, {}};
  with_windows({{short_one, other}, {short_one, long_one}, {long_one}, {other}},
               [](const Script& script, const Connected&, const DenseWindows& windows) {
                 ASSERT_EQ(script.windows.size(), 4U);
                 const bool expected[] = {true, false, false, true};
                 for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(windows.is_dense(i), expected[i]) << i;
                 EXPECT_FALSE(windows.is_dense(4));
                 EXPECT_EQ(windows[0].receives.size(), 2U);
                 EXPECT_EQ(windows[3].receives.first, 2U) << "windows that are not dense have no receives in the list";
               });
}

TEST(DenseWindows, FindTheSamePlacesAsTheMessages) {
  with_windows({{{Buffer::input, 0, 100, {}}, {Buffer::input, 128, 8, {}}}},
               [](const Script& script, const Connected& made, const DenseWindows& windows) {
                 for (std::uint32_t place = 0; place < 2; ++place) {
                   const DenseReceive& dense = windows.receive(place);
                   const Connection::Receive& receive = made.connection.receives[dense.message];
                   EXPECT_FALSE(script.messages[dense.message].is_send);
                   EXPECT_EQ(dense.target, receive.target);
                   EXPECT_EQ(dense.length, receive.length);
                   for (std::uint64_t execution = 1; execution < 5; ++execution) {
                     EXPECT_EQ(dense.head(execution), receive.blocks.of(execution) + receive.head);
                     EXPECT_EQ(dense.head(execution) + dense.payload, receive.blocks.of(execution) + receive.payload);
                   }
                 }
               });
}

}  // namespace
}  // namespace quadrille::testing
