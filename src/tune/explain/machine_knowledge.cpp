// SPDX-License-Identifier: BSD-3-Clause
// What is known of a machine without a launcher.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "execute/executors.hpp"
#include "execute/threads/threads.hpp"
#include "quadrille/explain.hpp"
#include "quadrille/fit.hpp"
#include "tune/choosing/knowledge.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

struct WisdomFile {
  fs::path path;
  fs::file_time_type time;
  Wisdom wisdom;
};

std::optional<WisdomFile> read(const fs::path& path, std::vector<std::string>& left_out) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  try {
    return WisdomFile{path, time, read_any_wisdom(path.string())};
  } catch (const Error& damaged) {
    left_out.emplace_back(damaged.what());
    return std::nullopt;
  }
}

// Returns the wisdom files for this machine's processor, newest first.
std::vector<WisdomFile> files_of(const std::string& processor, std::vector<std::string>& left_out) {
  std::vector<WisdomFile> files;
  for (const std::string& path : wisdom_files())
    if (auto file = read(path, left_out); file && file->wisdom.machine.processor == processor) files.push_back(*std::move(file));
  std::stable_sort(files.begin(), files.end(), [](const WisdomFile& a, const WisdomFile& b) { return a.time > b.time; });
  return files;
}

// Returns true if the wisdom is for one node (`one_node`), or for several nodes (not `one_node`). A machine has a file for each
// of the two, because the fingerprint of a group on one node has no network.
bool tells_of(const Wisdom& wisdom, bool one_node) {
  const auto is_so = [&](Count nodes) { return (nodes == 1) == one_node; };
  return std::any_of(wisdom.records.begin(), wisdom.records.end(), [&](const auto& each) { return is_so(each.situation.nodes); }) ||
         std::any_of(wisdom.executors.begin(), wisdom.executors.end(), [&](const auto& each) { return is_so(each.nodes); });
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

// Returns true if the preset prices all executors alike, because its model does not distinguish them. In that case one executor
// stands for all.
bool knows_no_executors(const DecisionOptions& by, const Problem& problem) {
  if (!by.preset) return false;
  const auto chosen = model_of_preset(problem, by);
  return chosen && !chosen->model->needs_work;
}

}  // namespace

MachineKnowledge knowledge_here(Count nodes, std::string_view mpi) {
  MachineKnowledge known{.preset = usual_preset(nodes), .has_mpi = mpi != "none"};
  run_as_threads(1, [&](Communicator& communicator) { known.wisdom.machine = fingerprint(communicator); });
  for (WisdomFile& file : files_of(known.wisdom.machine.processor, known.left_out)) {
    if (!file.wisdom.machine.mpi.starts_with(mpi) || !tells_of(file.wisdom, nodes == 1)) continue;
    known.file = file.path.string();
    known.wisdom = std::move(file.wisdom);
    known.has_mpi = known.wisdom.machine.mpi != "none";
    return known;
  }
  return known;
}

DecisionOptions MachineKnowledge::options_for(const Problem& problem) const {
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
  if (topology && topology->ranks() == problem.ranks) by.topology = topology;
  if (!only && wisdom.executors.empty() && knows_no_executors(by, problem)) by.executors = {by.executors.back()};
  by.situation = situation;
  by.cores = wisdom.machine.cores;
  return by;
}

std::optional<ExecutorFit> MachineKnowledge::fit(Executor executor, const Situation& situation) const {
  if (const ExecutorFit* measured = wisdom.find_fit(executor, situation)) return *measured;
  if (preset && preset->models.contains("max-rate")) return preset_fit(*preset, executor, situation, wisdom.machine.cores);
  return std::nullopt;
}

}  // namespace quadrille
