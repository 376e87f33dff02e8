// SPDX-License-Identifier: BSD-3-Clause
#include "execute/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <new>
#include <stdexcept>

#include "execute/script/script.hpp"
#include "execute/shared/communicator.hpp"
#include "execute/transport.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

using ::testing::HasSubstr;

constexpr Rank ranks = 4;

struct Said {
  std::string sentence;
  ErrorCode code{};
  bool elsewhere = false;
};

// Returns what each rank throws. Checks that the group still works afterwards.
std::array<Said, ranks> said_by(const std::function<void(Communicator&)>& call) {
  std::array<Said, ranks> said;
  run_threads(ranks, [&](Communicator& threads) {
    Said& mine = said[index(threads.rank())];
    try {
      call(threads);
    } catch (const Error& error) {
      mine = {error.what(), error.code(), dynamic_cast<const ErrorElsewhere*>(&error) != nullptr};
    }
    ByRank<Rank> all(ranks);
    const Rank me = threads.rank();
    threads.all_gather(&me, all.data(), sizeof me);
    EXPECT_EQ(all, (ByRank<Rank>{0, 1, 2, 3}));
  });
  return said;
}

// A group that counts the bytes of its gathers.
struct CountingGroup {
  Communicator& communicator;
  int gathered = 0;

  Rank rank() const { return communicator.rank(); }
  Count size() const { return communicator.size(); }
  void all_gather(const void* mine, void* all, Bytes count) {
    ++gathered;
    communicator.all_gather(mine, all, count);
  }
};

TEST(Agreement, GathersAllResultsInOneGather) {
  run_threads(ranks, [](Communicator& threads) {
    CountingGroup group{threads};
    EXPECT_EQ(gathered_or_thrown(group, [&] { return 10 * threads.rank(); }), (ByRank<Rank>{0, 10, 20, 30}));
    EXPECT_EQ(group.gathered, 1);
    EXPECT_EQ(made_or_thrown(group, [&] { return std::to_string(threads.rank()); }), std::to_string(threads.rank()));
    EXPECT_EQ(group.gathered, 2);
  });
}

TEST(Agreement, TellsTheTextOfOneRank) {
  for (const std::size_t length : {0u, 1u, 1383u, 1384u, 1385u, 5000u})  // short ones come with their length
    run_threads(ranks, [&](Communicator& threads) {
      const std::string text(length, 'x');
      EXPECT_EQ(told_by(threads, 2, threads.rank() == 2 ? text : "other"), text);
      int calls = 0;
      EXPECT_EQ(told_or_thrown(threads, 2, [&] { return ++calls, text; }), text);
      EXPECT_EQ(calls, threads.rank() == 2 ? 1 : 0);
    });
}

TEST(Agreement, ReportsTheFailureOfTheRankThatTells) {
  for (const std::size_t length : {0u, 23u, 5000u}) {
    const std::string sentence(length, 'x');
    const auto said = said_by([&](Communicator& threads) {
      told_or_thrown(threads, 2, [&]() -> std::string { throw Error(ErrorCode::environment, sentence); });
    });
    for (Rank rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(said[index(rank)].sentence, rank == 2 ? sentence : "rank 2: " + sentence);
      EXPECT_EQ(said[index(rank)].code, ErrorCode::environment);
      EXPECT_EQ(said[index(rank)].elsewhere, rank != 2);
    }
  }
}

TEST(Agreement, ReportsTheFailureOfARankOnAllRanks) {
  for (Rank failing = 0; failing < ranks; ++failing)
    for (const std::size_t length : {0u, 1u, 23u, 5000u}) {  // also more than a rank area can hold
      const std::string sentence(length, 'x');
      const auto said = said_by([&](Communicator& threads) {
        gathered_or_thrown(threads, [&] {
          if (threads.rank() == failing) throw Error(ErrorCode::environment, sentence);
          return 1;
        });
      });
      for (Rank rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(said[index(rank)].sentence, rank == failing ? sentence : "rank " + std::to_string(failing) + ": " + sentence);
        EXPECT_EQ(said[index(rank)].code, ErrorCode::environment);
        EXPECT_EQ(said[index(rank)].elsewhere, rank != failing);
      }
    }
}

TEST(Agreement, ReportsTheFirstOfSeveralFailures) {
  const auto said = said_by([](Communicator& threads) {
    made_or_thrown(threads, [&]() -> int {
      if (threads.rank() == 0) return 1;
      throw Error(threads.rank() == 1 ? ErrorCode::misuse : ErrorCode::too_large, std::to_string(threads.rank()));
    });
  });
  EXPECT_EQ(said[0].sentence, "rank 1: 1");
  EXPECT_EQ(said[0].code, ErrorCode::misuse);
  EXPECT_EQ(said[1].sentence, "1");
  EXPECT_EQ(said[3].sentence, "3");
  EXPECT_EQ(said[3].code, ErrorCode::too_large);
}

TEST(Agreement, ReportsMissingMemory) {
  const auto said = said_by([](Communicator& threads) {
    made_or_thrown(threads, [&] {
      if (threads.rank() == 2) throw std::bad_alloc();
      return 1;
    });
  });
  for (const Said& each : said) {
    EXPECT_THAT(each.sentence, HasSubstr("there is not enough memory for this plan"));
    EXPECT_EQ(each.code, ErrorCode::too_large);
  }
  EXPECT_THAT(said[3].sentence, HasSubstr("rank 2: "));
}

// Rank 1 learnt of rank 3's failure from a group within this one. The error must not name it as a failure of rank 1.
TEST(Agreement, NamesTheRankThatFailedFirst) {
  const auto said = said_by([](Communicator& threads) {
    made_or_thrown(threads, [&]() -> int {
      if (threads.rank() == 1) throw ErrorElsewhere(ErrorCode::too_large, "rank 3: it is full");
      if (threads.rank() == 3) throw Error(ErrorCode::too_large, "it is full");
      return 1;
    });
  });
  for (Rank rank = 0; rank < 3; ++rank) EXPECT_EQ(said[index(rank)].sentence, "rank 3: it is full");
  EXPECT_EQ(said[3].sentence, "it is full");
}

// No rank of this group failed: ranks 1 and 2 learnt of failures in other groups.
TEST(Agreement, ReportsFailuresOfOtherGroups) {
  const auto said = said_by([](Communicator& threads) {
    made_or_thrown(threads, [&]() -> int {
      if (threads.rank() == 1) throw ErrorElsewhere(ErrorCode::too_large, "rank 7: it is full");
      if (threads.rank() == 2) throw ErrorElsewhere(ErrorCode::misuse, "rank 8: no");
      return 1;
    });
  });
  for (const Said& each : said) {
    EXPECT_EQ(each.sentence, "rank 7: it is full");
    EXPECT_EQ(each.code, ErrorCode::too_large);
    EXPECT_TRUE(each.elsewhere);
  }
}

TEST(Agreement, ReportsOtherExceptionsInTheirOwnWords) {
  const auto of = [](const auto& thrown) {
    std::optional<Error> error;
    RankOutcome outcome;
    try {
      throw thrown;
    } catch (...) {
      outcome = outcome_of_exception(error);
    }
    EXPECT_EQ(outcome.state, RankOutcome::failed);
    EXPECT_EQ(outcome.code, error->code());
    return *error;
  };
  EXPECT_STREQ(of(std::runtime_error("the disk is full")).what(), "the disk is full");
  EXPECT_EQ(of(std::runtime_error("")).code(), ErrorCode::environment);
  EXPECT_STREQ(of(7).what(), "an exception that is not a std::exception");
  EXPECT_EQ(of(std::bad_alloc()).code(), ErrorCode::too_large);
  EXPECT_THAT(of(std::length_error("too long")).what(), HasSubstr("not enough memory for this plan (too long)"));
}

// If the space is part of a larger group, errors give the ranks their numbers in the larger group.
TEST(Agreement, NumbersRanksAsInTheLargerGroup) {
  const auto said = said_by([](Communicator& threads) {
    SharedSpace& space = *dynamic_cast<SharedCommunicator&>(threads).space();
    space.set_names({10, 11, 12, 13});
    made_or_thrown(space, [&]() -> int {
      if (space.rank() == 2) throw Error(ErrorCode::misuse, "no");
      return 1;
    });
  });
  EXPECT_EQ(said[0].sentence, "rank 12: no");
}

// Rank 0 sends 8 bytes to rank 1, which expects `expected`; -1: no message.
std::string said_of_messages(Bytes expected) {
  return said_by([&](Communicator& threads) {
           dynamic_cast<SharedCommunicator&>(threads).space()->set_names({10, 11, 12, 13});
           ProgramBuilder program{threads.rank()};
           program.begin_round();
           if (threads.rank() == 0) program.send(1, {{Buffer::input, 0, 8}});
           if (threads.rank() == 1 && expected >= 0) program.receive(0, {{Buffer::output, 0, expected}});
           threads.transport().prepare(
               std::make_shared<const Script>(make_script(std::move(program).finish(), threads.size(), {})));
         })[1]
      .sentence;
}

TEST(Agreement, NumbersRanksAsInTheLargerGroupIfMessagesDoNotMatch) {
  EXPECT_EQ(said_of_messages(8), "");
  EXPECT_EQ(said_of_messages(4), "rank 11 and rank 10 disagree about their messages; verify the schedule");
  EXPECT_EQ(said_of_messages(-1), "rank 11 receives 0 messages and 1 are sent to it; verify the schedule");
}

}  // namespace
}  // namespace quadrille
