// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/missing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

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
  const std::string who = ranks_phrase(ranks);
  const std::string &end = reason.end, &call = reason.call;
  const bool one = ranks.size() == 1;
  const char *has = one ? "has" : "have", *is = one ? "is" : "are", *they = one ? "it" : "they";
  switch (reason.cause) {
    case Why::died:
      return fmt::format("{} {}: the others wait for {} in {}", who, end.empty() ? "died" : end, one ? "it" : "them", call);
    case Why::stopped: return fmt::format("{} {} stopped, by a signal or by a debugger: the others wait in {}", who, is, call);
    case Why::unknown:
      return fmt::format("nothing is known of {}, because {} not answered: the others wait in {}", who,
                         one ? "its node has" : "their nodes have", call);
    case Why::late: return fmt::format("{} {} late: {} {} not entered {}", who, is, they, has, call);
    case Why::elsewhere: return fmt::format("{} {} in another call: {} {} not entered {}", who, is, they, has, call);
    default: break;
  }
  return fmt::format("{} left early: {} {} called MPI_Finalize and not entered {}", who, they, has, call) +
         (reason.last.empty() ? "" : (one ? "; its" : "; their") + reason.last);
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

void explain_missing(HangVerdict& verdict, const SeenRun& run, const std::vector<Rank>& ranks, const CommonCommunicator* on,
                     const Stuck& stuck) {
  std::unordered_map<Rank, const Member*> members;
  if (on)
    for (const Member& member : on->members) members[member.rank] = &member;
  std::map<Reason, std::vector<Rank>> groups;
  for (const Rank rank : ranks) {
    Reason reason{cause_of(run.state(rank)), run.at(rank).end, "MPI_Finalize", ""};
    if (on) {
      const Member& member = *members.at(rank);
      const WatchedCall* next =
          member.begun < stuck.call->number ? call_with(run, *members.at(stuck.waiters[0]), member.begun + 1) : nullptr;
      reason.call = call_words(next ? *next : *stuck.call);
      const WatchedCall* last = reason.cause == Why::finalised ? call_with(run, member, member.begun) : nullptr;
      if (last) reason.last = fmt::format(" last one on {} was {}{}", on->label, call_words(*last), at_place(last->place));
    }
    groups[std::move(reason)].push_back(rank);
  }
  constexpr std::array<Why, 6> order{Why::died, Why::finalised, Why::stopped, Why::unknown, Why::late, Why::elsewhere};
  constexpr std::size_t most = 6;
  for (const Why cause : order)
    for (auto& [reason, of] : groups) {
      if (reason.cause != cause || verdict.sentences.size() == most) continue;
      if (verdict.sentences.empty()) verdict.cause = cause;
      std::sort(of.begin(), of.end());
      verdict.sentences.push_back(sentence_of(reason, of));
    }
}

}  // namespace quadrille::mpi_face
