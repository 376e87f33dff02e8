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

#include "mpi_face/watch/mismatch.hpp"
#include "mpi_face/watch/reasons.hpp"
#include "mpi_face/watch/seen_run.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Why = HangVerdict::Cause;
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
  group.call.has_left = false, group.call.usual_s = 0;
  group.call.sent.clear(), group.call.received.clear();
  return group;
}

// The ranks that are shown, by what they do, in the order of their first ranks. `calls`: for each rank, as in group_of.
std::vector<ShownGroup> groups_of(const SeenRun& run, const Ranks& ranks, const Ranks& causes,
                                  const std::map<Rank, const WatchedCall*>& calls) {
  std::map<Rank, bool> shown;
  for (const Rank rank : ranks) shown[rank] = false;
  for (const Rank rank : causes) shown[rank] = true;
  std::vector<ShownGroup> groups;
  std::map<ShownGroup, std::size_t> places;
  for (const auto& [rank, is_cause] : shown) {
    const SeenRank& seen = run.at(rank);
    const auto call = calls.find(rank);
    ShownGroup group = group_of(run, rank, is_cause, call == calls.end() ? nullptr : call->second);
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
    std::vector<int> order;
    const auto waiters = [&](int on) -> const Ranks& { return run_.communicator(on).waiters; };
    for (int on = 0; on < static_cast<int>(run_.communicators().size()); ++on)
      if (run_.are_long(waiters(on))) order.push_back(on);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return waiters(a).size() > waiters(b).size(); });
    for (const int on : order)
      if (auto verdict = mismatch_on(on)) return verdict;
    for (const int on : order)
      if (auto verdict = walk(waiters(on)[0])) return verdict;
    for (Rank rank = 0; rank < run_.size(); ++rank)
      if (run_.waits(rank) && run_.waits_on(rank) < 0 && run_.are_long({rank}))
        if (auto verdict = walk(rank)) return verdict;
    return finalising();
  }

 private:
  struct Step {
    std::optional<HangVerdict> verdict;
    Rank next = -1;  // neither: a rank makes progress
  };

  // The ranks that wait in the steps before are shown, too.
  HangVerdict verdict_of(Why cause, std::vector<std::string> sentences, const Ranks& waiters, const Ranks& others,
                         const Ranks& causes) const {
    HangVerdict verdict;
    verdict.cause = cause;
    verdict.sentences = std::move(sentences);
    verdict.quiet_s = std::numeric_limits<double>::max();
    for (const Rank rank : waiters) verdict.quiet_s = std::min(verdict.quiet_s, run_.at(rank).since_s);
    Ranks shown = path_waiters();
    shown.insert(shown.end(), waiters.begin(), waiters.end());
    shown.insert(shown.end(), others.begin(), others.end());
    verdict.findings = groups_of(run_, shown, causes, {});
    return verdict;
  }

  HangVerdict verdict_on(const Stuck& stuck, Why cause, std::vector<std::string> sentences, const Ranks& causes) const {
    HangVerdict verdict = verdict_of(cause, std::move(sentences), stuck.waiters, stuck.missing, causes);
    verdict.communicator = run_.communicator(stuck.on).label;
    verdict.number = stuck.call->number;
    verdict.function = stuck.call->function;
    verdict.usual_s = stuck.call->usual_s;
    return verdict;
  }

  std::optional<HangVerdict> mismatch_on(const Stuck& stuck, std::uint64_t from, bool only_order) const {
    const auto mismatch = first_mismatch(run_, stuck.on, from, only_order);
    if (!mismatch) return std::nullopt;
    HangVerdict verdict = verdict_on(stuck, mismatch->cause, mismatch->sentences, mismatch->odd);
    verdict.number = mismatch->number;
    return verdict;
  }

  std::optional<HangVerdict> mismatch_on(int on) const {
    const std::optional<Stuck> stuck = run_.stuck_on(on);
    if (!stuck) return std::nullopt;
    auto verdict = mismatch_on(*stuck, 1, true);
    return verdict ? verdict : mismatch_on(*stuck, stuck->call->number, false);
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
        return cycle();
      }
      path_.push_back(rank);
      Step step = on >= 0 ? step_of_collective(on) : step_of_messages(rank);
      if (step.verdict) return std::move(step.verdict);
      rank = step.next;
    }
    path_.clear();
    return std::nullopt;
  }

  // The ranks that wait in one step.
  Ranks waiters_of(Rank rank) const {
    const int on = run_.waits_on(rank);
    return on >= 0 ? run_.communicator(on).waiters : Ranks{rank};
  }
  Ranks path_waiters() const {
    Ranks all;
    for (const Rank rank : path_)
      for (const Rank each : waiters_of(rank)) all.push_back(each);
    return all;
  }

  Step step_of_collective(int on) const {
    const std::optional<Stuck> stuck = run_.stuck_on(on);
    if (!stuck) return {};
    Ranks causes;
    for (const Rank rank : stuck->missing)
      if (run_.state(rank) != State::in_call) causes.push_back(rank);
    for (const auto& [rank, begun] : run_.communicator(on).members) {
      const State state = run_.state(rank);
      const WatchedCall* in = run_.waiting(rank).in;
      const bool is_inside = in && in->is_collective && run_.communicator_of(rank, *in) == on;
      if (begun >= stuck->call->number && (state == State::died || (state == State::stopped && is_inside))) causes.push_back(rank);
    }
    if (causes.empty() && stuck->missing.empty()) return {complete_on(*stuck)};
    if (causes.empty())
      for (const Rank rank : stuck->missing)
        if (run_.waits(rank)) return {{}, rank};
    if (causes.empty()) causes = stuck->missing;
    HangVerdict verdict = verdict_on(*stuck, Why::late, {}, causes);
    explain_missing(verdict, run_, causes, *stuck);
    return {std::move(verdict)};
  }

  // All members have entered the call.
  HangVerdict complete_on(const Stuck& stuck) const {
    if (auto verdict = mismatch_on(stuck, 1, false)) return std::move(*verdict);
    Ranks behind;
    for (const Rank rank : stuck.waiters)
      if (run_.waiting(rank).targets[0]->number == stuck.call->number) behind.push_back(rank);
    const bool is_behind = behind.size() < stuck.waiters.size();
    const std::string who = ranks_phrase(behind), call = call_words(*stuck.call);
    if (is_behind && is_synchronising(*stuck.call))
      return verdict_on(
          stuck, Why::order,
          {fmt::format("the order of collectives differs: {} {} one call or more behind, in {}, which the others have left", who,
                       behind.size() == 1 ? "is" : "are", call)},
          behind);
    const CommonCommunicator& shared = run_.communicator(stuck.on);
    const bool all_wait = behind.size() == shared.members.size();
    std::string sentence = shared.is_ordered ? "all ranks" : "all ranks that are known to be members";
    sentence += all_wait ? " are in the same call" : " have entered " + call;
    sentence += ": the MPI library, or the network, does not complete it" + (all_wait ? "" : " on " + who);
    return verdict_on(stuck, Why::library, {sentence}, is_behind ? behind : Ranks());
  }

  Step step_of_messages(Rank rank) const {
    Rank next = -1, matched = -1;
    std::optional<HangVerdict> verdict;
    for (const WatchedCall* target : run_.waiting(rank).targets) {
      const Rank peer = run_.peer_of(rank, *target);
      const int on = run_.communicator_of(rank, *target);
      const bool is_quiet = peer >= 0 ? run_.is_quiet(peer) : on >= 0 ? run_.communicator(on).is_quiet : run_.is_quiet();
      if (peer != -1 && !is_quiet) return {};
      if (peer == -1 || verdict || next >= 0) continue;  // the other peers are only asked whether they make progress
      if (peer == -2) {
        verdict = from_any(rank, *target);
        continue;
      }
      const MessageProblem problem = problem_of(run_, rank, *target, peer);
      if (!problem.sentence.empty())
        verdict = verdict_of(Why::messages, {problem.sentence}, {rank}, {}, {peer});
      else if (!run_.waits(peer))
        verdict = verdict_of(cause_of(run_.state(peer)), {peer_sentence(run_, rank, peer)}, {rank}, {}, {peer});
      else if (problem.is_matched)
        matched = peer;
      else
        next = peer;
    }
    if (!verdict && next < 0 && matched >= 0)
      verdict =
          verdict_of(Why::library, {"both ranks are in calls that match: the MPI library, or the network, does not complete them"},
                     {rank}, {}, {matched});
    return {std::move(verdict), next};
  }

  // The rank waits for a message from any rank, and no rank makes progress.
  HangVerdict from_any(Rank rank, const WatchedCall& target) const {
    const int on = run_.communicator_of(rank, target);
    Ranks others, outside;
    for (Rank other = 0; on < 0 && other < run_.size(); ++other) others.push_back(other);
    if (on >= 0)
      for (const Member& member : run_.communicator(on).members) others.push_back(member.rank);
    std::erase(others, rank);
    std::sort(others.begin(), others.end());
    for (const Rank other : others) {
      if (const MessageProblem problem = problem_of(run_, rank, target, other); !problem.sentence.empty())
        return verdict_of(Why::messages, {problem.sentence}, {rank}, {}, {other});
      const State state = run_.state(other);
      if (state != State::in_call && state != State::died && state != State::finalised) outside.push_back(other);
    }
    const std::string waits = wait_words(run_, rank) + ": ";
    if (outside.empty())
      return verdict_of(Why::messages, {waits + "no rank sends to it, because all others wait, too, or have ended"}, {rank}, {},
                        others);
    const std::string late = outside.size() == 1 ? " is late: it has" : " are late: they have";
    return verdict_of(Why::late, {waits + ranks_phrase(outside) + late + " not sent to it"}, {rank}, {}, outside);
  }

  // The steps of path_ wait for each other.
  HangVerdict cycle() const {
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
    Why cause = has_messages ? Why::messages : Why::communicators;
    std::string sentence = fmt::format("a deadlock, because ranks wait for each other: {}", fmt::join(parts, ", "));
    if (is_exchange) {
      cause = Why::library;
      sentence =
          "these ranks are in calls of one exchange: their tags differ, or the MPI library, or the network, does not complete it";
    }
    return verdict_of(cause, {sentence}, path_waiters(), {}, {});
  }

  // Ranks wait in MPI_Finalize, the others are outside of MPI.
  std::optional<HangVerdict> finalising() const {
    Ranks waiters, others;
    for (Rank rank = 0; rank < run_.size(); ++rank) (run_.state(rank) == State::finalised ? waiters : others).push_back(rank);
    if (!run_.is_quiet() || !run_.are_long(waiters) || others.empty()) return std::nullopt;
    HangVerdict verdict = verdict_of(Why::late, {}, waiters, {}, others);
    explain_missing(verdict, run_, others, {});
    return verdict;
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
    const std::optional<Mismatch> mismatch = first_mismatch(run, on, 1, false);
    if (!mismatch) continue;
    HangVerdict verdict;
    verdict.is_hang = false;
    verdict.cause = mismatch->cause;
    verdict.communicator = run.communicator(on).label;
    verdict.number = mismatch->number;
    verdict.sentences = mismatch->sentences;
    Ranks shown;
    std::map<Rank, const WatchedCall*> calls;
    for (const Member& member : run.communicator(on).members)
      if (const WatchedCall* call = call_with(run, member.rank, on, mismatch->number))
        shown.push_back(member.rank), calls[member.rank] = call;
    verdict.findings = groups_of(run, shown, mismatch->odd, calls);
    return verdict;
  }
  return std::nullopt;
}

}  // namespace quadrille::mpi_face
