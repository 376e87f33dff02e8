// SPDX-License-Identifier: BSD-3-Clause
// Recordings made by tests: communicators, sites, and the entries of each rank.
#pragma once

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "quadrille/recording.hpp"
#include "recording/call_log.hpp"
#include "recording/entries.hpp"
#include "recording/rank_contents.hpp"

namespace quadrille::testing {

struct MadeTimes {
  double gap_us = 0, duration_us = 0, away_us = 0;
};

class MadeRecording {
 public:
  explicit MadeRecording(Count ranks) : entries_(static_cast<std::size_t>(ranks)) {
    recording_.program = "./app", recording_.mpi = "Open MPI v4.1.4";
    recording_.world_size = ranks;
    std::vector<Rank> world(entries_.size());
    std::iota(world.begin(), world.end(), Rank{0});
    communicator(std::move(world), "MPI_COMM_WORLD");
  }

  // Number 0 is MPI_COMM_WORLD.
  std::size_t communicator(std::vector<Rank> members, std::string name = "") {
    recording_.communicators.push_back({std::move(name), std::move(members), 0, false});
    return recording_.communicators.size() - 1;
  }

  std::uint32_t site(RecordedSite site) {
    recording_.sites.push_back(std::move(site));
    return static_cast<std::uint32_t>(recording_.sites.size() - 1);
  }

  void add(Rank rank, std::uint32_t site, const MadeTimes& times = {}) {
    const auto ns = [](double us) { return static_cast<std::uint64_t>(us * 1e3); };
    entries_[static_cast<std::size_t>(rank)].push_back({site, ns(times.gap_us), ns(times.away_us), ns(times.duration_us)});
  }

  // A rank has all sites on communicators of which it is a member.
  Recording made() const {
    Recording recording = recording_;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      RecordedRank rank{.rank = static_cast<Rank>(i), .host = "here", .has_ended = true};
      std::vector<std::uint32_t> own(recording.sites.size());  // by site: its number at this rank
      for (std::uint32_t site = 0; site < recording.sites.size(); ++site) {
        const std::vector<Rank>& members = recording.communicators[recording.sites[site].communicator].members;
        if (std::find(members.begin(), members.end(), rank.rank) == members.end()) continue;
        own[site] = static_cast<std::uint32_t>(rank.sites.size());
        rank.sites.push_back(site);
      }
      rank.times.resize(rank.sites.size());
      recording::EntryCoder coder;
      for (std::size_t site = 0; site < rank.sites.size(); ++site) coder.add_site();
      for (recording::Entry entry : entries_[i]) {
        entry.site = own[entry.site];
        coder.code(entry, [&](recording::Unit unit) { rank.entries.append(reinterpret_cast<const char*>(&unit), sizeof unit); });
        RecordedTimes& times = rank.times[entry.site];
        const double gap_s = 1e-9 * static_cast<double>(entry.gap), away_s = 1e-9 * static_cast<double>(entry.away),
                     duration_s = 1e-9 * static_cast<double>(entry.duration);
        ++times.calls;
        times.gap_s += gap_s, times.away_s += away_s, times.duration_s += duration_s;
        rank.seconds += gap_s + away_s + duration_s;
      }
      rank.calls = static_cast<Count>(entries_[i].size());
      recording.ranks.push_back(std::move(rank));
    }
    return recording;
  }

  // What the files of the ranks hold.
  std::vector<recording::RankContents> contents() const {
    const Recording recording = made();
    std::vector<recording::RankContents> all;
    for (const RecordedRank& rank : recording.ranks) {
      recording::RankContents& own = all.emplace_back();
      own.facts = {.program = recording.program,
                   .mpi = recording.mpi,
                   .version = "1",
                   .host = "here",
                   .rank = rank.rank,
                   .world_size = recording.world_size,
                   .run = 1};
      own.communicators = recording.communicators;
      for (const std::uint32_t site : rank.sites) own.sites.push_back(recording.sites[site]);
      own.recorded = rank;
    }
    return all;
  }

  // Writes the file of a rank, as the rank would. The times of its sites follow from its entries.
  static void write(const std::string& folder, const recording::RankContents& contents) {
    const RecordedRank& recorded = contents.recorded;
    std::vector<std::string_view> functions;
    for (const RecordedFunction& each : recorded.functions) functions.push_back(each.name);
    constexpr std::uint64_t start = 1;
    recording::CallLog log(folder, contents.facts, functions, start);
    recording::CallLogHeader& header = log.header();
    header.ticks_per_second = 1e9;
    for (const RecordedCommunicator& each : contents.communicators) log.define(each);
    for (const RecordedSite& each : contents.sites) log.define(each);
    recording::EntryReader entries(recorded.entries);
    for (Count i = 0; i < recorded.calls; ++i) {
      const auto entry = entries.next();
      if (!entry || entry->site >= contents.sites.size()) break;
      log.add(*entry);
    }
    for (std::size_t i = 0; i < functions.size(); ++i)
      header.functions[i] = {static_cast<std::uint64_t>(recorded.functions[i].calls), ns_of(recorded.functions[i].seconds)};
    header.unseen_calls = static_cast<std::uint64_t>(recorded.unseen_calls);
    header.end_ticks = start + ns_of(recorded.seconds);
    log.close();
  }
  // Writes the files of the first `ranks` ranks.
  void write(const std::string& folder, std::size_t ranks) const {
    const std::vector<recording::RankContents> all = contents();
    for (std::size_t i = 0; i < ranks; ++i) write(folder, all[i]);
  }
  void write(const std::string& folder) const { write(folder, entries_.size()); }

 private:
  static std::uint64_t ns_of(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

  Recording recording_;
  std::vector<std::vector<recording::Entry>> entries_;
};

}  // namespace quadrille::testing
