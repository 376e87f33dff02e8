// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_model.hpp"

namespace quadrille {

using recording::CodedEntry;
using recording::CodedGroup;
using recording::ns_of_step;

struct RecordedCalls::State {
  const RecordedRank& rank;
  recording::Decoder decoder;
  recording::CallModel model;
  Count left;                                                             // entries to come
  std::vector<RecordedCall> group;                                        // entries that repeat
  std::uint32_t entry = 0, entries = 0, repetition = 0, repetitions = 0;  // of the present group

  explicit State(const RecordedRank& of) : rank(of), decoder(of.packed), left(of.calls) {}

  void begin_group() {
    CodedGroup coded;
    model.code(decoder, coded);
    entry = repetition = 0;
    entries = coded.entries, repetitions = coded.repetitions;
    group.clear();
    if (Count{entries} * repetitions > left) fail();
  }

  RecordedCall decoded() {
    CodedEntry coded;
    model.code(decoder, coded);
    if (coded.site >= rank.sites.size() || decoder.is_beyond_end()) fail();
    return {rank.sites[coded.site], ns_of_step(coded.gap) * 1e-9, ns_of_step(coded.away) * 1e-9, ns_of_step(coded.duration) * 1e-9};
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::malformed, fmt::format("the recording of rank {} is damaged: its entries cannot be read", rank.rank));
  }
};

RecordedCalls::RecordedCalls(const RecordedRank& rank) : state_(std::make_unique<State>(rank)) {}
RecordedCalls::~RecordedCalls() = default;
RecordedCalls::RecordedCalls(RecordedCalls&&) noexcept = default;
RecordedCalls& RecordedCalls::operator=(RecordedCalls&&) noexcept = default;

std::optional<RecordedCall> RecordedCalls::next() {
  State& state = *state_;
  if (state.left == 0) return std::nullopt;
  if (state.entry == state.entries && ++state.repetition < state.repetitions) state.entry = 0;
  if (state.entry == state.entries) state.begin_group();
  --state.left;
  const std::uint32_t at = state.entry++;
  if (state.repetition > 0) return state.group[at];
  const RecordedCall call = state.decoded();
  if (state.repetitions > 1) state.group.push_back(call);
  return call;
}

}  // namespace quadrille
