// SPDX-License-Identifier: BSD-3-Clause
#include "recording/totals.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace quadrille::recording {
namespace {

constexpr double least_share_of_phase = 0.1;   // a site with less of a phase's time in collectives is not named
constexpr double least_share_of_calls = 0.02;  // a site with less of a slice's calls does not belong to the slice
constexpr std::size_t most_sites_of_phase = 4;

double& of(PartSeconds& seconds, TimePart part) { return seconds[static_cast<std::size_t>(part)]; }

struct Slice {
  PartSeconds seconds{};
  std::map<std::uint32_t, double> by_site;  // by site: seconds in collectives
  std::map<std::uint32_t, Count> calls;     // how many calls of each site end in the slice
};

// Adds intervals of a rank's time to the slices in which they lie.
class Slices {
 public:
  Slices(double run_s, std::size_t count) : slice_s_(run_s / static_cast<double>(count)), all_(count) {}

  void begin_rank() { now_s_ = 0; }

  template <class Add>
  void add(double seconds, const Add& add) {
    if (!(seconds > 0)) return;
    const double end_s = now_s_ + seconds;
    for (std::size_t at = place();; ++at) {
      const bool is_last = at + 1 == all_.size();
      const double until_s = is_last ? end_s : std::min(end_s, static_cast<double>(at + 1) * slice_s_);
      add(all_[at], std::max(0.0, until_s - now_s_));
      now_s_ = std::max(now_s_, until_s);
      if (is_last || until_s >= end_s) return;
    }
  }

  Slice& now() { return all_[place()]; }
  const std::vector<Slice>& all() const { return all_; }
  double slice_s() const { return slice_s_; }

 private:
  std::size_t place() const { return static_cast<std::size_t>(std::min(static_cast<double>(all_.size() - 1), now_s_ / slice_s_)); }

  const double slice_s_;
  std::vector<Slice> all_;
  double now_s_ = 0;
};

std::vector<std::uint32_t> main_sites(const std::map<std::uint32_t, double>& by_site) {
  std::vector<std::pair<double, std::uint32_t>> sorted;
  double sum = 0;
  for (const auto& [site, seconds] : by_site) sorted.push_back({-seconds, site}), sum += seconds;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> sites;
  for (const auto& [seconds, site] : sorted)
    if (sites.size() < most_sites_of_phase && -seconds >= least_share_of_phase * sum) sites.push_back(site);
  return sites;
}

// The sites that have enough of a slice's calls to characterise it.
std::set<std::uint32_t> called_sites(const Slice& slice) {
  Count all = 0;
  for (const auto& [site, calls] : slice.calls) all += calls;
  std::set<std::uint32_t> sites;
  for (const auto& [site, calls] : slice.calls)
    if (static_cast<double>(calls) >= least_share_of_calls * static_cast<double>(all)) sites.insert(site);
  return sites;
}

// Do two slices have at least half of their sites in common? Two slices without sites are alike.
bool are_alike(const std::set<std::uint32_t>& one, const std::set<std::uint32_t>& other) {
  const auto common =
      static_cast<std::size_t>(std::count_if(one.begin(), one.end(), [&](auto site) { return other.contains(site); }));
  return 2 * common >= one.size() + other.size() - common;
}

// Each rank has its own sites of alltoallv. If sites differ only in counts, the first of them stands for all.
std::vector<std::uint32_t> alike(const Recording& recording) {
  std::map<RecordedSite, std::uint32_t> first;
  std::vector<std::uint32_t> by_site;
  for (std::uint32_t site = 0; site < recording.sites.size(); ++site) {
    RecordedSite kind = recording.sites[site];
    if (!kind.counts.empty()) kind.block_bytes = 0;
    kind.counts.clear(), kind.peers.clear();
    kind.are_sampled = false;
    by_site.push_back(first.try_emplace(kind, site).first->second);
  }
  return by_site;
}

// Goes through the entries of all ranks in the order in which they began.
class EntryOrder {
 public:
  explicit EntryOrder(const Recording& recording) {
    for (const RecordedRank& rank : recording.ranks) {
      ranks_.emplace_back(rank);
      begins_.push({0, ranks_.size() - 1});
    }
  }

  // When the next entry began; nothing at the end.
  std::optional<double> next() {
    while (!begins_.empty()) {
      const auto [begin_s, rank] = begins_.top();
      begins_.pop();
      const auto entry = ranks_[rank].next();
      if (!entry) continue;
      begins_.push({begin_s + entry->gap_s + entry->away_s + entry->duration_s, rank});
      return begin_s;
    }
    return std::nullopt;
  }

 private:
  using Begin = std::pair<double, std::size_t>;
  std::vector<RecordedCalls> ranks_;
  std::priority_queue<Begin, std::vector<Begin>, std::greater<>> begins_;
};

}  // namespace

TimePart part_of(RecordedKind kind) {
  switch (kind) {
    case RecordedKind::point_to_point: return TimePart::point_to_point;
    case RecordedKind::making: return TimePart::making;
    default: return TimePart::collectives;
  }
}

PartSeconds totals(const RecordedRank& rank, const Recording& recording) {
  PartSeconds seconds{};
  for (std::size_t i = 0; i < rank.sites.size(); ++i) {
    const RecordedTimes& times = rank.times[i];
    of(seconds, TimePart::computing) += times.gap_s;
    of(seconds, TimePart::away) += times.away_s;
    of(seconds, part_of(recording.sites[rank.sites[i]].kind)) += times.duration_s;
  }
  return seconds;
}

PartSeconds totals(const Recording& recording) {
  PartSeconds sum{};
  for (const RecordedRank& rank : recording.ranks) {
    const PartSeconds own = totals(rank, recording);
    for (std::size_t i = 0; i < parts; ++i) sum[i] += own[i];
  }
  return sum;
}

double share_of(const PartSeconds& seconds, TimePart part) {
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return sum > 0 ? seconds[static_cast<std::size_t>(part)] / sum : 0;
}

std::vector<RecordedTimes> times_by_site(const Recording& recording) {
  std::vector<RecordedTimes> all(recording.sites.size());
  for (const RecordedRank& rank : recording.ranks)
    for (std::size_t i = 0; i < rank.sites.size(); ++i) {
      RecordedTimes& sum = all[rank.sites[i]];
      const RecordedTimes& times = rank.times[i];
      sum.calls += times.calls;
      sum.gap_s += times.gap_s, sum.away_s += times.away_s, sum.duration_s += times.duration_s;
    }
  return all;
}

std::vector<RunPhase> phases(const Recording& recording, std::size_t slices) {
  double run_s = 0;
  for (const RecordedRank& rank : recording.ranks) run_s = std::max(run_s, rank.seconds);
  if (!(run_s > 0)) return {};
  const std::vector<std::uint32_t> kinds = alike(recording);
  Slices sliced(run_s, slices);
  for (const RecordedRank& rank : recording.ranks) {
    sliced.begin_rank();
    RecordedCalls calls(rank);
    while (const auto call = calls.next()) {
      const TimePart part = part_of(recording.sites[call->site].kind);
      sliced.add(call->gap_s, [](Slice& slice, double s) { of(slice.seconds, TimePart::computing) += s; });
      sliced.add(call->away_s, [](Slice& slice, double s) { of(slice.seconds, TimePart::away) += s; });
      sliced.add(call->duration_s, [&](Slice& slice, double s) {
        of(slice.seconds, part) += s;
        if (part == TimePart::collectives) slice.by_site[kinds[call->site]] += s;
      });
      if (part == TimePart::collectives) ++sliced.now().calls[kinds[call->site]];
    }
  }
  std::vector<RunPhase> joined;
  std::set<std::uint32_t> last;
  std::map<std::uint32_t, double> by_site;
  const auto ranks = static_cast<double>(recording.ranks.size());
  for (std::size_t at = 0; at < slices; ++at) {
    const Slice& slice = sliced.all()[at];
    const std::set<std::uint32_t> now = called_sites(slice);
    if (joined.empty() || !are_alike(now, last)) {
      joined.push_back({.begin_s = static_cast<double>(at) * sliced.slice_s()});
      by_site.clear();
    }
    last = now;
    RunPhase& phase = joined.back();
    phase.end_s = static_cast<double>(at + 1) * sliced.slice_s();
    for (std::size_t i = 0; i < parts; ++i) phase.seconds[i] += slice.seconds[i] / ranks;
    for (const auto& [site, seconds] : slice.by_site) by_site[site] += seconds;
    phase.sites = main_sites(by_site);
  }
  return joined;
}

RecordedWindow window_of(const Recording& recording, double from_s, double to_s, Count most_entries) {
  RecordedWindow window{from_s, to_s};
  double last_s = from_s;
  EntryOrder entries(recording);
  for (auto begin_s = entries.next(); begin_s && *begin_s < to_s; begin_s = entries.next()) {
    if (*begin_s < from_s) continue;
    if (window.entries >= most_entries && *begin_s > last_s) {
      window.to_s = *begin_s, window.is_cut = true;
      return window;
    }
    ++window.entries;
    last_s = *begin_s;
  }
  double end_s = 0;
  for (const RecordedRank& rank : recording.ranks) end_s = std::max(end_s, rank.seconds);
  window.to_s = std::min(to_s, end_s);
  return window;
}

}  // namespace quadrille::recording
