// SPDX-License-Identifier: BSD-3-Clause
// Tests which messages a script stages and where, which receives it fuses with their reductions, and the order of its windows and
// tasks.
#include "execute/script/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quadrille/error.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

using ::testing::ElementsAre;

constexpr Bytes line = 64;  // staged messages begin at cache lines

const Regions apart{{Buffer::input, 0, 8, {}}, {Buffer::input, 16, 8, {}}};
const Regions apart_in_output{{Buffer::output, 0, 8, {}}, {Buffer::output, 16, 8, {}}};

Region staging(Bytes offset, Bytes length) { return {Buffer::staging, offset, length, {}}; }

ScriptOptions with(Policy policy) { return {.policy = policy}; }

// Sends two regions to rank 1 and receives two from it.
Program strided_exchange() {
  ProgramBuilder program{0};
  program.begin_round();
  program.send(1, apart);
  program.receive(1, apart_in_output);
  return std::move(program).finish();
}

TEST(Script, StagesMessagesWithGapsInSeparateCacheLines) {
  const Script script = make_script(strided_exchange(), 2, with(Policy::blocking));
  ASSERT_EQ(script.messages.size(), 2u);
  EXPECT_FALSE(script.messages[0].is_send) << "receives are posted first";
  EXPECT_THAT(script.messages[0].regions, ElementsAre(staging(line, 16)));
  EXPECT_THAT(script.messages[1].regions, ElementsAre(staging(0, 16)));
  EXPECT_EQ(script.staging_bytes, 2 * line);

  ASSERT_EQ(script.windows.size(), 1u);
  const Window& window = script.windows[0];
  ASSERT_GT(window.copies_before.size(), 0u);
  for (std::uint32_t i = window.copies_before.first; i < window.copies_before.last; ++i) {
    EXPECT_EQ(script.copies[i].source_buffer, Buffer::input);
    EXPECT_EQ(script.copies[i].target_buffer, Buffer::staging);
  }
  ASSERT_GT(window.copies_after.size(), 0u);
  for (std::uint32_t i = window.copies_after.first; i < window.copies_after.last; ++i) {
    EXPECT_EQ(script.copies[i].source_buffer, Buffer::staging);
    EXPECT_EQ(script.copies[i].target_buffer, Buffer::output);
  }
}

TEST(Script, StagesNothingThatTheTransportTakesDirectly) {
  ScriptOptions strided = with(Policy::blocking), buffered = with(Policy::blocking), too_short = with(Policy::blocking);
  strided.strided_messages = true;
  buffered.buffered_bytes = [](Rank) { return 16; };
  too_short.buffered_bytes = [](Rank) { return 15; };
  for (const ScriptOptions& options : {strided, buffered}) {
    const Script script = make_script(strided_exchange(), 2, options);
    EXPECT_EQ(script.staging_bytes, 0);
    EXPECT_EQ(script.messages[1].regions, apart);
    EXPECT_TRUE(script.copies.empty());
  }
  EXPECT_EQ(make_script(strided_exchange(), 2, too_short).staging_bytes, 2 * line);
}

// Rank 0 sends bytes that a receive of the same round overwrites.
Program replaced() {
  ProgramBuilder program{0};
  program.begin_round();
  program.send(1, {{Buffer::output, 0, 8, {}}});
  program.receive(1, {{Buffer::output, 0, 8, {}}});
  return std::move(program).finish();
}

TEST(Script, PacksASendWhoseMemoryAReceiveOverwrites) {
  const Script packed = make_script(replaced(), 2, with(Policy::blocking));
  EXPECT_THAT(packed.messages[1].regions, ElementsAre(staging(0, 8)));
  EXPECT_FALSE(packed.messages[1].overwritten);
  EXPECT_EQ(packed.messages[0].regions[0].buffer, Buffer::output) << "only the send is packed";

  ScriptOptions options = with(Policy::blocking);
  options.buffered_bytes = [](Rank) { return 64; };
  const Script buffered = make_script(replaced(), 2, options);
  EXPECT_EQ(buffered.messages[1].regions[0].buffer, Buffer::output)
      << "the send is buffered when it is posted, before any bytes arrive";
  EXPECT_TRUE(buffered.messages[1].overwritten);
  EXPECT_EQ(buffered.staging_bytes, 0);
}

// Bytes from a peer without buffering may arrive as soon as the receive is posted, which is before the sends are.
TEST(Script, PacksABufferedSendIfTheReceiveMayArriveBeforeItIsPosted) {
  ProgramBuilder program{0};
  program.begin_round();
  program.send(1, {{Buffer::output, 0, 8, {}}});
  program.receive(2, {{Buffer::output, 0, 8, {}}});
  ScriptOptions options = with(Policy::blocking);
  options.buffered_bytes = [](Rank peer) { return peer == 1 ? Bytes{64} : Bytes{-1}; };
  const Script script = make_script(std::move(program).finish(), 3, options);
  EXPECT_THAT(script.messages[1].regions, ElementsAre(staging(0, 8)));
  EXPECT_FALSE(script.messages[1].overwritten);
}

std::vector<std::uint32_t> successors(const Script& script, std::uint32_t task) {
  const auto& range = script.tasks[task].after_completion;
  return {script.successors.begin() + range.first, script.successors.begin() + range.last};
}

// Three rounds with packed sends alternate between two staging areas.
TEST(Script, RoundsUnderDataflowAlternateBetweenStagingAreas) {
  ProgramBuilder program{0};
  for (int round = 0; round < 3; ++round) {
    program.begin_round();
    program.send(1, apart);
  }
  const Script script = make_script(std::move(program).finish(), 2, with(Policy::dataflow));
  ASSERT_EQ(script.messages.size(), 3u);
  EXPECT_THAT(script.messages[0].regions, ElementsAre(staging(0, 16)));
  EXPECT_THAT(script.messages[1].regions, ElementsAre(staging(line, 16)));
  EXPECT_THAT(script.messages[2].regions, ElementsAre(staging(0, 16)));
  EXPECT_EQ(script.staging_bytes, 2 * line);

  std::vector<std::uint32_t> packing, sending;
  for (std::uint32_t task = 0; task < script.tasks.size(); ++task)
    (script.tasks[task].message == Task::no_message ? packing : sending).push_back(task);
  ASSERT_EQ(packing.size(), 3u);
  ASSERT_EQ(sending.size(), 3u);
  EXPECT_THAT(successors(script, packing[0]), ElementsAre(sending[0]));
  EXPECT_THAT(successors(script, sending[0]), ElementsAre(packing[2])) << "the third round waits for its area";
  EXPECT_TRUE(successors(script, sending[1]).empty());
}

// Receives a block into `received`, then combines it with the output. `between` may add to the first round, `behind` to the second.
Script reducing_script(const Region& received, ScriptOptions options, const std::function<void(ProgramBuilder&)>& between = {},
                       const std::function<void(ProgramBuilder&)>& behind = {}) {
  ProgramBuilder program{0};
  program.scratch(16);
  program.begin_round();
  program.receive(1, {received});
  if (between) between(program);
  program.begin_round();
  program.reduce({received}, {{Buffer::output, 0, 8, {}}}, OperandOrder::target_first);
  if (behind) behind(program);
  options.operation = built_in_operator("sum", "f64");
  options.fuses = true;
  return make_script(std::move(program).finish(), 4, options);
}

bool is_fused(const Script& script) {
  return std::any_of(script.messages.begin(), script.messages.end(),
                     [](const ScriptMessage& message) { return message.effect != Effect::overwrite; });
}

const Region received = {Buffer::scratch, 0, 8, {}};

TEST(Script, FusesAReceiveWithItsOnlyReader) {
  const Script script = reducing_script(received, with(Policy::blocking));
  ASSERT_EQ(script.messages.size(), 1u);
  EXPECT_EQ(script.messages[0].effect, Effect::combine_target_first);
  EXPECT_THAT(script.messages[0].reduced_into, ElementsAre(Region{Buffer::output, 0, 8, {}}));
  EXPECT_EQ(script.messages[0].reduction.size(), 1u) << "for transports that cannot combine this message";
  for (const Window& window : script.windows) EXPECT_EQ(window.copies_before.size(), 0u) << "the reduction is not done twice";
}

TEST(Script, FusesNothingUnlessTheTransportCan) {
  ProgramBuilder program{0};
  program.scratch(8);
  program.begin_round();
  program.receive(1, {received});
  program.begin_round();
  program.reduce({received}, {{Buffer::output, 0, 8, {}}}, OperandOrder::target_first);
  ScriptOptions options = with(Policy::blocking);
  options.operation = built_in_operator("sum", "f64");
  EXPECT_FALSE(is_fused(make_script(std::move(program).finish(), 2, options)));
}

TEST(Script, DoesNotFuseAReceiveWithAnotherReader) {
  EXPECT_FALSE(is_fused(reducing_script({Buffer::output, 8, 8, {}}, with(Policy::blocking)))) << "the caller reads the output";
  const auto forward = [](ProgramBuilder& program) { program.send(2, {received}); };
  EXPECT_FALSE(is_fused(reducing_script(received, with(Policy::blocking), {}, forward)));
}

TEST(Script, DoesNotFuseAcrossARound) {
  const auto another_round = [](ProgramBuilder& program) {
    program.begin_round();
    program.receive(2, {{Buffer::output, 8, 8, {}}});
  };
  EXPECT_FALSE(is_fused(reducing_script(received, with(Policy::blocking), another_round)));
}

// A send of the first round reads the target, which a fused receive would change while the send is under way.
TEST(Script, FusesPastASendOfTheTargetOnlyIfTheSendIsBuffered) {
  const auto send_target = [](ProgramBuilder& program) { program.send(2, {{Buffer::output, 0, 8, {}}}); };
  ScriptOptions options = with(Policy::blocking);
  EXPECT_FALSE(is_fused(reducing_script(received, options, send_target)));
  options.buffered_bytes = [](Rank) { return 64; };
  const Script script = reducing_script(received, options, send_target);
  EXPECT_TRUE(is_fused(script));
  EXPECT_TRUE(script.messages[1].is_send && script.messages[1].overwritten) << "the send must be buffered when it is posted";
}

// Receives from rank 1 and then from rank 2, with their reductions in the same order or crossed. Returns the peers of fused
// receives.
std::vector<Rank> fused_peers(bool crossed, Bytes second_target) {
  const Region second = {Buffer::scratch, 8, 8, {}};
  ProgramBuilder program{0};
  program.scratch(16);
  program.begin_round();
  program.receive(1, {received});
  program.receive(2, {second});
  program.begin_round();
  program.reduce({crossed ? second : received}, {{Buffer::output, 0, 8, {}}}, OperandOrder::target_first);
  program.reduce({crossed ? received : second}, {{Buffer::output, second_target, 8, {}}}, OperandOrder::target_first);
  ScriptOptions options = with(Policy::blocking);
  options.operation = built_in_operator("sum", "f64");
  options.fuses = true;
  const Script script = make_script(std::move(program).finish(), 3, options);
  std::vector<Rank> peers;
  for (const ScriptMessage& message : script.messages)
    if (message.effect != Effect::overwrite) peers.push_back(message.peer);
  return peers;
}

// Fused receives end in the order of their posting, so reductions in another order are not all fused.
TEST(Script, FusedReceivesKeepTheOrderOfTheReductions) {
  EXPECT_THAT(fused_peers(false, 0), ElementsAre(1, 2));
  EXPECT_THAT(fused_peers(false, 8), ElementsAre(1, 2));
  EXPECT_THAT(fused_peers(true, 0), ElementsAre(2)) << "the other receive would be combined with the target too early";
  EXPECT_THAT(fused_peers(true, 8), ElementsAre(1));
}

TEST(Script, HasAWindowForEachRoundOrForIndependentRounds) {
  ProgramBuilder program{0};
  for (int round = 0; round < 2; ++round) {
    program.begin_round();
    program.send(1, {{Buffer::input, 8 * round, 8, {}}});
  }
  const Program rounds = std::move(program).finish();
  EXPECT_EQ(make_script(rounds, 2, with(Policy::blocking)).windows.size(), 2u);
  const Script together = make_script(rounds, 2, with(Policy::nonblocking));
  ASSERT_EQ(together.windows.size(), 1u);
  EXPECT_EQ(together.messages[1].ordinal, 1u) << "both ends count the messages of a pair of ranks";
}

TEST(Script, RefusesTwoControlMessagesToOneRankInARound) {
  ProgramBuilder program{0};
  program.begin_round();
  program.control_send(1, 8);
  program.control_send(1, 8);
  EXPECT_THROW(make_script(std::move(program).finish(), 2, with(Policy::blocking)), Error);
}

// Documents may list regions without bytes. A transport takes the address of a contiguous message from its first region, so that
// must not be an empty one somewhere else.
TEST(Script, DropsRegionsWithoutBytes) {
  Program program{.rank = 0, .stages = {{"exchange", 0, 2}}};
  program.rounds.push_back({.number = 0, .sends = {{1, {{Buffer::input, 16, 0, {}}, {Buffer::input, 0, 8, {}}}, {}}}});
  program.rounds.push_back({.number = 1, .sends = {{1, {}, {}}}});
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
    const Script script = make_script(program, 2, with(policy));
    ASSERT_EQ(script.messages.size(), 2u);
    EXPECT_THAT(script.messages[0].regions, ElementsAre(Region{Buffer::input, 0, 8, {}}));
    EXPECT_THAT(script.messages[1].regions, ElementsAre());
  }
}

}  // namespace
}  // namespace quadrille
