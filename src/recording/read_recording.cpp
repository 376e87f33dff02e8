// SPDX-License-Identifier: BSD-3-Clause
// Reads the files of all ranks, and lets the ranks share communicators and sites.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "foundation/planted.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/printable.hpp"
#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_log.hpp"
#include "recording/definitions.hpp"
#include "recording/rank_contents.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;
using namespace recording;

// The ranks that have files in the folder.
std::set<Rank> ranks_in(const std::string& folder) {
  std::error_code error;
  std::set<Rank> ranks;
  fs::directory_iterator each(folder, error);
  if (error)
    throw Error(ErrorCode::environment, fmt::format("the folder '{}' cannot be read: {}", printable(folder), error.message()));
  for (; each != fs::directory_iterator(); each.increment(error)) {
    const std::string name = each->path().filename().string();
    constexpr std::string_view prefix = "rank-", suffix = ".recording";
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const auto number = number_in<Rank>(std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
    if (number && *number >= 0 && *number < most_ranks) ranks.insert(*number);
  }
  return ranks;
}

// Reads all files that can be read. For each of the other files, adds a remark.
std::vector<RankContents> read_all(const std::string& folder, std::vector<std::string>& remarks) {
  std::vector<RankContents> all;
  for (const Rank rank : ranks_in(folder)) {
    try {
      RankContents contents = read_rank(recording_path(folder, rank));
      if (contents.facts.rank != rank) throw Error(ErrorCode::malformed, "its name is that of another rank");
      all.push_back(std::move(contents));
    } catch (const Error& error) {
      remarks.push_back(fmt::format("the recording of rank {} in '{}' cannot be used: {}", rank, printable(folder), error.what()));
    }
  }
  return all;
}

// A folder may have files of an earlier run with more ranks. Keeps the latest run.
void keep_one_run(std::vector<RankContents>& all, std::vector<std::string>& remarks) {
  const std::uint64_t kept = std::max_element(all.begin(), all.end(), [](const RankContents& a, const RankContents& b) {
                               return !is_planted("older run kept") && a.facts.start_unix_ns < b.facts.start_unix_ns;
                             })->facts.run;
  const Count world_size =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.facts.run == kept; })->facts.world_size;
  const std::size_t others =
      std::erase_if(all, [&](const RankContents& each) { return each.facts.run != kept || each.facts.world_size != world_size; });
  if (others > 0)
    remarks.push_back(
        fmt::format("{} file{} of other runs {} left out", others, others == 1 ? "" : "s", others == 1 ? "is" : "are"));
}

// Adds communicators and sites, and stores equal ones once.
class Shared {
 public:
  explicit Shared(Recording& recording) : recording_(recording) {}

  std::size_t add(RecordedCommunicator communicator) {
    std::string name;
    name.swap(communicator.name);
    const auto [entry, is_new] = communicators_.try_emplace(communicator, recording_.communicators.size());
    if (is_new) recording_.communicators.push_back(std::move(communicator));
    std::string& known = recording_.communicators[entry->second].name;
    if (known.empty()) known = std::move(name);
    return entry->second;
  }

  std::uint32_t add(const RecordedSite& site) {
    const auto [entry, is_new] = sites_.try_emplace(site, static_cast<std::uint32_t>(recording_.sites.size()));
    if (is_new) recording_.sites.push_back(site);
    return entry->second;
  }

 private:
  Recording& recording_;
  std::map<RecordedCommunicator, std::size_t> communicators_;  // without names: ranks may set names at different times
  std::map<RecordedSite, std::uint32_t> sites_;
};

[[noreturn]] void contradict(const std::string& what) {
  throw Error(ErrorCode::malformed, "the recording contradicts itself: " + what);
}

}  // namespace

Recording read_recording(const std::string& folder) {
  Recording recording;
  std::vector<RankContents> all = read_all(folder, recording.remarks);
  if (all.empty() && !recording.remarks.empty()) throw Error(ErrorCode::malformed, recording.remarks.front());
  if (all.empty())
    throw Error(ErrorCode::malformed, fmt::format("'{}' has no recording; make one: mpirun -n 8 quadrille wrap --record={} ./app",
                                                  printable(folder), printable(folder)));
  keep_one_run(all, recording.remarks);
  const RankFacts& facts = all.front().facts;
  recording.program = facts.program, recording.mpi = facts.mpi, recording.version = facts.version;
  recording.settings = facts.settings;
  recording.start_unix_ns = facts.start_unix_ns;
  recording.world_size = facts.world_size;
  recording.is_folded = facts.folds;
  Shared shared(recording);
  for (RankContents& each : all) {
    std::vector<std::size_t> communicators;
    for (RecordedCommunicator& communicator : each.communicators) communicators.push_back(shared.add(std::move(communicator)));
    for (RecordedSite& site : each.sites) {
      site.communicator = communicators[site.communicator];
      each.recorded.sites.push_back(shared.add(site));
    }
    recording.ranks.push_back(std::move(each.recorded));
  }
  check(recording);
  return recording;
}

void check(const Recording& recording) {
  const auto is_of_world = [&](Rank rank) { return rank >= 0 && rank < recording.world_size; };
  std::vector<std::vector<Rank>> members;  // by communicator: its members in order, without members of other worlds
  for (const RecordedCommunicator& communicator : recording.communicators) {
    std::vector<Rank>& sorted = members.emplace_back(communicator.members);
    std::erase(sorted, -1);
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && (!is_of_world(sorted.front()) || !is_of_world(sorted.back())))
      contradict(fmt::format("a communicator has members that are not among the {} ranks", recording.world_size));
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      contradict(fmt::format("a communicator has rank {} twice", *twice));
  }
  Rank before = -1;
  for (const RecordedRank& rank : recording.ranks) {
    if (!is_of_world(rank.rank) || rank.rank <= before || rank.times.size() != rank.sites.size())
      contradict("its ranks are not in order");
    before = rank.rank;
    for (const std::uint32_t number : rank.sites) {
      if (number >= recording.sites.size() || recording.sites[number].communicator >= members.size())
        contradict(fmt::format("rank {} has a site that does not exist", rank.rank));
      const RecordedSite& site = recording.sites[number];
      const std::vector<Rank>& on = members[site.communicator];
      if (!std::binary_search(on.begin(), on.end(), rank.rank))
        contradict(fmt::format("rank {} calls {} on a communicator of which it is no member", rank.rank,
                               site.function.empty() ? name(site.kind) : site.function));
    }
  }
}

}  // namespace quadrille
