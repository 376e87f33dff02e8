// SPDX-License-Identifier: BSD-3-Clause
// What is known of this machine, and which executors its groups would offer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "quadrille/explain.hpp"
#include "quadrille/groups.hpp"
#include "support/own_wisdom.hpp"
#include "support/wisdom_samples.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;

class KnowledgeHere : public OwnWisdom {
 protected:
  // Writes wisdom for this machine's processor and returns the file.
  std::string write(const std::string& name, const std::string& mpi, Count nodes = 1, const std::string& processor = {}) const {
    Wisdom wisdom;
    run_threads(1, [&](Communicator& communicator) { wisdom.machine = fingerprint(communicator); });
    wisdom.machine.mpi = mpi;
    if (!processor.empty()) wisdom.machine.processor = processor;
    wisdom.add(fit(Executor::mpi, 4, nodes));
    const std::string file = (place_ / name).string();
    std::ofstream(file) << wisdom_text(wisdom);
    return file;
  }

  static void make_newer(const std::string& file) {
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + std::chrono::hours(1));
  }
};

TEST_F(KnowledgeHere, IsThePresetIfNothingWasMeasured) {
  const MachineKnowledge known = knowledge_here();
  EXPECT_EQ(known.file, "");
  EXPECT_TRUE(known.has_mpi);
  EXPECT_NE(known.wisdom.machine.processor, "");
  ASSERT_TRUE(known.preset);
  EXPECT_NE(known.preset->name, knowledge_here(2).preset->name) << "several nodes have a network";
  EXPECT_FALSE(knowledge_here(1, "none").has_mpi);
}

TEST_F(KnowledgeHere, IsTheNewestFileOrThatOfTheLibrary) {
  const std::string none = write("a.wisdom", "none"), openmpi = write("b.wisdom", "Open MPI 4.1.4");
  write("c.wisdom", "MPICH 4.0.2", 1, "another processor");
  make_newer(none);
  EXPECT_EQ(knowledge_here().file, none);
  EXPECT_FALSE(knowledge_here().has_mpi);
  EXPECT_EQ(knowledge_here(1, "Open MPI").file, openmpi);
  EXPECT_TRUE(knowledge_here(1, "Open MPI").has_mpi);
  EXPECT_EQ(knowledge_here(1, "MPICH").file, "") << "of another processor";
  make_newer(openmpi), make_newer(openmpi);
  EXPECT_EQ(knowledge_here().file, openmpi);
}

TEST_F(KnowledgeHere, IsForOneNodeOrForSeveral) {
  const std::string one = write("one.wisdom", "none"), two = write("two.wisdom", "Open MPI 4.1.4", 2);
  EXPECT_EQ(knowledge_here(1).file, one);
  EXPECT_EQ(knowledge_here(2).file, two);
  EXPECT_EQ(knowledge_here(8).file, two);
}

TEST_F(KnowledgeHere, LeavesOutDamagedFiles) {
  const std::string good = write("good.wisdom", "none");
  std::ofstream(place_ / "bad.wisdom") << "damaged\n";
  const MachineKnowledge known = knowledge_here();
  EXPECT_EQ(known.file, good);
  EXPECT_THAT(known.left_out, ElementsAre(::testing::HasSubstr("bad.wisdom")));
}

std::vector<Executor> executors_for(const MachineKnowledge& known, Problem problem, const std::vector<Count>& nodes) {
  problem.nodes = nodes;
  return known.options_for(problem).executors;
}

TEST(MachineKnowledge, OffersTheExecutorsThatSuchRanksHave) {
  const Problem problem = Problem::alltoall(4, 8);
  const std::vector<Count> one_node{0, 0, 0, 0}, two_nodes{0, 0, 1, 1}, four_nodes{0, 1, 2, 3};
  const MachineKnowledge any, no_mpi{.has_mpi = false};
  EXPECT_THAT(executors_for(any, problem, one_node), ElementsAre(Executor::shared, Executor::mpi));
  EXPECT_THAT(executors_for(no_mpi, problem, one_node), ElementsAre(Executor::shared));
  EXPECT_THAT(executors_for(any, problem, two_nodes), ElementsAre(Executor::hybrid, Executor::mpi));
  EXPECT_THAT(executors_for(any, problem, four_nodes), ElementsAre(Executor::mpi));
  EXPECT_THAT(executors_for({.only = Executor::mpi}, problem, one_node), ElementsAre(Executor::mpi));
  EXPECT_TRUE(any.options_for(problem).with_vendor);
  EXPECT_FALSE(no_mpi.options_for(problem).with_vendor);
  EXPECT_FALSE((MachineKnowledge{.only = Executor::shared}).options_for(problem).with_vendor);
}

TEST(MachineKnowledge, PrefersMeasuredCosts) {
  MachineKnowledge known;
  const Situation here = situation(8, 4);
  EXPECT_FALSE(known.fit(Executor::shared, here));
  known.preset = find_machine("epyc");
  EXPECT_EQ(known.fit(Executor::shared, here)->preset, "epyc");
  known.wisdom.add(fit(Executor::shared, 4, 1));
  EXPECT_EQ(known.fit(Executor::shared, here)->preset, "");
}

}  // namespace
}  // namespace quadrille
