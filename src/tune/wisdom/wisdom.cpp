// SPDX-License-Identifier: BSD-3-Clause
// Keeps records sorted by situation, and computes the situation of a problem and the range of situations for which each record is
// used (wisdom.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/wisdom.hpp"
#include "schedule/ordering.hpp"
#include "tune/wisdom/wisdom_checks.hpp"
#include "tune/wisdom/wisdom_pool.hpp"

namespace quadrille {
namespace {

// Rounds the quotient to the nearest power of two on a logarithmic scale. Both numbers are positive, and the quotient is at least
// 1.
Count rounded_to_power_of_two(double dividend, double divisor) {
  static constexpr double root_of_half = 0.70710678118654752;
  int exponent = 0;
  const double fraction = std::frexp(dividend / divisor, &exponent);  // from 1/2 to 1
  return Count{1} << std::max(0, fraction < root_of_half ? exponent - 1 : exponent);
}

// Figures of an irregular collective's data: bytes in total, on the busiest rank, and in the longest block; and the numbers of
// all blocks and of non-empty blocks.
struct Load {
  Bytes total = 0, heaviest = 0, longest = 0;
  Count blocks = 0, filled = 0;
};

Load load_of(const Problem& problem) {
  Load load;
  if (has_pair_counts(problem.collective)) {
    const Traffic traffic(problem);
    load.heaviest = traffic.heaviest(), load.longest = traffic.longest();
    load.blocks = problem.ranks * problem.ranks;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      load.total += traffic.received_bytes(rank);
      load.filled += size(traffic.sent_by(rank));
    }
    return load;
  }
  const std::vector<Bytes>& counts = *problem.counts;
  load.total = std::accumulate(counts.begin(), counts.end(), Bytes{0});
  load.heaviest = load.longest = *std::max_element(counts.begin(), counts.end());
  load.blocks = problem.ranks;
  load.filled = std::count_if(counts.begin(), counts.end(), [](Bytes count) { return count > 0; });
  return load;
}

// A record is used for a range of sizes. These are the limits of the range, as factors on the record's size: on a side without a
// further measured size, and on the side of the next measured size.
constexpr Bytes reach_beyond = 4, reach_between = 16;

// Returns the largest integer that is at most the geometric mean of a and b and less than b; 0 < a < b.
Count middle(Count a, Count b) {
  const auto root = static_cast<Count>(std::sqrt(static_cast<double>(a)) * std::sqrt(static_cast<double>(b)));
  return std::clamp(root, a, b - 1);
}

// Returns the record of a group that is used for `bytes`, or null. The group's records are sorted by size.
template <class Record>
Record* speaker(std::span<Record> records, Bytes bytes) {
  const auto next = std::upper_bound(records.begin(), records.end(), bytes,
                                     [](Bytes size, const WisdomRecord& record) { return size < record.least_bytes; });
  if (next == records.begin()) return nullptr;
  Record& record = *std::prev(next);
  return bytes <= record.most_bytes ? &record : nullptr;
}

void fit_sizes(std::span<WisdomRecord> records) {
  static constexpr Bytes most = std::numeric_limits<Bytes>::max();
  for (WisdomRecord& record : records) {
    const Bytes bytes = record.situation.block_bytes;
    record.least_bytes = bytes == 0 ? 0 : std::max<Bytes>(1, bytes / reach_beyond);
    record.most_bytes = times_at_most(reach_beyond, bytes, most);
  }
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Bytes a = records[i - 1].situation.block_bytes, b = records[i].situation.block_bytes;
    if (a == 0) continue;
    const Bytes last = middle(a, b);
    records[i - 1].most_bytes = std::min(last, times_at_most(reach_between, a, most));
    records[i].least_bytes = std::max(last + 1, b / reach_between);
  }
}

// Returns true if the other group has a record for this record's size, and if all its records for sizes in this record's
// range have the same fastest way.
bool agrees(const WisdomRecord& record, std::span<const WisdomRecord> others) {
  if (!speaker(others, record.situation.block_bytes)) return false;
  return std::all_of(others.begin(), others.end(), [&](const WisdomRecord& other) {
    return other.most_bytes < record.least_bytes || other.least_bytes > record.most_bytes ||
           other.entries.front().way == record.entries.front().way;
  });
}

// Computes the ranges of all records of one family. Records of adjacent numbers of ranks divide the numbers in between.
void fit_ranges(std::span<WisdomRecord> records) {
  std::span<WisdomRecord> before;
  while (!records.empty()) {
    const Count ranks = records.front().situation.ranks;
    const auto end =
        std::find_if(records.begin(), records.end(), [&](const auto& record) { return record.situation.ranks != ranks; });
    const std::span<WisdomRecord> these(records.begin(), end);
    fit_sizes(these);
    for (WisdomRecord& record : these) record.least_ranks = record.most_ranks = ranks;
    if (!before.empty() && is_even(these.front().situation)) {
      const Count last = middle(before.front().situation.ranks, ranks);
      for (WisdomRecord& record : before)
        if (agrees(record, these)) record.most_ranks = last;
      for (WisdomRecord& record : these)
        if (agrees(record, before)) record.least_ranks = last + 1;
    }
    before = these;
    records = {end, records.end()};
  }
}

template <class List>
auto family_of(List& records, const Situation& situation) {
  const auto at = family(situation);
  const auto [begin, end] = std::equal_range(records.begin(), records.end(), at, [](const auto& a, const auto& b) {
    if constexpr (std::is_same_v<std::decay_t<decltype(a)>, WisdomRecord>)
      return family(a.situation) < b;
    else
      return a < family(b.situation);
  });
  return std::span(begin, end);
}

template <class Item>
const Item& checked(const Item& item) {
  if (const auto good = check_wisdom(item); !good) throw Error(ErrorCode::misuse, "invalid wisdom: " + good.error());
  return item;
}

template <class Item>
void put_or_replace(std::vector<Item>& list, const Item& item) {
  if (Item* known = put_in_place(list, item)) *known = item;
}

template <class Item>
void merge_lists(std::vector<Item>& list, const std::vector<Item>& newer) {
  for (const Item& item : newer) {
    Item* known = put_in_place(list, item);
    if (!known) continue;
    if constexpr (std::is_same_v<Item, WisdomRecord>)
      *known = pooled(*known, item);
    else if (known->date <= item.date)
      *known = item;
  }
}

double ratio(Count a, Count b) { return static_cast<double>(std::max(a, b)) / static_cast<double>(std::min(a, b)); }

}  // namespace

double irregularity(const Problem& problem) {
  const Load load = load_of(problem);
  return load.total == 0 ? 1
                         : static_cast<double>(load.longest) * static_cast<double>(load.filled) / static_cast<double>(load.total);
}

Situation situation_of(const Problem& problem) {
  Situation situation{.collective = problem.collective, .ranks = problem.ranks, .ranks_of_node = problem.ranks};
  if (!problem.nodes.empty()) {
    std::vector<Count> nodes = problem.nodes;
    std::sort(nodes.begin(), nodes.end());
    situation.nodes = situation.ranks_of_node = 0;
    for (auto begin = nodes.begin(); begin != nodes.end(); ++situation.nodes) {
      const auto end = std::upper_bound(begin, nodes.end(), *begin);
      situation.ranks_of_node = std::max<Count>(situation.ranks_of_node, end - begin);
      begin = end;
    }
  }
  if (is_reduction(problem.collective)) situation.combining = required_combining(problem);
  if (has_blocks(problem.collective)) situation.block_bytes = problem.block_bytes;
  if (!is_irregular(problem.collective)) return situation;
  const Load load = load_of(problem);
  if (load.total == 0) return situation;
  situation.block_bytes = ceil_divide(load.total, load.blocks);
  situation.skew = rounded_to_power_of_two(static_cast<double>(load.heaviest) * static_cast<double>(problem.ranks),
                                           static_cast<double>(load.total));
  situation.sparsity = rounded_to_power_of_two(static_cast<double>(load.blocks), static_cast<double>(load.filled));
  situation.irregularity = rounded_to_power_of_two(static_cast<double>(load.longest) * static_cast<double>(load.filled),
                                                   static_cast<double>(load.total));
  return situation;
}

void fit_all_ranges(std::vector<WisdomRecord>& records) {
  for (std::size_t begin = 0; begin < records.size();) {
    const auto these = family_of(records, records[begin].situation);
    fit_ranges(these);
    begin += these.size();
  }
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 11> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

std::string time_of_day() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::chrono::hh_mm_ss time(now - std::chrono::floor<std::chrono::days>(now));
  return fmt::format("{:02}:{:02}:{:02}.{:03}", time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

const WisdomRecord* Wisdom::find(const Situation& situation) const {
  const std::span<const WisdomRecord> all = family_of(records, situation);
  const auto of_ranks = [&](Count ranks) {
    const auto [begin, end] = std::equal_range(all.begin(), all.end(), ranks, [](const auto& a, const auto& b) {
      if constexpr (std::is_same_v<std::decay_t<decltype(a)>, WisdomRecord>)
        return a.situation.ranks < b;
      else
        return a < b.situation.ranks;
    });
    return std::span(begin, end);
  };
  const auto own = of_ranks(situation.ranks);
  if (!own.empty()) return speaker(own, situation.block_bytes);
  for (const bool below : {true, false}) {
    if (own.begin() == (below ? all.begin() : all.end())) continue;
    const auto neighbours = of_ranks((below ? *std::prev(own.begin()) : *own.begin()).situation.ranks);
    const WisdomRecord* record = speaker(neighbours, situation.block_bytes);
    if (record && record->least_ranks <= situation.ranks && situation.ranks <= record->most_ranks) return record;
  }
  return nullptr;
}

const ExecutorFit* Wisdom::find_fit(Executor executor, const Situation& situation) const {
  const ExecutorFit* nearest = nullptr;
  const auto distance = [&](const ExecutorFit& fit) {
    return std::tuple(ratio(fit.nodes, situation.nodes), ratio(fit.ranks_of_node, situation.ranks_of_node),
                      ratio(fit.ranks, situation.ranks));
  };
  for (const ExecutorFit& fit : executors)
    if (fit.executor == executor && (fit.nodes == 1) == (situation.nodes == 1) && (!nearest || distance(fit) < distance(*nearest)))
      nearest = &fit;
  return nearest;
}

const VendorFit* Wisdom::find_vendor(const Situation& situation) const {
  const VendorFit wanted{situation.collective, situation.ranks, situation.nodes, situation.ranks_of_node, {}, {}};
  const auto found =
      std::lower_bound(vendor.begin(), vendor.end(), wanted, [](const auto& a, const auto& b) { return place(a) < place(b); });
  return found != vendor.end() && place(*found) == place(wanted) ? &*found : nullptr;
}

void Wisdom::add(WisdomRecord record) {
  record = with_races_in_order(std::move(record));
  put_or_replace(records, pooled(checked(record)));
  fit_ranges(family_of(records, record.situation));
}

void Wisdom::add(ExecutorFit fit) { put_or_replace(executors, checked(fit)); }
void Wisdom::add(VendorFit fit) { put_or_replace(vendor, checked(fit)); }

void Wisdom::merge(const Wisdom& newer) {
  if (*this == Wisdom{}) machine = newer.machine;
  if (newer.machine != machine) throw Error(ErrorCode::misuse, "wisdom of two different machines cannot be merged");
  merge_lists(records, newer.records);
  merge_lists(executors, newer.executors);
  merge_lists(vendor, newer.vendor);
  fit_all_ranges(records);
}

}  // namespace quadrille
