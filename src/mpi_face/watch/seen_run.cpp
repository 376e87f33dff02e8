// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/seen_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "foundation/text/wording.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/report/report_words.hpp"

namespace quadrille::mpi_face {
namespace {

bool waits_for_requests(const WatchedCall& call) {
  return !call.is_collective && (call.function.starts_with("Wait") || call.function.starts_with("Test"));
}

std::string label_of(const CommonCommunicator& communicator) {
  std::vector<Rank> ranks;
  for (const Member& member : communicator.members) ranks.push_back(member.rank);
  std::sort(ranks.begin(), ranks.end());
  const std::uint64_t number = communicator.made + 1;
  return "a communicator of " + ranks_phrase(ranks) +
         (number == 1   ? ""
          : number == 2 ? " (the second one)"
                        : fmt::format(" (number {} of them)", number_words(number)));
}

}  // namespace

std::optional<Function> form_of(const WatchedCall& call) {
  const std::optional<Function> function = call.is_collective ? function_named(call.function) : std::nullopt;
  return function && !is_neighbourhood(*function) ? std::optional(blocking_form(*function)) : std::nullopt;
}

SeenRun::SeenRun(std::span<const SeenRank> ranks, Count world_size, double limit_s) : limit_s_(limit_s) {
  static const SeenRank unseen;
  by_rank_.resize(index(std::clamp<Rank>(world_size, 0, most_world_size)), &unseen);
  for (const SeenRank& rank : ranks) {
    if (rank.rank < 0 || rank.rank >= most_world_size) continue;
    if (rank.rank >= size()) by_rank_.resize(index(rank.rank) + 1, &unseen);
    by_rank_[index(rank.rank)] = &rank;
  }
  shared_.resize(by_rank_.size());
  std::map<CommunicatorKey, int> places;
  for (Rank rank = 0; rank < size(); ++rank) {
    waiting_.push_back(waiting_of(at(rank)));
    for (const SeenCommunicator& seen : at(rank).communicators) {
      const auto [place, is_new] = places.try_emplace(seen.key, static_cast<int>(communicators_.size()));
      if (is_new) communicators_.emplace_back();
      CommonCommunicator& shared = communicators_[index(place->second)];
      if (shared.label.empty()) shared.label = seen.name;
      if (!shared.listed && !seen.world_ranks.empty()) shared.listed = &seen.world_ranks;
      shared.made = seen.key.made;
      shared.members.push_back({rank, seen.calls});
      shared_[index(rank)].push_back(place->second);
    }
    if (const int on = waits_on(rank); on >= 0) communicators_[index(on)].waiters.push_back(rank);
  }
  for (CommonCommunicator& each : communicators_) {
    put_in_order(each);
    if (each.label.empty()) each.label = label_of(each);
    for (const Member& member : each.members) each.is_quiet = each.is_quiet && is_quiet(member.rank);
  }
}

// Adds members of which it has not been seen that they know the communicator.
void SeenRun::put_in_order(CommonCommunicator& communicator) const {
  std::vector<Rank> order = communicator.listed ? *communicator.listed : std::vector<Rank>();
  if (order.empty() && communicator.label == "MPI_COMM_WORLD") {
    order.resize(by_rank_.size());
    std::iota(order.begin(), order.end(), Rank{0});
  }
  std::map<Rank, Member> known;
  for (const Member& member : communicator.members) known[member.rank] = member;
  std::vector<Member> all;
  for (const Rank rank : order) {
    if (rank < 0 || rank >= size()) return;  // the list is damaged
    all.push_back(known.try_emplace(rank, Member{rank}).first->second);
  }
  if (all.empty() || known.size() != all.size()) return;  // the list is damaged, or two ranks list different members
  communicator.members = std::move(all);
  communicator.is_ordered = true;
}

Waiting SeenRun::waiting_of(const SeenRank& rank) const {
  using State = SeenRank::State;
  if (rank.state == State::computes || rank.state == State::sleeps || rank.state == State::unknown) return {};
  const auto last = std::find_if(rank.calls.rbegin(), rank.calls.rend(), [](const auto& call) { return !call.has_left; });
  if (last == rank.calls.rend()) return {};
  Waiting waiting{&*last, {}};
  if (!waits_for_requests(*last)) {
    if (last->is_collective || last->peer != -1) waiting.targets = {&*last};
    return waiting;
  }
  for (const WatchedCall& call : rank.calls)
    if (last->number > 0 && call.is_collective && call.number == last->number && call.communicator == last->communicator)
      return {&*last, {&call}};
  // Which messages it waits for is a guess: each wait before is assumed to have completed the oldest one, or all.
  for (const WatchedCall& call : std::span(&rank.calls.front(), &*last)) {
    if (call.is_collective || call.number > 0) continue;
    if (!call.is_blocking)
      waiting.targets.push_back(&call);
    else if (call.function == "Waitall")
      waiting.targets.clear();
    else if (call.function.starts_with("Wait") && !waiting.targets.empty())
      waiting.targets.erase(waiting.targets.begin());
  }
  // Receives first: a send may be complete before the peer has received it.
  std::stable_partition(waiting.targets.begin(), waiting.targets.end(),
                        [](const auto* call) { return call->function.find("recv") != std::string::npos; });
  return waiting;
}

int SeenRun::communicator_of(Rank rank, const WatchedCall& call) const {
  const std::vector<int>& shared = shared_[index(rank)];
  return call.communicator >= 0 && index(call.communicator) < shared.size() ? shared[index(call.communicator)] : -1;
}

Rank SeenRun::peer_of(Rank rank, const WatchedCall& call) const {
  const int on = communicator_of(rank, call);
  if (call.peer == -2) return -2;
  if (on < 0 || call.peer < 0) return -1;
  const CommonCommunicator& shared = communicators_[index(on)];
  return shared.is_ordered && index(call.peer) < shared.members.size() ? shared.members[index(call.peer)].rank : -1;
}

int SeenRun::waits_on(Rank rank) const {
  const std::vector<const WatchedCall*>& targets = waiting(rank).targets;
  const bool is_in = state(rank) == SeenRank::State::in_call;
  return is_in && targets.size() == 1 && targets[0]->is_collective ? communicator_of(rank, *targets[0]) : -1;
}

bool SeenRun::waits(Rank rank) const {
  const auto& targets = waiting(rank).targets;
  const auto is_known = [&](const WatchedCall* target) { return !target->is_collective && peer_of(rank, *target) != -1; };
  return state(rank) == SeenRank::State::in_call && (waits_on(rank) >= 0 || std::any_of(targets.begin(), targets.end(), is_known));
}

bool SeenRun::is_quiet(Rank rank) const {
  using State = SeenRank::State;
  const State now = state(rank);
  return now == State::died || now == State::finalised || now == State::unknown || are_long({rank});
}

bool SeenRun::are_long(const std::vector<Rank>& ranks) const {
  return std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) { return at(rank).since_s >= limit_s_; });
}

std::optional<Stuck> SeenRun::stuck_on(int on) const {
  const CommonCommunicator& shared = communicator(on);
  if (!shared.is_quiet) return std::nullopt;
  Stuck stuck{on, shared.waiters, nullptr, {}};
  for (const Rank rank : stuck.waiters) {
    const WatchedCall* call = waiting(rank).targets[0];
    if (!stuck.call || call->number < stuck.call->number) stuck.call = call;
  }
  const auto is_missing = [&](const Member& member) { return member.begun < stuck.call->number; };
  const Rank root = stuck.call->root;
  if (root >= 0 && shared.is_ordered && index(root) < shared.members.size() && is_missing(shared.members[index(root)])) {
    stuck.missing = {shared.members[index(root)].rank};  // the others may have left the call
    return stuck;
  }
  for (const Member& member : shared.members)
    if (is_missing(member)) stuck.missing.push_back(member.rank);
  return stuck;
}

std::string ranks_phrase(const std::vector<Rank>& ranks) {
  constexpr std::size_t most = 8;
  std::string words = ranks.size() == 1 ? "rank " : "ranks ";
  std::size_t told = 0, parts = 0;
  bool has_range = false;
  for (; told < ranks.size() && parts < most; ++parts) {
    std::size_t end = told + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - told < 3) end = told + 1;
    has_range |= end - told > 1;
    words += (told == 0 ? "" : ", ") +
             (end - told > 1 ? fmt::format("{}..{}", ranks[told], ranks[end - 1]) : fmt::format("{}", ranks[told]));
    told = end;
  }
  if (told < ranks.size()) words += fmt::format(" and {} more", number_words(ranks.size() - told));
  if ((has_range && ranks.size() > 4) || told < ranks.size()) words += fmt::format(" ({})", number_words(ranks.size()));
  return words;
}

std::string number_words(std::uint64_t number) {
  return count_words(static_cast<Count>(std::min<std::uint64_t>(number, INT64_MAX)));
}

std::string size_words(Bytes bytes) {
  const ByteUnit unit = common_unit(std::array{bytes});
  return fmt::format("{} {}", count_words(bytes / unit.bytes), unit.name);
}

std::string duration_words(double seconds) {
  if (seconds >= 10) return count_words(static_cast<Count>(std::min(seconds, 1e15))) + " s";
  return seconds < 1 ? seconds_words(seconds) : fmt::format("{:.2g} s", seconds);
}

std::string call_words(const WatchedCall& call) {
  return call.number > 0 ? fmt::format("{}, call {}", call.function, number_words(call.number)) : call.function;
}

std::string at_place(const std::string& place) { return place.empty() ? "" : fmt::format(" ({})", place); }

}  // namespace quadrille::mpi_face
