// SPDX-License-Identifier: BSD-3-Clause
// Reading the counters of ranks, also from damaged files.
#include "mpi_face/report/record_read.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "mpi_face/report/record.hpp"
#include "mpi_face/report/report.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "quadrille/error.hpp"
#include "support/counted_run.hpp"
#include "support/own_folder.hpp"

namespace quadrille::mpi_face {
namespace {

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
      const std::size_t at = draw(4) == 0      ? draw(bytes.size())
                             : draw(700) < 350 ? draw(sizeof(RecordHeader))
                                               : 4096 + draw(bytes.size() - 4096);
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

}  // namespace
}  // namespace quadrille::mpi_face
