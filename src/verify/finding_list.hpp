// SPDX-License-Identifier: BSD-3-Clause
// Collects findings up to a limit, and declares the parts of the verifier.
#pragma once

#include <algorithm>
#include <functional>

#include "quadrille/verify.hpp"

namespace quadrille {

class FindingList {
 public:
  explicit FindingList(std::size_t most_findings) : most_(most_findings) {}
  static FindingList that_keeps_nothing() {  // drops all findings: the list is never full, so a replay runs to its end
    FindingList findings(1);
    findings.keeps_ = false;
    return findings;
  }

  void add(Finding finding) {
    if (keeps_ && !full()) findings_.push_back(std::move(finding));
  }
  bool empty() const { return findings_.empty(); }
  bool full() const { return findings_.size() >= most_; }
  bool has(Rule rule) const {
    return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) { return finding.rule == rule; });
  }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::size_t most_;
  bool keeps_ = true;
  std::vector<Finding> findings_;
};

// Findings with a higher urgency are listed first: 2 if the rule is about ranks that do not exist, 1 if it is about the programs
// themselves, otherwise 0.
int urgency(Rule rule);

// Returns the name of the stage to which a round belongs, or an empty text if there is none.
std::string stage_name(const std::vector<Stage>& stages, Count round);

// Returns the bytes of each buffer of a rank, indexed by Buffer; `staging` has none.
std::array<Bytes, 4> buffer_sizes(const Schedule& schedule, const Program& program);
bool lies_in(const std::array<Bytes, 4>& sizes, const Region& region);

// A function that calls its argument with the program of each rank.
using EachProgram = std::function<void(const std::function<void(const Program&)>&)>;

// The parts of the verifier, besides replay.hpp. `programs` has the programs of all ranks or of the representatives, in ascending
// order of rank; check_deadlock needs all ranks.
void check_structure(const Schedule& schedule, const std::vector<Program>& programs, Count port_limit, FindingList& findings);
void check_node_ports(const Schedule& schedule, const EachProgram& each_program, Count limit, FindingList& findings);
void check_links(const Schedule& schedule, const EachProgram& each_program, const Topology& topology, FindingList& findings);
void check_deadlock(const std::vector<Program>& programs, const std::vector<Policy>& policies, FindingList& findings);

// Throws Error{too_large} if a lower bound on the memory for replaying `replayed` ranks exceeds what is allowed.
void check_pieces(const Problem& problem, Count replayed, const VerifyOptions& options);

// Replays the representatives of the stated symmetry, and compares the other programs with the images of the representatives'
// programs. `coverage` says how many ranks were compared and replayed. If there are no findings and 0 ranks were replayed, a replay
// of all ranks is needed. Throws Error{too_large}.
void check_by_symmetry(const Schedule& schedule, const VerifyOptions& options, Count port_limit, FindingList& findings,
                       Coverage& coverage);

}  // namespace quadrille
