// SPDX-License-Identifier: BSD-3-Clause
// Runs races without and with a file of rules for an MPI library's own algorithms, in programs that use none of ours, and keeps
// the rules that make the library faster.
#pragma once

#include <string>
#include <vector>

#include "tune/median.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille::command {

struct RuleGain {
  Collective collective{};
  Bytes bytes = 0;
  std::string algorithm;
  RatioOfRuns gain;  // the time without rules divided by that with them
  bool is_confirmed() const { return gain.lower > 1; }
};

struct RulesConfirmation {
  Count ranks = 0, nodes = 1;
  std::vector<RuleGain> gains;
};

// Writes the rules to `file`, and those that split collectives by nodes to `file`.nodes; a file without rules is removed. Returns
// the settings with which the library reads them. Throws Error{environment} if a file cannot be written.
std::vector<std::string> write_rules(const VendorRules& rules, const RulesFormat& format, const std::string& file);

// `launcher`: starts the ranks, as in "mpirun -n 8". `file`: where the confirmed rules are written. Rules that are not confirmed
// are removed from `rules`, also those for other numbers of ranks than the launcher starts. `measured`: all sizes that were
// measured, where algorithms that split collectives by nodes are tried, too. Throws Error{environment} if the races cannot run or
// the file cannot be written.
RulesConfirmation confirm(VendorRules& rules, const VendorRules& measured, const RulesFormat& format, const std::string& launcher,
                          const std::string& file);

std::string text_of(const RulesConfirmation& confirmation);

}  // namespace quadrille::command
