// SPDX-License-Identifier: BSD-3-Clause
// The table of executors, and which transport of a group runs a plan.
#include "execute/executors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "execute/transport.hpp"
#include "quadrille/groups.hpp"

namespace quadrille {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A transport that executes nothing and only offers transports.
class OfferingTransport final : public Transport {
 public:
  explicit OfferingTransport(Executor executor) : executor_(executor) {}

  std::shared_ptr<Communicator> kept() override { return nullptr; }
  void broadcast(void*, Bytes, Rank) override {}
  Count cores() const override { return 1; }
  Executor executor() const override { return executor_; }
  std::vector<Transport*> offered() override {
    std::vector<Transport*> all = before;
    all.push_back(this);
    return all;
  }
  std::string no_sharing() const override { return "they are on the moon"; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script>) override { return nullptr; }
  std::unique_ptr<Executable> prepare_exchange() override { return nullptr; }

  std::vector<Transport*> before;  // transports that are preferred to this one

 private:
  Executor executor_;
};

std::string refusal(Transport& own, Executor asked) {
  const auto found = transport_for(own, asked);
  return found ? "" : found.error();
}

TEST(Executors, HaveARowEach) {
  std::set<Executor> seen;
  std::set<std::string_view> names{name(Executor::automatic)};
  for (const ExecutorRow& row : all_executors()) {
    EXPECT_NE(row.executor, Executor::automatic);
    EXPECT_TRUE(seen.insert(row.executor).second) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(name(row.executor), row.name);
    EXPECT_EQ(&row_of(row.executor), &row);
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_THAT(std::string(row.phrase), ::testing::StartsWith("by ")) << row.name;
    EXPECT_THAT(executor_names(), HasSubstr(row.name));
  }
  EXPECT_THAT(executor_names(), HasSubstr("mpi, shared"));
  EXPECT_THAT(executor_names(), HasSubstr(" or "));
}

TEST(Executors, AreFoundAmongThoseThatAGroupOffers) {
  OfferingTransport mpi(Executor::mpi), hybrid(Executor::hybrid), shared(Executor::shared);
  EXPECT_EQ(transport_for(mpi, Executor::automatic), &mpi);
  EXPECT_EQ(transport_for(mpi, Executor::mpi), &mpi);
  EXPECT_EQ(refusal(mpi, Executor::shared), "these ranks do not share memory: they are on the moon");
  EXPECT_EQ(refusal(mpi, Executor::hybrid), "these ranks do not share memory: they are on the moon");

  mpi.before = {&hybrid};
  EXPECT_EQ(transport_for(mpi, Executor::automatic), &hybrid);
  EXPECT_EQ(transport_for(mpi, Executor::hybrid), &hybrid);
  EXPECT_EQ(transport_for(mpi, Executor::mpi), &mpi);
  EXPECT_EQ(refusal(mpi, Executor::shared), "these ranks do not all share memory; take executor hybrid");

  mpi.before = {&shared};
  EXPECT_EQ(transport_for(mpi, Executor::shared), &shared);
  EXPECT_EQ(refusal(mpi, Executor::hybrid), "these ranks all share memory; take executor shared");

  EXPECT_EQ(transport_for(shared, Executor::mpi), &shared) << "the group's own messages, where there is no MPI library";
}

TEST(Executors, OfThreadsUseSharedMemory) {
  run_threads(2, [](Communicator& communicator) {
    EXPECT_THAT(executors_of(communicator), ElementsAre(Executor::shared));
    EXPECT_EQ(communicator.transport().offered().front(), &communicator.transport());
  });
}

}  // namespace
}  // namespace quadrille
