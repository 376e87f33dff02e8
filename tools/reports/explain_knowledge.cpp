// SPDX-License-Identifier: BSD-3-Clause
#include "reports/explain_knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execute/executors.hpp"
#include "foundation/mpi_libraries.hpp"
#include "options/arguments.hpp"
#include "support/executor_option.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

// Returns the first executor of the table that shares memory in this way.
std::string executor_sharing(SharedBy memory) {
  const auto rows = all_executors();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const ExecutorRow& each) { return each.memory == memory; });
  return std::string(row->name);
}

std::optional<Executor> only_executor(const std::optional<std::string>& asked, Count nodes) {
  if (!asked) return std::nullopt;
  const Executor executor = parse_executor(*asked);
  const SharedBy memory = row_of(executor).memory;
  if (nodes > 1 && memory == SharedBy::all_ranks)
    refuse("ranks on several nodes do not all share memory; take --executor " + executor_sharing(SharedBy::ranks_of_a_node));
  if (nodes == 1 && memory == SharedBy::ranks_of_a_node)
    refuse("the ranks are on one node; take --executor " + executor_sharing(SharedBy::all_ranks));
  return executor;
}

// Returns the beginning of an MPI library's name in fingerprints of machines, given its id: "Open MPI" for "openmpi".
std::string beginning_of_mpi(const std::string& id) {
  const std::vector<std::string> known = ids_or_none();
  if (std::find(known.begin(), known.end(), id) == known.end()) refuse_unknown("MPI library", id, known);
  const MpiLibrary* const library = find_mpi_library(id);
  return library ? std::string(library->title) : id;
}

}  // namespace

MachineKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes) {
  const std::optional<Executor> only = only_executor(options.executor, nodes);
  const std::string mpi = options.mpi ? beginning_of_mpi(*options.mpi) : "";
  if (options.machine && options.mpi && *options.mpi != "none")
    refuse("--machine and --mpi exclude each other, except for --mpi none");
  MachineKnowledge known;
  if (options.machine) {
    known.preset = find_machine(*options.machine);
    known.has_mpi = options.mpi != "none";
  } else {
    known = knowledge_here(nodes, mpi);
    for (const std::string& sentence : known.left_out) remark("left out: " + sentence);
  }
  known.only = only;
  return known;
}

}  // namespace quadrille::command
