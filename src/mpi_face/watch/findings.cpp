// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/watch/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

namespace quadrille::mpi_face {
namespace {

// Equal for ranks in the same situation. Times are left out.
std::string situation(const ShownGroup& finding) {
  const WatchedCall& call = finding.call;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(finding.state), finding.is_cause,
                     call.function, call.number, call.bytes, call.root, call.operation, call.element, call.tag, call.place,
                     finding.communicator, finding.waits_for, finding.peer, finding.last, finding.end, finding.waits_in,
                     fmt::join(finding.stack, "|"));
}

}  // namespace

void ShownRanks::add(const std::vector<Rank>& ranks, bool is_cause) {
  for (const Rank rank : ranks) ranks_[rank].is_cause |= is_cause;
}

ShownGroup ShownRanks::finding_of(Rank rank, const Shown& shown) const {
  const SeenRank& seen = run_.at(rank);
  const Waiting& waiting = run_.waiting(rank);
  ShownGroup finding;
  finding.ranks = {rank};
  finding.state = seen.state;
  finding.is_cause = shown.is_cause;
  finding.since_s = seen.since_s, finding.processor_s = seen.processor_s;
  finding.end = seen.end, finding.waits_in = seen.waits_in, finding.stack = seen.stack;
  const WatchedCall* call = shown.call ? shown.call : !waiting.targets.empty() ? waiting.targets[0] : waiting.in;
  if (call) {
    finding.call = *call;
    finding.call.sent.clear(), finding.call.received.clear();
    const int on = run_.communicator_of(rank, *call);
    if (on >= 0) finding.communicator = run_.communicators()[static_cast<std::size_t>(on)].label;
    finding.peer = run_.peer_of(rank, *call);
    if (!shown.call && call != waiting.in) {
      finding.waits_for = call->function;
      finding.call.function = waiting.in->function;
      finding.call.place = waiting.in->place;
    }
  } else if (!seen.calls.empty()) {
    finding.last = call_words(seen.calls.back()) + at_place(seen.calls.back().place);
  }
  return finding;
}

std::vector<ShownGroup> ShownRanks::take() const {
  std::vector<ShownGroup> findings;
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& [rank, shown] : ranks_) {
    ShownGroup finding = finding_of(rank, shown);
    const auto [place, is_new] = places.try_emplace(situation(finding), findings.size());
    if (is_new) {
      findings.push_back(std::move(finding));
      continue;
    }
    ShownGroup& same = findings[place->second];
    same.ranks.push_back(rank);
    same.since_s = std::min(same.since_s, finding.since_s);
    same.processor_s = std::min(same.processor_s, finding.processor_s);
  }
  return findings;
}

}  // namespace quadrille::mpi_face
