// SPDX-License-Identifier: BSD-3-Clause
// Collecting findings, up to a limit.
#pragma once

#include <algorithm>
#include <functional>

#include "quadrille/verify.hpp"

namespace quadrille {

class Report {
 public:
  explicit Report(std::size_t most_findings) : most_(most_findings) {}
  static Report that_keeps_nothing() {  // and is never full, so that a replay goes on to its end
    Report report(1);
    report.keeps_ = false;
    return report;
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

// The stage that a round belongs to, by name; empty if none.
std::string stage_name(const std::vector<Stage>& stages, Count round);

// Bytes of each buffer at a rank, by Buffer; staging has none.
std::array<Bytes, 4> buffer_sizes(const Schedule& schedule, const Program& program);
bool lies_in(const std::array<Bytes, 4>& sizes, const Region& region);

// Calls a function with the program of each rank.
using EachProgram = std::function<void(const std::function<void(const Program&)>&)>;

// The parts of the verifier, beside replay.hpp. Programs are those of all ranks or of representatives, ascending; check_deadlock
// takes those of all ranks.
void check_structure(const Schedule& schedule, const std::vector<Program>& programs, Count port_limit, Report& report);
void check_node_ports(const Schedule& schedule, const EachProgram& each_program, Count limit, Report& report);
void check_links(const Schedule& schedule, const EachProgram& each_program, const Topology& topology, Report& report);
void check_deadlock(const std::vector<Program>& programs, const std::vector<Policy>& policies, Report& report);

// Memory that replaying so many ranks takes at least. Throws Error{too_large}.
void check_pieces(const Problem& problem, Count replayed, const VerifyOptions& options);

// Plays the representatives of the stated symmetry and compares programs with images. Without findings, `coverage` says how
// many were replayed: none, where all ranks have to be. Throws Error{too_large}.
void check_by_symmetry(const Schedule& schedule, const VerifyOptions& options, Count port_limit, Report& report,
                       Coverage& coverage);

}  // namespace quadrille
