// SPDX-License-Identifier: BSD-3-Clause
// Tests of loans in all interleavings.
#include "execute/shared/protocol/loan.hpp"

#include <gtest/gtest.h>

#include <array>

#include "execute/shared/protocol/flag.hpp"
#include "support/interleavings/needed_orders.hpp"

namespace quadrille {
namespace {

using namespace interleavings;

constexpr int freed = -1;

struct Lending {  // of one block to each of two receivers at most
  std::array<FlagBy<Atomic>, 2> flags;
  std::array<LoanBy<Atomic>, 2> loans;
  FlagBy<Atomic> failed;  // a receiver has failed
  Plain<int> block{"block"}, reason{"reason"};
};

bool passes_time() {  // the receiver's process is there
  pass_time();
  return false;
}

void announce(Lending& s, std::uint64_t number, std::size_t receivers = 1) {
  s.block.write(static_cast<int>(number));
  for (std::size_t to = 0; to < receivers; ++to) s.flags[to].publish(number);
}

void lend(Lending& s, std::uint64_t number) {
  announce(s, number);
  wait_until([&] { return s.loans[0].is_back(number); });
}

// The sender fails. When it has withdrawn its loans, its program frees the block.
void fail(Lending& s, std::uint64_t number, std::size_t receivers = 1) {
  s.reason.write(5);
  for (std::size_t to = 0; to < receivers; ++to) s.loans[to].withdraw(number, passes_time);
  s.block.write(freed);
}

// Receives a loan. Copying it may fail if `may_fail`.
void receive(Lending& s, std::uint64_t number, bool may_fail = false, std::size_t me = 0) {
  wait_until([&] { return s.flags[me].published() == number; });
  if (!s.loans[me].take(number)) {
    require(s.reason.read() == 5, "the receiver sees the reason");
    return;
  }
  require(s.block.read() == static_cast<int>(number), "the block is there");
  if (may_fail && choose(2) == 1) {
    s.loans[me].put_back_unread(number);
    s.failed.publish(1);
  } else {
    s.loans[me].give_back(number);
  }
}

const Scenario two_loans_come_back = scenario<Lending>({[](Lending& s) {
                                                          lend(s, 1);
                                                          lend(s, 2);
                                                          s.block.write(freed);
                                                        },
                                                        [](Lending& s) {
                                                          receive(s, 1);
                                                          receive(s, 2);
                                                        }});

const Scenario first_loan_is_withdrawn = scenario<Lending>({[](Lending& s) {
                                                              announce(s, 1);
                                                              fail(s, 1);
                                                            },
                                                            [](Lending& s) { receive(s, 1); }});

// A receiver that gives up puts back the number of the loan before, which the sender may have read long ago.
const Scenario second_loan_is_withdrawn = scenario<Lending>({[](Lending& s) {
                                                               lend(s, 1);
                                                               announce(s, 2);
                                                               fail(s, 2);
                                                             },
                                                             [](Lending& s) {
                                                               receive(s, 1);
                                                               receive(s, 2, true);
                                                             }});

// The sender waits for the loan until it comes back, or a receiver fails, or the sender itself does.
template <std::size_t receivers>
void wait_or_fail(Lending& s) {
  announce(s, 1, receivers);
  if (choose(2) == 0) {
    bool all_back = false;
    wait_until([&] {
      all_back = true;
      for (std::size_t to = 0; to < receivers; ++to) all_back = all_back && s.loans[to].is_back(1);
      return all_back || s.failed.published() == 1;
    });
    if (all_back) return s.block.write(freed);
  }
  fail(s, 1, receivers);
}

const Scenario one_side_fails = scenario<Lending>({wait_or_fail<1>, [](Lending& s) { receive(s, 1, true); }});

// Only one receiver may fail, because a flag has one sender.
const Scenario two_receivers =
    scenario<Lending>({wait_or_fail<2>, [](Lending& s) { receive(s, 1, false, 0); }, [](Lending& s) { receive(s, 1, true, 1); }});

TEST(Loan, NobodyReadsMemoryThatItsOwnerMayWrite) {
  expect_right_and_tight("loan.hpp",
                         {two_loans_come_back, first_loan_is_withdrawn, second_loan_is_withdrawn, one_side_fails, two_receivers});
}

// A loan of a receiver that has ended while it read does not come back.
TEST(Loan, TheSenderDoesNotWaitForAProcessThatHasEnded) {
  const auto announce_and_withdraw = [](Lending& s) {
    announce(s, 1);
    s.reason.write(5);
    s.loans[0].withdraw(1, [] { return true; });
  };
  const auto take_and_end = [](Lending& s) {
    wait_until([&] { return s.flags[0].published() == 1; });
    note(s.loans[0].take(1));
  };
  const Result result = explore<Lending>({announce_and_withdraw, take_and_end});
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.outcomes, (std::set<Outcome>{{0}, {1}}));
}

}  // namespace
}  // namespace quadrille
