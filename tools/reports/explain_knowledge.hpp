// SPDX-License-Identifier: BSD-3-Clause
// The knowledge of a machine on which `explain` bases its answer, by the command's options.
#pragma once

#include <optional>
#include <string>

#include "quadrille/explain.hpp"

namespace quadrille::command {

struct KnowledgeOptions {
  std::optional<std::string> machine, mpi, executor;
};

// Finds the knowledge for `options`: of several wisdom files for this machine, the newest or that of the requested MPI library.
// `nodes` is the problem's number of nodes, which decides which preset machine is chosen. Throws Error{misuse}.
MachineKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes);

}  // namespace quadrille::command
