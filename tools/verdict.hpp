// SPDX-License-Identifier: BSD-3-Clause
// What the verifier and the counting say about one schedule, for people and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::command {

struct AllFigures : Figures {
  Bytes output_and_scratch = 0;  // as the function of that name has it
};

struct Verdict {
  Problem problem;
  std::string algorithm, label;  // with all parameters; for people
  Parameters parameters;
  std::vector<Finding> findings;
  Coverage coverage;
  std::string refusal;                // why it was not replayed; empty if it was
  std::optional<AllFigures> figures;  // absent where a faulty schedule, or one that was not replayed, cannot be counted
  std::vector<Bound> bounds;
  std::optional<LinkFigures> links;  // where a topology is given, and the schedule can be counted

  bool right() const { return findings.empty() && refusal.empty(); }
  std::optional<Count> bound(std::string_view figure) const {  // the best
    std::optional<Count> best;
    for (const Bound& entry : bounds)
      if (entry.figure == figure) best = std::max(best.value_or(0), entry.value);
    return best;
  }
};

// `label` names the algorithm for people. What is too large to be replayed is counted where that takes no more than minutes; else
// throws Error{too_large} like `verify`.
Verdict judge(const Schedule& schedule, std::string label, const VerifyOptions& options);

// In a handler of `error`, which says why a schedule cannot be shown: throws it with the finding of a region outside its buffer
// beside it, where that is why, else as it is.
[[noreturn]] void throw_with_finding(const Error& error, const std::vector<Finding>& findings);

std::string problem_text(const Problem& problem);           // "5 ranks, 8 B a block"
std::string text_of(const Verdict& verdict);                // figures one below the other, each with what bounds it
std::string text_of(const std::vector<Verdict>& verdicts);  // a line each, then the findings
Json json_of(const Verdict& verdict);

}  // namespace quadrille::command
