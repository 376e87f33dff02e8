// SPDX-License-Identifier: BSD-3-Clause
// Collecting findings, up to a limit.
#pragma once

#include <algorithm>

#include "quadrille/verify.hpp"

namespace quadrille {

class Report {
 public:
  explicit Report(std::size_t most_findings) : most_(most_findings) {}

  void add(Finding finding) {
    if (!full()) findings_.push_back(std::move(finding));
  }
  bool full() const { return findings_.size() >= most_; }
  bool has(Rule rule) const {
    return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& finding) { return finding.rule == rule; });
  }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::size_t most_;
  std::vector<Finding> findings_;
};

// The stage that a round belongs to, by name; empty if none.
std::string stage_name(const std::vector<Stage>& stages, Count round);

// Bytes of each buffer at a rank, by Buffer; staging has none.
std::array<Bytes, 4> buffer_sizes(const Schedule& schedule, const Program& program);
bool lies_in(const std::array<Bytes, 4>& sizes, const Region& region);

// The parts of the verifier, beside replay.hpp. Programs are indexed by rank.
void check_structure(const Schedule& schedule, const std::vector<Program>& programs, Count port_limit, Report& report);
void check_node_ports(const Schedule& schedule, const std::vector<Program>& programs, Count limit, Report& report);
void check_links(const Schedule& schedule, const std::vector<Program>& programs, const Topology& topology, Report& report);
void check_deadlock(const std::vector<Program>& programs, const std::vector<Policy>& policies, Report& report);

}  // namespace quadrille
