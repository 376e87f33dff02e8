// SPDX-License-Identifier: BSD-3-Clause
// Finds out why a run hangs. Ranks in a collective wait for the members that have not entered it; ranks in a message call wait for
// their peer. The analysis follows these steps from one waiting rank to the next, until it reaches a cause, a rank that makes
// progress, or a rank where it has been.
#include "mpi_face/watch/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "mpi_face/watch/reasons.hpp"
#include "mpi_face/watch/seen_run.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Why = HangReason::Cause;
using Ranks = std::vector<Rank>;

// Does a rank leave the call only when all have entered it?
bool is_synchronising(const WatchedCall& call) {
  const auto form = form_of(call);
  return form && call.root < 0 && *form != Function::Scan && *form != Function::Exscan;
}

// What a rank does, without its times. `call`: the call to show instead of the one that it is in, or null.
ShownGroup group_of(const SeenRun& run, Rank rank, bool is_cause, const WatchedCall* call) {
  const SeenRank& seen = run.at(rank);
  const Waiting& waiting = run.waiting(rank);
  ShownGroup group{.state = seen.state, .is_cause = is_cause, .end = seen.end, .waits_in = seen.waits_in, .stack = seen.stack};
  const WatchedCall* const in = call ? call : waiting.in;
  const WatchedCall* const target = call || waiting.targets.empty() ? in : waiting.targets[0];
  if (!target) {
    if (!seen.calls.empty()) group.last = call_words(seen.calls.back()) + at_place(seen.calls.back().place);
    return group;
  }
  group.in = in->function;
  group.call = *target;
  group.call.place = in->place;
  if (const int on = run.communicator_of(rank, *target); on >= 0) group.communicator = run.communicator(on).label;
  group.peer = run.peer_of(rank, *target);
  // What may differ in the same situation.
  group.call.communicator = -1, group.call.peer = -1;
  group.call.has_left = false, group.call.begun_ticks = 0, group.call.usual_s = 0;
  group.call.sent.clear(), group.call.received.clear();
  return group;
}

// For each rank that is shown: the call to show, as in group_of.
using ShownRanks = std::map<Rank, const WatchedCall*>;

// The ranks by what they do, in the order of their first ranks.
std::vector<ShownGroup> groups_of(const SeenRun& run, ShownRanks shown, const Ranks& causes) {
  for (const Rank rank : causes) shown.try_emplace(rank, nullptr);
  const std::set<Rank> are_causes(causes.begin(), causes.end());
  std::vector<ShownGroup> groups;
  std::map<ShownGroup, std::size_t> places;
  for (const auto& [rank, call] : shown) {
    const SeenRank& seen = run.at(rank);
    ShownGroup group = group_of(run, rank, are_causes.contains(rank), call);
    const auto [place, is_new] = places.try_emplace(group, groups.size());
    if (is_new) groups.push_back(std::move(group));
    ShownGroup& its = groups[place->second];
    its.ranks.push_back(rank);
    its.since_s = is_new ? seen.since_s : std::min(its.since_s, seen.since_s);
    its.processor_s = is_new ? seen.processor_s : std::min(its.processor_s, seen.processor_s);
  }
  return groups;
}

class HangFinder {
 public:
  explicit HangFinder(const SeenRun& run) : run_(run) {}

  std::optional<HangVerdict> find() {
    Ranks waiting;
    for (Rank rank = 0; rank < run_.size(); ++rank)
      if (run_.waits(rank) && run_.are_long({rank})) waiting.push_back(rank);
    const auto company = [&](Rank rank) {
      const int on = run_.waits_on(rank);
      return on < 0 ? 0 : run_.communicator(on).waiters.size();
    };
    std::stable_sort(waiting.begin(), waiting.end(), [&](Rank a, Rank b) { return company(a) > company(b); });
    for (const Rank rank : waiting)
      if (auto verdict = walk(rank)) return verdict;
    return finalising();
  }

 private:
  // The reason, or the rank whose waiting is the reason; neither: a rank makes progress.
  struct Step {
    std::optional<HangReason> reason;
    Rank next = -1;
  };

  // Shows the ranks that wait in the steps, and describes the last step.
  HangVerdict verdict_of(HangReason reason) const {
    HangVerdict verdict{std::move(reason)};
    ShownRanks shown;
    for (const Rank rank : path_) {
      const int on = run_.waits_on(rank);
      for (const Rank each : on >= 0 ? run_.communicator(on).waiters : Ranks{rank}) shown[each] = nullptr;
    }
    verdict.quiet_s = std::numeric_limits<double>::max();
    for (const auto& [rank, call] : shown) verdict.quiet_s = std::min(verdict.quiet_s, run_.at(rank).since_s);
    if (const int on = run_.waits_on(path_.back()); on >= 0) {
      const Stuck stuck = *run_.stuck_on(on);
      for (const Rank rank : stuck.missing) shown[rank] = nullptr;
      verdict.communicator = run_.communicator(on).label;
      if (verdict.number == 0) verdict.number = stuck.call->number;
      verdict.function = stuck.call->function;
      verdict.usual_s = stuck.call->usual_s;
    }
    for (const Rank rank : verdict.causes) shown.try_emplace(rank, nullptr);
    add_nested(verdict, shown);
    verdict.findings = groups_of(run_, std::move(shown), verdict.causes);
    return verdict;
  }

  // MPI does not allow a signal handler to call it, nor most callbacks.
  void add_nested(HangVerdict& verdict, const ShownRanks& shown) const {
    for (const auto& [rank, shown_call] : shown) {
      const WatchedCall* outer = nullptr;
      for (const WatchedCall& call : run_.at(rank).calls) {
        if (call.has_left) continue;
        if (call.is_nested && outer) {
          verdict.sentences.push_back(fmt::format("rank {} has called {}{} inside of {}{}, in a signal handler or a callback", rank,
                                                  call.function, at_place(call.place), outer->function, at_place(outer->place)));
          return;
        }
        outer = &call;
      }
    }
  }

  std::optional<HangVerdict> walk(Rank rank) {
    ++walk_;
    while (rank >= 0) {
      const int on = run_.waits_on(rank);
      if (on >= 0) rank = run_.communicator(on).waiters[0];  // it stands for all that wait there
      const auto [visit, is_new] = visits_.try_emplace(rank, walk_);
      if (!is_new && visit->second != walk_) break;
      if (!is_new) {
        path_.erase(path_.begin(), std::find(path_.begin(), path_.end(), rank));
        return verdict_of(why_cycle());
      }
      path_.push_back(rank);
      const Step step = on >= 0 ? step_of_collective(on) : step_of_messages(rank);
      if (step.reason) return verdict_of(*step.reason);
      rank = step.next;
    }
    path_.clear();
    return std::nullopt;
  }

  Step step_of_collective(int on) const {
    const std::optional<Stuck> stuck = run_.stuck_on(on);
    if (!stuck) return {};
    if (auto reason = first_mismatch(run_, on, 1, true)) return {std::move(reason)};
    // If all ranks have entered this call, a difference in calls that have ended may be the reason.
    if (auto reason = first_mismatch(run_, on, stuck->missing.empty() ? 1 : stuck->call->number, false)) return {std::move(reason)};
    Ranks causes;
    for (const Rank rank : stuck->missing)
      if (run_.state(rank) != State::in_call) causes.push_back(rank);
    for (const auto& [rank, begun] : run_.communicator(on).members) {
      const State state = run_.state(rank);
      const WatchedCall* in = run_.waiting(rank).in;
      const bool is_inside = in && in->is_collective && run_.communicator_of(rank, *in) == on;
      if (begun >= stuck->call->number && (state == State::died || (state == State::stopped && is_inside))) causes.push_back(rank);
    }
    if (!causes.empty()) return {why_missing(run_, causes, *stuck)};
    if (stuck->missing.empty()) return {why_incomplete(*stuck)};
    for (const Rank rank : stuck->missing)
      if (run_.waits(rank)) return {{}, rank};
    return {why_missing(run_, stuck->missing, *stuck)};
  }

  Ranks outside_of_mpi(int on) const {
    Ranks ranks;
    for (const Member& member : run_.communicator(on).members)
      if (const State state = run_.state(member.rank); state == State::computes || state == State::sleeps)
        ranks.push_back(member.rank);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  // Why a call does not end that all members have entered. A nonblocking collective may need its ranks to call MPI, because the MPI
  // library may make progress only then.
  HangReason why_incomplete(const Stuck& stuck) const {
    const Ranks outside = stuck.call->is_blocking ? Ranks() : outside_of_mpi(stuck.on);
    if (!outside.empty()) {
      const bool one = outside.size() == 1;
      return {Why::late,
              0,
              outside,
              {fmt::format("{} {} late: {} begun {}, but {} not call MPI, which may need it to go on", ranks_phrase(outside),
                           one ? "is" : "are", one ? "it has" : "they have", call_words(*stuck.call), one ? "does" : "do")}};
    }
    Ranks behind;
    for (const Rank rank : stuck.waiters)
      if (run_.waiting(rank).targets[0]->number == stuck.call->number) behind.push_back(rank);
    const std::string who = ranks_phrase(behind), call = call_words(*stuck.call);
    const bool is_behind = behind.size() < stuck.waiters.size();
    const bool is_users = stuck.call->operation == "user";
    if (is_behind && !is_users && stuck.call->is_blocking && is_synchronising(*stuck.call))
      return {Why::order,
              0,
              behind,
              {"the order of collectives differs: " + who + (behind.size() == 1 ? " is" : " are") +
               " one call or more behind, in " + call + ", which the others have left"}};
    const CommonCommunicator& shared = run_.communicator(stuck.on);
    const bool all_wait = behind.size() == shared.members.size();
    std::string sentence = shared.is_ordered ? "all ranks" : "all ranks that are known to be members";
    sentence += all_wait ? " are in the same call" : " have entered " + call;
    sentence += is_users ? ": the program's operator, the MPI library" : ": the MPI library";
    sentence += ", or the network, does not complete it" + (all_wait ? "" : " on " + who);
    return {Why::library, 0, is_behind ? behind : Ranks(), {sentence}};
  }

  // The ranks of which one sends or receives the message; no ranks: unknown.
  Ranks peers_of(Rank rank, const WatchedCall& call) const {
    const Rank peer = run_.peer_of(rank, call);
    if (peer != -2) return peer < 0 ? Ranks() : Ranks{peer};
    Ranks peers;
    const int on = run_.communicator_of(rank, call);
    if (on < 0) return peers;
    for (const Member& member : run_.communicator(on).members)
      if (member.rank != rank) peers.push_back(member.rank);
    std::sort(peers.begin(), peers.end());
    return peers;
  }

  Step step_of_messages(Rank rank) const {
    const std::vector<const WatchedCall*>& targets = run_.waiting(rank).targets;
    for (const WatchedCall* target : targets)
      for (const Rank peer : peers_of(rank, *target))
        if (!run_.is_quiet(peer)) return {};
    Step matched;
    for (const WatchedCall* target : targets) {
      Ranks late, waiting, ended;
      bool is_matched = false;
      for (const Rank peer : peers_of(rank, *target)) {
        if (auto reason = why_no_match(run_, rank, *target, peer)) {
          is_matched = reason->cause == Why::library;
          if (!is_matched) return {std::move(reason)};
          matched.reason = std::move(reason);
        }
        const bool has_ended = run_.state(peer) == State::died || run_.state(peer) == State::finalised;
        (run_.waits(peer) ? waiting : has_ended ? ended : late).push_back(peer);
      }
      if (is_matched) continue;
      if (!late.empty() || (waiting.empty() && !ended.empty())) return {why_no_message(run_, rank, late.empty() ? ended : late)};
      if (!waiting.empty()) return {{}, waiting[0]};
    }
    return matched;
  }

  // The steps of path_ wait for each other.
  HangReason why_cycle() const {
    constexpr std::size_t most = 6;
    std::vector<std::string> parts;
    bool has_messages = false, is_exchange = true;
    for (const Rank rank : path_) {
      const int on = run_.waits_on(rank);
      has_messages |= on < 0;
      is_exchange = is_exchange && on < 0 && run_.waiting(rank).targets[0]->function.starts_with("Sendrecv");
      if (parts.size() == most) continue;
      if (on < 0) {
        parts.push_back(wait_words(run_, rank));
        continue;
      }
      const Stuck stuck = *run_.stuck_on(on);
      const Rank awaited = *std::find_if(stuck.missing.begin(), stuck.missing.end(), [&](Rank each) { return run_.waits(each); });
      parts.push_back(fmt::format("{} wait{} in {} on {} for rank {}", ranks_phrase(stuck.waiters),
                                  stuck.waiters.size() == 1 ? "s" : "", call_words(*stuck.call), run_.communicator(on).label,
                                  awaited));
    }
    if (path_.size() > most) parts.push_back(number_words(path_.size() - most) + " more");
    if (parts.size() > 1) parts.back() = "and " + parts.back();
    if (is_exchange)
      parts = {
          "these ranks are in calls of one exchange: their tags differ, or the MPI library, or the network, does not complete it"};
    else
      parts = {fmt::format("a deadlock, because ranks wait for each other: {}", fmt::join(parts, ", "))};
    return {is_exchange ? Why::library : has_messages ? Why::messages : Why::communicators, 0, {}, std::move(parts)};
  }

  // Ranks wait in MPI_Finalize, the others are outside of MPI.
  std::optional<HangVerdict> finalising() {
    Ranks others;
    for (Rank rank = 0; rank < run_.size(); ++rank) {
      if (!run_.is_quiet(rank)) return std::nullopt;
      (run_.state(rank) == State::finalised ? path_ : others).push_back(rank);
    }
    if (!run_.are_long(path_) || others.empty()) return std::nullopt;
    return verdict_of(why_missing(run_, others, {}));
  }

  const SeenRun& run_;
  Ranks path_;                  // of the steps so far: a rank that waits there
  std::map<Rank, int> visits_;  // the walk that came to a rank first
  int walk_ = 0;
};

}  // namespace

std::optional<HangVerdict> find_hang(std::span<const SeenRank> ranks, Count world_size, const WatchOptions& options) {
  const SeenRun run(ranks, world_size, options.limit_s);
  return HangFinder(run).find();
}

std::optional<HangVerdict> find_mismatch(std::span<const SeenRank> ranks, Count world_size) {
  const SeenRun run(ranks, world_size, 0);
  for (int on = 0; on < static_cast<int>(run.communicators().size()); ++on) {
    const std::optional<HangReason> reason = first_mismatch(run, on, 1, false);
    if (!reason) continue;
    HangVerdict verdict{*reason, false, run.communicator(on).label};
    ShownRanks shown;
    for (const Member& member : run.communicator(on).members)
      if (const WatchedCall* call = call_with(run, member.rank, on, reason->number)) shown[member.rank] = call;
    verdict.findings = groups_of(run, std::move(shown), reason->causes);
    return verdict;
  }
  return std::nullopt;
}

}  // namespace quadrille::mpi_face
