// SPDX-License-Identifier: BSD-3-Clause
// How ranks become a group that shares memory: who is on whose node, what the ranks remember of each other, and how they meet
// again. The ranks are threads, each with files of its own, as processes have.
#include "execute/shared/meet.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "quadrille/groups.hpp"
#include "support/child_process.hpp"

namespace quadrille {
namespace {

// Lets threads meet, each with what `about` says of its rank, and calls `check` on each of them.
void after_meeting(Count ranks, const std::function<AboutRank(Rank)>& about,
                   const std::function<void(Communicator& threads, Met& met)>& check) {
  run_threads(ranks, [&](Communicator& threads) {
    Met met = meet(threads, about(threads.rank()), CopyCosts{}, {}, std::make_shared<Process>());
    check(threads, met);
    threads.barrier();
  });
}

std::vector<Rank> gathered(Communicator& group) {
  const Rank mine = group.rank();
  std::vector<Rank> all(static_cast<std::size_t>(group.size()), -1);
  group.all_gather(&mine, all.data(), sizeof mine);
  return all;
}

TEST(Meet, MakesOneNodeOfRanksThatShareMemory) {
  for (const Count ranks : {1, 3})
    after_meeting(
        ranks, [](Rank) { return AboutRank{}; },
        [ranks](Communicator& threads, Met& met) {
          EXPECT_EQ(met.nodes, ByRank<Count>(ranks, 0));
          EXPECT_EQ(met.no_sharing, "");
          ASSERT_TRUE(met.node);
          EXPECT_EQ(met.node->rank(), threads.rank());
          EXPECT_EQ(gathered(*met.node), gathered(threads));
        });
}

// Nodes are numbered in the order of their first ranks, whatever numbers were assumed.
TEST(Meet, FollowsAssumedNodes) {
  constexpr Count nodes[] = {7, 2, 7, 2, 7};
  after_meeting(
      5, [&](Rank rank) { return AboutRank{.assumed_node = nodes[rank]}; },
      [](Communicator& threads, Met& met) {
        EXPECT_EQ(std::vector<Count>(met.nodes.begin(), met.nodes.end()), (std::vector<Count>{0, 1, 0, 1, 0}));
        ASSERT_TRUE(met.node) << met.no_sharing;
        EXPECT_EQ(met.node->size(), threads.rank() % 2 == 0 ? 3 : 2);
        EXPECT_EQ(met.node->rank(), threads.rank() / 2);
        EXPECT_EQ(met.node->space()->shown(met.node->rank()), threads.rank()) << "errors name the ranks of the whole group";
        EXPECT_FALSE(met.known_ranks) << "not all ranks of the group share memory";
      });
}

TEST(Meet, SharesNothingIfEachRankHasANodeOfItsOwn) {
  after_meeting(
      3, [](Rank rank) { return AboutRank{.assumed_node = rank, .keeps = true}; },
      [](Communicator&, Met& met) {
        EXPECT_EQ(std::vector<Count>(met.nodes.begin(), met.nodes.end()), (std::vector<Count>{0, 1, 2}));
        EXPECT_FALSE(met.node);
        EXPECT_FALSE(met.known_ranks);
        EXPECT_EQ(met.no_sharing, "each of them has a node of its own");
      });
}

TEST(Meet, TellsAllRanksWhatOneKnows) {
  for (const Rank wrong : {0, 2})
    after_meeting(
        3, [&](Rank rank) { return AboutRank{.compares_starts = rank == 1, .is_wrong = rank >= wrong}; },
        [&](Communicator&, Met& met) {
          EXPECT_TRUE(met.any_compares);
          EXPECT_EQ(met.first_wrong, wrong);
        });
  after_meeting(
      3, [](Rank) { return AboutRank{}; },
      [](Communicator&, Met& met) {
        EXPECT_FALSE(met.any_compares);
        EXPECT_EQ(met.first_wrong, std::nullopt);
      });
}

// Ranks are remembered only if each of them has room for that.
TEST(Meet, RemembersAGroupIfAllRanksDo) {
  for (const Rank forgets : {-1, 0, 2})
    after_meeting(
        3, [&](Rank rank) { return AboutRank{.keeps = rank != forgets}; },
        [&](Communicator&, Met& met) {
          ASSERT_TRUE(met.node) << met.no_sharing;
          ASSERT_EQ(met.known_ranks != nullptr, forgets < 0);
          if (!met.known_ranks) return;
          EXPECT_EQ(met.known_ranks->peers.size(), 3u);
          EXPECT_GT(met.known_ranks->control_bytes, 0);
        });
}

// The second meeting of the same processes needs no cards: they are a known_processes, and map nothing new.
TEST(Meet, OfKnownProcessesMapsNothing) {
  run_threads(3, [](Communicator& threads) {
    const auto process = std::make_shared<Process>();
    const Met first = meet(threads, {}, CopyCosts{}, {}, process);
    ASSERT_TRUE(first.node) << first.no_sharing;
    const Process::KnownProcesses known_processes = process->known_processes();
    EXPECT_EQ(known_processes.size, 3);
    const Met second = meet(threads, {.keeps = true}, CopyCosts{}, {}, process);
    ASSERT_TRUE(second.node) << second.no_sharing;
    EXPECT_EQ(process->known_processes().id, known_processes.id);
    EXPECT_FALSE(second.known_ranks) << "its peers were not introduced";
    EXPECT_EQ(gathered(*second.node), gathered(*first.node));
    EXPECT_NE(second.node->space(), first.node->space());
    threads.barrier();
  });
}

// Costs that are given are used as they are; else they are measured.
TEST(Meet, TakesTheGivenCosts) {
  CopyCosts costs;
  costs.once.fill(0.25);
  run_threads(2, [&](Communicator& threads) {
    const Met met = meet(threads, {}, costs, {}, std::make_shared<Process>());
    ASSERT_TRUE(met.node) << met.no_sharing;
    EXPECT_EQ(met.node->costs().once, costs.once);
    threads.barrier();
  });
}

// The result of meet_again with a single rank, which shows what the head's place decides.
struct MetAgain {
  std::unique_ptr<SharedCommunicator> group;
  Place told = 0;
};

MetAgain met_again(Bytes control_bytes) {
  MetAgain result;
  const auto& process = Process::current();
  const KnownRanks all{.peers = {process->meet(process->card())}, .control_bytes = control_bytes};
  const auto tell = [&](const void* head, Bytes bytes) { std::memcpy(&result.told, head, static_cast<std::size_t>(bytes)); };
  result.group = meet_again(all, {0}, 0, tell, {});
  return result;
}

TEST(MeetAgain, MakesAGroupAtTheHeadThatRankZeroTells) {
  EXPECT_TRUE(testing::holds_in_a_child([] {
    const MetAgain met = met_again(std::numeric_limits<Bytes>::max());
    return met.group && met.told != 0 && met.group->size() == 1 && gathered(*met.group) == std::vector<Rank>{0};
  }));
}

// The others have mapped memory up to the head, but not the head itself.
TEST(MeetAgain, IsRefusedIfTheOthersHaveNotMappedTheHead) {
  EXPECT_TRUE(testing::holds_in_a_child([] {
    const Bytes head = static_cast<Bytes>(met_again(std::numeric_limits<Bytes>::max()).told);
    const MetAgain met = met_again(head);
    return head > 0 && !met.group && met.told == 0;  // 0, so that all ranks know
  }));
}

}  // namespace
}  // namespace quadrille
