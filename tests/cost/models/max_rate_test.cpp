// SPDX-License-Identifier: BSD-3-Clause
// The max-rate model [gropp2016] with its extensions: each part of the formula alone, on both sides of the border at which another
// part decides.
#include <gtest/gtest.h>

#include "quadrille/model.hpp"

namespace quadrille {
namespace {

const Model& model = *find_model("max-rate");

// A machine on which everything is free except what `costs` names.
Coefficients only(const Coefficients& costs) {
  Coefficients all;
  for (const Coefficient& coefficient : model.coefficients)
    if (coefficient.required || coefficient.standard) all[std::string(coefficient.key)] = 0;
  for (const auto& [key, value] : costs) all[key] = value;
  return all;
}

Workload of(std::vector<RoundFigures> rounds, bool in_pieces = false) {
  return {.stages = {{.startups = 1, .in_pieces = in_pieces, .rounds = std::move(rounds)}}, .has_work = true};
}

double us(const Workload& work, const Coefficients& costs, Policy policy = Policy::blocking) {
  return price_of(work, model, only(costs)).seconds(policy) * 1e6;
}

// One rank sends 100 bytes; its node sends `exchanged`.
Workload outside(Bytes exchanged) {
  return of({{.messages = 1, .exchanged = exchanged, .outside_messages = 1, .outside_bytes = 100, .node_outside_messages = 1}});
}

TEST(MaxRateModel, ChargesTheSlowerOfRankAndNode) {
  const Coefficients costs{{"us_per_byte", 2}, {"node_us_per_byte", 0.5}};
  EXPECT_DOUBLE_EQ(us(outside(100), costs), 200) << "the rank's rate";
  EXPECT_DOUBLE_EQ(us(outside(400), costs), 200) << "four ranks reach the node's rate";
  EXPECT_DOUBLE_EQ(us(outside(402), costs), 201) << "the node's rate";
}

TEST(MaxRateModel, KeepsTheMessagesOfANodeApart) {
  const auto messages = [](Count of_rank, Count of_node) {
    return of({{.messages = of_rank, .outside_messages = of_rank, .node_outside_messages = of_node}});
  };
  const Coefficients costs{{"startup_us", 6}, {"node_gap_us", 2}};
  EXPECT_DOUBLE_EQ(us(messages(2, 6), costs), 12) << "two start-ups; six gaps are as long";
  EXPECT_DOUBLE_EQ(us(messages(2, 7), costs), 14);
}

// The first bytes of each message have rates of their own.
TEST(MaxRateModel, DividesMessagesWithinANodeByPosition) {
  const auto inside = [](Count messages, Bytes bytes) {
    return of({{.messages = messages,
                .node_inside_messages = messages,
                .node_inside_bytes = bytes,
                .taken_messages = messages,
                .taken_bytes = bytes,
                .with_copied = bytes,
                .with_combined = bytes}});
  };
  const Coefficients costs{
      {"inside_1k_us_per_byte", 8}, {"inside_16k_us_per_byte", 4}, {"inside_128k_us_per_byte", 2}, {"inside_us_per_byte", 1}};
  constexpr double k = 1024;
  EXPECT_DOUBLE_EQ(us(inside(1, 1023), costs), 1023 * 8);
  EXPECT_DOUBLE_EQ(us(inside(1, 1024), costs), k * 8);
  EXPECT_DOUBLE_EQ(us(inside(1, 1025), costs), k * 8 + 4);
  EXPECT_DOUBLE_EQ(us(inside(1, 16 << 10), costs), k * 8 + 15 * k * 4);
  EXPECT_DOUBLE_EQ(us(inside(1, (128 << 10) + 1), costs), k * 8 + 15 * k * 4 + 112 * k * 2 + 1);
  EXPECT_DOUBLE_EQ(us(inside(3, 3 * 1025), costs), 3 * (k * 8 + 4)) << "each of three messages";
  EXPECT_DOUBLE_EQ(us(inside(1, 2000), {{"inside_us_per_byte", 1}}), 2000) << "one rate, if the file names no other";
  EXPECT_DOUBLE_EQ(us(inside(1, 2000), {{"inside_us_per_byte", 1}, {"memory_us_per_byte", 3}}), 6000) << "the node's memory";
  EXPECT_DOUBLE_EQ(us(inside(4, 0), {{"inside_startup_us", 5}}), 20);
}

// Ranks that share cores take at least the node's work divided by its cores.
TEST(MaxRateModel, SharesTheCoresOfANode) {
  const Workload work = of({{.messages = 0, .with_copied = 10, .with_combined = 20, .node_copied = 41, .node_combined = 20}});
  EXPECT_DOUBLE_EQ(us(work, {{"copy_us_per_byte", 1}}), 10) << "a core for each rank";
  EXPECT_DOUBLE_EQ(us(work, {{"copy_us_per_byte", 1}, {"cores", 5}}), 10);
  EXPECT_DOUBLE_EQ(us(work, {{"copy_us_per_byte", 1}, {"cores", 4}}), 11) << "41 bytes on 4 cores";
  EXPECT_DOUBLE_EQ(us(work, {{"combine_us_per_byte", 1}, {"cores", 4}}), 9) << "61 bytes on 4 cores take 20, 41 take 11";
  EXPECT_DOUBLE_EQ(us(work, {{"combine_us_per_byte", 1}, {"cores", 2}}), 10) << "61 bytes on 2 cores take 31, 41 take 21";
}

// One rank takes 100 bytes from others, another one copies 60 and takes 10: only what exceeds the busiest rank's bytes is added.
TEST(MaxRateModel, LetsARankCopyWhileOthersReceive) {
  const auto round = [](Bytes with_copied, Bytes with_combined) {
    return of(
        {{.messages = 1, .taken_messages = 1, .taken_bytes = 100, .with_copied = with_copied, .with_combined = with_combined}});
  };
  const Coefficients costs{{"inside_us_per_byte", 1}, {"copy_us_per_byte", 2}, {"combine_us_per_byte", 3}};
  EXPECT_DOUBLE_EQ(us(round(100, 100), costs), 100);
  EXPECT_DOUBLE_EQ(us(round(130, 130), costs), 100 + 2 * 30);
  EXPECT_DOUBLE_EQ(us(round(130, 140), costs), 100 + 2 * 30 + 3 * 10);
}

// Rounds and operations have fixed times only if ranks wait for each other in a cycle. Rounds without messages make nobody wait.
TEST(MaxRateModel, ChargesWaitingOnlyInCycles) {
  const auto rounds = [](bool in_cycle) {
    return of({{.number = 0, .messages = 1, .in_cycle = in_cycle},
               {.number = 1, .messages = 1, .in_cycle = in_cycle},
               {.number = 2, .messages = 0, .with_copied = 1, .with_combined = 1, .in_cycle = in_cycle}});
  };
  const Coefficients costs{{"round_us", 3}, {"operation_us", 100}};
  EXPECT_DOUBLE_EQ(us(rounds(false), costs), 0);
  EXPECT_DOUBLE_EQ(us(rounds(true), costs), 100 + 2 * 3);
  EXPECT_DOUBLE_EQ(us(rounds(true), costs, Policy::nonblocking), 100 + 3) << "messages of a stage are in flight together";
  Workload chained = rounds(true);
  chained.stages.front().is_chained = true;
  EXPECT_DOUBLE_EQ(us(chained, costs, Policy::nonblocking), 100 + 2 * 3) << "the second round sends what the first received";
  Workload two_stages = rounds(true);
  two_stages.stages.push_back(two_stages.stages.front());
  EXPECT_DOUBLE_EQ(us(two_stages, costs), 100 + 4 * 3) << "the operation's time only once";
  EXPECT_DOUBLE_EQ(us(two_stages, costs, Policy::dataflow), 100 + 2 * 3);
}

TEST(MaxRateModel, ChargesPackingOfStagesInPieces) {
  const std::vector<RoundFigures> rounds{
      {.messages = 2, .outside_messages = 1, .outside_bytes = 10, .taken_messages = 1, .taken_bytes = 30}};
  EXPECT_DOUBLE_EQ(us(of(rounds), {{"pack_us_per_byte", 1}}), 0);
  EXPECT_DOUBLE_EQ(us(of(rounds, true), {{"pack_us_per_byte", 1}}), 40);
}

TEST(MaxRateModel, NeedsTheWorkOfRanksAndNodes) {
  Workload work = outside(100);
  work.has_work = false;
  EXPECT_NE(applies(model, work).error().find("--node-sizes"), std::string::npos);
}

}  // namespace
}  // namespace quadrille
