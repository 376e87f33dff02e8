// SPDX-License-Identifier: BSD-3-Clause
// Groups findings of the verifier by their probable cause: the one operation that, if it were another, would explain most of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/block_way.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// What is wrong with the operation. src/verify/fault_cause.cpp says how each is recognised.
enum class CauseKind : std::uint8_t {
  unfinished,      // one end is absent, or the ends differ in length
  overwrites,      // the operation overwrites a block at the place where it is needed later
  wrong_source,    // it reads other bytes than those needed, which are at the same rank
  wrong_target,    // it reads the right bytes and writes them elsewhere at the right rank
  wrong_receiver,  // a message writes the right bytes at the right offset of the wrong rank
  wrong_sender,    // a message reads the right offset of the wrong rank
  missing,         // no operation takes a block to the rank that needs it
  rule,            // findings that do not depend on an operation's bytes: one cause for each rule, rank and round
};

std::string_view name(CauseKind kind);

struct FaultCause {
  CauseKind kind = CauseKind::rule;
  // The operation; for `missing` the operation that was expected, where `round` is the first of the possible rounds. Absent for
  // rule.
  std::optional<NamedOperation> operation;
  std::optional<Count> last_round;    // missing: the last of the possible rounds
  std::string message;                // a sentence without a full stop
  std::vector<std::size_t> findings;  // their indices, ascending; each finding belongs to one cause
};

struct FaultCauses {
  std::vector<FaultCause> causes;  // most findings first; those of kind rule last, in the order of their first findings
  std::string note;                // not empty: why no causes were sought
};

// Every finding belongs to exactly one of the causes, unless there is a note. `findings` are those of `verify` for this schedule.
FaultCauses causes_of(const Schedule& schedule, const std::vector<Finding>& findings);

}  // namespace quadrille
