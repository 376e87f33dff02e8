// SPDX-License-Identifier: BSD-3-Clause
// What went wrong in a faulty schedule: the way of a block through it, and the probable causes of the verifier's findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/schedule.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// ---- Ways of blocks
//
// The way of a block through a schedule: from the input of the rank that has it in the beginning, by copies, reductions and
// messages, to the output of the rank that needs it. In a wrong schedule, the way shows where the block was lost and what was
// delivered instead.
//
//   for (const WayStep& step : way_of_block(make_schedule(Problem::alltoall(5, 8), "bruck"), 0, 3).steps)
//     std::cout << to_string(step) << '\n';

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
  nothing,  // a place that was read before anything was written there
  moved,    // an operation brought the byte to this place
  lost,     // an operation overwrote the byte at this place
  left,     // at the end the byte is at this place, but is required elsewhere
  end,      // at the end the byte is at the place where it is required
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
  std::vector<WayStep> instead;  // if it does not arrive: the way of the byte that is at `required` instead
  bool cut = false;              // true: there are more steps than most_way_steps
};
inline constexpr std::size_t most_way_steps = 1000;

// Follows one byte of what the collective requires from rank `from` at rank `to`: of a block, of a share, or of an operand that is
// part of a result. Throws Error{misuse} if the collective requires no bytes of `from` at `to` or the block has no such byte, and
// Error{too_large} like `verify`, or if following the byte takes too long.
BlockWay way_of_block(const Schedule& schedule, Rank from, Rank to, Bytes byte = 0);

// ---- Causes
//
// Findings of the verifier are grouped by their probable cause: one wrong operation that explains most of them, or several
// operations that are wrong in the same way.

// What is wrong with the operation. src/verify/fault_cause.cpp says how each is recognised.
enum class CauseKind : std::uint8_t {
  unfinished,      // one end is absent or in another round, or the ends differ in length
  overwrites,      // the operation overwrites a block at the place where it is needed later
  wrong_source,    // it reads wrong bytes; the bytes needed are at the same rank
  wrong_target,    // it reads the right bytes and writes them elsewhere at the right rank
  wrong_receiver,  // a message writes the right bytes at the right offset of the wrong rank
  wrong_sender,    // a message reads the right offset of the wrong rank
  missing,         // no operation takes a block to the rank that needs it
  rule,            // findings that do not depend on an operation's bytes: one cause for each rule and place, or pattern of places
};

std::string_view name(CauseKind kind);

struct FaultCause {
  CauseKind kind = CauseKind::rule;
  // The operation; for `missing` the operation that was expected, where `round` is the first of the possible rounds. Absent for
  // rule.
  std::optional<NamedOperation> operation;
  std::optional<Count> last_round;    // missing: the last of the possible rounds
  std::vector<NamedOperation> alike;  // more operations that are wrong in the same way, at other ranks or in other rounds
  std::string message;                // a sentence about `operation` without a full stop, and how many are alike
  std::vector<std::size_t> findings;  // their indices, ascending; each finding belongs to one cause
};

struct FaultCauses {
  // First the causes of findings about the programs themselves, such as a rank that does not exist. Then the other causes, in
  // descending order of their numbers of findings. Last the causes of kind rule, in the order of their first findings.
  std::vector<FaultCause> causes;
  std::string note;  // not empty: why no causes were sought
};

// Every finding belongs to exactly one of the causes, unless there is a note. `findings` are those of `verify` for this schedule.
// Operations that are wrong in the same way are one cause if they make up most of a set of operations, such as the messages of a
// round from each rank r to rank r + d, or all messages of a stage. src/verify/causes.hpp lists these sets.
FaultCauses causes_of(const Schedule& schedule, const std::vector<Finding>& findings);

// True if the cause says no more than its finding: it is of kind rule and has a single finding.
bool is_its_finding(const FaultCause& cause);

// Returns the indices of the findings in the order of reports: cause after cause or, if no causes were sought, as in `findings`.
std::vector<std::size_t> order_of(const std::vector<Finding>& findings, const FaultCauses& causes);

// What verify, trace and pictures say of a wrong schedule: "256 findings, one cause". If no causes were sought, the text names
// only the findings. With most_counted_findings or more it says "at least 10000 findings; the first of these have 2 causes":
// `verify` stops at its limit, and findings that it did not list may have other causes. So set VerifyOptions::most_findings to
// most_counted_findings.
inline constexpr std::size_t most_counted_findings = 10'000;
std::string count_of(const std::vector<Finding>& findings, const FaultCauses& causes);

// Returns the same text, then the first cause or, if no causes were sought, the first finding: "256 findings, one cause: block 0
// to 0 was lost ..". `findings` must not be empty.
std::string summary_of(const std::vector<Finding>& findings, const FaultCauses& causes);

}  // namespace quadrille
