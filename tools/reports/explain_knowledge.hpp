// SPDX-License-Identifier: BSD-3-Clause
// The knowledge of a machine on which `explain` bases its answer, without a launcher: wisdom measured there, or the figures of a
// preset machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/decision.hpp"
#include "quadrille/wisdom.hpp"

namespace quadrille::command {

struct KnowledgeOptions {
  std::optional<std::string> machine, mpi, executor;
};

struct ExplainKnowledge {
  Wisdom wisdom;
  std::string file;  // the wisdom's file; empty: there is none
  std::optional<MachineCosts> preset;
  bool preset_was_asked = false;  // --machine named the preset; otherwise it was chosen because measurements are missing
  bool has_mpi = true;            // is there an MPI library for messages and collectives?
  std::optional<Executor> only;   // the only executor to consider

  // Returns the options that plans have on such ranks.
  DecisionOptions options(const Problem& problem) const;
  // Returns the executor's costs, measured or preset; nothing if neither is known.
  std::optional<ExecutorFit> fit(Executor executor, const Situation& situation) const;
};

// Finds the knowledge for `options`: of several wisdom files for this machine, the newest or that of the requested MPI library.
// `nodes` is the problem's number of nodes, which decides which preset machine is chosen. Throws Error{misuse}.
ExplainKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes);

}  // namespace quadrille::command
