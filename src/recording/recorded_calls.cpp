// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "quadrille/error.hpp"
#include "quadrille/recording.hpp"
#include "recording/call_model.hpp"

namespace quadrille {

using recording::CodedEntry;
using recording::CodedGroup;
using recording::ns_of_step;

namespace {

// So many entries are decoded at a time: readers go from rank to rank, and each time the tables of that rank's decoder have to come
// into the caches.
constexpr std::size_t decoded_together = 64;

}  // namespace

struct RecordedCalls::State {
  const RecordedRank& rank;
  recording::Decoder decoder;
  recording::CallModel model;
  Count left;                                                             // entries to come
  std::vector<RecordedCall> group;                                        // entries that repeat
  std::uint32_t entry = 0, entries = 0, repetition = 0, repetitions = 0;  // of the present group

  std::vector<RecordedCall> ahead;  // decoded entries
  std::size_t taken = 0;            // of these

  explicit State(const RecordedRank& of) : rank(of), decoder(of.packed), left(of.calls) {}

  void decode_ahead() {
    ahead.clear();
    taken = 0;
    while (left > 0 && ahead.size() < decoded_together) ahead.push_back(next());
  }

  RecordedCall next() {
    if (entry == entries && ++repetition < repetitions) entry = 0;
    if (entry == entries) begin_group();
    --left;
    const std::uint32_t at = entry++;
    if (repetition > 0) return group[at];
    const RecordedCall call = decoded();
    if (repetitions > 1) group.push_back(call);
    return call;
  }

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
  if (state.taken == state.ahead.size()) state.decode_ahead();
  if (state.ahead.empty()) return std::nullopt;
  return state.ahead[state.taken++];
}

}  // namespace quadrille
