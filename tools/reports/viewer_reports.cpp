// SPDX-License-Identifier: BSD-3-Clause
#include "reports/viewer_reports.hpp"

#include <algorithm>

#include "options/arguments.hpp"
#include "reports/race_file.hpp"
#include "reports/result_file.hpp"

namespace quadrille::command {
namespace {

constexpr Count most = Count{1} << 53;  // the viewer computes with doubles

double number_from_0(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  demand(value >= 0 && value < 1e300, "a time or a share is not a number from 0 on");
  return value;
}

Count count_from(Count least, const Json& json, const char* key) {
  demand(json.at(key).is_number_integer(), "a count is not a whole number");
  const auto count = json.at(key).get<Count>();
  demand(count >= least, "a count is too small");
  demand(count < most, "a count is too large");
  return count;
}

template <class Each>
void for_each_document(const Json& results, Each&& each) {
  if (!results.is_array()) return each(results);
  for (const Json& document : results) each(document);
}

// What add_run_facts writes. Older results do not have all of it.
void check_run_facts(const Json& results) {
  for (const char* key : {"host", "command", "version"})
    if (results.contains(key)) results[key].get<std::string>();
  if (results.contains("start_unix_s")) number_from_0(results, "start_unix_s");
  if (!results.contains("machine")) return;
  const Json& machine = results["machine"];
  machine.at("model").get<std::string>();
  for (const char* key : {"cores", "threads"}) count_from(0, machine, key);
}

// Returns true if the cell has been measured.
bool check_cell(const Json& cell) {
  parse_collective(cell.at("collective").get<std::string>());
  cell.at("shape").get<std::string>();
  count_from(0, cell, "block_bytes");
  for (const Json& way : cell.at("ways")) {
    way.at("algorithm").get<std::string>();
    for (const char* key : {"median_s", "lower_s", "upper_s"}) number_from_0(way, key);
  }
  return !cell["ways"].empty();
}

void check_communicator(const Json& entry, const Json& communicators) {
  if (const Json& communicator = entry.at("communicator"); !communicator.is_null())
    demand(communicator.get<std::size_t>() < communicators.size(), "a communicator is none of the communicators");
}

// A key whose value may be null, or missing.
bool has_value(const Json& json, const char* key) { return json.contains(key) && !json[key].is_null(); }

void check_bytes(const Json& entry) {
  for (const char* key : {"least_block_bytes", "most_block_bytes", "block_bytes", "sent_bytes"})
    if (has_value(entry, key)) count_from(0, entry, key);
}

void check_row(const Json& row, const Json& communicators) {
  row.at("collective").get<std::string>();
  for (const char* key : {"calls", "ours_calls"}) count_from(0, row, key);
  for (const char* key : {"share", "rank_seconds", "most_seconds"}) number_from_0(row, key);
  check_communicator(row, communicators);
  check_bytes(row);
  if (has_value(row, "late")) number_from_0(row["late"], "mean_s");
  for (const char* key : {"vendor", "ours"})
    if (has_value(row, key)) number_from_0(row[key], "median_s");
}

void check_call(const Json& call, const Json& communicators, Count ranks) {
  demand(count_from(0, call, "rank") < ranks, "a rank is none of the world's");
  call.at("collective").get<std::string>();
  for (const char* key : {"begin_s", "seconds"}) number_from_0(call, key);
  check_communicator(call, communicators);
  check_bytes(call);
}

void check_rank(const Json& rank, Count ranks) {
  demand(count_from(0, rank, "rank") < ranks, "a rank is none of the world's");
  for (const char* key : {"host", "state"}) rank.at(key).get<std::string>();
  for (const char* key : {"seconds", "collective_seconds"}) number_from_0(rank, key);
}

}  // namespace

void check_races(const Json& results, const std::string& label) {
  for_each_document(results, [&](const Json& race) {
    race_file_of(race, label);
    read_result(label, "'quadrille race --json'", [&] {
      for (const char* key : {"ranks", "nodes"}) count_from(1, race, key);
      check_run_facts(race);
    });
  });
}

void check_tuning(const Json& results, const std::string& label) {
  read_result(label, "'quadrille tune --json'", [&] {
    for_each_document(results, [](const Json& session) {
      count_from(1, session, "ranks");
      session.at("transport").get<std::string>();
      check_run_facts(session);
      const Json& cells = session.at("cells");
      demand(cells.is_array() && session.at("collectives").is_array(), "it has no cells");
      demand(std::count_if(cells.begin(), cells.end(), check_cell) > 0, "no cell has been measured");
    });
  });
}

void check_run_report(const Json& report, const std::string& label) {
  read_result(label, "'quadrille report --json'", [&] {
    for (const char* key : {"program", "mpi"}) report.at(key).get<std::string>();
    report.at("hosts").get<std::vector<std::string>>();
    for (const char* key : {"start_unix_s", "seconds", "share"}) number_from_0(report, key);
    const Count ranks = count_from(1, report, "world_size");
    const Json& communicators = report.at("communicators");
    demand(communicators.is_array(), "its communicators are no list");
    number_from_0(report.at("balance"), "late_s");
    for (const Json& rank : report.at("ranks")) check_rank(rank, ranks);
    for (const Json& row : report.at("rows")) check_row(row, communicators);
    if (const auto calls = report.find("costliest_calls"); calls != report.end())
      for (const Json& call : *calls) check_call(call, communicators, ranks);
    const Json& traffic = report.at("traffic_bytes");
    if (traffic.is_null()) return;
    demand(static_cast<Count>(traffic.size()) == ranks, "the traffic has another number of ranks");
    for (const Json& row : traffic) {
      demand(row.is_array() && static_cast<Count>(row.size()) == ranks, "the traffic has another number of ranks");
      const auto is_count = [](const Json& bytes) { return bytes.is_number_integer() && bytes >= 0 && bytes < most; };
      demand(std::all_of(row.begin(), row.end(), is_count), "the traffic has something else than whole numbers");
    }
  });
}

}  // namespace quadrille::command
