// SPDX-License-Identifier: BSD-3-Clause
// What `explain` knows of a machine, without a launcher: its wisdom, or the figures of a preset machine.
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
  std::string file;  // of the wisdom; empty: none
  std::optional<MachineCosts> preset;
  bool preset_was_asked = false;  // rather than chosen for what was never measured here
  bool has_mpi = true;            // are there messages and collectives of an MPI library?
  std::optional<Executor> only;   // executor

  // What plans have to choose from on such ranks.
  DecisionOptions options(const Problem& problem) const;
  // What an executor takes: measured or preset; nothing where neither is known.
  std::optional<ExecutorFit> fit(Executor executor, const Situation& situation) const;
};

// Of several files of wisdom for this machine the newest, or the one of the MPI library that is asked for. `nodes`: how many the
// problem has; a preset machine is chosen by that. Throws Error{misuse}.
ExplainKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes);

}  // namespace quadrille::command
