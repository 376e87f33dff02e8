// SPDX-License-Identifier: BSD-3-Clause
// Finds out why a run hangs. Ranks in a collective wait for the members that have not entered it; ranks in a message call wait for
// their peer. The analysis follows these steps from one waiting rank or communicator to the next, until it reaches a cause, a rank
// that makes progress, or a place where it has been.
#include "mpi_face/watch/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "mpi_face/watch/findings.hpp"
#include "mpi_face/watch/messages.hpp"
#include "mpi_face/watch/mismatch.hpp"
#include "mpi_face/watch/seen_run.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Cause = HangVerdict::Cause;

bool is_synchronising(const std::string& function) {
  static const std::set<std::string> functions{"Barrier",       "Allreduce", "Allgather", "Allgatherv",
                                               "Alltoall",      "Alltoallv", "Alltoallw", "Reduce_scatter_block",
                                               "Reduce_scatter"};
  return functions.contains(base_of(function));
}

// The cause that ranks in a state are for ranks that wait for them.
Cause cause_of(State state) {
  switch (state) {
    case State::died: return Cause::died;
    case State::finalised: return Cause::finalised;
    case State::stopped: return Cause::stopped;
    case State::unknown: return Cause::unknown;
    case State::in_call: return Cause::elsewhere;
    default: return Cause::late;
  }
}

// A communicator on which ranks wait.
struct Stuck {
  std::vector<Rank> waiters;
  const WatchedCall* call = nullptr;  // that ends first: the one with the least number that a waiter is in
  std::vector<Rank> missing;          // the members for which it waits
  double quiet_s = 0;
};

// A step of the analysis: a rank, or a communicator.
struct Node {
  bool is_rank = false;
  Rank id = 0;
  auto operator<=>(const Node&) const = default;
};

class HangFinder {
 public:
  HangFinder(const SeenRun& run, double limit_s) : run_(run), limit_s_(limit_s), waiters_(run.communicators().size()) {
    for (Rank rank = 0; rank < run.size(); ++rank) {
      if (const int on = run.waits_on(rank); on >= 0) waiters_[static_cast<std::size_t>(on)].push_back(rank);
      is_quiet_ = is_quiet_ && run.is_quiet(rank, limit_s);
    }
    for (const SharedCommunicator& each : run.communicators())
      quiet_.push_back(std::all_of(each.members.begin(), each.members.end(),
                                   [&](const Member& member) { return run.is_quiet(member.rank, limit_s); }));
  }

  std::optional<HangVerdict> find() {
    std::vector<int> order;
    for (int on = 0; on < static_cast<int>(waiters_.size()); ++on)
      if (is_long(waiters_[static_cast<std::size_t>(on)])) order.push_back(on);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return waiters_[static_cast<std::size_t>(a)].size() > waiters_[static_cast<std::size_t>(b)].size();
    });
    for (const int on : order)
      if (auto verdict = mismatch_on(on)) return verdict;
    for (const int on : order)
      if (auto verdict = walk({false, on})) return verdict;
    for (Rank rank = 0; rank < run_.size(); ++rank)
      if (const auto node = node_of(rank); node && node->is_rank && is_long({rank}))
        if (auto verdict = walk(*node)) return verdict;
    return finalising();
  }

 private:
  struct Step {
    std::optional<HangVerdict> verdict;
    std::optional<Node> next;  // neither: a rank makes progress
  };

  bool is_long(const std::vector<Rank>& ranks) const {
    return std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) { return run_.at(rank).since_s >= limit_s_; });
  }

  const SharedCommunicator& communicator(int on) const { return run_.communicators()[static_cast<std::size_t>(on)]; }

  // Returns nothing if a member makes progress.
  std::optional<Stuck> stuck_on(int on) const {
    const SharedCommunicator& shared = communicator(on);
    if (!quiet_[static_cast<std::size_t>(on)]) return std::nullopt;
    Stuck stuck{waiters_[static_cast<std::size_t>(on)], nullptr, {}, std::numeric_limits<double>::max()};
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

  HangVerdict verdict_on(int on, const Stuck& stuck) const {
    HangVerdict verdict;
    verdict.communicator = communicator(on).label;
    verdict.usual_s = communicator(on).usual_s;
    verdict.number = stuck.call->number;
    verdict.quiet_s = stuck.quiet_s;
    return verdict;
  }

  HangVerdict verdict_of(int on, const Stuck& stuck, const Mismatch& mismatch) const {
    HangVerdict verdict = verdict_on(on, stuck);
    verdict.cause = mismatch.cause;
    verdict.number = mismatch.number;
    verdict.sentences = mismatch.sentences;
    ShownRanks findings(run_);
    findings.add(stuck.waiters);
    findings.add(stuck.missing);
    findings.add(mismatch.odd, true);
    verdict.findings = findings.take();
    return verdict;
  }

  std::optional<HangVerdict> mismatch_on(int on) const {
    const std::optional<Stuck> stuck = stuck_on(on);
    if (!stuck) return std::nullopt;
    auto mismatch = first_mismatch(run_, communicator(on), 1, true);
    if (!mismatch) mismatch = first_mismatch(run_, communicator(on), stuck->call->number, false);
    return mismatch ? std::optional(verdict_of(on, *stuck, *mismatch)) : std::nullopt;
  }

  std::optional<HangVerdict> walk(Node node) {
    path_.clear();
    for (;;) {
      if (const auto again = std::find(path_.begin(), path_.end(), node); on_path_.contains(node)) {
        path_.erase(path_.begin(), again);
        return cycle();
      }
      if (!visited_.insert(node).second) break;
      on_path_.insert(node);
      path_.push_back(node);
      Step step = node.is_rank ? step_of(node.id) : step_of(static_cast<int>(node.id));
      if (step.verdict) return std::move(step.verdict);
      if (!step.next) break;
      node = *step.next;
    }
    on_path_.clear();
    return std::nullopt;
  }

  // Where a rank that is in a call is waiting itself.
  std::optional<Node> node_of(Rank rank) const {
    if (run_.state(rank) != State::in_call) return std::nullopt;
    if (const int on = run_.waits_on(rank); on >= 0) return Node{false, on};
    const auto& targets = run_.waiting(rank).targets;
    const bool is_known = std::any_of(targets.begin(), targets.end(), [&](const WatchedCall* target) {
      return !target->is_collective && run_.peer_of(rank, *target) != -1;
    });
    return is_known ? std::optional(Node{true, rank}) : std::nullopt;
  }

  Step step_of(int on) {
    const std::optional<Stuck> stuck = stuck_on(on);
    if (!stuck) return {};
    std::vector<Rank> causes;
    for (const Rank rank : stuck->missing)
      if (run_.state(rank) != State::in_call) causes.push_back(rank);
    for (const Member& member : communicator(on).members) {
      const bool is_dead = run_.state(member.rank) == State::died, is_stopped = run_.state(member.rank) == State::stopped;
      const WatchedCall* in = run_.waiting(member.rank).in;
      const bool is_inside = in && in->is_collective && run_.communicator_of(member.rank, *in) == on;
      if (member.begun >= stuck->call->number && (is_dead || (is_stopped && is_inside))) causes.push_back(member.rank);
    }
    if (!causes.empty()) return {missing_on(on, *stuck, causes), {}};
    if (stuck->missing.empty()) return {complete_on(on, *stuck), {}};
    for (const Rank rank : stuck->missing)
      if (const std::optional<Node> next = node_of(rank)) return {{}, next};
    return {missing_on(on, *stuck, stuck->missing), {}};
  }

  // The ranks that wait in the steps before the last one are shown, too.
  void add_path(ShownRanks& findings) const {
    for (const Node& node : path_)
      if (node.is_rank)
        findings.add({node.id});
      else
        findings.add(waiters_[static_cast<std::size_t>(node.id)]);
  }

  HangVerdict missing_on(int on, const Stuck& stuck, const std::vector<Rank>& causes) const {
    HangVerdict verdict = verdict_on(on, stuck);
    explain_missing(verdict, causes, &communicator(on), stuck);
    ShownRanks findings(run_);
    add_path(findings);
    findings.add(stuck.missing);
    findings.add(causes, true);
    verdict.findings = findings.take();
    return verdict;
  }

  // Why ranks have not entered a call.
  struct Reason {
    Cause cause;
    std::string end, call, last;  // the call that they have not entered; the last one that they have, if they have finalised
    auto operator<=>(const Reason&) const = default;
  };

  // Says why the ranks have not entered a call on a communicator (null: MPI_Finalize); the most important reasons first.
  void explain_missing(HangVerdict& verdict, const std::vector<Rank>& causes, const SharedCommunicator* on, const Stuck& stuck) const {
    std::unordered_map<Rank, const Member*> members;
    if (on)
      for (const Member& member : on->members) members[member.rank] = &member;
    std::map<Reason, std::vector<Rank>> groups;
    for (const Rank rank : causes) {
      Reason reason{cause_of(run_.state(rank)), run_.at(rank).end, "MPI_Finalize", ""};
      if (on) {
        const Member& member = *members.at(rank);
        const WatchedCall* next =
            member.begun < stuck.call->number ? call_with(run_, *members.at(stuck.waiters[0]), member.begun + 1) : nullptr;
        reason.call = call_words(next ? *next : *stuck.call);
        const WatchedCall* last = reason.cause == Cause::finalised ? call_with(run_, member, member.begun) : nullptr;
        if (last) reason.last = fmt::format(" last one on {} was {}{}", on->label, call_words(*last), at_place(last->place));
      }
      groups[std::move(reason)].push_back(rank);
    }
    constexpr std::array<Cause, 6> order{Cause::died,    Cause::finalised, Cause::stopped,
                                         Cause::unknown, Cause::late,      Cause::elsewhere};
    constexpr std::size_t most = 6;
    for (const Cause cause : order)
      for (auto& [reason, ranks] : groups) {
        if (reason.cause != cause || verdict.sentences.size() == most) continue;
        if (verdict.sentences.empty()) verdict.cause = cause;
        std::sort(ranks.begin(), ranks.end());
        verdict.sentences.push_back(sentence_of(reason, ranks));
      }
  }

  static std::string sentence_of(const Reason& reason, const std::vector<Rank>& ranks) {
    const std::string who = ranks_phrase(ranks);
    const std::string &end = reason.end, &call = reason.call;
    const bool one = ranks.size() == 1;
    const char *has = one ? "has" : "have", *is = one ? "is" : "are", *they = one ? "it" : "they";
    switch (reason.cause) {
      case Cause::died:
        return fmt::format("{} {}: the others wait for {} in {}", who, end.empty() ? "died" : end, one ? "it" : "them", call);
      case Cause::stopped: return fmt::format("{} {} stopped, by a signal or by a debugger: the others wait in {}", who, is, call);
      case Cause::unknown:
        return fmt::format("nothing is known of {}, because {} not answered: the others wait in {}", who,
                           one ? "its node has" : "their nodes have", call);
      case Cause::late: return fmt::format("{} {} late: {} {} not entered {}", who, is, they, has, call);
      case Cause::elsewhere: return fmt::format("{} {} in another call: {} {} not entered {}", who, is, they, has, call);
      default: break;
    }
    return fmt::format("{} left early: {} {} called MPI_Finalize and not entered {}", who, they, has, call) +
           (reason.last.empty() ? "" : (one ? "; its" : "; their") + reason.last);
  }

  // All members have entered the call.
  HangVerdict complete_on(int on, const Stuck& stuck) const {
    if (const auto mismatch = first_mismatch(run_, communicator(on), 1, false)) return verdict_of(on, stuck, *mismatch);
    HangVerdict verdict = verdict_on(on, stuck);
    std::vector<Rank> behind;
    for (const Rank rank : stuck.waiters)
      if (run_.waiting(rank).targets[0]->number == stuck.call->number) behind.push_back(rank);
    const bool is_behind = behind.size() < stuck.waiters.size();
    verdict.cause = Cause::library;
    const std::string who = ranks_phrase(behind);
    if (is_behind && is_synchronising(stuck.call->function)) {
      verdict.cause = Cause::order;
      verdict.sentences = {
          fmt::format("the order of collectives differs: {} {} one call or more behind, in {}, which the others have left", who,
                      behind.size() == 1 ? "is" : "are", call_words(*stuck.call))};
    } else if (behind.size() == communicator(on).members.size()) {
      verdict.sentences = {"all ranks are in the same call: the MPI library, or the network, does not complete it"};
    } else {
      verdict.sentences = {fmt::format("all ranks have entered {}: the MPI library, or the network, does not complete it on {}",
                                       call_words(*stuck.call), who)};
    }
    ShownRanks findings(run_);
    findings.add(stuck.waiters);
    if (is_behind) findings.add(behind, true);
    verdict.findings = findings.take();
    return verdict;
  }

  Step step_of(Rank rank) {
    const Waiting& waiting = run_.waiting(rank);
    std::optional<Node> next;
    std::optional<HangVerdict> verdict;
    for (const WatchedCall* target : waiting.targets) {
      const Rank peer = run_.peer_of(rank, *target);
      if (peer == -2) {
        if (!others_are_quiet(rank, *target)) return {};
        if (!verdict && !next) verdict = from_any(rank, *target);
      } else if (peer >= 0) {
        if (!run_.is_quiet(peer, limit_s_)) return {};
        const MessageProblem problem = problem_of(run_, rank, *target, peer);
        if (verdict || next) continue;  // the other peers are only asked whether they make progress
        if (!problem.sentence.empty())
          verdict = message_verdict(rank, {peer}, problem.sentence);
        else if (run_.state(peer) != State::in_call)
          verdict = waits_for_peer(rank, peer);
        else if (problem.is_matched)
          matched_ = peer;
        else if (const auto node = node_of(peer))
          next = node;
        else
          verdict = waits_for_peer(rank, peer);
      }
    }
    if (verdict || next) return {std::move(verdict), next};
    if (matched_ < 0) return {};
    verdict = message_verdict(rank, {std::exchange(matched_, -1)},
                              "both ranks are in calls that match: the MPI library, or the network, does not complete them");
    verdict->cause = Cause::library;
    return {std::move(verdict), {}};
  }

  // The rank waits for a message from any rank, and no rank makes progress.
  HangVerdict from_any(Rank rank, const WatchedCall& target) const {
    const int on = run_.communicator_of(rank, target);
    std::vector<Rank> others;
    for (Rank other = 0; on < 0 && other < run_.size(); ++other) others.push_back(other);
    if (on >= 0)
      for (const Member& member : communicator(on).members) others.push_back(member.rank);
    std::erase(others, rank);
    for (const Rank other : others)
      if (const MessageProblem problem = problem_of(run_, rank, target, other); !problem.sentence.empty())
        return message_verdict(rank, {other}, problem.sentence);
    std::vector<Rank> outside = others;
    std::erase_if(outside, [&](Rank other) {
      const State state = run_.state(other);
      return state == State::in_call || state == State::died || state == State::finalised;
    });
    if (outside.empty())
      return message_verdict(rank, others,
                             wait_words(run_, rank) + ": no rank sends to it, because all others wait, too, or have ended");
    std::sort(outside.begin(), outside.end());
    const bool one = outside.size() == 1;
    HangVerdict verdict =
        message_verdict(rank, outside,
                        fmt::format("{}: {} {} late: {} {} not sent to it", wait_words(run_, rank), ranks_phrase(outside),
                                    one ? "is" : "are", one ? "it" : "they", one ? "has" : "have"));
    verdict.cause = Cause::late;
    return verdict;
  }

  bool others_are_quiet(Rank rank, const WatchedCall& call) const {
    const int on = run_.communicator_of(rank, call);
    return on < 0 ? is_quiet_ : quiet_[static_cast<std::size_t>(on)];
  }

  HangVerdict message_verdict(Rank rank, const std::vector<Rank>& peers, const std::string& sentence) const {
    HangVerdict verdict;
    verdict.cause = Cause::messages;
    verdict.quiet_s = run_.at(rank).since_s;
    verdict.sentences = {sentence};
    ShownRanks findings(run_);
    add_path(findings);
    findings.add(peers, true);
    verdict.findings = findings.take();
    return verdict;
  }

  HangVerdict waits_for_peer(Rank rank, Rank peer) const {
    HangVerdict verdict = message_verdict(rank, {peer}, peer_sentence(run_, rank, peer));
    verdict.cause = cause_of(run_.state(peer));
    return verdict;
  }

  // The steps of path_ wait for each other.
  HangVerdict cycle() const {
    HangVerdict verdict;
    verdict.quiet_s = std::numeric_limits<double>::max();
    const bool has_messages = std::any_of(path_.begin(), path_.end(), [](const Node& node) { return node.is_rank; });
    verdict.cause = has_messages ? Cause::messages : Cause::communicators;
    std::string sentence = "a deadlock, because ranks wait for each other: ";
    constexpr std::size_t most = 6;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const Node& node = path_[i];
      const auto quiet = [&](Rank rank) { verdict.quiet_s = std::min(verdict.quiet_s, run_.at(rank).since_s); };
      std::string part;
      if (node.is_rank) {
        quiet(node.id);
        part = wait_words(run_, node.id);
      } else {
        const int on = static_cast<int>(node.id);
        const Stuck stuck = *stuck_on(on);
        for (const Rank rank : stuck.waiters) quiet(rank);
        const auto awaited =
            std::find_if(stuck.missing.begin(), stuck.missing.end(), [&](Rank rank) { return node_of(rank).has_value(); });
        part = fmt::format("{} wait{} in {} on {} for rank {}", ranks_phrase(stuck.waiters), stuck.waiters.size() == 1 ? "s" : "",
                           call_words(*stuck.call), communicator(on).label, awaited == stuck.missing.end() ? -1 : *awaited);
      }
      if (i < most) sentence += (i == 0 ? "" : i + 1 == path_.size() ? ", and " : ", ") + part;
    }
    if (path_.size() > most) sentence += fmt::format(", and {} more", number_words(path_.size() - most));
    verdict.sentences = {sentence};
    if (std::all_of(path_.begin(), path_.end(), [&](const Node& node) { return node.is_rank && is_exchange(node.id); })) {
      verdict.cause = Cause::library;
      verdict.sentences = {
          "these ranks are in calls of one exchange: their tags differ, or the MPI library, or the network, does not complete it"};
    }
    ShownRanks findings(run_);
    add_path(findings);
    verdict.findings = findings.take();
    return verdict;
  }

  bool is_exchange(Rank rank) const { return run_.waiting(rank).targets[0]->function.starts_with("Sendrecv"); }

  // Ranks wait in MPI_Finalize, the others are outside of MPI.
  std::optional<HangVerdict> finalising() const {
    std::vector<Rank> waiters, others;
    double quiet_s = std::numeric_limits<double>::max();
    for (Rank rank = 0; rank < run_.size(); ++rank) {
      if (run_.state(rank) != State::finalised) {
        others.push_back(rank);
        continue;
      }
      waiters.push_back(rank);
      quiet_s = std::min(quiet_s, run_.at(rank).since_s);
    }
    if (!is_quiet_ || !is_long(waiters) || others.empty()) return std::nullopt;
    HangVerdict verdict;
    verdict.quiet_s = quiet_s;
    explain_missing(verdict, others, nullptr, {});
    ShownRanks findings(run_);
    findings.add(waiters);
    findings.add(others, true);
    verdict.findings = findings.take();
    return verdict;
  }

  const SeenRun& run_;
  const double limit_s_;
  std::vector<std::vector<Rank>> waiters_;  // for each communicator
  std::vector<bool> quiet_;                 // for each communicator: no member makes progress
  bool is_quiet_ = true;                    // no rank makes progress
  std::vector<Node> path_;
  std::set<Node> on_path_, visited_;
  Rank matched_ = -1;
};

}  // namespace

std::optional<HangVerdict> find_hang(std::span<const SeenRank> ranks, Count world_size, const WatchOptions& options) {
  const SeenRun run(ranks, world_size);
  return HangFinder(run, options.limit_s).find();
}

std::optional<HangVerdict> find_mismatch(std::span<const SeenRank> ranks, Count world_size) {
  const SeenRun run(ranks, world_size);
  for (const SharedCommunicator& communicator : run.communicators()) {
    const std::optional<Mismatch> mismatch = first_mismatch(run, communicator, 1, false);
    if (!mismatch) continue;
    HangVerdict verdict;
    verdict.is_hang = false;
    verdict.cause = mismatch->cause;
    verdict.communicator = communicator.label;
    verdict.number = mismatch->number;
    verdict.sentences = mismatch->sentences;
    ShownRanks findings(run);
    for (const Member& member : communicator.members)
      if (const WatchedCall* call = call_with(run, member, mismatch->number)) findings.add_call(member.rank, *call);
    findings.mark(mismatch->odd);
    verdict.findings = findings.take();
    return verdict;
  }
  return std::nullopt;
}

}  // namespace quadrille::mpi_face
