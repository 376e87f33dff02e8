// SPDX-License-Identifier: BSD-3-Clause
#include "tune/wisdom/wisdom_pool.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "quadrille/indexed.hpp"
#include "tune/median.hpp"

namespace quadrille {
namespace {

constexpr std::chrono::days oldest{90};   // races that are older than the last race by more are dropped
constexpr std::size_t fewest_common = 3;  // ways needed to estimate how slow a launch was

// The timings of one way, one for each race. A race in which the way did not run has an empty timing.
struct PoolRow {
  Way way;
  std::vector<std::optional<Timing>> timings;

  auto races() const {
    return std::count_if(timings.begin(), timings.end(), [](const auto& each) { return each.has_value(); });
  }
};

std::vector<PoolRow> rows_of(const std::vector<WisdomRace>& races) {
  std::vector<PoolRow> rows;
  for (std::size_t race = 0; race < races.size(); ++race)
    for (const WisdomEntry& entry : races[race].entries) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const PoolRow& known) { return known.way == entry.way; });
      if (row == rows.end()) row = rows.insert(rows.end(), {entry.way, std::vector<std::optional<Timing>>(races.size())});
      row->timings[race] = entry.timing;
    }
  return rows;
}

// Returns, for each race, the factor by which all ways took longer than usual. WisdomRecord describes the rule.
std::vector<double> slowness(const std::vector<PoolRow>& rows, std::size_t races) {
  std::vector<std::vector<double>> ratios(races);
  for (const PoolRow& row : rows) {
    if (row.races() != static_cast<std::ptrdiff_t>(races)) continue;
    double logarithms = 0;
    for (const auto& timing : row.timings) logarithms += std::log(timing->median_s);
    const double usual = std::exp(logarithms / static_cast<double>(races));
    for (std::size_t race = 0; race < races; ++race) ratios[race].push_back(row.timings[race]->median_s / usual);
  }
  std::vector<double> slow(races, 1);
  if (ratios.front().size() >= fewest_common)
    for (std::size_t race = 0; race < races; ++race) slow[race] = spread_of(ratios[race]).median;
  return slow;
}

Timing pooled(const PoolRow& row, const std::vector<double>& slow) {
  Timing all;
  double sum = 0;
  bool is_first = true;
  for (std::size_t race = 0; race < slow.size(); ++race) {
    if (!row.timings[race]) continue;
    const Timing& one = *row.timings[race];
    sum += one.median_s / slow[race];
    all.lower_s = is_first ? one.lower_s / slow[race] : std::min(all.lower_s, one.lower_s / slow[race]);
    all.upper_s = std::max(all.upper_s, one.upper_s / slow[race]);
    is_first = false;
  }
  // Rounding may have moved the mean out of the interval.
  all.median_s = std::clamp(sum / static_cast<double>(row.races()), all.lower_s, all.upper_s);
  return all;
}

std::vector<WisdomEntry> pooled(const std::vector<WisdomRace>& races) {
  if (races.size() == 1) return races.front().entries;
  const std::vector<PoolRow> rows = rows_of(races);
  const std::vector<double> slow = slowness(rows, races.size());
  std::map<Executor, std::ptrdiff_t> most;
  for (const PoolRow& row : rows) most[row.way.executor] = std::max(most[row.way.executor], row.races());
  std::vector<WisdomEntry> entries;
  for (const PoolRow& row : rows)
    if (2 * row.races() > most[row.way.executor]) entries.push_back({row.way, pooled(row, slow)});
  return entries;
}

void sort_by_time(std::vector<WisdomEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const WisdomEntry& a, const WisdomEntry& b) { return a.timing.median_s < b.timing.median_s; });
}

auto moment(const WisdomRace& race) { return std::tie(race.date, race.time); }

// The date must be valid.
std::chrono::sys_days day_of(const std::string& date) {
  const auto number = [&](std::size_t begin, std::size_t length) { return std::atoi(date.substr(begin, length).c_str()); };
  return std::chrono::year(number(0, 4)) / number(5, 2) / number(8, 2);
}

void drop_old(std::vector<WisdomRace>& races) {
  if (races.size() > most_races) races.erase(races.begin(), races.end() - most_races);
  const std::chrono::sys_days last = day_of(races.back().date);
  std::erase_if(races, [&](const WisdomRace& race) { return last - day_of(race.date) > oldest; });
}

// Returns the races that no other program disturbed or, if all were disturbed, all races.
std::vector<WisdomRace> calm(std::vector<WisdomRace> races) {
  const auto is_disturbed = [](const WisdomRace& race) { return race.others > 0; };
  if (!std::all_of(races.begin(), races.end(), is_disturbed)) std::erase_if(races, is_disturbed);
  return races;
}

}  // namespace

bool has_race_of(const WisdomRecord& record, const WisdomRace& race) {
  return std::any_of(record.races.begin(), record.races.end(), [&](const auto& each) { return moment(each) == moment(race); });
}

WisdomRecord with_races_in_order(WisdomRecord record) {
  std::vector<WisdomRace>& races = record.races;
  if (races.empty()) races.push_back({record.date, "", record.repetitions, 0, std::move(record.entries)});
  for (WisdomRace& race : races) sort_by_time(race.entries);
  std::stable_sort(races.begin(), races.end(), [](const auto& a, const auto& b) { return moment(a) < moment(b); });
  return record;
}

WisdomRecord pooled(WisdomRecord record) {
  drop_old(record.races);
  record.entries = pooled(calm(record.races));
  sort_by_time(record.entries);
  record.date = record.races.back().date;
  Count repetitions = 0;
  for (const WisdomRace& race : record.races) repetitions += race.repetitions;
  record.repetitions = static_cast<int>(std::min<Count>(repetitions, std::numeric_limits<int>::max()));
  return record;
}

WisdomRecord pooled(const WisdomRecord& known, const WisdomRecord& newer) {
  WisdomRecord both = newer;
  for (const WisdomRace& race : known.races)
    if (!has_race_of(newer, race)) both.races.push_back(race);
  return pooled(with_races_in_order(std::move(both)));
}

Wisdom condensed(Wisdom wisdom) {
  for (WisdomRecord& record : wisdom.records) record.races = {{record.date, "", record.repetitions, 0, record.entries}};
  return wisdom;
}

}  // namespace quadrille
