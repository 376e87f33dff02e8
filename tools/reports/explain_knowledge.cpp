// SPDX-License-Identifier: BSD-3-Clause
#include "reports/explain_knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "execute/executors.hpp"
#include "foundation/mpi_launchers.hpp"
#include "options/arguments.hpp"
#include "quadrille/fit.hpp"
#include "quadrille/groups.hpp"
#include "support/executor_option.hpp"
#include "support/talk.hpp"
#include "tune/choosing/knowledge.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view model = "max-rate";

struct WisdomFile {
  fs::path path;
  fs::file_time_type time;
  Wisdom wisdom;
};

std::optional<WisdomFile> read(const fs::path& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  try {
    return WisdomFile{path, time, read_any_wisdom(path.string())};
  } catch (const Error& damaged) {
    remark(fmt::format("left out: {}", damaged.what()));
    return std::nullopt;
  }
}

// Returns the wisdom files for this machine's processor, newest first. A processor has several, because each number of cores,
// network and MPI library has a file of its own.
std::vector<WisdomFile> files_of(const std::string& processor) {
  std::vector<WisdomFile> files;
  for (const std::string& path : wisdom_files())
    if (auto file = read(path); file && file->wisdom.machine.processor == processor) files.push_back(*std::move(file));
  std::stable_sort(files.begin(), files.end(), [](const WisdomFile& a, const WisdomFile& b) { return a.time > b.time; });
  return files;
}

// Returns true if the wisdom is for one node (`one_node`) or for several nodes (otherwise). The two have separate files, because
// the fingerprint of a group on one node has no network.
bool tells_of(const Wisdom& wisdom, bool one_node) {
  const auto is_so = [&](Count nodes) { return (nodes == 1) == one_node; };
  return std::any_of(wisdom.records.begin(), wisdom.records.end(), [&](const auto& each) { return is_so(each.situation.nodes); }) ||
         std::any_of(wisdom.executors.begin(), wisdom.executors.end(), [&](const auto& each) { return is_so(each.nodes); });
}

// Returns the first executor of the table that shares memory in this way.
std::string executor_sharing(SharedBy memory) {
  const auto rows = all_executors();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const ExecutorRow& each) { return each.memory == memory; });
  return std::string(row->name);
}

// Returns true if a group in this situation would offer the executor.
bool is_offered(const ExecutorRow& row, const Situation& situation, bool has_mpi) {
  switch (row.memory) {
    case SharedBy::nobody: return has_mpi || situation.nodes > 1;
    case SharedBy::ranks_of_a_node: return situation.ranks_of_node > 1 && situation.nodes > 1;
    case SharedBy::all_ranks: return situation.ranks_of_node > 1 && situation.nodes == 1;
  }
  return false;
}

// Returns the beginning of an MPI library's name in fingerprints of machines, given its id: "Open MPI" for "openmpi".
std::string beginning_of_mpi(const std::string& id) {
  const std::vector<std::string> known = ids_or_none();
  if (std::find(known.begin(), known.end(), id) == known.end()) refuse_unknown("MPI library", id, known);
  const MpiLibrary* const library = find_mpi_library(id);
  return library ? std::string(library->title) : id;
}

}  // namespace

ExplainKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes) {
  ExplainKnowledge known;
  if (options.executor) {
    known.only = parse_executor(*options.executor);
    const SharedBy memory = row_of(*known.only).memory;
    if (nodes > 1 && memory == SharedBy::all_ranks)
      refuse("ranks on several nodes do not all share memory; take --executor " + executor_sharing(SharedBy::ranks_of_a_node));
    if (nodes == 1 && memory == SharedBy::ranks_of_a_node)
      refuse("the ranks are on one node; take --executor " + executor_sharing(SharedBy::all_ranks));
  }
  const std::string words = options.mpi ? beginning_of_mpi(*options.mpi) : "";
  if (options.machine && options.mpi && *options.mpi != "none")
    refuse("--machine and --mpi exclude each other, except for --mpi none");
  known.has_mpi = options.mpi != "none";
  if (options.machine) {
    known.preset = find_machine(*options.machine);
    known.preset_was_asked = true;
    if (!known.preset->models.contains(model))
      refuse(fmt::format("the file of the machine '{}' has no figures for the model {}, by which plans choose", *options.machine,
                         model));
    return known;
  }
  known.preset = usual_preset(nodes);
  run_threads(1, [&](Communicator& communicator) { known.wisdom.machine = fingerprint(communicator); });
  for (WisdomFile& file : files_of(known.wisdom.machine.processor)) {
    if (!file.wisdom.machine.mpi.starts_with(words) || !tells_of(file.wisdom, nodes == 1)) continue;
    known.file = file.path.string();
    known.wisdom = std::move(file.wisdom);
    known.has_mpi = known.wisdom.machine.mpi != "none";
    return known;
  }
  return known;
}

DecisionOptions ExplainKnowledge::options(const Problem& problem) const {
  DecisionOptions by{.executors = {}, .with_vendor = has_mpi && (!only || only == Executor::mpi)};
  const Situation situation = situation_of(problem);
  for (const ExecutorRow& row : all_executors())
    if ((only ? row.executor == *only : row.is_automatic) && is_offered(row, situation, has_mpi))
      by.executors.push_back(row.executor);
  if (by.executors.empty()) by.executors.push_back(Executor::mpi);
  // Groups prefer the executors that use shared memory.
  std::stable_partition(by.executors.begin(), by.executors.end(),
                        [](Executor each) { return row_of(each).memory != SharedBy::nobody; });
  by.preset = preset;
  by.situation = situation;
  by.cores = wisdom.machine.cores;
  return by;
}

std::optional<ExecutorFit> ExplainKnowledge::fit(Executor executor, const Situation& situation) const {
  if (const ExecutorFit* measured = wisdom.find_fit(executor, situation)) return *measured;
  if (preset) return preset_fit(*preset, executor, situation, wisdom.machine.cores);
  return std::nullopt;
}

}  // namespace quadrille::command
