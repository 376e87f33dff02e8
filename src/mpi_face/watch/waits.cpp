// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/waits.hpp"

#include <algorithm>
#include <limits>

namespace quadrille::mpi_face {

Waits::Waits(const SeenRun& run, double limit_s) : run_(run), limit_s_(limit_s), waiters_(run.communicators().size()) {
  for (Rank rank = 0; rank < run.size(); ++rank) {
    if (const int on = run.waits_on(rank); on >= 0) waiters_[static_cast<std::size_t>(on)].push_back(rank);
    is_quiet_ = is_quiet_ && run.is_quiet(rank, limit_s);
  }
  for (const CommonCommunicator& each : run.communicators())
    quiet_.push_back(std::all_of(each.members.begin(), each.members.end(),
                                 [&](const Member& member) { return run.is_quiet(member.rank, limit_s); }));
}

bool Waits::are_long(const std::vector<Rank>& ranks) const {
  return std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) { return run_.at(rank).since_s >= limit_s_; });
}

std::optional<Stuck> Waits::stuck_on(int on) const {
  const CommonCommunicator& shared = run_.communicator(on);
  if (!is_quiet(on)) return std::nullopt;
  Stuck stuck{waiters(on), nullptr, {}, std::numeric_limits<double>::max()};
  for (const Rank rank : stuck.waiters) {
    const WatchedCall* call = run_.waiting(rank).targets[0];
    if (!stuck.call || call->number < stuck.call->number) stuck.call = call;
    stuck.quiet_s = std::min(stuck.quiet_s, run_.at(rank).since_s);
  }
  const std::string function = base_of(stuck.call->function);
  const bool has_root = function == "Bcast" || function == "Scatter" || function == "Scatterv" || function == "Gather" ||
                        function == "Gatherv" || function == "Reduce";
  const auto root = static_cast<std::size_t>(stuck.call->root);
  if (has_root && stuck.call->root >= 0 && shared.is_ordered && root < shared.members.size() &&
      shared.members[root].begun < stuck.call->number) {
    stuck.missing = {shared.members[root].rank};
    return stuck;
  }
  for (const Member& member : shared.members)
    if (member.begun < stuck.call->number) stuck.missing.push_back(member.rank);
  return stuck;
}

std::optional<Node> Waits::node_of(Rank rank) const {
  if (run_.state(rank) != SeenRank::State::in_call) return std::nullopt;
  if (const int on = run_.waits_on(rank); on >= 0) return Node{false, on};
  const auto& targets = run_.waiting(rank).targets;
  const bool is_known = std::any_of(targets.begin(), targets.end(), [&](const WatchedCall* target) {
    return !target->is_collective && run_.peer_of(rank, *target) != -1;
  });
  return is_known ? std::optional(Node{true, rank}) : std::nullopt;
}

}  // namespace quadrille::mpi_face
