// SPDX-License-Identifier: BSD-3-Clause
// The way of a block through a schedule: from the input of the rank that has it in the beginning, by copies, reductions and
// messages, to the output of the rank that needs it. In a wrong schedule, the way shows where the block was lost and what was
// delivered instead.
//
//   for (const WayStep& step : way_of_block(make_schedule(Problem::alltoall(5, 8), "bruck"), 0, 3).steps)
//     std::cout << to_string(step) << '\n';
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// A local operation or a message, as people name it.
struct NamedOperation {
  enum class Kind : std::uint8_t { copy, reduce, message };
  Count round = 0;
  Kind kind = Kind::copy;
  Rank from = 0, to = 0;  // the same rank if the operation is local
  bool operator==(const NamedOperation&) const = default;
};

std::string to_string(const NamedOperation& operation);  // "the message 4 to 0", without the round

// One byte of a rank's buffer.
struct BytePlace {
  Rank rank = 0;
  Buffer buffer = Buffer::input;
  Bytes offset = 0;
  bool operator==(const BytePlace&) const = default;
};

std::string to_string(const BytePlace& place);  // "rank 3, scratch[8]"

enum class StepKind : std::uint8_t {
  start,    // the input that has the byte before the first round
  nothing,  // a place that was never written when it was read
  moved,    // an operation brought the byte to this place
  lost,     // an operation overwrote the byte at this place
  left,     // the byte is still at this place at the end, which is not where it is required
  end,      // the byte is at the end where it is required
};

struct WayStep {
  StepKind kind = StepKind::start;
  std::optional<NamedOperation> operation;  // present if `kind` is moved or lost
  BytePlace place;
  bool operator==(const WayStep&) const = default;
};

std::string to_string(const WayStep& step);  // "round 1: the message 0 to 1 brings it to rank 1, scratch[8]"

struct BlockWay {
  Rank from = 0, to = 0;
  Bytes byte = 0;      // the byte of the block that was followed
  BytePlace required;  // where it must be at the end
  bool arrives = false;
  // If the byte arrives: the steps that lead to `required`. Otherwise all steps of all its copies, in the order of time.
  std::vector<WayStep> steps;
  std::vector<WayStep> instead;  // if it does not arrive: where the byte that is at `required` at the end came from
  bool cut = false;              // true: there are more steps than most_way_steps
};
inline constexpr std::size_t most_way_steps = 1000;

// Follows one byte of what the collective requires from rank `from` at rank `to`: of a block, of a share, or of an operand that is
// part of a result. Throws Error{misuse} if the collective requires nothing of the kind or the block has no such byte, and
// Error{too_large} like `verify`, or if following the byte takes too long.
BlockWay way_of_block(const Schedule& schedule, Rank from, Rank to, Bytes byte = 0);

}  // namespace quadrille
