// SPDX-License-Identifier: BSD-3-Clause
// Reads the entries of a rank one after the other.
#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/entries.hpp"

namespace quadrille {

struct RecordedCalls::State {
  const RecordedRank& rank;
  recording::EntryReader reader;
  Count left;  // how many entries are left
};

RecordedCalls::RecordedCalls(const RecordedRank& rank)
    : state_(new State{rank, recording::EntryReader(rank.entries), rank.calls}) {}
RecordedCalls::~RecordedCalls() = default;
RecordedCalls::RecordedCalls(RecordedCalls&&) noexcept = default;
RecordedCalls& RecordedCalls::operator=(RecordedCalls&&) noexcept = default;

std::optional<RecordedCall> RecordedCalls::next() {
  State& state = *state_;
  if (state.left == 0) return std::nullopt;
  const RecordedRank& rank = state.rank;
  const auto entry = state.reader.next();
  if (!entry || entry->site >= rank.sites.size())
    throw Error(ErrorCode::malformed, fmt::format("the recording of rank {} is damaged: its entries cannot be read", rank.rank));
  --state.left;
  const auto seconds = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * rank.tick_s; };
  return RecordedCall{rank.sites[entry->site], seconds(entry->gap), seconds(entry->away), seconds(entry->duration)};
}

}  // namespace quadrille
