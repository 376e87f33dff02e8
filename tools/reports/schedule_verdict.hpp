// SPDX-License-Identifier: BSD-3-Clause
// Combines the verifier's findings and the counted figures of one schedule, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/verify.hpp"
#include "support/text.hpp"

namespace quadrille::command {

struct AllFigures : Figures {
  Bytes output_and_scratch = 0;  // see the function output_and_scratch
};

inline constexpr std::size_t most_listed_findings = 100;  // the number of findings to list, unless --limit says another

struct ScheduleVerdict {
  Problem problem;
  std::string algorithm, label;  // `algorithm` has all parameters; `label` is for people
  Parameters parameters;
  std::vector<Finding> findings;
  FaultCauses causes;
  Coverage coverage;
  std::string refusal;                // why the schedule was not replayed; empty: it was replayed
  std::optional<AllFigures> figures;  // absent if the schedule is faulty, or was not replayed and is too large to count
  std::vector<Bound> bounds;
  std::optional<LinkFigures> links;  // present if a topology is given and the schedule can be counted
  std::optional<NodeFigures> nodes;  // present if the problem names nodes and the schedule can be counted

  bool right() const { return findings.empty() && refusal.empty(); }
  // "right", "sampled" (right as far as a sample of the ranks shows), "wrong" or "not replayed".
  std::string_view word() const {
    if (!refusal.empty()) return "not replayed";
    if (!findings.empty()) return "wrong";
    return coverage.is_sample() ? "sampled" : "right";
  }
  std::optional<Count> bound(std::string_view figure) const {  // the best lower bound of a figure
    std::optional<Count> best;
    for (const Bound& entry : bounds)
      if (entry.figure == figure) best = std::max(best.value_or(0), entry.value);
    return best;
  }
};

// Verifies and counts a schedule. `label` names the algorithm for people. A schedule that is too large to be replayed is only
// counted. If counting would take more than some minutes, throws Error{too_large} like `verify`.
ScheduleVerdict judge(const Schedule& schedule, std::string label, const VerifyOptions& options);

// For a handler of `error`, which says why a schedule cannot be shown. If the reason is a region outside its buffer, throws the
// error with the verifier's finding added; otherwise rethrows the error unchanged.
[[noreturn]] void throw_with_finding(const Error& error, const std::vector<Finding>& findings);

// Says on stderr that the schedule of `subject`, a file or an algorithm, is wrong, and what `shown`, such as "its picture", shows.
void complain_of(const Schedule& schedule, const std::string& subject, std::string_view shown,
                 const std::vector<Finding>& findings);

// The following functions list at most `limit` causes and `limit` findings of each schedule, as text in the order of the causes.
// They say if there are more.
std::string text_of(const ScheduleVerdict& verdict, std::size_t limit);  // one figure per line, each with its bound
// One line per schedule, then all findings. `all`: with the columns of memory and control messages.
std::string text_of(const std::vector<ScheduleVerdict>& verdicts, std::size_t limit, bool all);
Json json_of(const ScheduleVerdict& verdict, std::size_t limit);

}  // namespace quadrille::command
