// SPDX-License-Identifier: BSD-3-Clause
// Finds out why a run hangs. Ranks in a collective wait for the members that have not entered it; ranks in a message call wait for
// their peer. The analysis follows these steps from one waiting rank or communicator to the next, until it reaches a cause, a rank
// that makes progress, or a place where it has been.
#include "mpi_face/watch/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "mpi_face/watch/findings.hpp"
#include "mpi_face/watch/messages.hpp"
#include "mpi_face/watch/mismatch.hpp"
#include "mpi_face/watch/missing.hpp"
#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/waits.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Why = HangVerdict::Cause;

bool is_synchronising(const std::string& function) {
  static const std::set<std::string> functions{"Barrier",       "Allreduce", "Allgather", "Allgatherv",
                                               "Alltoall",      "Alltoallv", "Alltoallw", "Reduce_scatter_block",
                                               "Reduce_scatter"};
  return functions.contains(base_of(function));
}

class HangFinder {
 public:
  HangFinder(const SeenRun& run, double limit_s) : run_(run), waits_(run, limit_s) {}

  std::optional<HangVerdict> find() {
    std::vector<int> order;
    for (int on = 0; on < static_cast<int>(run_.communicators().size()); ++on)
      if (waits_.are_long(waits_.waiters(on))) order.push_back(on);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return waits_.waiters(a).size() > waits_.waiters(b).size(); });
    for (const int on : order)
      if (auto verdict = mismatch_on(on)) return verdict;
    for (const int on : order)
      if (auto verdict = walk({false, on})) return verdict;
    for (Rank rank = 0; rank < run_.size(); ++rank)
      if (const auto node = waits_.node_of(rank); node && node->is_rank && waits_.are_long({rank}))
        if (auto verdict = walk(*node)) return verdict;
    return finalising();
  }

 private:
  struct Step {
    std::optional<HangVerdict> verdict;
    std::optional<Node> next;  // neither: a rank makes progress
  };

  HangVerdict verdict_on(int on, const Stuck& stuck) const {
    HangVerdict verdict;
    verdict.communicator = run_.communicator(on).label;
    verdict.usual_s = run_.communicator(on).usual_s;
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
    const std::optional<Stuck> stuck = waits_.stuck_on(on);
    if (!stuck) return std::nullopt;
    auto mismatch = first_mismatch(run_, run_.communicator(on), 1, true);
    if (!mismatch) mismatch = first_mismatch(run_, run_.communicator(on), stuck->call->number, false);
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

  Step step_of(int on) const {
    const std::optional<Stuck> stuck = waits_.stuck_on(on);
    if (!stuck) return {};
    std::vector<Rank> causes;
    for (const Rank rank : stuck->missing)
      if (run_.state(rank) != State::in_call) causes.push_back(rank);
    for (const Member& member : run_.communicator(on).members) {
      const bool is_dead = run_.state(member.rank) == State::died, is_stopped = run_.state(member.rank) == State::stopped;
      const WatchedCall* in = run_.waiting(member.rank).in;
      const bool is_inside = in && in->is_collective && run_.communicator_of(member.rank, *in) == on;
      if (member.begun >= stuck->call->number && (is_dead || (is_stopped && is_inside))) causes.push_back(member.rank);
    }
    if (!causes.empty()) return {missing_on(on, *stuck, causes), {}};
    if (stuck->missing.empty()) return {complete_on(on, *stuck), {}};
    for (const Rank rank : stuck->missing)
      if (const std::optional<Node> next = waits_.node_of(rank)) return {{}, next};
    return {missing_on(on, *stuck, stuck->missing), {}};
  }

  // The ranks that wait in the steps before the last one are shown, too.
  void add_path(ShownRanks& findings) const {
    for (const Node& node : path_)
      if (node.is_rank)
        findings.add({node.id});
      else
        findings.add(waits_.waiters(static_cast<int>(node.id)));
  }

  HangVerdict missing_on(int on, const Stuck& stuck, const std::vector<Rank>& causes) const {
    HangVerdict verdict = verdict_on(on, stuck);
    explain_missing(verdict, run_, causes, &run_.communicator(on), stuck);
    ShownRanks findings(run_);
    add_path(findings);
    findings.add(stuck.missing);
    findings.add(causes, true);
    verdict.findings = findings.take();
    return verdict;
  }

  std::vector<Rank> outside_of_mpi(int on) const {
    std::vector<Rank> ranks;
    for (const Member& member : run_.communicator(on).members)
      if (cause_of(run_.state(member.rank)) == Why::late) ranks.push_back(member.rank);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  // All members have entered the call. The MPI library may go on with a nonblocking one only while ranks call MPI.
  HangVerdict complete_on(int on, const Stuck& stuck) const {
    if (const auto mismatch = first_mismatch(run_, run_.communicator(on), 1, false)) return verdict_of(on, stuck, *mismatch);
    HangVerdict verdict = verdict_on(on, stuck);
    std::vector<Rank> behind;
    for (const Rank rank : stuck.waiters)
      if (run_.waiting(rank).targets[0]->number == stuck.call->number) behind.push_back(rank);
    const bool is_behind = behind.size() < stuck.waiters.size();
    verdict.cause = Why::library;
    const std::string who = ranks_phrase(behind);
    const bool is_users = stuck.call->operation == "user";
    const std::string failing = is_users ? "the program's operator, the MPI library, or the network, does not complete it"
                                         : "the MPI library, or the network, does not complete it";
    const std::vector<Rank> outside = stuck.call->is_blocking ? std::vector<Rank>() : outside_of_mpi(on);
    const std::string all = run_.communicator(on).is_ordered ? "all ranks" : "all ranks that are known to be members";
    if (!outside.empty()) {
      verdict.cause = Why::late;
      const bool one = outside.size() == 1;
      verdict.sentences = {fmt::format("{} {} late: {} {} begun {}, but {} not call MPI, which may need it to go on",
                                       ranks_phrase(outside), one ? "is" : "are", one ? "it" : "they", one ? "has" : "have",
                                       call_words(*stuck.call), one ? "does" : "do")};
    } else if (is_behind && !is_users && stuck.call->is_blocking && is_synchronising(stuck.call->function)) {
      verdict.cause = Why::order;
      verdict.sentences = {
          fmt::format("the order of collectives differs: {} {} one call or more behind, in {}, which the others have left", who,
                      behind.size() == 1 ? "is" : "are", call_words(*stuck.call))};
    } else if (behind.size() == run_.communicator(on).members.size()) {
      verdict.sentences = {all + " are in the same call: " + failing};
    } else {
      verdict.sentences = {fmt::format("{} have entered {}: {} on {}", all, call_words(*stuck.call), failing, who)};
    }
    ShownRanks findings(run_);
    findings.add(stuck.waiters);
    findings.add(outside, true);
    if (is_behind && outside.empty()) findings.add(behind, true);
    verdict.findings = findings.take();
    return verdict;
  }

  Step step_of(Rank rank) const {
    const Waiting& waiting = run_.waiting(rank);
    std::optional<Node> next;
    std::optional<HangVerdict> verdict;
    Rank matched = -1;
    for (const WatchedCall* target : waiting.targets) {
      const Rank peer = run_.peer_of(rank, *target);
      if (peer == -2) {
        if (!waits_.is_quiet(run_.communicator_of(rank, *target))) return {};
        if (!verdict && !next) verdict = from_any(rank, *target);
      } else if (peer >= 0) {
        if (!waits_.is_quiet_rank(peer)) return {};
        const MessageProblem problem = problem_of(run_, rank, *target, peer);
        if (verdict || next) continue;  // the other peers are only asked whether they make progress
        if (!problem.sentence.empty())
          verdict = message_verdict(rank, {peer}, problem.sentence);
        else if (run_.state(peer) != State::in_call)
          verdict = waits_for_peer(rank, peer);
        else if (problem.is_matched)
          matched = peer;
        else if (const auto node = waits_.node_of(peer))
          next = node;
        else
          verdict = waits_for_peer(rank, peer);
      }
    }
    if (verdict || next) return {std::move(verdict), next};
    if (matched < 0) return {};
    verdict = message_verdict(rank, {matched},
                              "both ranks are in calls that match: the MPI library, or the network, does not complete them");
    verdict->cause = Why::library;
    return {std::move(verdict), {}};
  }

  // The rank waits for a message from any rank, and no rank makes progress.
  HangVerdict from_any(Rank rank, const WatchedCall& target) const {
    const int on = run_.communicator_of(rank, target);
    std::vector<Rank> others;
    for (Rank other = 0; on < 0 && other < run_.size(); ++other) others.push_back(other);
    if (on >= 0)
      for (const Member& member : run_.communicator(on).members) others.push_back(member.rank);
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
    verdict.cause = Why::late;
    return verdict;
  }

  HangVerdict message_verdict(Rank rank, const std::vector<Rank>& peers, const std::string& sentence) const {
    HangVerdict verdict;
    verdict.cause = Why::messages;
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
    verdict.cause = has_messages ? Why::messages : Why::communicators;
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
        const Stuck stuck = *waits_.stuck_on(on);
        for (const Rank rank : stuck.waiters) quiet(rank);
        const auto awaited =
            std::find_if(stuck.missing.begin(), stuck.missing.end(), [&](Rank rank) { return waits_.node_of(rank).has_value(); });
        part = fmt::format("{} wait{} in {} on {} for rank {}", ranks_phrase(stuck.waiters), stuck.waiters.size() == 1 ? "s" : "",
                           call_words(*stuck.call), run_.communicator(on).label, awaited == stuck.missing.end() ? -1 : *awaited);
      }
      if (i < most) sentence += (i == 0 ? "" : i + 1 == path_.size() ? ", and " : ", ") + part;
    }
    if (path_.size() > most) sentence += fmt::format(", and {} more", number_words(path_.size() - most));
    verdict.sentences = {sentence};
    if (std::all_of(path_.begin(), path_.end(), [&](const Node& node) {
          return node.is_rank && run_.waiting(node.id).targets[0]->function.starts_with("Sendrecv");
        })) {
      verdict.cause = Why::library;
      verdict.sentences = {
          "these ranks are in calls of one exchange: their tags differ, or the MPI library, or the network, does not complete it"};
    }
    ShownRanks findings(run_);
    add_path(findings);
    verdict.findings = findings.take();
    return verdict;
  }

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
    if (!waits_.is_quiet(-1) || !waits_.are_long(waiters) || others.empty()) return std::nullopt;
    HangVerdict verdict;
    verdict.quiet_s = quiet_s;
    explain_missing(verdict, run_, others, nullptr, {});
    ShownRanks findings(run_);
    findings.add(waiters);
    findings.add(others, true);
    verdict.findings = findings.take();
    return verdict;
  }

  const SeenRun& run_;
  const Waits waits_;
  std::vector<Node> path_;
  std::set<Node> on_path_, visited_;
};

}  // namespace

std::optional<HangVerdict> find_hang(std::span<const SeenRank> ranks, Count world_size, const WatchOptions& options) {
  const SeenRun run(ranks, world_size);
  return HangFinder(run, options.limit_s).find();
}

std::optional<HangVerdict> find_mismatch(std::span<const SeenRank> ranks, Count world_size) {
  const SeenRun run(ranks, world_size);
  for (const CommonCommunicator& communicator : run.communicators()) {
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
    findings.add(mismatch->odd, true);
    verdict.findings = findings.take();
    return verdict;
  }
  return std::nullopt;
}

}  // namespace quadrille::mpi_face
