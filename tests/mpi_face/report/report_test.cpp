// SPDX-License-Identifier: BSD-3-Clause
// Reading the counters of ranks and merging them to a report.
#include "mpi_face/report/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "quadrille/error.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::string_view functions[] = {"Alltoall", "Bcast", "Alltoallv", "Gather"};
const std::vector<Rank> world{0, 1, 2, 3};

class ReportTest : public testing::OwnFolder {
 protected:
  std::string path(Rank rank) const { return record_path(place_.string(), rank); }
  RecordOptions options(Rank rank) const {
    return {.path = path(rank), .world_rank = rank, .world_size = 4, .functions = functions, .run = 7, .program = "./app"};
  }
  static std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // Counts 10 alltoalls of 1,000 bytes by ours and one by the vendor, and 3 broadcasts from rank 2. Rank 0 has sent 77 bytes to
  // rank 3.
  void count(Record& record, Rank rank) const {
    const int communicator = record.add_communicator("MPI_COMM_WORLD", world);
    const auto tick = static_cast<std::uint64_t>(record.ticks_per_second() * 1e-3);
    Counters& alltoall = record.counters(0, communicator, 1000);
    for (int i = 0; i < 10; ++i) count_ours(alltoall, 1000, tick);
    count_passed(alltoall, record.reason(alltoall, "no plan yet"), 1000, 2 * tick);
    record.describe(alltoall, "bruck", "measured");
    for (std::uint64_t i = 1; i <= 3; ++i) add_sample(alltoall.vendor, (i + static_cast<std::uint64_t>(rank)) * tick);
    count_late(alltoall, tick);
    Counters& broadcast = record.counters(1, communicator, 8);
    for (int i = 0; i < 3; ++i) {
      count_passed(broadcast, record.reason(broadcast, "rooted"), 8, tick);
      if (rank == 2) count_root(broadcast, 8);
    }
    if (rank == 0) record.traffic()[3] = 77;
  }
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

TEST_F(ReportTest, MergesTheCountersOfAllRanks) {
  for (const Rank rank : world) {
    Record record(options(rank));
    count(record, rank);
    record.end();
  }
  const std::string places[] = {place_.string()};
  const RunReport report = read_run(places);
  EXPECT_EQ(report.program, "./app");
  ASSERT_EQ(report.ranks.size(), 4u);
  EXPECT_EQ(report.missing_ranks, 0);
  ASSERT_EQ(report.communicators.size(), 1u);
  EXPECT_EQ(report.communicators[0].members, world);
  ASSERT_EQ(report.rows.size(), 2u);
  const ReportRow& alltoall = report.rows[0];
  EXPECT_EQ(alltoall.collective, "Alltoall");
  EXPECT_EQ(alltoall.calls, 11);
  EXPECT_EQ(alltoall.ours_calls, 10);
  EXPECT_EQ(alltoall.block_bytes, 11000);
  EXPECT_EQ(alltoall.rank_calls, 44);
  EXPECT_EQ(alltoall.least_block, 512);
  EXPECT_NEAR(alltoall.rank_seconds, 4 * 12e-3, 1e-3);
  ASSERT_TRUE(alltoall.vendor);
  EXPECT_NEAR(alltoall.vendor->median_s, 5e-3, 1e-4) << "the time of rank 3, the slowest";
  EXPECT_EQ(alltoall.vendor->samples, 3);
  ASSERT_TRUE(alltoall.late);
  EXPECT_NEAR(alltoall.late->median_s, 1e-3, 1e-4);
  ASSERT_EQ(alltoall.passed.size(), 1u);
  EXPECT_EQ(alltoall.passed[0].why, "no plan yet");
  EXPECT_FALSE(report.rows[1].vendor);
  EXPECT_EQ(report.traffic[0 * 4 + 1], 11000u);
  EXPECT_EQ(report.traffic[0 * 4 + 3], 11077u);
  EXPECT_EQ(report.traffic[2 * 4 + 0], 11024u) << "the root of the broadcasts";
  EXPECT_EQ(report.traffic[1 * 4 + 1], 0u);
}

TEST_F(ReportTest, PrintsTextAndJson) {
  for (const Rank rank : world) {
    Record record(options(rank));
    count(record, rank);
    record.end();
  }
  const std::string places[] = {place_.string()};
  const RunReport report = read_run(places);
  const std::string summary = text_of(report, {}), full = text_of(report, {.full = true});
  for (const char* words : {"./app: 4 ranks on 1 host", "Alltoall", "1000 B", "MPI_COMM_WORLD", "(n = 3)", "10 by bruck: measured",
                            "1 by the MPI library: no plan yet"})
    EXPECT_NE(summary.find(words), std::string::npos) << words << '\n' << summary;
  EXPECT_NE(full.find("from \\ to"), std::string::npos) << full;
  EXPECT_LT(std::count(summary.begin(), summary.end(), '\n'), 24);
  const auto json = nlohmann::json::parse(json_text_of(report));
  EXPECT_EQ(json["rows"][0]["ours_calls"], 10);
  EXPECT_EQ(json["rows"][1]["vendor"], nullptr);
  EXPECT_EQ(json["traffic_bytes"][0][3], 11077);
}

TEST_F(ReportTest, SaysWhereARankEnded) {
  const pid_t child = ::fork();
  if (child == 0) {
    Record record(options(3));
    count(record, 3);
    record.enter(0, 0, ticks());
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  Record alive(options(1));
  alive.enter(0, alive.add_communicator("MPI_COMM_WORLD", world), ticks());
  const std::string places[] = {place_.string()};
  const RunReport report = read_run(places);
  ASSERT_EQ(report.ranks.size(), 2u);
  EXPECT_EQ(report.ranks[1].state, RankState::died);
  EXPECT_EQ(report.ranks[1].function, "Alltoall");
  EXPECT_EQ(report.missing, (std::vector<Rank>{0, 2}));
  const std::string text = text_of(report, {});
  EXPECT_NE(text.find("rank 3 ended inside Alltoall on MPI_COMM_WORLD, "), std::string::npos) << text;
  EXPECT_NE(text.find("no counters of ranks 0 and 2"), std::string::npos) << text;
}

TEST_F(ReportTest, RefusesFilesWithoutCounters) {
  const std::string letter = (place_ / "letter").string();
  std::ofstream(letter) << "Dear all";
  EXPECT_THROW(read_record(letter), Error);
  EXPECT_THROW(read_record((place_ / "nothing").string()), Error);
  EXPECT_THROW(read_record(place_.string()), Error);
  EXPECT_THROW(read_record("/dev/zero"), Error);
  const std::string places[] = {place_.string()};
  EXPECT_THROW(read_run(places), Error);
}

// Whatever bytes are changed, the result is a report or one error sentence.
TEST_F(ReportTest, ReadsOrRefusesDamagedFiles) {
  std::string good;
  {
    Record record(options(0));
    count(record, 0);
    record.traffic()[1] = 5;
    good = record.packed();
  }
  const auto read = [&](const std::string& bytes) {
    std::ofstream(path(1)) << bytes;
    return read_record(path(1));
  };
  EXPECT_EQ(read(good).counters.size(), 6u);
  std::mt19937_64 random(1);
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  int readable = 0, refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes = good;
    const std::size_t changes = 1 + draw(4);
    for (std::size_t k = 0; k < changes; ++k) {
      const std::size_t at = draw(4) == 0 ? draw(bytes.size()) : draw(700) < 350 ? draw(320) : 4096 + draw(bytes.size() - 4096);
      const std::uint64_t word = draw(3) == 0 ? ~std::uint64_t{0} >> draw(64) : random() >> draw(64);
      std::memcpy(bytes.data() + at, &word, std::min<std::size_t>(1 + draw(8), bytes.size() - at));
    }
    if (draw(4) == 0) bytes.resize(draw(bytes.size() + 1));
    try {
      RankRecord record = read(bytes);
      const RunReport report = merged({std::move(record)});
      EXPECT_FALSE(text_of(report, {.full = i % 2 == 0}).empty());
      if (report.world_size < 100) EXPECT_FALSE(json_text_of(report).empty());
      ++readable;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(readable, 1000);
  EXPECT_GT(refused, 1000);
}

TEST_F(ReportTest, CutFilesAreRefused) {
  {
    Record record(options(0));
    count(record, 0);
    record.end();
  }
  const std::string good = contents(path(0));
  for (std::size_t length = 0; length < good.size(); length += 1 + length / 7) {
    std::ofstream(path(1)) << good.substr(0, length);
    EXPECT_THROW(read_record(path(1)), Error) << length;
  }
}

TEST_F(ReportTest, TheLastRankReports) {
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
TEST_F(ReportTest, IsWrittenThroughNoPlantedLink) {
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

TEST_F(ReportTest, IsNotWrittenThroughTheLinkOfAnotherUser) {
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

TEST(ReportWishes, AreReadFromWords) {
  EXPECT_FALSE(parse_report_wish("summary")->full);
  EXPECT_TRUE(parse_report_wish("full")->full);
  EXPECT_EQ(parse_report_wish("full:a:b")->file, "a:b");
  for (const char* words : {"", "Summary", "full:", "yes", "fuller", ":x"}) EXPECT_FALSE(parse_report_wish(words)) << words;
}

TEST_F(ReportTest, RefusesFoldersOfOtherUsers) {
  const ReportWish wish{.file = (place_ / "run").string()};
  std::filesystem::create_directory(wish.file + ".counters");
  ::chmod((wish.file + ".counters").c_str(), 0755);
  EXPECT_THROW(make_report_folder(wish, 7), Error);
  std::filesystem::remove(wish.file + ".counters");
  std::filesystem::create_directory_symlink(place_, wish.file + ".counters");
  EXPECT_THROW(make_report_folder(wish, 7), Error);
}

}  // namespace
}  // namespace quadrille::mpi_face
