// SPDX-License-Identifier: BSD-3-Clause
// Barriers: their rounds, that all ranks are held back under every policy, and that the verifier finds missing
// messages.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST(Barrier, HasTheFewestRoundsForItsPorts) {
  for (Count p = 1; p <= 130; ++p)
    for (Count k = 1; k <= std::min<Count>(9, std::max<Count>(1, p - 1)); ++k) {
      const Problem problem = problem_of(Collective::barrier, p, 0);
      const Schedule schedule = make_schedule(problem, "dissemination:ports=" + std::to_string(k));
      Count rounds = 0;
      for (Count reached = 1; reached < p; reached *= k + 1) ++rounds;
      const Figures counted = figures(schedule);
      ASSERT_EQ(counted.c1, rounds) << p << ' ' << k;
      ASSERT_EQ(counted.c2, 0);
      ASSERT_EQ(lower_bounds(problem, k)[0].value, rounds);
      for (const Round& round : schedule.program(p / 2).rounds) ASSERT_LE(static_cast<Count>(round.control_sends.size()), k);
    }
}

TEST(Barrier, OthersHaveTheRoundsAndMessagesOfTheirIdeas) {
  for (Count p = 1; p <= 70; ++p) {
    const auto counted = [&](const char* algorithm) {
      const Schedule schedule = make_schedule(problem_of(Collective::barrier, p, 0), algorithm);
      Count messages = 0;
      for (Rank rank = 0; rank < p; ++rank)
        for (const Round& round : schedule.program(rank).rounds) messages += static_cast<Count>(round.control_sends.size());
      return std::pair(figures(schedule).c1, messages);
    };
    Count depth = 0, power = 1;
    for (Count reached = 1; reached < p; reached *= 2) ++depth;
    while (2 * power <= p) power *= 2;
    const Count beyond = p - power, steps = beyond > 0 ? depth - 1 : depth;
    ASSERT_EQ(counted("linear"), std::pair(p > 1 ? Count{2} : Count{0}, 2 * (p - 1)));
    ASSERT_EQ(counted("binomial"), std::pair(2 * depth, 2 * (p - 1)));
    ASSERT_EQ(counted("recursive-doubling"), std::pair(steps + (beyond > 0 ? 2 : 0), power * steps + 2 * beyond)) << p;
  }
}

TEST(Barrier, HoldsAllRanksBackUnderEveryPolicy) {
  for (const Count p : {2, 3, 5, 8})
    for (const char* algorithm : {"dissemination", "dissemination:ports=2", "linear", "binomial", "recursive-doubling"})
      for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
        if (p == 2 && std::string_view(algorithm) != "dissemination") continue;
        std::atomic<Count> arrived{0};
        run_threads(p, [&](Communicator& communicator) {
          Plan barrier = plan(communicator, problem_of(Collective::barrier, p, 0), {.algorithm = algorithm, .policy = policy});
          for (Count turn = 1; turn <= 20; ++turn) {
            if ((communicator.rank() + turn) % p == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
            ++arrived;
            barrier.execute(nullptr, nullptr);
            EXPECT_GE(arrived.load(), turn * p);
            barrier.execute(nullptr, nullptr);  // no rank enters the next barrier before all have checked
          }
        });
      }
}

// A dissemination barrier without one of its messages does not hold all ranks back. If only one end of the message is missing, the
// rank at the other end waits for ever.
TEST(Barrier, IsRefusedIfAnyMessageIsMissing) {
  for (const Count p : {2, 3, 4, 5})
    for (Rank mute = 0; mute < p; ++mute) {
      const Schedule whole = make_schedule(problem_of(Collective::barrier, p, 0), "dissemination");
      for (std::size_t r = 0; r < whole.program(mute).rounds.size(); ++r) {
        Schedule broken = whole;
        broken.symmetry.reset();
        broken.program = [&](Rank rank) {
          Program program = whole.program(rank);
          if (rank == mute) program.rounds[r].control_sends.clear();
          return program;
        };
        const auto findings = verify(broken);
        const auto has = [&](Rule rule) {
          return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.rule == rule; });
        };
        EXPECT_TRUE(has(Rule::unmatched_message)) << p << ' ' << mute << ' ' << r;
        EXPECT_TRUE(has(Rule::delivery)) << p << ' ' << mute << ' ' << r;
      }
    }
}

}  // namespace
}  // namespace quadrille
