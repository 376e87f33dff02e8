// SPDX-License-Identifier: BSD-3-Clause
// The figures of a report do not contradict each other, whatever was counted: those of random runs are read as they are printed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/report/report.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::uint64_t ticks_of_second = 1'000'000'000;

// The counters of a few ranks, which made the same calls. Calls take all times that are possible.
class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {}

  std::vector<RankRecord> records() {
    const int ranks = below(4) + 1, rows = below(6) + 1;
    std::vector<RankRecord> all(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) begin(all[static_cast<std::size_t>(rank)], rank, ranks);
    for (int row = 0; row < rows; ++row) add_row(all, row);
    for (RankRecord& record : all) add_messages(record);
    return all;
  }

 private:
  int below(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  // Often 0 or all of `most`.
  std::uint64_t part(std::uint64_t most) {
    const int draw = below(8);
    return draw == 0 ? 0 : draw == 1 ? most : static_cast<std::uint64_t>(static_cast<double>(most) * below(1'000'000) / 1e6);
  }

  void begin(RankRecord& record, int rank, int ranks) {
    record.header.ticks_per_second = static_cast<double>(ticks_of_second);
    record.header.world_rank = rank, record.header.world_size = ranks;
    record.header.end_unix_ns = 1;
    record.header.last_ticks = 10 * ticks_of_second;
    record.header.own_ticks = part(ticks_of_second / 10);
    record.header.sees_messages = 1;
    record.functions = {"Alltoall", "Allreduce", "Alltoallv", "Ibcast", "Sendrecv", "Waitall"};
    record.reasons = {"other reasons", "nonblocking", "Quadrille took 1.02 times as long"};
    for (const Cause cause : {Cause::rare, Cause::too_dear, Cause::not_worth}) record.reasons.emplace_back(sentence(cause));
    RecordCommunicator world{};
    set_words(world.name, "MPI_COMM_WORLD");
    world.ranks = ranks, world.made = 1;
    record.communicators = {world};
  }

  void add_row(std::vector<RankRecord>& all, int row) {
    Counters counters{};
    counters.function = below(4), counters.communicator = 0, counters.size_class = static_cast<std::uint32_t>(row);
    counters.ours_calls = part(1000);
    for (PassedCalls& passed : counters.passed) {
      passed.calls = part(1000), passed.reason = static_cast<std::uint32_t>(below(6)), passed.is_used = 1;
      counters.passed_calls += passed.calls;
    }
    counters.trial_ticks = part(ticks_of_second);
    for (int sample = below(20); sample > 0; --sample) {
      counters.vendor.ticks[counters.vendor.count++ % TickSamples::kept] = part(ticks_of_second / 1000) + 1;
      counters.ours.ticks[counters.ours.count++ % TickSamples::kept] = part(ticks_of_second / 1000) + 1;
    }
    set_words(counters.what, "bruck");
    for (RankRecord& record : all) {
      counters.ours_ticks = counters.ours_calls > 0 ? part(ticks_of_second / 2) : 0;
      counters.passed_ticks = counters.passed_calls > 0 ? part(ticks_of_second / 2) : 0;
      counters.late_call_ticks = part(counters.ours_ticks + counters.passed_ticks);
      counters.late_ticks = part(counters.late_call_ticks);
      counters.late_samples = counters.late_call_ticks > 0 ? part(9) + 1 : 0;
      record.counters.push_back(counters);
    }
  }

  void add_messages(RankRecord& record) {
    for (const int function : {4, 5}) {
      Counters counters{};
      counters.function = function, counters.communicator = -1, counters.is_others = 1;
      counters.passed_calls = part(1000);
      counters.passed_ticks = counters.passed_calls > 0 ? part(ticks_of_second) : 0;
      record.counters.push_back(counters);
    }
  }

  std::mt19937 random_;
};

double seconds_of(const std::string& words) {
  static const std::map<std::string, double> units{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}};
  std::istringstream in(words);
  double value = 0;
  std::string unit;
  in >> value >> unit;
  return value * units.at(unit);
}

Count count_of(std::string words) {
  words.erase(std::remove(words.begin(), words.end(), ','), words.end());
  return std::stoll(words);
}

double share_of(const std::string& words) { return words[0] == '<' ? 0 : std::stod(words); }

const std::string a_time = "([0-9.]+ (?:s|ms|µs|ns))";
constexpr double rounded = 1.006;  // three digits

// One row of the table, and the lines below it.
struct PrintedRow {
  double share = 0, a_call_s = 0;
  Count calls = 0, calls_of_notes = 0;
  std::optional<double> late_s;
};

std::vector<PrintedRow> rows_of(const std::string& text) {
  static const std::regex row("^ *(<?[0-9.]+) %  +" + a_time + "  +([0-9,]+)  .*  " + a_time + "  +(?:" + a_time +
                              " \\(n = .*\\)|–)$");
  static const std::regex note("^       ([0-9,]+) by .*");
  std::vector<PrintedRow> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, row)) {
      rows.push_back({share_of(found[1]), seconds_of(found[4]), count_of(found[3]), 0, {}});
      if (found[5].matched) rows.back().late_s = seconds_of(found[5]);
    } else if (!rows.empty() && std::regex_match(line, found, note)) {
      rows.back().calls_of_notes += count_of(found[1]);
    }
  }
  return rows;
}

class ReportRelations : public ::testing::TestWithParam<unsigned> {
 protected:
  const RunReport report_ = merged(RandomRun(GetParam()).records());
  const std::string text_ = text_of(report_, {.full = true});
};

TEST_P(ReportRelations, HoldInEachRow) {
  const std::vector<PrintedRow> rows = rows_of(text_);
  ASSERT_EQ(rows.size(), report_.rows.size()) << text_;
  double share = 0;
  for (const PrintedRow& row : rows) {
    EXPECT_EQ(row.calls_of_notes, row.calls) << "the reasons are those of all calls\n" << text_;
    if (row.late_s) EXPECT_LE(*row.late_s, rounded * row.a_call_s) << "late ranks are a part of a call\n" << text_;
    share += row.share;
  }
  EXPECT_LE(share, 100 * rounded + static_cast<double>(rows.size())) << text_;
}

TEST_P(ReportRelations, HoldInTheFirstLines) {
  static const std::regex range("(saved|lost) " + a_time + "(?: to " + a_time + ")?");
  bool is_printed[2] = {false, false};
  for (std::sregex_iterator each(text_.begin(), text_.end(), range), end; each != end; ++each) {
    const double least = seconds_of((*each)[2]), most = (*each)[3].matched ? seconds_of((*each)[3]) : least;
    EXPECT_GT(least, 0) << "not measurable\n" << text_;
    EXPECT_LE(least, most) << text_;
    is_printed[(*each)[1] == "lost"] = true;
  }
  bool may_save = false, may_lose = false;
  for (const ReportRow& row : report_.rows) {
    if (!row.ratio || row.ours_calls == 0) continue;
    EXPECT_LE(row.ratio->least, row.ratio->median);
    EXPECT_LE(row.ratio->median, row.ratio->most);
    may_save = may_save || row.ratio->most < 1;
    may_lose = may_lose || row.ratio->least > 1;
  }
  EXPECT_LE(is_printed[0], may_save) << text_;
  EXPECT_LE(is_printed[1], may_lose) << text_;

  const auto json = nlohmann::json::parse(json_text_of(report_));
  const auto& balance = json["balance"];
  const double inside_s = balance["inside_s"];
  for (const char* part : {"late_s", "untried_s", "uncovered_s"}) EXPECT_LE(balance[part], rounded * inside_s) << part << text_;
  EXPECT_LE(json["share"].get<double>() + json["message_share"].get<double>(), 1.0) << text_;
  EXPECT_NEAR(json["share"].get<double>() * 10, inside_s, 1e-6) << "all ranks ran 10 s";
}

INSTANTIATE_TEST_SUITE_P(OfRandomRuns, ReportRelations, ::testing::Range(0u, 200u));

}  // namespace
}  // namespace quadrille::mpi_face
