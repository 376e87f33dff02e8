// SPDX-License-Identifier: BSD-3-Clause
// Tests of the search with which the protocols are tested: the exact outcomes of programs whose outcomes are known.
#include "support/interleavings.hpp"

#include <gtest/gtest.h>

namespace {

using namespace quadrille::interleavings;
using Outcomes = std::set<Outcome>;

constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire, release = std::memory_order_release;

struct Two {
  Atomic<int> x{0}, y{0};
  Plain<int> data{"data"}, more{"more"};
};

using Ranks = std::vector<void (*)(Two&)>;

Outcomes outcomes(const Ranks& ranks) {
  const Result result = explore<Two>(ranks);
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  return result.outcomes;
}

std::string failure(const Ranks& ranks) { return explore<Two>(ranks).failure; }

::testing::AssertionResult begins_with(const std::string& text, const std::string& beginning) {
  if (text.starts_with(beginning)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "this does not begin with '" << beginning << "': " << text;
}

void note_both(int first, int second) {
  note(static_cast<std::uint64_t>(first));
  note(static_cast<std::uint64_t>(second));
}

TEST(Interleavings, CountsExecutions) {
  const auto add_twice = [](Two& s) {
    s.x.fetch_add(1, relaxed);
    s.x.fetch_add(1, relaxed);
  };
  EXPECT_EQ(explore<Two>({add_twice, add_twice}).executions, 6u);              // 4! / (2! 2!)
  EXPECT_EQ(explore<Two>({add_twice, add_twice, add_twice}).executions, 90u);  // 6! / (2! 2! 2!)
}

TEST(Interleavings, AMessageIsThereOnlyByReleaseAndAcquire) {
  const auto send = [](Two& s) {
    s.x.store(1, relaxed);
    s.y.store(1, release);
  };
  const auto receive = [](Two& s) {
    const int y = s.y.load(acquire);
    note_both(y, s.x.load(relaxed));
  };
  EXPECT_EQ(outcomes({send, receive}), (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
  const auto receive_relaxed = [](Two& s) {
    const int y = s.y.load(relaxed);
    note_both(y, s.x.load(relaxed));
  };
  EXPECT_EQ(outcomes({send, receive_relaxed}), (Outcomes{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  const auto send_relaxed = [](Two& s) {
    s.x.store(1, relaxed);
    s.y.store(1, relaxed);
  };
  EXPECT_EQ(outcomes({send_relaxed, receive}), (Outcomes{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(Interleavings, StoresMayBeSeenAfterLaterLoads) {  // store buffering: both may read 0
  const auto first = [](Two& s) {
    s.x.store(1, release);
    note(static_cast<std::uint64_t>(s.y.load(acquire)));
  };
  const auto second = [](Two& s) {
    s.y.store(1, release);
    note(static_cast<std::uint64_t>(s.x.load(acquire)));
  };
  EXPECT_EQ(outcomes({first, second}), (Outcomes{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(Interleavings, FullFencesLetOneOfTheLoadsSeeTheOthersStore) {
  const auto first = [](Two& s) {
    s.x.store(1, relaxed);
    Fence::make();
    note(static_cast<std::uint64_t>(s.y.load(relaxed)));
  };
  const auto second = [](Two& s) {
    s.y.store(1, relaxed);
    Fence::make();
    note(static_cast<std::uint64_t>(s.x.load(relaxed)));
  };
  EXPECT_EQ(outcomes({first, second}), (Outcomes{{0, 1}, {1, 0}, {1, 1}}));
  const Result whole = explore<Two>({first, second});
  EXPECT_EQ(whole.orders.size(), 2u);
  for (const Order& order : whole.orders)
    EXPECT_TRUE(explore<Two>({first, second}, order).outcomes.contains({0, 0})) << shown(order);
}

// What a rank has read before its fence is also shown to later fences of others.
TEST(Interleavings, AFullFenceShowsWhatOthersHaveSeenBeforeTheirs) {
  const Outcomes all = outcomes({[](Two& s) { s.x.store(1, relaxed); },
                                 [](Two& s) {
                                   note(static_cast<std::uint64_t>(s.x.load(relaxed)));
                                   Fence::make();
                                   s.y.store(1, relaxed);
                                 },
                                 [](Two& s) {
                                   const int y = s.y.load(relaxed);
                                   Fence::make();
                                   note_both(y, s.x.load(relaxed));
                                 }});
  EXPECT_EQ(all, (Outcomes{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}}));
}

TEST(Interleavings, LoadsOfOneObjectDoNotGoBack) {
  const auto count = [](Two& s) {
    s.x.store(1, relaxed);
    s.x.store(2, relaxed);
  };
  const auto look = [](Two& s) {
    const int before = s.x.load(relaxed);
    note_both(before, s.x.load(relaxed));
  };
  EXPECT_EQ(outcomes({count, look}), (Outcomes{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));
}

// A rank that has seen a store, even by a relaxed load, passes that on by a release.
TEST(Interleavings, WhatARankHasSeenIsPassedOn) {
  const Outcomes all = outcomes({[](Two& s) { s.x.store(1, relaxed); },
                                 [](Two& s) {
                                   note(static_cast<std::uint64_t>(s.x.load(relaxed)));
                                   s.y.store(1, release);
                                 },
                                 [](Two& s) {
                                   const int y = s.y.load(acquire);
                                   note_both(y, s.x.load(relaxed));
                                 }});
  EXPECT_EQ(all, (Outcomes{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}}));
}

TEST(Interleavings, RanksMaySeeIndependentStoresInDifferentOrders) {
  const auto look = [](Two& s) {
    const int x = s.x.load(acquire);
    note_both(x, s.y.load(acquire));
  };
  const auto look_back = [](Two& s) {
    const int y = s.y.load(acquire);
    note_both(y, s.x.load(acquire));
  };
  const Outcomes all = outcomes({[](Two& s) { s.x.store(1, release); }, [](Two& s) { s.y.store(1, release); }, look, look_back});
  EXPECT_EQ(all.size(), 16u);
  EXPECT_TRUE(all.contains({1, 0, 1, 0}));  // each saw the other store later
}

// A load that reads 2 acquires what rank 0 released, although rank 1 has stored the 2.
TEST(Interleavings, ReadModifyWritesPassOnWhatWasReleased) {
  const Ranks ranks{[](Two& s) {
                      s.data.write(7);
                      s.x.fetch_add(1, release);
                    },
                    [](Two& s) { s.x.fetch_add(1, relaxed); },
                    [](Two& s) {
                      wait_until([&] { return s.x.load(acquire) == 2; });
                      require(s.data.read() == 7, "the data are there");
                    }};
  EXPECT_EQ(failure(ranks), "");
  const Ranks broken{ranks[0],
                     [](Two& s) {
                       wait_until([&] { return s.x.load(relaxed) == 1; });
                       s.x.store(2, release);
                     },
                     ranks[2]};  // since C++20 a store ends the sequence, and this one knows nothing of the data
  EXPECT_TRUE(begins_with(failure(broken), "data race: a read of data against a write"));
}

TEST(Interleavings, AnAcquiredReadOrdersALaterWrite) {
  const auto read = [](Two& s) {
    s.data.read();
    s.x.store(1, release);
  };
  EXPECT_EQ(failure({read,
                     [](Two& s) {
                       wait_until([&] { return s.x.load(acquire) == 1; });
                       s.data.write(1);
                     }}),
            "");
  EXPECT_TRUE(begins_with(failure({read,
                                   [](Two& s) {
                                     wait_until([&] { return s.x.load(relaxed) == 1; });
                                     s.data.write(1);
                                   }}),
                          "data race: a write to data against a read"));
  EXPECT_TRUE(begins_with(failure({[](Two& s) { s.data.write(1); }, [](Two& s) { s.data.write(2); }}),
                          "data race: a write to data against a write"));
}

// Operations on plain memory run early; a race between the first of a program and the last of another is found none the less.
TEST(Interleavings, ARaceIsFoundHoweverFarApart) {
  EXPECT_TRUE(begins_with(failure({[](Two& s) { s.data.write(1); },
                                   [](Two& s) {
                                     for (int i = 0; i < 4; ++i) s.x.fetch_add(1, relaxed);
                                     s.data.read();
                                   }}),
                          "data race: a read of data against a write"));
}

TEST(Interleavings, ACompareExchangeSucceedsFailsOrFailsFalsely) {
  const auto store = [](Two& s) { s.x.store(1, relaxed); };
  const auto strong = [](Two& s) {
    int expected = 1;
    const bool succeeded = s.x.compare_exchange_strong(expected, 5, relaxed, relaxed);
    note_both(succeeded, expected);
  };
  EXPECT_EQ(outcomes({store, strong}), (Outcomes{{0, 0}, {1, 1}}));
  const auto weak = [](Two& s) {
    int expected = 1;
    const bool succeeded = s.x.compare_exchange_weak(expected, 5, relaxed, relaxed);
    note_both(succeeded, expected);
  };
  EXPECT_EQ(outcomes({store, weak}), (Outcomes{{0, 0}, {0, 1}, {1, 1}}));
  const auto increase = [](Two& s) {
    int expected = s.x.load(relaxed);
    while (!s.x.compare_exchange_weak(expected, expected + 1, relaxed, relaxed)) continue;
    note(static_cast<std::uint64_t>(expected));
  };
  EXPECT_EQ(outcomes({increase, increase}), (Outcomes{{0, 1}, {1, 0}}));
}

TEST(Interleavings, OnlyASuccessAcquiresOrReleasesByItsOrder) {
  const auto send = [](Two& s) {
    s.data.write(7);
    s.x.store(1, release);
  };
  const auto success = [](Two& s) {
    int expected = 1;
    if (s.x.compare_exchange_strong(expected, 2, acquire, relaxed)) s.data.read();
  };
  EXPECT_EQ(failure({send, success}), "");
  const auto failing = [](Two& s) {
    int expected = 3;
    if (!s.x.compare_exchange_strong(expected, 2, acquire, relaxed) && expected == 1) s.data.read();
  };
  EXPECT_TRUE(begins_with(failure({send, failing}), "data race: a read of data against a write"));
}

// A rank may read any store in some turn of its loop, also an old one after a newer one was made.
TEST(Interleavings, ALoopThatPassesTimeMayReadEachStore) {
  EXPECT_EQ(outcomes({[](Two& s) {
                        for (int i = 1; i <= 3; ++i) s.x.store(i, relaxed);
                      },
                      [](Two& s) {
                        std::uint64_t seen = 0;  // one bit for each value
                        for (int x = s.x.load(relaxed); x != 3; x = s.x.load(relaxed)) {
                          seen |= std::uint64_t{1} << x;
                          pass_time();
                        }
                        note(seen);
                      }}),
            (Outcomes{{0b000}, {0b001}, {0b010}, {0b011}, {0b100}, {0b101}, {0b110}, {0b111}}));
}

// What follows a wait is the same as what follows a loop with all turns, although that has more executions.
TEST(Interleavings, TurnsOfAWaitInVainMakeNoDifference) {
  const auto send = [](Two& s) {
    for (int i = 1; i <= 3; ++i) s.x.store(i, release), s.y.store(i, release);
  };
  const auto after_wait = [](Two& s) {
    wait_until([&] { return s.y.load(relaxed) >= 2; });
    note(static_cast<std::uint64_t>(s.x.load(acquire)));
  };
  const auto after_loop = [](Two& s) {
    while (s.y.load(relaxed) < 2) pass_time();
    note(static_cast<std::uint64_t>(s.x.load(acquire)));
  };
  const Result by_wait = explore<Two>({send, after_wait}), by_loop = explore<Two>({send, after_loop});
  EXPECT_EQ(by_wait.outcomes, (Outcomes{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(by_wait.outcomes, by_loop.outcomes);
  EXPECT_LT(by_wait.executions, by_loop.executions);
}

TEST(Interleavings, AWaitForEitherOfTwoEndsByEither) {
  EXPECT_EQ(outcomes({[](Two& s) { s.x.store(1, relaxed); }, [](Two& s) { s.y.store(1, relaxed); },
                      [](Two& s) {
                        int x = 0, y = 0;
                        wait_until([&] {
                          x = s.x.load(relaxed);
                          y = s.y.load(relaxed);
                          return x + y > 0;
                        });
                        note_both(x, y);
                      }}),
            (Outcomes{{0, 1}, {1, 0}, {1, 1}}));
}

TEST(Interleavings, RanksThatWaitForEachOtherFail) {
  const auto first = [](Two& s) {
    wait_until([&] { return s.y.load(acquire) == 1; });
    s.x.store(1, release);
  };
  const auto second = [](Two& s) {
    wait_until([&] { return s.x.load(acquire) == 1; });
    s.y.store(1, release);
  };
  EXPECT_TRUE(begins_with(failure({first, second}), "all ranks that are not finished wait"));
  const auto passes_time = [](Two& s) {
    while (s.y.load(acquire) != 1) pass_time();
  };
  EXPECT_TRUE(begins_with(failure({passes_time}), "all ranks that are not finished wait"));
  EXPECT_TRUE(begins_with(failure({passes_time, second}), "all ranks that are not finished wait"));
}

// The receiver may read the 1, but if it looks too late, it waits for ever.
TEST(Interleavings, AWaitThatMayMissItsStoreFails) {
  const auto receive = [](Two& s) { wait_until([&] { return s.x.load(acquire) == 1; }); };
  const auto send = [](Two& s) { s.x.store(1, release); };
  EXPECT_EQ(failure({receive, send}), "");
  const auto send_twice = [](Two& s) {
    s.x.store(1, release);
    s.x.store(2, release);
  };
  EXPECT_TRUE(begins_with(failure({receive, send_twice}), "all ranks that are not finished wait"));
}

TEST(Interleavings, AFailureShowsTheOperationsThatLeadThere) {
  const std::string text = failure({[](Two& s) {
                                      s.data.write(-1);
                                      s.y.store(4, relaxed);
                                    },
                                    [](Two& s) {
                                      const bool four = s.y.load(relaxed) == 4;
                                      require(!four, "nobody stores 4");
                                    }});
  const std::string place = "  (interleavings_test.cpp:";
  EXPECT_TRUE(begins_with(text, "not so: nobody stores 4\n  rank 0: write of data: 0xffffffffffffffff" + place)) << text;
  EXPECT_NE(text.find("\n  rank 0: store of atomic 1: 4" + place), std::string::npos) << text;
  EXPECT_NE(text.find("\n  rank 1: load of atomic 1: 4" + place), std::string::npos) << text;
}

TEST(Interleavings, ReleasedMemoryMayNotBeUsed) {
  struct Shared {
    Releasable memory{"memory"};
    Atomic<int> inside = memory.make<Atomic<int>>();
    Atomic<int> outside{0};
  };
  const auto release_last = [](Shared& s) {
    wait_until([&] { return s.outside.load(acquire) == 1; });
    s.memory.release();
  };
  EXPECT_EQ(explore<Shared>({[](Shared& s) {
                               s.inside.store(1, relaxed);
                               s.outside.store(1, release);
                             },
                             release_last})
                .failure,
            "");
  EXPECT_TRUE(begins_with(explore<Shared>({[](Shared& s) {
                                             s.outside.store(1, release);
                                             s.inside.store(1, relaxed);
                                           },
                                           release_last})
                              .failure,
                          "data race: a write to memory against a read"));
  EXPECT_TRUE(begins_with(explore<Shared>({[](Shared& s) {
                            s.memory.release();
                            s.memory.use();
                          }}).failure,
                          "use of released memory: memory"));
}

TEST(Interleavings, AllChoicesAreTried) {
  EXPECT_EQ(outcomes({[](Two&) { note(choose(3)); }}), (Outcomes{{0}, {1}, {2}}));
}

TEST(Interleavings, WhatTheModelDoesNotCoverIsRefused) {
  const auto store = [](Two& s) { s.x.store(1, relaxed); };
  EXPECT_THROW(explore<Two>({store, store}), NotCovered);
  EXPECT_THROW(explore<Two>({[](Two& s) { s.x.load(std::memory_order_seq_cst); }}), NotCovered);
  EXPECT_THROW(explore<Two>({[](Two& s) {
                 while (s.x.load(relaxed) == 0) continue;
               }}),
               NotCovered);
  EXPECT_THROW(explore<Two>({[](Two& s) { wait_until([&] { return s.x.fetch_add(1, relaxed) == 1; }); }}), NotCovered);
  EXPECT_THROW(explore<Two>({[](Two& s) { wait_until([&] { return s.x.load(relaxed) == 0 && choose(2); }); }}), NotCovered);
  EXPECT_THROW(explore<Two>({[](Two&) { wait_until([] { return false; }); }}), NotCovered);
}

TEST(Interleavings, AWeakenedOrderIsRelaxed) {
  const Ranks ranks{[](Two& s) {
                      s.data.write(7);
                      s.x.fetch_add(1, std::memory_order_acq_rel);
                    },
                    [](Two& s) {
                      wait_until([&] { return s.x.load(acquire) == 1; });
                      s.data.read();
                    }};
  const Result whole = explore<Two>(ranks);
  EXPECT_EQ(whole.failure, "");
  EXPECT_EQ(whole.orders.size(), 3u);
  for (const Order& order : whole.orders)  // nobody needs the acquire of the addition
    EXPECT_EQ(explore<Two>(ranks, order).failure.empty(), order.operation == "fetch_add" && order.is_acquire) << shown(order);
}

}  // namespace
