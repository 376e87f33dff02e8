// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "mpi_face/report/call_ring.hpp"

namespace quadrille::mpi_face {
namespace {

bool has_word(const std::string& function, std::string_view small, std::string_view large) {
  return function.find(small) != std::string::npos || function.find(large) != std::string::npos;
}
bool receives(const WatchedCall& call) {
  return has_word(call.function, "recv", "Recv") || has_word(call.function, "probe", "Probe");
}
bool sends(const WatchedCall& call) { return has_word(call.function, "send", "Send"); }
bool does_both(const WatchedCall& call) { return receives(call) && sends(call); }

bool tags_match(const WatchedCall& a, const WatchedCall& b) { return a.tag < 0 || b.tag < 0 || a.tag == b.tag; }

std::string tag_problem(Rank sender, const WatchedCall& send, const WatchedCall& receive, std::string_view verb) {
  return fmt::format("rank {} {} tag {}{}, not {}", sender, verb, send.tag, at_place(send.place), receive.tag);
}

// May the call have received messages whose sender and tag are not known?
bool receives_unknown(const WatchedCall& call) {
  return has_word(call.function, "mrecv", "Mrecv") || call.function == "Recv_init";
}

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
    if (sends(call) && !does_both(call) && run.communicator_of(from, call) == on && run.peer_of(from, call) == to &&
        call.begun_ticks >= since)
      ++tags[call.tag];
  for (const WatchedCall& call : run.at(to).calls) {
    if (!receives(call) || call.function.ends_with("robe") || run.communicator_of(to, call) != on) continue;
    if (call.is_blocking && !call.has_left) continue;  // it has not received
    const Rank peer = run.peer_of(to, call);
    if (peer != from && peer != -2) continue;
    if (call.tag >= 0)
      --tags[call.tag];
    else
      for (auto& [tag, count] : tags) --count;
  }
  return tags;
}

}  // namespace

MessageProblem problem_of(const SeenRun& run, Rank rank, const WatchedCall& call, Rank peer) {
  const int on = run.communicator_of(rank, call);
  if (on < 0 || does_both(call) || !(receives(call) || sends(call))) return {};
  MessageProblem problem;
  for (const WatchedCall* other : run.waiting(peer).targets) {
    const Rank its_peer = run.peer_of(peer, *other);
    if (other->is_collective || does_both(*other) || receives(*other) == receives(call) || (its_peer != rank && its_peer != -2))
      continue;
    const bool is_sender = sends(call);
    if (const int its_on = run.communicator_of(peer, *other); its_on != on) {
      if (its_on >= 0)
        problem.sentence =
            fmt::format("the communicators differ: rank {} is in {} on {}{}, and rank {} in {} on {}{}", rank, call.function,
                        run.communicators()[static_cast<std::size_t>(on)].label, at_place(call.place), peer, other->function,
                        run.communicators()[static_cast<std::size_t>(its_on)].label, at_place(other->place));
    } else if (tags_match(call, *other)) {
      return {"", true};
    } else {
      problem.sentence =
          "the tags differ: " + (is_sender ? tag_problem(rank, call, *other, "sends") : tag_problem(peer, *other, call, "sends")) +
          fmt::format(" as rank {} expects", is_sender ? peer : rank);
    }
  }
  if (!problem.sentence.empty() || !receives(call) || call.tag < 0) return problem;
  for (const auto& [tag, count] : tags_on_the_way(run, peer, rank, on)) {
    if (count <= 0) continue;
    if (tag == call.tag) return {};
    problem.sentence = fmt::format("{}: rank {} has sent tag {}, not {}", wait_words(run, rank), peer, tag, call.tag);
  }
  return problem;
}

std::string peer_words(const WatchedCall& call, Rank peer) {
  if (peer == -1 && call.tag == -1) return "";
  const std::string_view preposition = does_both(call) ? "with" : receives(call) ? "from" : "to";
  const std::string who = peer == -2 ? "any rank" : peer == -1 ? "a rank" : fmt::format("rank {}", peer);
  return fmt::format(" {} {}{}", preposition, who,
                     call.tag >= 0    ? fmt::format(", tag {}", call.tag)
                     : call.tag == -2 ? ", any tag"
                                      : "");
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

std::string peer_sentence(const SeenRun& run, Rank rank, Rank peer) {
  using State = SeenRank::State;
  const SeenRank& seen = run.at(peer);
  const std::string words = wait_words(run, rank) + fmt::format(": rank {} ", peer);
  switch (seen.state) {
    case State::died: return words + (seen.end.empty() ? "died" : seen.end);
    case State::finalised: return words + "has called MPI_Finalize";
    case State::stopped: return words + "is stopped, by a signal or by a debugger";
    case State::unknown: return words + "is unknown, because its node has not answered";
    case State::in_call:
      return words + "is in another call, " + run.waiting(peer).in->function + at_place(run.waiting(peer).in->place);
    default: return words + fmt::format("is late: it is in no call to rank {}", rank);
  }
}

}  // namespace quadrille::mpi_face
