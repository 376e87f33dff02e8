// SPDX-License-Identifier: BSD-3-Clause
#include "projection/walk.hpp"

#include <algorithm>
#include <numeric>

#include "projection/call_problem.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::projection {

Walk::Walk(const Recording& recording, const ProjectionOptions& options, CallPrices& prices, std::size_t first, std::size_t last)
    : recording_(recording),
      options_(options),
      prices_(prices),
      first_(first),
      last_(last),
      matching_(recording),
      starts_(starts_of(recording)),
      kinds_(recording) {
  for (const RecordedRank& rank : recording.ranks) players_.push_back({.calls = RecordedCalls(rank), .entry = {}, .started = {}});
  for (auto& times : replayed_.ranks) times.resize(players_.size());
  replayed_.gaps.resize(recording.sites.size());
  replayed_.unmatched.resize(recording.sites.size());
}

bool Walk::take(std::size_t rank) {
  Player& player = players_[rank];
  const auto next = player.calls.next();
  if (!next) {
    player.has_ended = true;
    return false;
  }
  player.entry = *next;
  ++taken_;
  GapSums& gaps = replayed_.gaps[next->site];
  ++gaps.count;
  gaps.sum_s += next->gap_s;
  gaps.squares += next->gap_s * next->gap_s;
  const PieceWatch& pieces = options_.pieces;
  player.is_watched = pieces.watch && player.recorded_s >= pieces.from_s && player.recorded_s < pieces.to_s;
  player.recorded_s += next->gap_s + next->away_s + next->duration_s;
  return true;
}

void Walk::as_recorded(std::size_t rank, ProjectedPart part) {
  const RecordedCall& entry = players_[rank].entry;
  for (std::size_t side = first_; side < last_; ++side)
    pass(side, rank, part, entry.duration_s, {.site = &recording_.sites[entry.site]});
}

void Walk::unmatched(std::size_t rank) {
  UnmatchedCalls& sum = replayed_.unmatched[players_[rank].entry.site];
  ++sum.calls;
  sum.seconds += players_[rank].entry.duration_s;
  as_recorded(rank, ProjectedPart::collectives);
}

bool Walk::act(std::size_t rank, std::vector<std::size_t>& released) {
  Player& player = players_[rank];
  const RecordedSite& site = recording_.sites[player.entry.site];
  std::size_t member = 0;
  switch (site.kind) {
    case RecordedKind::point_to_point: as_recorded(rank, ProjectedPart::point_to_point); return true;
    case RecordedKind::making:
      if (!makes_together(site.function)) return as_recorded(rank, ProjectedPart::other), true;
      break;
    case RecordedKind::others: unmatched(rank); return true;
    case RecordedKind::start: {
      if (!matching_.is_matched(site.communicator)) return unmatched(rank), true;
      MatchedCall* const call = enter(rank, member, released);
      player.started.push_back({player.entry.site, call, member});
      as_recorded(rank, ProjectedPart::collectives);
      return true;
    }
    case RecordedKind::completion: {
      const auto started = take_started(rank, player.entry.site);
      if (!started) return unmatched(rank), true;
      if (started->call->is_complete()) return leave(*started->call, rank, started->member), true;
      started->call->waiting.push_back({static_cast<Rank>(rank), started->member});
      player.waits_for = started->call;
      return false;
    }
    case RecordedKind::collective: break;
  }
  if (!matching_.is_matched(site.communicator)) {
    if (site.kind == RecordedKind::making) return as_recorded(rank, ProjectedPart::other), true;
    return unmatched(rank), true;
  }
  MatchedCall* const call = enter(rank, member, released);
  if (call->is_complete()) return leave(*call, rank, member), true;
  call->waiting.push_back({static_cast<Rank>(rank), member});
  player.waits_for = call;
  return false;
}

MatchedCall* Walk::enter(std::size_t rank, std::size_t& member, std::vector<std::size_t>& released) {
  const RecordedCall& entry = players_[rank].entry;
  const std::size_t communicator = recording_.sites[entry.site].communicator;
  member = matching_.member_of(communicator, static_cast<Rank>(rank));
  MatchedCall& call = matching_.next(communicator, member);
  call.sites[member] = entry.site;
  call.shortest_s = std::min(call.shortest_s, entry.duration_s);
  if (recording_.sites[entry.site].kind == RecordedKind::start) call.starting_s += entry.duration_s;
  for (std::size_t side = first_; side < last_; ++side) call.entries[side][member] = now_s(side, rank);
  ++call.entered;
  if (call.is_complete()) complete(call, released);
  return &call;
}

void Walk::complete(MatchedCall& call, std::vector<std::size_t>& released) {
  call.priced = &prices_.of(call.communicator, call.sites, kinds_.next(call.sites.front()));
  const bool makes = recording_.sites[call.sites.front()].kind == RecordedKind::making;
  if (!makes) ++replayed_.calls;
  if (first_ == 0) ++call.priced->calls;
  for (std::size_t side = first_; side < last_; ++side) {
    call.priced->inside_s[side] += call.starting_s;
    std::vector<double>& entries = call.entries[side];
    if (options_.without_late_ranks) {
      const double mean = std::accumulate(entries.begin(), entries.end(), 0.0) / static_cast<double>(entries.size());
      std::fill(entries.begin(), entries.end(), mean);
    }
    const auto& by = call.priced->priced->by[side];
    const MemberTimes recorded(call.shortest_s);
    (by ? by->times : recorded).exits(entries, call.exits[side]);
  }
  for (const WaitingMember& waiting : call.waiting) {
    leave(call, index(waiting.rank), waiting.member);
    players_[index(waiting.rank)].waits_for = nullptr;
    released.push_back(index(waiting.rank));
  }
  call.waiting.clear();
}

void Walk::leave(MatchedCall& call, std::size_t rank, std::size_t member) {
  const RecordedSite& site = recording_.sites[call.sites[member]];
  const RecordedKind kind = site.kind;
  const bool is_blocking = kind != RecordedKind::start, makes = kind == RecordedKind::making;
  for (std::size_t side = first_; side < last_; ++side) {
    const auto& by = call.priced->priced->by[side];
    const double entry = call.entries[side][member], exit = call.exits[side][member];
    const double alone = by ? by->times.alone(member) : call.shortest_s;
    // Without late ranks, members that entered after the mean have worked less, and the others more.
    if (options_.without_late_ranks && is_blocking) pass(side, rank, ProjectedPart::computing, entry - now_s(side, rank));
    const double rest = std::max(0.0, exit - now_s(side, rank));
    const double late = std::clamp(exit - entry - alone, 0.0, rest);  // because others were late
    pass(side, rank, ProjectedPart::waiting, late, {&site, &call});
    pass(side, rank, makes ? ProjectedPart::other : ProjectedPart::collectives, rest - late, {&site, &call});
    call.priced->inside_s[side] += rest - late;
  }
  matching_.leave(call);
}

// Of several open collectives of one site the oldest is meant.
std::optional<Walk::Started> Walk::take_started(std::size_t rank, std::uint32_t completion) {
  std::vector<Started>& started = players_[rank].started;
  const auto oldest =
      std::find_if(started.begin(), started.end(), [&](const Started& each) { return each.site == starts_[completion]; });
  if (oldest == started.end()) return std::nullopt;
  const Started found = *oldest;
  started.erase(oldest);
  return found;
}

Replayed Walk::finish() && {
  for (std::size_t rank = 0; rank < players_.size(); ++rank) {
    if (players_[rank].waits_for) replayed_.stuck.push_back(static_cast<Rank>(rank));
    if (!players_[rank].waits_for) continue;
    const MatchedCall& call = *players_[rank].waits_for;
    for (const Rank other : recording_.communicators[call.communicator].members)
      if (players_[index(other)].has_ended) replayed_.missed.push_back(other);
  }
  std::sort(replayed_.missed.begin(), replayed_.missed.end());
  replayed_.missed.erase(std::unique(replayed_.missed.begin(), replayed_.missed.end()), replayed_.missed.end());
  return std::move(replayed_);
}

}  // namespace quadrille::projection
