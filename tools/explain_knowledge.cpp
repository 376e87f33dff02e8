// SPDX-License-Identifier: BSD-3-Clause
#include "explain_knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "arguments.hpp"
#include "plan/knowledge.hpp"
#include "quadrille/fit.hpp"
#include "talk.hpp"

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
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (error || !in) return std::nullopt;
  try {
    return WisdomFile{path, time, parse_wisdom(text, path.string())};
  } catch (const Error& damaged) {
    remark(fmt::format("left out: {}", damaged.what()));
    return std::nullopt;
  }
}

// Those of this machine's processor, the newest first: other numbers of cores, networks and MPI libraries have files of their own.
std::vector<WisdomFile> files_of(const std::string& processor) {
  std::vector<WisdomFile> files;
  for (const std::string& path : wisdom_files())
    if (auto file = read(path); file && file->wisdom.machine.processor == processor) files.push_back(*std::move(file));
  std::stable_sort(files.begin(), files.end(), [](const WisdomFile& a, const WisdomFile& b) { return a.time > b.time; });
  return files;
}

// One node and several have files of their own: other networks.
bool tells_of(const Wisdom& wisdom, bool one_node) {
  const auto is_so = [&](Count nodes) { return (nodes == 1) == one_node; };
  return std::any_of(wisdom.records.begin(), wisdom.records.end(), [&](const auto& each) { return is_so(each.situation.nodes); }) ||
         std::any_of(wisdom.executors.begin(), wisdom.executors.end(), [&](const auto& each) { return is_so(each.nodes); });
}

}  // namespace

ExplainKnowledge find_knowledge(const KnowledgeOptions& options, Count nodes) {
  ExplainKnowledge known;
  if (options.executor && *options.executor != "mpi" && *options.executor != "shared" && *options.executor != "hybrid")
    refuse_unknown("executor", *options.executor, {"mpi", "shared", "hybrid"});
  if (options.executor) {
    known.only = *options.executor == "mpi"      ? Executor::messages
                 : *options.executor == "shared" ? Executor::shared
                                                 : Executor::hybrid;
    if (nodes > 1 && known.only == Executor::shared) refuse("ranks on several nodes share no memory; take --executor hybrid");
    if (nodes == 1 && known.only == Executor::hybrid) refuse("the ranks are on one node; take --executor shared");
  }
  const std::string_view words = options.mpi ? mpi_title(*options.mpi, {"openmpi", "mpich", "none"}) : "";
  if (options.machine && options.mpi && *options.mpi != "none")
    refuse("--machine and --mpi exclude each other, but for --mpi none");
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
  DecisionOptions by{.executors = {}, .with_vendor = has_mpi && (!only || only == Executor::messages)};
  const Situation situation = situation_of(problem);
  const bool shares = situation.ranks_of_node > 1 && (!only || only != Executor::messages);
  const bool sends = only ? only == Executor::messages : has_mpi || situation.nodes > 1;
  if (shares) by.executors.push_back(situation.nodes > 1 ? Executor::hybrid : Executor::shared);
  if (sends || by.executors.empty()) by.executors.push_back(Executor::messages);
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
