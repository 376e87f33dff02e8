// SPDX-License-Identifier: BSD-3-Clause
// Follows single bytes through a schedule, forwards and backwards, for the ways of blocks and the diagnosis of faults.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "quadrille/fault_cause.hpp"
#include "verify/replay.hpp"

namespace quadrille {

// An operation and its place in the order of time. All messages of a round have the same time of reading, which is before their
// times of writing. All other times differ.
struct TimedOperation {
  NamedOperation name;
  Count read_time = 0, write_time = 0;
  const Regions* source = nullptr;  // in the programs of the ByteFlow; null if that end is absent
  const Regions* target = nullptr;
};

inline constexpr Count before_all = -1, never = std::numeric_limits<Count>::max();

// The stay of a byte at a place. It begins when the byte was written there. In copies_of it ends when the byte was overwritten;
// in origins_of, when an operation read the byte to take it towards the given end.
struct ByteStay {
  BytePlace place;
  Count since = before_all, until = never;
  std::optional<std::size_t> written_by, overwritten_by;  // operations
  std::optional<std::size_t> next;  // copies_of: the stay from which the byte came; origins_of: the stay to which it went
  BytePlace source;                 // what `written_by` read
  std::size_t written_span = 0;     // the contiguous part of what `written_by` wrote
};

// One end of an operation that was not done.
struct UnfinishedEnd {
  std::size_t operation = 0;
  bool reads = false;
  Rank rank = 0;
  Region region;
};

class ByteFlow {
 public:
  // Replays the schedule. Throws Error{too_large} like `verify`, or if its operations have too many contiguous runs.
  explicit ByteFlow(const Schedule& schedule);

  // Returns the stays of all copies of the byte that is at `start` before the first round, in the order of time. A result into
  // which the byte was combined counts as a copy. Throws Error{too_large} if all calls together take too long.
  std::vector<ByteStay> copies_of(const BytePlace& start);
  // Returns the stays on the way of the bytes that were at `end` at `time`, latest first. If operands were combined, stays
  // overlap in time.
  std::vector<ByteStay> origins_of(const BytePlace& end, Count time = never);

  const std::vector<Program>& programs() const { return programs_; }
  const std::vector<TimedOperation>& operations() const { return operations_; }
  const std::vector<UnfinishedEnd>& unfinished() const { return unfinished_; }
  std::size_t span_count() const { return spans_.size(); }
  Count round_of(Count time) const;  // of the last operation that began at or before `time`; for `never`, the last round

 private:
  struct Span {  // contiguous bytes that an operation moved
    std::size_t operation;
    BytePlace from, to;
    Bytes length;
  };
  using Spans = std::vector<std::size_t>;  // in the order of time

  void enter(const PlayedOperation& played);
  void enter_spans(const PlayedOperation& played);
  const Spans& of(const std::vector<Spans>& spans, const BytePlace& place);

  std::vector<Program> programs_;
  std::vector<TimedOperation> operations_;
  std::vector<Span> spans_;
  std::vector<Spans> reads_, writes_;  // by rank and buffer
  std::vector<UnfinishedEnd> unfinished_;
  Count last_round_ = 0;  // of any stage or program
  Count time_ = 0;
  Count work_ = 0;
};

}  // namespace quadrille
