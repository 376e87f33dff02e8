// SPDX-License-Identifier: BSD-3-Clause
// What is counted of each call: function, size class, bytes, traffic, reason and communicator. Needs QUADRILLE_REPORT.
#include "mpi_face/counting.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>

#include "mpi_face/call.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/report/record_read.hpp"

namespace quadrille::mpi_face {
namespace {

// Each test has a communicator of its own, named after it.
class CountingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(Counting::get(), nullptr) << "set QUADRILLE_REPORT";
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_name(comm_, name().c_str());
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  void TearDown() override { MPI_Comm_free(&comm_); }

  static std::string name() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }

  // Runs the call, which the MPI library's own function answers with `code`.
  static int run_call(const MpiCall& call, int code = MPI_SUCCESS) {
    auto vendor = [&] { return code; };
    return run(call, vendor);
  }

  static RankRecord record() {
    const auto file = std::filesystem::temp_directory_path() / fmt::format("quadrille-counting-test-{}", ::getpid());
    std::ofstream(file) << Counting::get()->record().packed();
    RankRecord record = read_record(file);
    std::filesystem::remove(file);
    return record;
  }

  // The counters of a function on the test's communicator, in ascending order of their size classes.
  static std::vector<Counters> counters(std::string_view function) {
    const RankRecord all = record();
    std::vector<Counters> found;
    for (const Counters& each : all.counters)
      if (all.functions[static_cast<std::size_t>(each.function)] == function && each.communicator >= 0 &&
          words_of(all.communicators[static_cast<std::size_t>(each.communicator)].name) == name())
        found.push_back(each);
    std::sort(found.begin(), found.end(), [](const Counters& a, const Counters& b) { return a.size_class < b.size_class; });
    return found;
  }

  static std::vector<std::string> reasons(const Counters& counters) {
    const RankRecord all = record();
    std::vector<std::string> words;
    for (const PassedCalls& passed : counters.passed)
      if (passed.is_used && passed.calls > 0) words.push_back(all.reasons[passed.reason]);
    return words;
  }

  static std::vector<std::uint64_t> traffic(int ranks) {
    std::vector<std::uint64_t> row(static_cast<std::size_t>(ranks));
    for (const auto& [to, bytes] : record().traffic) row[static_cast<std::size_t>(to)] = bytes;
    return row;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0;
  std::vector<char> in_ = std::vector<char>(4096), out_ = std::vector<char>(4096);
};

TEST_F(CountingTest, CallsOfOneSizeClassTogether) {
  for (const int count : {511, 512, 700, 1023, 1024})
    run_call(call_of(Of<Function::Bcast>(), in_.data(), count, MPI_BYTE, 0, comm_));
  const std::vector<Counters> found = counters("Bcast");
  ASSERT_EQ(found.size(), 3u) << "up to 511, from 512, and from 1024 bytes";
  EXPECT_EQ(found[0].passed_calls, 1u);
  EXPECT_EQ(found[1].passed_calls, 3u);
  EXPECT_EQ(found[1].bytes, 512u + 700 + 1023);
  EXPECT_EQ(found[1].size_class, size_class_of(512));
  EXPECT_EQ(found[1].root_bytes, rank_ == 0 ? found[1].bytes : 0) << "only the root's calls";
  EXPECT_EQ(found[2].passed_calls, 1u);
  EXPECT_EQ(reasons(found[1]), std::vector<std::string>{std::string(sentence(Cause::rare))});
}

// A call that fails is counted, without bytes, and its code is the caller's.
TEST_F(CountingTest, CallsThatFail) {
  EXPECT_EQ(run_call(call_of(Of<Function::Bcast>(), in_.data(), 100, MPI_BYTE, 0, comm_), MPI_ERR_COUNT), MPI_ERR_COUNT);
  const std::vector<Counters> found = counters("Bcast");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size_class, 0u);
  EXPECT_EQ(found[0].bytes, 0u);
  EXPECT_EQ(reasons(found[0]), std::vector<std::string>{"it failed"});
}

// The bytes of an irregular call are those that this rank sends, its own block included; traffic is what leaves it.
TEST_F(CountingTest, BytesOfAnAlltoallv) {
  std::vector<int> counts(static_cast<std::size_t>(ranks_)), places(counts.size());
  for (int to = 0; to < ranks_; ++to) counts[static_cast<std::size_t>(to)] = 10 * to + 1;
  const std::vector<std::uint64_t> before = traffic(ranks_);
  run_call(call_of(Of<Function::Alltoallv>(), in_.data(), counts.data(), places.data(), MPI_SHORT, out_.data(), counts.data(),
                   places.data(), MPI_SHORT, comm_));
  const std::vector<Counters> found = counters("Alltoallv");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, 2u * static_cast<std::uint64_t>(std::accumulate(counts.begin(), counts.end(), 0)));
  const std::vector<std::uint64_t> after = traffic(ranks_);
  for (int to = 0; to < ranks_; ++to) {
    const auto at = static_cast<std::size_t>(to);
    EXPECT_EQ(after[at] - before[at], to == rank_ ? 0 : 2u * static_cast<std::uint64_t>(counts[at])) << to;
  }
}

// In place, an alltoallv sends what its receive side says.
TEST_F(CountingTest, BytesOfAnAlltoallvInPlace) {
  const std::vector<int> counts(static_cast<std::size_t>(ranks_), 3), places(counts.size());
  run_call(call_of(Of<Function::Alltoallv>(), MPI_IN_PLACE, static_cast<const int*>(nullptr), static_cast<const int*>(nullptr),
                   MPI_DATATYPE_NULL, out_.data(), counts.data(), places.data(), MPI_INT, comm_));
  ASSERT_EQ(counters("Alltoallv").size(), 1u);
  EXPECT_EQ(counters("Alltoallv")[0].bytes, 12u * static_cast<std::uint64_t>(ranks_));
}

// A scatterv's root sends to all, in a gatherv all send to the root.
TEST_F(CountingTest, BytesOfRootedCalls) {
  const std::vector<int> counts(static_cast<std::size_t>(ranks_), 5), places(counts.size());
  const int root = ranks_ - 1;
  const auto others = static_cast<std::uint64_t>(ranks_ - 1);
  const auto leaves = [&](const std::vector<std::uint64_t>& row) {
    return std::accumulate(row.begin(), row.end(), std::uint64_t{0});
  };
  const std::uint64_t at_first = leaves(traffic(ranks_));
  run_call(
      call_of(Of<Function::Scatterv>(), in_.data(), counts.data(), places.data(), MPI_BYTE, out_.data(), 5, MPI_BYTE, root, comm_));
  const std::uint64_t scattered = leaves(traffic(ranks_));
  EXPECT_EQ(scattered - at_first, rank_ == root ? 5 * others : 0);
  EXPECT_EQ(counters("Scatterv").at(0).bytes, rank_ == root ? 5 * (others + 1) : 0);
  run_call(
      call_of(Of<Function::Gatherv>(), in_.data(), 5, MPI_BYTE, out_.data(), counts.data(), places.data(), MPI_BYTE, root, comm_));
  EXPECT_EQ(leaves(traffic(ranks_)) - scattered, rank_ == root ? 0 : 5);
  EXPECT_EQ(counters("Gatherv").at(0).bytes, rank_ == root ? 0 : 5) << "the root sends nothing";
}

TEST_F(CountingTest, CallsThatAreNeverOurs) {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  {
    const MpiCall call = call_of_passed<Function::Ialltoall>(in_.data(), 8, MPI_BYTE, out_.data(), 8, MPI_BYTE, comm_);
    PassedThrough passed(Function::Ialltoall, call);
    PMPI_Ialltoall(in_.data(), 8, MPI_BYTE, out_.data(), 8, MPI_BYTE, comm_, &requests[0]);
    passed.made(requests[0]);
  }
  PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  const std::vector<Counters> found = counters("Ialltoall");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].passed_calls, 1u);
  EXPECT_EQ(found[0].bytes, 8u) << "one block, as of other regular collectives";
  EXPECT_EQ(reasons(found[0]), std::vector<std::string>{"nonblocking"});
}

// On a communicator of one rank, calls with counts are copies; with wrong arguments they are left to the MPI library.
TEST_F(CountingTest, CallsWithCountsOfOneRank) {
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_name(alone, name().c_str());
  const std::array<int, 4> in{1, 2, 3, 4}, kept{5, 6, 7, 8};
  const int one = 1, two = 2, three = 3;
  std::array<int, 4> out = kept;
  const auto to_all = [&](const void* from, const int* sent) {
    return run_call(call_of(Of<Function::Alltoallv>(), from, sent, &one, MPI_INT, out.data(), &two, &two, MPI_INT, alone));
  };
  const auto gather = [&](const void* from, int sent) {
    return run_call(call_of(Of<Function::Gatherv>(), from, sent, MPI_INT, out.data(), &two, &two, MPI_INT, 0, alone));
  };
  const auto scatter = [&](void* to, int received) {
    return run_call(call_of(Of<Function::Scatterv>(), in.data(), &two, &two, MPI_INT, to, received, MPI_INT, 0, alone));
  };
  to_all(in.data(), &two);
  EXPECT_EQ(out, (std::array{5, 6, 2, 3}));
  out = kept;
  gather(in.data(), two);
  EXPECT_EQ(out, (std::array{5, 6, 1, 2}));
  out = kept;
  scatter(out.data(), two);
  EXPECT_EQ(out, (std::array{3, 4, 7, 8}));

  out = kept;
  to_all(MPI_IN_PLACE, nullptr);
  gather(MPI_IN_PLACE, 0);
  scatter(MPI_IN_PLACE, 0);
  EXPECT_EQ(out, kept);
  for (const char* function : {"Alltoallv", "Gatherv", "Scatterv"})
    for (const Counters& each : counters(function)) EXPECT_EQ(each.passed_calls, 0u) << function;

  EXPECT_EQ(to_all(in.data(), &three), MPI_SUCCESS);  // the MPI library's own answer
  gather(in.data(), three);
  scatter(out.data(), three);
  EXPECT_EQ(out, kept);
  for (const char* function : {"Alltoallv", "Gatherv", "Scatterv"}) {
    std::vector<std::string> why;
    for (const Counters& each : counters(function))
      for (const std::string& reason : reasons(each)) why.push_back(reason);
    EXPECT_EQ(why, std::vector<std::string>{std::string(sentence(Cause::wrong_arguments))}) << function;
  }
  MPI_Comm_free(&alone);
}

// A communicator's members are known by their ranks in the world.
TEST_F(CountingTest, CommunicatorsWithTheirMembers) {
  MPI_Comm backwards = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_, &backwards);
  run_call(call_of(Of<Function::Bcast>(), in_.data(), 1, MPI_BYTE, 0, backwards));
  MPI_Comm_set_name(backwards, "backwards");
  MPI_Comm_free(&backwards);
  const RankRecord all = record();
  const auto found = std::find_if(all.communicators.begin(), all.communicators.end(),
                                  [](const RecordCommunicator& each) { return words_of(each.name) == "backwards"; });
  ASSERT_NE(found, all.communicators.end()) << "the name is read when the communicator is freed";
  EXPECT_EQ(found->ranks, ranks_);
  EXPECT_TRUE(found->is_freed);
  ASSERT_GT(found->runs, 0u);
  EXPECT_EQ(all.runs[found->first_run].first, ranks_ - 1);
}

TEST_F(CountingTest, LeavesNoRankInsideACall) {
  run_call(call_of(Of<Function::Barrier>(), comm_));
  EXPECT_EQ(Counting::get()->record().header().in_call, 0u);
  auto throws = [&]() -> int { throw std::bad_alloc(); };
  CommunicatorState* const state = CommunicatorState::of(comm_);
  ASSERT_NE(state, nullptr);
  EXPECT_THROW(Counting::get()->run(*state, call_of(Of<Function::Barrier>(), comm_), throws), std::bad_alloc);
  EXPECT_EQ(Counting::get()->record().header().in_call, 0u);
}

}  // namespace
}  // namespace quadrille::mpi_face
