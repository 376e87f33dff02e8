// SPDX-License-Identifier: BSD-3-Clause
#include "projection/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "foundation/assert.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {
namespace {

// The limit of open calls on one communicator. Programs have a few. A damaged recording may state millions, each of which takes
// memory for all members.
constexpr std::size_t most_under_way = 100'000;

}  // namespace

Matching::Matching(const Recording& recording) {
  for (const RecordedCommunicator& communicator : recording.communicators) {
    Calls& calls = all_.emplace_back();
    calls.is_matched = !communicator.is_inter && !communicator.members.empty();
    calls.is_world = true;
    for (std::size_t i = 0; i < communicator.members.size(); ++i) {
      const Rank rank = communicator.members[i];
      calls.is_matched = calls.is_matched && rank >= 0 && rank < recording.world_size;
      calls.is_world = calls.is_world && rank == static_cast<Rank>(i);
      calls.members.emplace_back(rank, i);
    }
    std::sort(calls.members.begin(), calls.members.end());
    calls.made.resize(calls.members.size(), 0);
  }
}

std::size_t Matching::member_of(std::size_t communicator, Rank rank) const {
  const Calls& calls = all_[communicator];
  if (calls.is_world && rank < size(calls.members)) return index(rank);
  const auto place = std::lower_bound(calls.members.begin(), calls.members.end(), std::pair<Rank, std::size_t>(rank, 0));
  QUADRILLE_ASSERT(place != calls.members.end() && place->first == rank);
  return place->second;
}

MatchedCall& Matching::next(std::size_t communicator, std::size_t member) {
  Calls& calls = all_[communicator];
  QUADRILLE_ASSERT(calls.made[member] >= calls.first);
  const auto at = index(calls.made[member]++ - calls.first);
  if (at < calls.open.size()) return *calls.open[at];
  QUADRILLE_ASSERT(at == calls.open.size());
  if (at == most_under_way)
    throw Error(ErrorCode::too_large,
                fmt::format("the recording has more than {} calls under way on one communicator; a projection "
                            "follows no more",
                            most_under_way));
  if (spare_.empty()) {
    calls.open.push_back(std::make_unique<MatchedCall>());
  } else {
    calls.open.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  MatchedCall& call = *calls.open.back();
  QUADRILLE_ASSERT(call.waiting.empty());
  const std::size_t members = calls.members.size();
  call.communicator = communicator;
  call.sites.resize(members);
  call.entered = call.left = 0;
  call.priced = nullptr;
  call.starting_s = 0;
  call.shortest_s = std::numeric_limits<double>::infinity();
  for (std::size_t side = 0; side < sides; ++side) call.entries[side].resize(members), call.exits[side].resize(members);
  return call;
}

void Matching::leave(MatchedCall& call) {
  if (++call.left < static_cast<Count>(call.sites.size())) return;
  Calls& calls = all_[call.communicator];
  const auto place = std::find_if(calls.open.begin(), calls.open.end(), [&](const auto& each) { return each.get() == &call; });
  QUADRILLE_ASSERT(call.is_complete() && place != calls.open.end());
  spare_.push_back(std::move(*place));
  while (!calls.open.empty() && !calls.open.front()) calls.open.pop_front(), ++calls.first;
}

std::vector<std::uint32_t> starts_of(const Recording& recording) {
  std::map<RecordedSite, std::uint32_t> started;
  std::vector<std::uint32_t> starts(recording.sites.size());
  for (std::uint32_t site = 0; site < starts.size(); ++site)
    if (recording.sites[site].kind == RecordedKind::start) started.emplace(recording.sites[site], site);
  for (std::uint32_t site = 0; site < starts.size(); ++site) {
    starts[site] = site;
    if (recording.sites[site].kind != RecordedKind::completion) continue;
    RecordedSite start = recording.sites[site];
    start.kind = RecordedKind::start;
    if (const auto found = started.find(start); found != started.end()) starts[site] = found->second;
  }
  return starts;
}

}  // namespace quadrille::projection
