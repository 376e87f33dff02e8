// SPDX-License-Identifier: BSD-3-Clause
// Files of ranks, while they run, after they were killed and when they have ended; also damaged ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_log.hpp"
#include "recording/rank_contents.hpp"
#include "recording/recording_json.hpp"
#include "recording/totals.hpp"
#include "support/environment.hpp"
#include "support/made_recording.hpp"
#include "support/own_folder.hpp"
#include "support/sentence_of.hpp"

namespace quadrille::recording {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view names_of_functions[] = {"Send", "Recv"};
constexpr double rate_of_log = 2e9;

class ReadRecording : public testing::OwnFolder {
 protected:
  RankFacts facts(Rank rank, std::uint64_t run = 1) const {
    return {.program = "./app",
            .mpi = "MPI",
            .version = "1",
            .host = "here",
            .settings = {"OMPI_MCA_coll_tuned_priority=5", "UCX_TLS=tcp"},
            .rank = rank,
            .world_size = 3,
            .run = run,
            .start_unix_ns = 5 + static_cast<std::int64_t>(run),
            .process = 7};
  }

  // The file of a rank with 300 allreduces after gaps of 1 us, messages of 2 us, and an alltoallv of the rank's own counts.
  void write_rank(Rank rank, bool ends = true, std::uint64_t run = 1) const {
    CallLog log(folder(), facts(rank, run), names_of_functions, 1000);
    log.header().ticks_per_second = rate_of_log;
    log.define(RecordedCommunicator{"MPI_COMM_WORLD", {0, 1, 2}, 0, false});
    log.define(RecordedSite{.kind = RecordedKind::point_to_point});
    log.define(RecordedSite{.function = "Allreduce", .type = "f64", .operation = "sum", .type_bytes = 8, .block_bytes = 8});
    log.define(RecordedSite{.function = "Alltoallv", .block_bytes = 3 + rank, .counts = {1, 1 + rank, 1}});
    for (int i = 0; i < 300; ++i) log.add({1, 2000, 0, 20'000});
    log.add({0, 100, 0, 4000});
    log.add({2, 400, 2'000'000, 60'000});
    log.header().functions[1] = {4, 4000};
    if (!ends) return;
    log.header().end_ticks = 1000 + 20'000'000;
    log.close();
  }

  std::string path(Rank rank) const { return recording_path(folder(), rank); }
  std::string folder() const { return place_.string(); }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

// The bytes of the units that a file of a rank that has not ended holds.
std::size_t units_of(std::string_view file) {
  return (file.find_last_not_of('\0') / sizeof(Unit) + 1) * sizeof(Unit) - CallLogHeader::bytes;
}

void expect_rank(const Recording& recording, std::size_t index) {
  const RecordedRank& rank = recording.ranks.at(index);
  EXPECT_EQ(rank.calls, 302);
  ASSERT_EQ(rank.sites.size(), 3u);
  EXPECT_EQ(recording.sites[rank.sites[1]].function, "Allreduce");
  EXPECT_EQ(rank.times[1].calls, 300);
  EXPECT_NEAR(rank.times[1].gap_s, 300e-6, 0.002 * 300e-6);
  EXPECT_NEAR(rank.times[1].duration_s, 3e-3, 0.002 * 3e-3);
  EXPECT_NEAR(rank.times[2].away_s, 1e-3, 1e-6);
  ASSERT_EQ(rank.functions.size(), 1u);
  EXPECT_EQ(rank.functions[0].name, "Recv");
  EXPECT_EQ(rank.functions[0].calls, 4);
  EXPECT_NEAR(rank.functions[0].seconds, 2e-6, 1e-12);
  RecordedCalls calls(rank);
  int count = 0;
  while (const auto call = calls.next()) {
    if (++count <= 300) EXPECT_EQ(recording.sites[call->site].function, "Allreduce");
    if (count == 302) EXPECT_EQ(recording.sites[call->site].counts.size(), 3u);
  }
  EXPECT_EQ(count, 302);
}

TEST_F(ReadRecording, PlainAndFoldedFilesHoldTheSame) {
  for (const Rank rank : {0, 1, 2}) write_rank(rank);
  fold_rank(path(0));
  fold_rank(path(2));
  EXPECT_LT(fs::file_size(path(0)), fs::file_size(path(1)) - 1000);
  const Recording recording = read_recording(folder());
  EXPECT_TRUE(recording.remarks.empty());
  EXPECT_EQ(recording.program, "./app");
  EXPECT_EQ(recording.settings, (std::vector<std::string>{"OMPI_MCA_coll_tuned_priority=5", "UCX_TLS=tcp"}));
  EXPECT_EQ(recording.world_size, 3);
  ASSERT_EQ(recording.ranks.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_rank(recording, i);
    EXPECT_TRUE(recording.ranks[i].has_ended);
    EXPECT_NEAR(recording.ranks[i].seconds, 0.01, 1e-9);
  }
}

// Gaps of 2000 and 4000 ticks, and calls of 20,000 and 26,000, by chance: means alone would not tell how they vary.
TEST_F(ReadRecording, FoldingKeepsHowTimesVary) {
  for (const Rank rank : {0, 1, 2}) {
    CallLog log(folder(), facts(rank), names_of_functions, 1000);
    log.header().ticks_per_second = 1e9;
    log.define(RecordedCommunicator{"MPI_COMM_WORLD", {0, 1, 2}, 0, false});
    for (Bytes bytes : {8, 64}) log.define(RecordedSite{.function = "Bcast", .block_bytes = bytes});
    std::mt19937_64 random(1);
    for (std::uint32_t i = 0; i < 4000; ++i) {
      const std::uint64_t more = random() % 2;
      log.add({i % 2, 2000 + (i % 2 == 0 ? more * 2000 : 0), 0, 20'000 + more * 6000});
    }
    log.close();
  }
  fold_rank(path(1));
  const Recording recording = read_recording(folder());
  for (const Rank rank : {0, 1}) {
    const std::vector<RecordedTimes>& times = recording.ranks.at(static_cast<std::size_t>(rank)).times;
    EXPECT_NEAR(times.at(0).gap_deviation_s, 1e-6, 0.1e-6) << rank;
    EXPECT_NEAR(times.at(1).gap_deviation_s, 0, 0.05e-6) << rank;
    for (const RecordedTimes& each : times) EXPECT_NEAR(each.duration_deviation_s, 3e-6, 0.3e-6) << rank;
  }
}

// Two repetitions take less space than their means.
TEST_F(ReadRecording, FoldingMakesNoFileLonger) {
  constexpr std::uint32_t sites = 100;
  {
    CallLog log(folder(), facts(0), names_of_functions, 1000);
    log.header().ticks_per_second = rate_of_log;
    log.define(RecordedCommunicator{"MPI_COMM_WORLD", {0, 1, 2}, 0, false});
    for (std::uint32_t site = 0; site < sites; ++site) log.define(RecordedSite{.function = "Bcast", .block_bytes = site});
    for (std::uint32_t i = 0; i < 2 * sites; ++i) log.add({i % sites, 2000, 0, 20'000});
    log.close();
  }
  const auto before = fs::file_size(path(0));
  fold_rank(path(0));
  EXPECT_LE(fs::file_size(path(0)), before);
  EXPECT_EQ(read_recording(folder()).ranks.at(0).calls, 2 * sites);
}

TEST_F(ReadRecording, RanksShareSitesOfEqualContent) {
  for (const Rank rank : {0, 1, 2}) write_rank(rank);
  const Recording recording = read_recording(folder());
  EXPECT_EQ(recording.communicators.size(), 1u);
  EXPECT_EQ(recording.sites.size(), 2u + 3u);
  EXPECT_EQ(recording.ranks[0].sites[1], recording.ranks[2].sites[1]);
  EXPECT_NE(recording.ranks[0].sites[2], recording.ranks[2].sites[2]);
}

// Also if it was killed while it wrote a definition or an entry.
TEST_F(ReadRecording, KilledRanksKeepWhatTheyWrote) {
  for (const std::vector<Unit>& half : {std::vector<Unit>{},
                                        {unit_of(tag::definition, 's'), is_written | 8, 1},
                                        {unit_of(tag::away, 0)},
                                        {unit_of(tag::long_entry, 1), LongTime::code(5)}}) {
    write_rank(1, false);
    std::string file = text_of(path(1));
    const std::size_t end = CallLogHeader::bytes + units_of(file);
    std::copy_n(reinterpret_cast<const char*>(half.data()), half.size() * sizeof(Unit),
                file.begin() + static_cast<std::ptrdiff_t>(end));
    std::ofstream(path(1)) << file;
    const Recording recording = read_recording(folder());
    ASSERT_EQ(recording.ranks.size(), 1u);
    EXPECT_FALSE(recording.ranks[0].has_ended);
    expect_rank(recording, 0);
  }
}

TEST_F(ReadRecording, TotalsAddUpTheParts) {
  write_rank(0);
  const Recording recording = read_recording(folder());
  const PartSeconds sums = totals(recording);
  EXPECT_NEAR(sums[static_cast<std::size_t>(TimePart::computing)], 300e-6 + 50e-9 + 200e-9, 5e-8);
  EXPECT_NEAR(sums[static_cast<std::size_t>(TimePart::point_to_point)], 2e-6, 6e-8);
  EXPECT_NEAR(sums[static_cast<std::size_t>(TimePart::collectives)], 3.03e-3, 2e-6);
  EXPECT_NEAR(sums[static_cast<std::size_t>(TimePart::away)], 1e-3, 1e-6);
  const std::vector<RunPhase> all = phases(recording, 10);
  ASSERT_FALSE(all.empty());
  PartSeconds of_phases{};
  for (const RunPhase& phase : all)
    for (std::size_t i = 0; i < parts; ++i) of_phases[i] += phase.seconds[i];
  for (std::size_t i = 0; i < parts; ++i) EXPECT_NEAR(of_phases[i], sums[i], 0.03 * sums[i] + 1e-9);
  EXPECT_EQ(recording.sites[all.front().sites.at(0)].function, "Allreduce");
}

TEST_F(ReadRecording, JsonHasEveryCall) {
  write_rank(0);
  std::ostringstream json;
  write_json(json, read_recording(folder()));
  EXPECT_NE(json.str().find("\"format\": \"quadrille-recording\""), std::string::npos);
  std::size_t calls = 0;
  for (std::size_t at = json.str().find("[["); at != std::string::npos; at = json.str().find("[", at + 2)) ++calls;
  EXPECT_EQ(calls, 302u);
}

TEST_F(ReadRecording, FilesOfOtherRunsAreLeftOut) {
  write_rank(0, true, 2);
  write_rank(1, true, 1);
  write_rank(2, true, 1);
  const Recording recording = read_recording(folder());
  ASSERT_EQ(recording.ranks.size(), 1u);
  EXPECT_EQ(recording.ranks[0].rank, 0);
  ASSERT_EQ(recording.remarks.size(), 1u);
  EXPECT_NE(recording.remarks[0].find("2 files of other runs"), std::string::npos);
}

TEST_F(ReadRecording, NewFilesReplaceThoseOfRecordingsOnly) {
  for (const char* older : {"quadrille-recording/1\n...", "quadrille-recording/2\n..."}) {
    std::ofstream(path(0)) << older;
    write_rank(0);
    EXPECT_EQ(read_recording(folder()).ranks.size(), 1u);
  }
  std::ofstream(path(1)) << "Dear all";
  EXPECT_THROW(write_rank(1), Error);
  EXPECT_EQ(text_of(path(1)), "Dear all");
}

TEST_F(ReadRecording, RefusesFoldersWithoutRecordings) {
  EXPECT_THROW(read_recording(folder()), Error);
  EXPECT_THROW(read_recording(folder() + "/nothing"), Error);
  std::ofstream(path(0)) << "Dear all";
  EXPECT_THROW(read_recording(folder()), Error);
  write_rank(1);
  EXPECT_EQ(read_recording(folder()).remarks.size(), 1u);
}

TEST_F(ReadRecording, RefusesOtherVersions) {
  std::ofstream(path(0)) << "quadrille-recording/1\n...";
  EXPECT_EQ(testing::sentence_of([&] { read_recording(folder()); }),
            "the recording of rank 0 in '" + folder() +
                "' cannot be used: another version of Quadrille has made it, in a format that is not read here; record the program "
                "again");
}

TEST_F(ReadRecording, FindsDamageByTheChecksum) {
  write_rank(0);
  const std::string good = text_of(path(0));
  for (const std::size_t at : {std::size_t{100}, CallLogHeader::bytes + 50, good.size() - 1}) {
    std::string bad = good;
    bad[at] ^= 1;
    std::ofstream(path(0)) << bad;
    EXPECT_NE(testing::sentence_of([&] { read_recording(folder()); }).find("checksum"), std::string::npos) << at;
  }
}

// A writer that left a unit out of place has still set the checksum.
TEST_F(ReadRecording, ReadsEndedFilesToTheirEnds) {
  write_rank(0);
  std::string file = text_of(path(0));
  constexpr std::size_t at = offsetof(CallLogHeader, checksum);
  file += std::string(sizeof(Unit), '\0') + file.substr(file.size() - sizeof(Unit));
  file.replace(at, sizeof(std::uint64_t), sizeof(std::uint64_t), '\0');
  const std::uint64_t checksum = checksum_of(file);
  std::memcpy(file.data() + at, &checksum, sizeof checksum);
  std::ofstream(path(0)) << file;
  EXPECT_NE(testing::sentence_of([&] { read_recording(folder()); }).find("its entries are damaged"), std::string::npos);
}

// By its token rank 0 knows whether a file in its folder is that of the rank.
TEST_F(ReadRecording, TokensTellFilesApart) {
  write_rank(0);
  const std::string token = token_of_rank(path(0));
  EXPECT_EQ(token_of_rank(path(0)), token);
  write_rank(0, true, 2);
  EXPECT_NE(token_of_rank(path(0)), token);
  EXPECT_THROW(token_of_rank(path(1)), Error);
}

// Each file is right in form, and is read without the other ones; together they cannot be.
TEST_F(ReadRecording, RefusesWhatContradictsItself) {
  const auto refused = [&](const auto& change) {
    testing::MadeRecording program(4);
    const std::size_t part = program.communicator({0, 1}, "part");
    for (const std::size_t on : {std::size_t{0}, part}) program.site({.function = "Barrier", .communicator = on});
    for (Rank rank = 0; rank < 4; ++rank) program.add(rank, 0);
    std::vector<RankContents> all = program.contents();
    change(all[3]);
    for (const RankContents& each : all) testing::MadeRecording::write(folder(), each);
    return testing::sentence_of([&] { read_recording(folder()); });
  };
  const std::string contradicts = "the recording contradicts itself: ";
  EXPECT_EQ(refused([](const RankContents&) {}), "");
  EXPECT_EQ(refused([](RankContents& rank) { rank.sites[0].communicator = 1; }),
            contradicts + "rank 3 calls Barrier on a communicator of which it is no member");
  EXPECT_EQ(refused([](RankContents& rank) { rank.sites[0] = {.kind = RecordedKind::others, .communicator = 1}; }),
            contradicts + "rank 3 calls others on a communicator of which it is no member");
  EXPECT_EQ(refused([](RankContents& rank) {
              rank.communicators[0].members = {3, -1, -1, 2, 3};
            }),
            contradicts + "a communicator has rank 3 twice");
  EXPECT_EQ(refused([](RankContents& rank) { rank.communicators[0].members = {3, -1, -1}; }), "");
}

// Changes bytes at random and reads. `seal` makes the bytes pass the first check, so that the ones behind it are met, too.
template <class Read, class Seal>
void read_damaged(const std::string& good, std::uint64_t usual_tries, const Read& read, const Seal& seal) {
  const std::uint64_t tries = testing::number_in_environment("QUADRILLE_FUZZ", usual_tries);
  std::mt19937_64 random(testing::number_in_environment("QUADRILLE_SEED", 3));
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  std::uint64_t readable = 0, refused = 0;
  for (std::uint64_t i = 0; i < tries; ++i) {
    std::string bytes = good;
    for (std::size_t k = 1 + draw(3); k > 0; --k) bytes[draw(bytes.size())] = static_cast<char>(draw(3) == 0 ? 0xFF : random());
    if (draw(3) == 0) bytes.resize(draw(bytes.size() + 1));
    if (i % 4 != 0) seal(bytes);
    try {
      read(bytes);
      ++readable;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      ++refused;
    }
  }
  EXPECT_GT(readable, tries / 50);
  EXPECT_GT(refused, tries / 50);
}

void read_everything(const Recording& recording) {
  std::ostringstream json;
  write_json(json, recording);
  phases(recording, 5);
}

TEST_F(ReadRecording, ReadsOrRefusesDamagedFiles) {
  for (const bool folds : {false, true}) {
    write_rank(0);
    if (folds) fold_rank(path(0));
    read_damaged(
        text_of(path(0)), 800,
        [&](const std::string& bytes) {
          std::ofstream(path(0)) << bytes;
          read_everything(read_recording(folder()));
        },
        [](std::string& bytes) {
          constexpr std::size_t at = offsetof(CallLogHeader, checksum);
          if (bytes.size() < CallLogHeader::bytes) return;
          bytes.replace(0, sizeof call_log_magic, call_log_magic, sizeof call_log_magic);
          bytes.replace(at, sizeof(std::uint64_t), sizeof(std::uint64_t), '\0');
        });
  }
}

}  // namespace
}  // namespace quadrille::recording
