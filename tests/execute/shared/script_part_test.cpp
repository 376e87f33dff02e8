// SPDX-License-Identifier: BSD-3-Clause
// Tests the part of a script whose messages go to some of the peers.
#include "execute/shared/hybrid_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

using ::testing::ElementsAre;

constexpr Rank ranks = 4;

// Rank 0 sends to ranks 1, 2 and 3 in one window, and to rank 2 alone in the next.
Script script_of_two_windows() {
  ProgramBuilder program{0};
  program.begin_round();
  for (Rank peer = 1; peer < ranks; ++peer) program.send(peer, {{Buffer::input, 8 * peer, 8, {}}});
  program.begin_round();
  program.send(2, {{Buffer::input, 0, 8, {}}});
  return make_script(std::move(program).finish(), ranks, {.policy = Policy::blocking});
}

std::vector<Rank> peers(const Script& script) {
  std::vector<Rank> list;
  for (const ScriptMessage& message : script.messages) list.push_back(message.peer);
  return list;
}

TEST(ScriptPart, HasTheMessagesOfItsPeersWithTheirRanksInThePart) {
  const Script whole = script_of_two_windows();
  const ScriptPart odd = part_of(whole, [](Rank peer) { return peer % 2 == 1 ? std::optional<Rank>(peer / 2) : std::nullopt; });
  EXPECT_THAT(peers(*odd.script), ElementsAre(0, 1));
  EXPECT_THAT(odd.of_whole, ElementsAre(0u, 2u));
  for (std::size_t i = 0; i < odd.of_whole.size(); ++i)
    EXPECT_EQ(odd.script->messages[i].regions, whole.messages[odd.of_whole[i]].regions);
}

// The parts run side by side, window by window, so each must have all windows.
TEST(ScriptPart, HasEveryWindowOfTheWhole) {
  const Script whole = script_of_two_windows();
  const auto windows_with = [&](const std::function<bool(Rank)>& is_in_part) {
    const ScriptPart part = part_of(whole, [&](Rank peer) { return is_in_part(peer) ? std::optional(peer) : std::nullopt; });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
    for (const Window& window : part.script->windows) list.emplace_back(window.messages.first, window.messages.last);
    return list;
  };
  EXPECT_THAT(windows_with([](Rank peer) { return peer == 2; }), ElementsAre(std::pair(0u, 1u), std::pair(1u, 2u)));
  EXPECT_THAT(windows_with([](Rank peer) { return peer != 2; }), ElementsAre(std::pair(0u, 2u), std::pair(2u, 2u)));
  EXPECT_THAT(windows_with([](Rank) { return false; }), ElementsAre(std::pair(0u, 0u), std::pair(0u, 0u)));
}

TEST(ScriptPart, HasNeitherCopiesNorMemory) {
  ProgramBuilder program{0};
  program.scratch(8);
  program.begin_round();
  program.copy({{Buffer::input, 0, 8, {}}}, {{Buffer::scratch, 0, 8, {}}});
  program.send(1, {{Buffer::scratch, 0, 8, {}}});
  const Script whole = make_script(std::move(program).finish(), 2, {.policy = Policy::blocking, .longest_message = 4096});
  ASSERT_FALSE(whole.copies.empty());
  const ScriptPart part = part_of(whole, [](Rank peer) { return std::optional(peer); });
  EXPECT_TRUE(part.script->copies.empty());
  EXPECT_EQ(part.script->scratch_bytes, 0);
  EXPECT_EQ(part.script->staging_bytes, 0);
  EXPECT_EQ(part.script->windows[0].copies_before.size(), 0u);
  EXPECT_EQ(part.script->longest_message, 4096);
  EXPECT_EQ(part.script->ranks, 2);
}

}  // namespace
}  // namespace quadrille
