// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mpi_face/watch/mismatch.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Why = HangVerdict::Cause;

// Why ranks have not entered a call.
struct Reason {
  Why cause;
  std::string end, call, last;  // the call that they have not entered; the last one that they have, if they have finalised
  auto operator<=>(const Reason&) const = default;
};

std::string sentence_of(const Reason& reason, const std::vector<Rank>& ranks) {
  const bool one = ranks.size() == 1;
  const std::string who = ranks_phrase(ranks), are = who + (one ? " is" : " are");
  const std::string not_entered = fmt::format("{} not entered {}", one ? "it has" : "they have", reason.call);
  const std::string others = ": the others wait in " + reason.call;
  switch (reason.cause) {
    case Why::died: return fmt::format("{} {}: the others wait for {} in {}", who, reason.end, one ? "it" : "them", reason.call);
    case Why::stopped: return are + " stopped, by a signal or by a debugger" + others;
    case Why::unknown:
      return fmt::format("nothing is known of {}, because {} not answered{}", who, one ? "its node has" : "their nodes have",
                         others);
    case Why::late: return are + " late: " + not_entered;
    case Why::elsewhere: return are + " in another call: " + not_entered;
    default: break;
  }
  return fmt::format("{} left early: {} called MPI_Finalize and not entered {}{}{}", who, one ? "it has" : "they have", reason.call,
                     reason.last.empty() ? ""
                     : one               ? "; its"
                                         : "; their",
                     reason.last);
}

bool has_word(const std::string& function, std::string_view small, std::string_view large) {
  return function.find(small) != std::string::npos || function.find(large) != std::string::npos;
}
bool receives(const WatchedCall& call) {
  return has_word(call.function, "recv", "Recv") || has_word(call.function, "probe", "Probe");
}
bool sends(const WatchedCall& call) { return has_word(call.function, "send", "Send"); }

// The tags of messages that `from` has sent to `to` on a communicator, less those that `to` has received from it.
std::map<int, Count> tags_on_the_way(const SeenRun& run, Rank from, Rank to, int on) {
  std::map<int, Count> tags;
  for (const WatchedCall& call : run.at(from).calls)
    if (sends(call) && !receives(call) && run.communicator_of(from, call) == on && run.peer_of(from, call) == to) ++tags[call.tag];
  for (const WatchedCall& call : run.at(to).calls) {
    const bool is_complete = call.has_left || !call.is_blocking;
    if (!receives(call) || !is_complete || call.function.ends_with("robe") || run.communicator_of(to, call) != on) continue;
    const Rank peer = run.peer_of(to, call);
    if (peer != from && peer != -2) continue;
    for (auto& [tag, count] : tags)
      if (call.tag < 0 || call.tag == tag) --count;
  }
  return tags;
}

}  // namespace

HangVerdict::Cause cause_of(State state) {
  switch (state) {
    case State::died: return Why::died;
    case State::finalised: return Why::finalised;
    case State::stopped: return Why::stopped;
    case State::unknown: return Why::unknown;
    case State::in_call: return Why::elsewhere;
    default: return Why::late;
  }
}

void explain_missing(HangVerdict& verdict, const SeenRun& run, const std::vector<Rank>& ranks, const Stuck& stuck) {
  std::map<Rank, std::uint64_t> begun;
  if (stuck.call)
    for (const Member& member : run.communicator(stuck.on).members) begun[member.rank] = member.begun;
  std::map<Reason, std::vector<Rank>> groups;  // in the order of HangVerdict::Cause
  for (const Rank rank : ranks) {
    Reason reason{cause_of(run.state(rank)), run.at(rank).end, "MPI_Finalize", ""};
    if (stuck.call) {
      const std::uint64_t last = begun[rank];
      const bool is_behind = last < stuck.call->number;
      const WatchedCall* const next = is_behind ? call_with(run, stuck.waiters[0], stuck.on, last + 1) : nullptr;
      reason.call = call_words(next ? *next : *stuck.call);
      if (const auto* call = call_with(run, rank, stuck.on, last); call && reason.cause == Why::finalised)
        reason.last = fmt::format(" last one on {} was {}{}", verdict.communicator, call_words(*call), at_place(call->place));
    }
    groups[std::move(reason)].push_back(rank);
  }
  constexpr std::size_t most = 6;
  verdict.cause = groups.begin()->first.cause;
  for (auto& [reason, of] : groups) {
    if (verdict.sentences.size() == most) break;
    std::sort(of.begin(), of.end());
    verdict.sentences.push_back(sentence_of(reason, of));
  }
}

MessageProblem problem_of(const SeenRun& run, Rank rank, const WatchedCall& call, Rank peer) {
  const int on = run.communicator_of(rank, call);
  if (on < 0 || sends(call) == receives(call)) return {};
  MessageProblem problem;
  for (const WatchedCall* other : run.waiting(peer).targets) {
    const Rank its_peer = run.peer_of(peer, *other);
    const int its_on = run.communicator_of(peer, *other);
    if (sends(*other) != receives(call) || receives(*other) != sends(call) || (its_peer != rank && its_peer != -2)) continue;
    if (its_on == on && (call.tag < 0 || other->tag < 0 || call.tag == other->tag)) return {"", true};
    const auto on_its = [&](const WatchedCall& what, int where) {
      return fmt::format("in {} on {}{}", what.function, run.communicator(where).label, at_place(what.place));
    };
    const WatchedCall &send = sends(call) ? call : *other, &receive = sends(call) ? *other : call;
    if (its_on == on)
      problem.sentence =
          fmt::format("the tags differ: rank {} sends tag {}{}, not {} as rank {} expects", sends(call) ? rank : peer, send.tag,
                      at_place(send.place), receive.tag, sends(call) ? peer : rank);
    else if (its_on >= 0)
      problem.sentence = fmt::format("the communicators differ: rank {} is {}, and rank {} {}", rank, on_its(call, on), peer,
                                     on_its(*other, its_on));
  }
  if (!problem.sentence.empty() || !receives(call) || call.tag < 0) return problem;
  for (const auto& [tag, count] : tags_on_the_way(run, peer, rank, on)) {
    if (count <= 0) continue;
    if (tag == call.tag) return {};
    problem.sentence = fmt::format("{}: rank {} has sent tag {}, not {}", wait_words(run, rank), peer, tag, call.tag);
  }
  return problem;
}

std::string peer_sentence(const SeenRun& run, Rank rank, Rank peer) {
  const SeenRank& seen = run.at(peer);
  const std::string words = fmt::format("{}: rank {} ", wait_words(run, rank), peer);
  switch (seen.state) {
    case State::died: return words + seen.end;
    case State::finalised: return words + "has called MPI_Finalize";
    case State::stopped: return words + "is stopped, by a signal or by a debugger";
    case State::unknown: return words + "is unknown, because its node has not answered";
    case State::in_call: {
      const WatchedCall& in = *run.waiting(peer).in;
      return words + "is in another call, " + in.function + at_place(in.place);
    }
    default: return words + fmt::format("is late: it is in no call to rank {}", rank);
  }
}

std::string peer_words(const WatchedCall& call, Rank peer) {
  if (peer == -1 && call.tag == -1) return "";
  const std::string_view preposition = !receives(call) ? "to" : sends(call) ? "with" : "from";
  const std::string who = peer == -2 ? "any rank" : peer == -1 ? "a rank" : fmt::format("rank {}", peer);
  const std::string tag = call.tag >= 0 ? fmt::format(", tag {}", call.tag) : call.tag == -2 ? ", any tag" : "";
  return fmt::format(" {} {}{}", preposition, who, tag);
}

std::string wait_words(const SeenRun& run, Rank rank) {
  const Waiting& waiting = run.waiting(rank);
  std::string words = fmt::format("rank {} waits in {}", rank, waiting.in->function);
  if (!waiting.targets.empty()) {
    const WatchedCall& target = *waiting.targets[0];
    if (&target != waiting.in) words += " for " + target.function;
    words += peer_words(target, run.peer_of(rank, target));
  }
  return words + at_place(waiting.in->place);
}

}  // namespace quadrille::mpi_face
