// SPDX-License-Identifier: BSD-3-Clause
// What follows from a mistake, such as broken rules and wrong results, belongs to its cause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "quadrille/indexed.hpp"
#include "verify/broken_exchange.hpp"
#include "verify/changed_schedule.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// One operation that is wrong breaks rules besides those about its bytes.
TEST(Consequences, WhatOneMistakeBreaksIsOneCause) {
  const Schedule direct = make_schedule(Problem::alltoall(6, 8), "direct");
  const auto twice = [](std::vector<Program>& programs) {
    std::vector<Message>& receives = programs[0].rounds[0].receives;
    receives.push_back(receives.front());
  };
  const std::map<std::string, FaultCauses> all{
      {"receive into input", causes_after(direct, [](auto& p) { p[0].rounds[0].receives[0].regions[0].buffer = in; })},
      {"receive twice", causes_after(direct, twice)},
      {"receive twice, bruck", causes_after(make_schedule(Problem::alltoall(8, 8), "bruck"), twice)},
      {"wrong receiver", causes_after(direct, [](auto& p) { p[0].rounds[0].sends[2].peer = p[0].rounds[0].sends[3].peer; })},
      {"send one round late", causes_after(make_schedule(Problem::alltoall(6, 8), "ring"),
                                           [](auto& p) {
                                             std::vector<Round>& rounds = p[5].rounds;
                                             rounds[1].sends.push_back(rounds[0].sends[0]);
                                             rounds[0].sends.clear();
                                           })},
      {"reach out of the output", causes_after(direct, [](auto& p) { p[2].rounds[0].receives[0].regions[0].offset = 48; })}};
  for (const auto& [what, causes] : all) EXPECT_EQ(causes.causes.size(), 1u) << what;
  EXPECT_EQ(all.at("receive into input").causes[0].kind, CauseKind::wrong_target);
  EXPECT_EQ(all.at("wrong receiver").causes[0].kind, CauseKind::unfinished);
  EXPECT_THAT(all.at("reach out of the output").causes[0].message, ::testing::HasSubstr("reaches outside a buffer of 48 bytes"));
}

// What a reduction reads instead, and all results that come from it, follow from the receive that is not there.
TEST(Consequences, AReceiveThatAReductionLacksIsOneCause) {
  const Problem problem = Problem::allreduce(6, 48);
  for (const char* algorithm : {"circulant", "rabenseifner", "reduce-scatter-allgather"}) {
    const ChangedSchedule base(make_schedule(problem, algorithm));
    int one = 0;
    for (const Sent& sent : base.messages) {
      std::vector<Program> changed = base.programs;
      auto& receives = changed[sent.receiver].rounds[sent.receive_round].receives;
      receives.erase(receives.begin() + static_cast<std::ptrdiff_t>(sent.receive));
      const FaultCauses causes = causes_of_wrong(base.with(changed));
      one += causes.causes.size() == 1 ? 1 : 0;
      EXPECT_TRUE(names(causes.causes.front(), sent)) << algorithm;
    }
    EXPECT_GE(100 * one, 90 * size(base.messages)) << algorithm << ": " << one << " of " << base.messages.size();
  }
}

// A message that reads behind what was written, and the one that wrote it before, could both be moved. Only one of the two ways
// leaves a hole in scratch.
TEST(Consequences, TheReaderIsBlamedIfTheWriterWouldLeaveAHole) {
  Problem problem = Problem::alltoall(5, 8);
  problem.nodes = {0, 0, 1, 1, 1};
  const FaultCauses causes = causes_after(make_schedule(problem, "combined"), [](std::vector<Program>& programs) {
    for (Round& round : programs[0].rounds)
      for (Message& send : round.sends)
        if (send.peer == 2) send.regions.back().offset += 8;
  });
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::wrong_source);
  EXPECT_EQ(causes.causes[0].operation->from, 0);
  EXPECT_EQ(causes.causes[0].operation->to, 2);
}

}  // namespace
}  // namespace quadrille
