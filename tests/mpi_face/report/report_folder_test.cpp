// SPDX-License-Identifier: BSD-3-Clause
// The folder and the files of a report: who writes them, and through which links nobody writes.
#include "mpi_face/report/report_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report.hpp"
#include "quadrille/error.hpp"
#include "support/counted_run.hpp"
#include "support/own_folder.hpp"
#include "support/variable.hpp"

namespace quadrille::mpi_face {
namespace {

class ReportFolderTest : public ReportTest {
 protected:
  // Ends a run of one rank.
  void report_alone(const std::string& folder, const ReportWish& wish) const {
    RecordOptions one = options(0);
    one.path = record_path(folder, 0);
    one.world_size = 1;
    Record record(one);
    record.end();
    report_if_last(folder, wish);
  }
};

TEST_F(ReportFolderTest, TheLastRankReports) {
  const ReportWish wish{.file = (place_ / "run.txt").string()};
  const std::string folder = make_report_folder(wish, 7);
  EXPECT_EQ(folder, wish.file + ".counters");
  RecordOptions one = options(0), other = options(1);
  one.path = record_path(folder, 0), other.path = record_path(folder, 1);
  const pid_t child = ::fork();  // another process, because the lock belongs to a process
  if (child == 0) {
    Record record(other);
    record.enter(0, -1, ticks());
    std::ofstream(place_ / "ready");
    ::pause();
  }
  while (!std::filesystem::exists(place_ / "ready")) ::usleep(1000);
  {
    Record record(one);
    count(record, 0);
    record.end();
    report_if_last(folder, wish);
    EXPECT_FALSE(std::filesystem::exists(wish.file)) << "rank 1 runs";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    report_if_last(folder, wish);
  }
  EXPECT_NE(contents(wish.file).find("rank 1 ended inside Alltoall"), std::string::npos) << contents(wish.file);
  EXPECT_TRUE(nlohmann::json::accept(contents(wish.file + ".json")));
}

// Another user may make links in a shared folder, under every name that can be predicted.
TEST_F(ReportFolderTest, IsWrittenThroughNoPlantedLink) {
  const ReportWish wish{.file = (place_ / "run.txt").string()};
  const std::string folder = make_report_folder(wish, 7), victim = place_ / "victim";
  std::ofstream(victim) << "secret";
  for (const std::string& name : {wish.file, wish.file + ".json"})
    std::filesystem::create_symlink(victim, fmt::format("{}.{}", name, ::getpid()));
  report_alone(folder, wish);
  EXPECT_EQ(contents(victim), "secret");
  EXPECT_FALSE(std::filesystem::is_symlink(wish.file));
  EXPECT_NE(contents(wish.file).find("./app"), std::string::npos) << contents(wish.file);
}

TEST_F(ReportFolderTest, IsNotWrittenThroughTheLinkOfAnotherUser) {
  const ReportWish wish{.file = (place_ / "run.txt").string()};
  const std::string folder = make_report_folder(wish, 7), victim = place_ / "victim";
  std::ofstream(victim) << "secret";
  std::filesystem::create_symlink(victim, wish.file);
  if (::lchown(wish.file.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "skipped: only root can make a link of another user";
  try {
    report_alone(folder, wish);
    ADD_FAILURE() << "it was written";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 fmt::format("the report '{}' cannot be written: 'run.txt' is a link of another user", wish.file).c_str());
  }
  EXPECT_EQ(contents(victim), "secret");
}

TEST(ReportFolders, HaveAFileOfCallsForEachRun) {
  EXPECT_TRUE(calls_path("folder", 1).starts_with("folder/"));
  EXPECT_NE(calls_path("folder", 1), calls_path("folder", 2));
}

TEST(NumberOfRun, IsThatOfTheLauncherAndOnlyWithoutOneThatOfTheStepOfSlurm) {
  const auto in_step = [](const char* step) {
    const testing::Variable job("SLURM_JOB_ID", "7"), number("SLURM_STEP_ID", step);
    return number_of_run();
  };
  EXPECT_NE(in_step("0"), in_step("1"));
  const testing::Variable mpirun("PMIX_NAMESPACE", "mpirun's run");
  EXPECT_EQ(in_step("0"), in_step("1"));
}

TEST(ReportWishes, AreReadFromWords) {
  EXPECT_FALSE(parse_report_wish("summary")->full);
  EXPECT_TRUE(parse_report_wish("full")->full);
  EXPECT_EQ(parse_report_wish("full:a:b")->file, "a:b");
  for (const char* words : {"", "Summary", "full:", "yes", "fuller", ":x"}) EXPECT_FALSE(parse_report_wish(words)) << words;
}

TEST_F(ReportFolderTest, RefusesFoldersOfOtherUsers) {
  const ReportWish wish{.file = (place_ / "run").string()};
  std::filesystem::create_directory(wish.file + ".counters");
  ::chmod((wish.file + ".counters").c_str(), 0755);
  EXPECT_THROW(make_report_folder(wish, 7), Error);
  std::filesystem::remove(wish.file + ".counters");
  std::filesystem::create_directory_symlink(place_, wish.file + ".counters");
  EXPECT_THROW(make_report_folder(wish, 7), Error);
}

TEST_F(ReportFolderTest, OfARunThatWasKilledDaysAgoIsRemoved) {
  const testing::Variable temporary("TMPDIR", place_.c_str());
  const std::string old = make_report_folder({}, 1), recent = make_report_folder({}, 2), running = make_report_folder({}, 3);
  std::ofstream(old + "/rank-0.counters") << "no counters";
  RecordOptions one = options(0);
  one.path = record_path(running, 0);
  const pid_t child = ::fork();  // another process, because the lock belongs to a process
  if (child == 0) {
    Record record(one);
    std::ofstream(place_ / "ready");
    ::pause();
  }
  while (!std::filesystem::exists(place_ / "ready")) ::usleep(1000);
  const std::filesystem::path link = old + "0", others = place_ / "others";
  std::filesystem::create_directory_symlink(others, link);
  std::filesystem::create_directory(others);
  const timespec days_ago[2] = {{::time(nullptr) - 4 * 24 * 3600, 0}, {::time(nullptr) - 4 * 24 * 3600, 0}};
  for (const std::string& folder : {old, running, others.string()}) ::utimensat(AT_FDCWD, folder.c_str(), days_ago, 0);
  remove_old_report_folders();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(std::filesystem::exists(old));
  for (const std::filesystem::path& kept : {std::filesystem::path(recent), std::filesystem::path(running), others})
    EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
}

TEST(WatchWish, IsPassedAsText) {
  const WatchWish wish{.limit_s = 2.5, .checks = true, .watcher = 4711, .run = 17, .meeting = "10.0.0.1:4000 00ff"};
  const auto read = parse_watch_wish(to_text(wish));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->limit_s, 2.5);
  EXPECT_TRUE(read->checks);
  EXPECT_EQ(read->watcher, 4711);
  EXPECT_EQ(read->run, 17u);
  EXPECT_EQ(read->meeting, "10.0.0.1:4000 00ff");
  const auto plain = parse_watch_wish("10");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->checks);
  EXPECT_EQ(plain->watcher, 0);
  EXPECT_EQ(plain->meeting, "");
  EXPECT_EQ(parse_watch_wish(to_text({.limit_s = 1, .watcher = -1}))->watcher, -1);
  for (const char* wrong : {"", "off", "0", "ten", "-1", "1e9"}) EXPECT_FALSE(parse_watch_wish(wrong)) << wrong;
}

// A watcher may have told of a hang that went by.
TEST_F(ReportFolderTest, AReportKeepsWhatAWatcherSaid) {
  const ReportWish wish;
  const std::string folder = (place_ / "counters").string();
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/run.hang.txt") << "a hang";
  report_alone(folder, wish);
  EXPECT_TRUE(std::filesystem::exists(folder + "/run.hang.txt"));
  EXPECT_FALSE(std::filesystem::exists(record_path(folder, 0)));
  std::filesystem::remove(folder + "/run.hang.txt");
  report_alone(folder, wish);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace quadrille::mpi_face
