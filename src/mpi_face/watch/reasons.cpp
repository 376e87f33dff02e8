// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "mpi_face/report/call_ring.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Why = HangReason::Cause;

// What ranks have in common that have not come.
struct Absence {
  Why cause;
  std::string end;   // of ranks that died
  std::string call;  // the one that they have not entered; "": one for a message
  std::string more;  // finalised: their last call; in another call than one for the message: which
  auto operator<=>(const Absence&) const = default;
};
using Absences = std::map<Absence, std::vector<Rank>>;  // in the order of HangVerdict::Cause

Why cause_of(State state) {
  constexpr Why causes[]{Why::late, Why::late, Why::elsewhere, Why::stopped, Why::died, Why::finalised, Why::unknown};
  return causes[static_cast<std::size_t>(state)];
}

std::string sentence_of(const Absence& absence, const std::vector<Rank>& ranks) {
  const bool one = ranks.size() == 1, is_message = absence.call.empty();
  const std::string who = ranks_phrase(ranks), are = who + (one ? " is" : " are"), they_have = one ? "it has" : "they have";
  const std::string not_entered = is_message ? absence.more : ": " + they_have + " not entered " + absence.call;
  const std::string others = is_message ? "" : ": the others wait in " + absence.call;
  switch (absence.cause) {
    case Why::died:
      return who + " " + absence.end +
             (is_message ? "" : fmt::format(": the others wait for {} in {}", one ? "it" : "them", absence.call));
    case Why::stopped: return are + " stopped, by a signal or by a debugger" + others;
    case Why::unknown:
      return fmt::format("nothing is known of {}, because {} not answered{}", who, one ? "its node has" : "their nodes have",
                         others);
    case Why::late: return are + " late" + (is_message ? (one ? ": it is" : ": they are") : "") + not_entered;
    case Why::elsewhere: return are + " in another call" + not_entered;
    default: break;
  }
  return fmt::format("{} left early: {} called MPI_Finalize", who, they_have) +
         (is_message ? "" : " and not entered " + absence.call) +
         (absence.more.empty() ? "" : (one ? "; its" : "; their") + absence.more);
}

HangReason reason_of(const Absences& absences, const std::string& beginning) {
  constexpr std::size_t most = 6;
  HangReason reason{absences.begin()->first.cause, 0, {}};
  for (const auto& [absence, ranks] : absences) {
    reason.causes.insert(reason.causes.end(), ranks.begin(), ranks.end());
    if (reason.sentences.size() < most) reason.sentences.push_back(beginning + sentence_of(absence, ranks));
  }
  return reason;
}

bool has_word(const std::string& function, std::string_view small, std::string_view large) {
  return function.find(small) != std::string::npos || function.find(large) != std::string::npos;
}
bool receives(const WatchedCall& call) {
  return has_word(call.function, "recv", "Recv") || has_word(call.function, "probe", "Probe");
}
bool sends(const WatchedCall& call) { return has_word(call.function, "send", "Send"); }

// May the call have received messages whose sender and tag are not known?
bool receives_unknown(const WatchedCall& call) { return has_word(call.function, "mrecv", "Mrecv") || call.function == "Recv_init"; }

// Of the calls that the rank has made since then on its machine's clock, all are known. Only the last ones are kept.
std::uint64_t known_since(const SeenRank& rank) {
  std::size_t kept = 0;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const WatchedCall& call : rank.calls)
    if (!call.is_collective) ++kept, first = std::min(first, call.begun_ticks);
  return kept < WatchPage::kept_messages ? 0 : first;
}

// The tags of messages that `from` has sent to `to` on a communicator, less those that `to` has received from it. Messages that
// `to` may have received by a call that is not known are left out.
std::map<int, Count> tags_on_the_way(const SeenRun& run, Rank from, Rank to, int on) {
  const SeenRank &sender = run.at(from), &receiver = run.at(to);
  const std::uint64_t since = known_since(receiver);
  if (since > 0 && sender.host != receiver.host) return {};
  if (std::any_of(receiver.calls.begin(), receiver.calls.end(), receives_unknown)) return {};
  std::map<int, Count> tags;
  for (const WatchedCall& call : sender.calls)
    if (sends(call) && !receives(call) && run.communicator_of(from, call) == on && run.peer_of(from, call) == to &&
        call.begun_ticks >= since)
      ++tags[call.tag];
  for (const WatchedCall& call : receiver.calls) {
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

HangReason why_missing(const SeenRun& run, const std::vector<Rank>& ranks, const Stuck& stuck) {
  std::map<Rank, std::uint64_t> begun;
  if (stuck.call)
    for (const Member& member : run.communicator(stuck.on).members) begun[member.rank] = member.begun;
  Absences absences;
  for (const Rank rank : ranks) {
    Absence absence{cause_of(run.state(rank)), run.at(rank).end, "MPI_Finalize", ""};
    if (stuck.call) {
      const std::uint64_t last = begun[rank];
      const bool is_behind = last < stuck.call->number && absence.cause != Why::unknown;
      const WatchedCall* const next = is_behind ? call_with(run, stuck.waiters[0], stuck.on, last + 1) : nullptr;
      absence.call = call_words(next ? *next : *stuck.call);
      const WatchedCall* const call = call_with(run, rank, stuck.on, last);
      if (call && absence.cause == Why::finalised)
        absence.more =
            fmt::format(" last one on {} was {}{}", run.communicator(stuck.on).label, call_words(*call), at_place(call->place));
    }
    absences[std::move(absence)].push_back(rank);
  }
  for (auto& [absence, of] : absences) std::sort(of.begin(), of.end());
  return reason_of(absences, "");
}

HangReason why_no_message(const SeenRun& run, Rank rank, const std::vector<Rank>& peers) {
  Absences absences;
  for (const Rank peer : peers) {
    Absence absence{cause_of(run.state(peer)), run.at(peer).end, "", ""};
    if (absence.cause == Why::late) absence.more = fmt::format(" in no call to rank {}", rank);
    if (const WatchedCall* in = run.waiting(peer).in; in && absence.cause == Why::elsewhere)
      absence.more = ", " + in->function + at_place(in->place);
    absences[std::move(absence)].push_back(peer);
  }
  return reason_of(absences, wait_words(run, rank) + ": ");
}

std::optional<HangReason> why_no_match(const SeenRun& run, Rank rank, const WatchedCall& call, Rank peer) {
  const int on = run.communicator_of(rank, call);
  if (on < 0 || sends(call) == receives(call)) return std::nullopt;
  std::string sentence;
  for (const WatchedCall* other : run.waiting(peer).targets) {
    const Rank its_peer = run.peer_of(peer, *other);
    const int its_on = run.communicator_of(peer, *other);
    if (sends(*other) != receives(call) || receives(*other) != sends(call) || (its_peer != rank && its_peer != -2)) continue;
    const WatchedCall &send = sends(call) ? call : *other, &receive = sends(call) ? *other : call;
    const bool have_same_tag = send.tag < 0 || receive.tag < 0 || send.tag == receive.tag;
    const auto on_its = [&](const WatchedCall& what, int where) {
      return fmt::format("in {} on {}{}", what.function, run.communicator(where).label, at_place(what.place));
    };
    if (its_on == on && have_same_tag)
      return HangReason{
          Why::library, 0, {peer}, {"both ranks are in calls that match: the MPI library, or the network, does not complete them"}};
    if (its_on == on)
      sentence = fmt::format("the tags differ: rank {} sends tag {}{}, not {} as rank {} expects", sends(call) ? rank : peer,
                             send.tag, at_place(send.place), receive.tag, sends(call) ? peer : rank);
    else if (its_on >= 0)
      sentence = fmt::format("the communicators differ: rank {} is {}, and rank {} {}", rank, on_its(call, on), peer,
                             on_its(*other, its_on));
  }
  if (sentence.empty() && receives(call) && call.tag >= 0)
    for (const auto& [tag, count] : tags_on_the_way(run, peer, rank, on)) {
      if (count <= 0) continue;
      if (tag == call.tag) return std::nullopt;
      sentence = fmt::format("{}: rank {} has sent tag {}, not {}", wait_words(run, rank), peer, tag, call.tag);
    }
  return sentence.empty() ? std::nullopt : std::optional(HangReason{Why::messages, 0, {peer}, {sentence}});
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
