// SPDX-License-Identifier: BSD-3-Clause
// Groups findings of the verifier by their probable cause: the one operation that, if it were another, would explain most of them,
// or several operations that are wrong in the same way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/block_way.hpp"
#include "quadrille/verify.hpp"

namespace quadrille {

// What is wrong with the operation. src/verify/fault_cause.cpp says how each is recognised.
enum class CauseKind : std::uint8_t {
  unfinished,      // one end is absent or in another round, or the ends differ in length
  overwrites,      // the operation overwrites a block at the place where it is needed later
  wrong_source,    // it reads other bytes than those needed, which are at the same rank
  wrong_target,    // it reads the right bytes and writes them elsewhere at the right rank
  wrong_receiver,  // a message writes the right bytes at the right offset of the wrong rank
  wrong_sender,    // a message reads the right offset of the wrong rank
  missing,         // no operation takes a block to the rank that needs it
  rule,            // findings that do not depend on an operation's bytes: one cause for each rule, rank and round, or for each rule
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
  // Those first that explain findings about the programs themselves, such as a rank that does not exist. Then those with most
  // findings, and those of kind rule last, in the order of their first findings.
  std::vector<FaultCause> causes;
  std::string note;  // not empty: why no causes were sought
};

// Every finding belongs to exactly one of the causes, unless there is a note. `findings` are those of `verify` for this schedule.
// Operations that are wrong in the same way are one cause if they make up most of a group of operations: of those of a round from
// each rank r to rank r + d, for instance, or of all messages of a stage. src/verify/causes.hpp says what that may be.
FaultCauses causes_of(const Schedule& schedule, const std::vector<Finding>& findings);

// Whether a cause says only what its finding does: a single finding of kind rule.
bool is_its_finding(const FaultCause& cause);

// The findings as indices in the order in which they are told, cause after cause. If no causes were sought, their own order.
std::vector<std::size_t> order_of(const std::vector<Finding>& findings, const FaultCauses& causes);

// What verify, trace and pictures say of a wrong schedule: "256 findings, one cause". If no causes were sought, they are left out.
// With as many findings as this or more, it says "at least 10000 findings; the first of these have 2 causes", because
// `verify` stops at a limit, and what it did not list may have other causes. Ask it for so many.
inline constexpr std::size_t most_counted_findings = 10'000;
std::string count_of(const std::vector<Finding>& findings, const FaultCauses& causes);

// The same with the first cause, or else the first finding: "256 findings, one cause: block 0 to 0 was lost ..". There must be a
// finding.
std::string summary_of(const std::vector<Finding>& findings, const FaultCauses& causes);

}  // namespace quadrille
