// SPDX-License-Identifier: BSD-3-Clause
// quadrille watch: says what the ranks of a program that runs under 'quadrille wrap --watch' do now, and which of them is missing.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "foundation/system/proc.hpp"
#include "foundation/text/parsing.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "mpi_face/watch/verdict.hpp"
#include "options/arguments.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "watch/watched_file.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;
using mpi_face::SeenRank;

constexpr double waits_s = 1;  // a rank that has been in a call for so long waits

struct WatchArguments {
  std::optional<std::string> place;
  std::optional<std::string> output;
  bool json = false;
};

// The folder of the counters that a process writes; empty if it writes none.
std::string folder_of(long process) {
  std::error_code error;
  for (fs::directory_iterator each(fmt::format("/proc/{}/fd", process), error), end; !error && each != end; each.increment(error)) {
    std::error_code ignored;
    const fs::path file = fs::read_symlink(each->path(), ignored);
    if (file.extension() == ".counters" && file.filename().string().starts_with("rank-")) return file.parent_path();
  }
  return {};
}

// The same for a process or what it has started, such as 'quadrille wrap' or the launcher.
std::string folder_below(long process, int depth = 0) {
  if (const std::string folder = folder_of(process); !folder.empty() || depth == 8) return folder;
  const std::string children = beginning_of(fmt::format("/proc/{0}/task/{0}/children", process), 1 << 16);
  for (const std::string_view word : split(trimmed(children), ' '))
    if (const auto child = number_in<long>(word))
      if (const std::string folder = folder_below(*child, depth + 1); !folder.empty()) return folder;
  return {};
}

std::string folder_at(const WatchArguments& options) {
  if (!options.place) {
    if (const auto latest = mpi_face::latest_report_folder()) return *latest;
    refuse("no program of yours is watched; start one by: mpirun -n 8 quadrille wrap --watch ./app");
  }
  if (fs::is_directory(*options.place)) return *options.place;
  const auto process = number_in<long>(*options.place);
  if (!process) refuse(fmt::format("'{}' is neither a folder of counters nor the number of a process", *options.place));
  const std::string folder = folder_below(*process);
  if (folder.empty())
    refuse(fmt::format("process {} runs nothing that is watched; start it by: mpirun -n 8 quadrille wrap --watch ./app", *process));
  return folder;
}

// Asks the watchers of the ranks, and waits for their answers. Ranks without a watcher are read from their files.
std::vector<SeenRank> ranks_in(const std::string& folder, Count& world_size) {
  std::vector<std::pair<WatchedFile, std::uint64_t>> files;  // and the number of the question
  for (const auto& each : fs::directory_iterator(folder))
    if (each.path().extension() == ".counters")
      if (auto file = WatchedFile::open(each.path())) {
        const bool is_here = mpi_face::words_of(file->header().host) == host_name() && !file->has_ended();
        files.emplace_back(*file, is_here ? file->ask(true) : 0);
      }
  if (files.empty()) refuse(fmt::format("'{}' has no counters of watched ranks", folder));
  std::vector<SeenRank> ranks;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (const auto& [file, question] : files) {
    while (!file.answer(question) && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    world_size = std::max<Count>(world_size, file.header().world_size);
    ranks.push_back(file.seen(question));
  }
  return ranks;
}

int run_watch(const WatchArguments& options) {
  Output output(options.output);
  Count world_size = 1;
  const std::vector<SeenRank> ranks = ranks_in(folder_at(options), world_size);
  const auto verdict = mpi_face::find_hang(ranks, world_size, {waits_s});
  if (options.json)
    output.finish(verdict ? mpi_face::json_text_of(*verdict)
                          : std::string("{\"format\": \"quadrille-hang/1\", \"hangs\": false}\n"));
  else
    output.finish((verdict ? mpi_face::text_of(*verdict)
                           : fmt::format("no rank of {} has waited for {:g} s: nothing hangs\n", world_size, waits_s)) +
                  mpi_face::leaks_text(ranks));
  return verdict ? with_findings : good;
}

}  // namespace

Subcommand add_watch(CLI::App& command) {
  auto options = std::make_shared<WatchArguments>();
  OptionTable table(command, "watch", "say which rank of a running MPI program is missing, in which call and where");
  table.add(group::arguments, {{"place", "PID|FOLDER", options->place,
                                "a process of the program, or of its launcher; or the folder of its counters (default: the last "
                                "program that was watched or counted on this machine)"}});
  table.add_json(options->json, "the verdict as a JSON object (docs/watch.md)");
  table.add_output(options->output);
  table.set_footer(
      "For programs that were started by 'quadrille wrap --watch', which prints the same by itself when no collective has ended "
      "for 10 seconds. Sees the ranks of this machine. Exits with 1 if ranks wait for a rank that does not come.\n\n"
      "Examples:\n"
      "  mpirun -n 8 quadrille wrap --watch ./app\n"
      "  quadrille watch\n"
      "  quadrille watch $(pgrep -n mpirun)\n"
      "  quadrille watch run.txt.counters --json");
  return {std::move(table), [options] { return run_watch(*options); }};
}

}  // namespace quadrille::command
