// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/policy/findings.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "quadrille/candidate.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint16_t today = 20'000;
const std::vector<Count> two_nodes{0, 0, 1, 1};

CallKind kind_with(Bytes block_bytes, double ours_s, double vendors_s) {
  CallKind kind;
  kind.key = {.block_bytes = block_bytes, .function = Function::Alltoall};
  kind.calls = 500;
  kind.mode = ours_s <= vendors_s ? CallKind::Mode::ours : CallKind::Mode::vendor;
  if (ours_s <= vendors_s)
    kind.way = Way{.algorithm = parse_candidate(Collective::alltoall, "bruck:radix=4"), .policy = Policy::nonblocking};
  kind.trials.times = {{ours_s, 1.1 * ours_s, ours_s}, {vendors_s, vendors_s, vendors_s}};
  return kind;
}

std::optional<CallFinding> found_by(const CallKind& kind) { return found_in(kind, 4, two_nodes); }

Findings after(const std::vector<CallFinding>& run, const Findings& before = {}, std::uint16_t day = today) {
  Findings merged = before;
  merged.merge(run, day);
  return merged;
}

CallKind kind_of(Function function, Bytes block_bytes) {
  CallKind kind;
  kind.key = {.block_bytes = block_bytes, .function = function};
  return kind;
}
CallKind alltoall_of(Bytes block_bytes) { return kind_of(Function::Alltoall, block_bytes); }

TEST(Findings, KeepTheWayTheTimesAndTheNumberOfCalls) {
  const CallKind kind = kind_with(64, 1e-4, 3e-4);
  const Findings findings = after({*found_by(kind)});
  const CallFinding* const found = findings.find(alltoall_of(64), 4, two_nodes);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->is_ours());
  EXPECT_EQ(way_of(*found), kind.way);
  EXPECT_FLOAT_EQ(found->ours_s, 1e-4f);
  EXPECT_FLOAT_EQ(found->vendors_s, 3e-4f);
  EXPECT_NEAR(found->greatest_ratio, 0.3667, 1e-3);
  EXPECT_NEAR(found->expected_gain_s(100), 400 * 2e-4, 1e-6);
  EXPECT_EQ(found->expected_gain_s(500), 0);
  EXPECT_EQ(found->runs, 1);
}

TEST(Findings, AreAboutOneClassOfSizesOnNodesLikeThese) {
  const Findings findings = after({*found_by(kind_with(64, 1e-4, 3e-4))});
  EXPECT_NE(findings.find(alltoall_of(33), 4, two_nodes), nullptr);
  EXPECT_EQ(findings.find(alltoall_of(32), 4, two_nodes), nullptr);
  EXPECT_EQ(findings.find(alltoall_of(65), 4, two_nodes), nullptr);
  EXPECT_EQ(findings.find(alltoall_of(64), 5, two_nodes), nullptr);
  EXPECT_EQ(findings.find(alltoall_of(64), 4, std::vector<Count>{0, 1, 0, 1}), nullptr);
  EXPECT_NE(findings.find(alltoall_of(64), 4, {}), nullptr) << "any nodes";
  EXPECT_EQ(findings.find(kind_of(Function::Allgather, 64), 4, two_nodes), nullptr);
}

TEST(Findings, OfReductionsAreAboutOneOperatorAndType) {
  CallKind kind = kind_with(64, 1e-4, 3e-4);
  kind.key.function = Function::Allreduce, kind.key.element = 3, kind.operation_name = "sum";
  kind.way->algorithm = parse_candidate(Collective::allreduce, "ring");
  const Findings findings = after({*found_by(kind)});
  EXPECT_NE(findings.find(kind, 4, two_nodes), nullptr);
  CallKind maximum = kind, floats = kind, next_run = kind;
  maximum.operation_name = "max";
  EXPECT_EQ(findings.find(maximum, 4, two_nodes), nullptr);
  floats.key.element = 4;
  EXPECT_EQ(findings.find(floats, 4, two_nodes), nullptr);
  next_run.key.operation = 12345;
  EXPECT_NE(findings.find(next_run, 4, two_nodes), nullptr) << "a handle may have other bits in each run";
}

TEST(Findings, OfALostTrialSaySo) {
  const Findings findings = after({*found_by(kind_with(64, 3e-4, 1e-4))});
  const CallFinding* const found = findings.find(alltoall_of(64), 4, two_nodes);
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->is_ours());
  EXPECT_EQ(found->expected_gain_s(0), 0);
}

TEST(Findings, AreCountedForgottenAndReplaced) {
  const CallFinding won = *found_by(kind_with(64, 1e-4, 3e-4)), lost = *found_by(kind_with(64, 3e-4, 1e-4));
  Findings findings = after({won}, after({won}));
  EXPECT_EQ(findings.all().at(0).runs, 2);
  EXPECT_TRUE(after({lost}, findings).empty()) << "refuted";
  findings = after({won}, after({lost}));
  EXPECT_TRUE(findings.all().at(0).is_ours());
  EXPECT_EQ(findings.all().at(0).runs, 1);
}

TEST(Findings, ThatAreNotConfirmedLeaveAfterTenRunsOrThirtyDays) {
  const CallFinding won = *found_by(kind_with(64, 1e-4, 3e-4));
  CallKind untried = kind_with(64, 1e-4, 3e-4);
  untried.trials.times = {};
  Findings findings = after({won});
  for (int run = 1; run < 10; ++run) findings = after({*found_by(untried)}, findings);
  EXPECT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(after({won}, findings).all().at(0).missed, 0) << "confirmed again";
  EXPECT_TRUE(after({*found_by(untried)}, findings).empty());
  findings = after({won});
  EXPECT_EQ(after({}, findings, today + 30).all().size(), 1u);
  EXPECT_TRUE(after({}, findings, today + 31).empty());
  EXPECT_TRUE(after({}, findings, today - 2).empty()) << "of the future";
}

TEST(Findings, AreNotMadeWhereTheUserDecided) {
  CallKind kind = kind_with(64, 1e-4, 3e-4);
  kind.rule = CallKind::Rule::followed;
  EXPECT_FALSE(found_by(kind));
  EXPECT_FALSE(found_in(kind_with(64, 1e-4, 3e-4), 4, {})) << "the nodes are not known";
}

TEST(Findings, OfSeveralSizesOfAClassAddUp) {
  std::vector<CallFinding> run;
  CallKind untried = kind_with(60, 1e-4, 3e-4);
  untried.trials.times = {};
  add_found(run, *found_by(untried));
  add_found(run, *found_by(kind_with(64, 1e-4, 3e-4)));
  ASSERT_EQ(run.size(), 1u);
  EXPECT_EQ(run[0].calls, 1000u);
  EXPECT_EQ(run[0].runs, 1) << "one of them was settled";
}

TEST(Findings, AreAtMostAThousandTheLeastConfirmedLeave) {
  std::vector<CallFinding> run;
  for (std::uint32_t ranks = 2; ranks < 1202; ++ranks) {
    run.push_back(*found_by(kind_with(64, 1e-4, 3e-4)));
    run.back().ranks = ranks;
  }
  const CallFinding often = run[1100];
  const Findings findings = after(run, after({often}));
  EXPECT_EQ(findings.all().size(), Findings::most);
  EXPECT_NE(findings.find(alltoall_of(64), often.ranks, two_nodes), nullptr);
  EXPECT_EQ(Findings::of_bytes(findings.bytes(), today).bytes(), findings.bytes());
}

TEST(Findings, ForAMachineAreThoseThatItsRanksCanUse) {
  CallFinding one = *found_by(kind_with(64, 1e-4, 3e-4)), other = one, large = one;
  one.machine = 7, other.machine = 8, large.machine = 7, large.ranks = 9;
  EXPECT_EQ(after({one, other, large}).of_machine(7, 8).all().size(), 1u);
}

TEST(Findings, AreNotReadFromBytesThatWereChanged) {
  std::vector<CallFinding> run;
  for (const Bytes bytes : {8, 64, 512}) run.push_back(*found_by(kind_with(bytes, 1e-4, 3e-4)));
  const std::string bytes = after(run).bytes();
  EXPECT_EQ(Findings::of_bytes(bytes, today).all().size(), 3u);
  EXPECT_TRUE(Findings::of_bytes("", today).empty());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    EXPECT_TRUE(Findings::of_bytes(bytes.substr(0, at), today).empty()) << at;
    std::string changed = bytes;
    changed[at] ^= 1;
    EXPECT_TRUE(Findings::of_bytes(changed, today).empty()) << at;
  }
}

// Someone who knows the form can make a file whose hash is right. Whatever its values, each finding that is read has a way.
TEST(Findings, WithAnyValuesHaveAWayOrAreDropped) {
  std::mt19937_64 random(5);
  int kept = 0;
  for (int round = 0; round < 20'000; ++round) {
    CallFinding finding = *found_by(kind_with(64, 1e-4, 3e-4));
    finding.day = today;
    auto* const bytes = reinterpret_cast<unsigned char*>(&finding);
    for (int change = 0; change < 3; ++change) bytes[random() % sizeof finding] = static_cast<unsigned char>(random());
    const Findings findings({finding}, today);
    for (const CallFinding& each : findings.all()) {
      ++kept;
      EXPECT_TRUE(!each.is_ours() || each.algorithm == CallFinding::exchange || way_of(each).has_value());
    }
  }
  EXPECT_GT(kept, 1000);
  EXPECT_LT(kept, 19'000);
}

class FileOfFindings : public testing::OwnFolder {
 protected:
  std::string file() const { return (place_ / "cache" / "quadrille" / "learned").string(); }
  const std::vector<CallFinding> run_{*found_by(kind_with(64, 1e-4, 3e-4))};
};

TEST_F(FileOfFindings, IsMadeWithItsFoldersAndMerged) {
  EXPECT_TRUE(read_findings(file(), today).empty());
  EXPECT_TRUE(save_findings(file(), run_, today));
  EXPECT_TRUE(save_findings(file(), run_, today));
  ASSERT_EQ(read_findings(file(), today).all().size(), 1u);
  EXPECT_EQ(read_findings(file(), today).all()[0].runs, 2);
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(FileOfFindings, IsAsGoodAsNoneIfItIsNotTheUsersOwn) {
  ASSERT_TRUE(save_findings(file(), run_, today));
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  EXPECT_TRUE(read_findings(file(), today).empty()) << "anybody may write it";
  ASSERT_EQ(::chmod(file().c_str(), 0600), 0);
  EXPECT_FALSE(read_findings(file(), today).empty());
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(file().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(read_findings(file(), today).empty()) << "another user planted it";
}

TEST_F(FileOfFindings, IsAsGoodAsNoneIfItIsNoFileOrTooLong) {
  std::filesystem::create_directories(file());
  EXPECT_TRUE(read_findings(file(), today).empty());
  EXPECT_FALSE(save_findings(file(), run_, today));
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_TRUE(read_findings(file(), today).empty()) << "a pipe: nobody waits for it";
  std::filesystem::remove(file());
  std::ofstream(file()) << std::string(1 << 20, 'x');
  EXPECT_TRUE(read_findings(file(), today).empty());
  EXPECT_TRUE(save_findings(file(), run_, today)) << "it is replaced";
}

TEST_F(FileOfFindings, StaysAsItIsOnAFullDiskOrInAFolderThatCannotBeWritten) {
  EXPECT_FALSE(save_findings("", run_, today));
  EXPECT_FALSE(save_findings("/proc/quadrille/learned", run_, today));
}

}  // namespace
}  // namespace quadrille::mpi_face
