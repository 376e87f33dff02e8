// SPDX-License-Identifier: BSD-3-Clause
// quadrille report: prints the counters of the ranks of a program that ran under 'quadrille wrap'.
#include "mpi_face/report/report.hpp"

#include <filesystem>
#include <memory>

#include "foundation/system/files.hpp"
#include "mpi_face/report/report_folder.hpp"
#include "options/arguments.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"

namespace quadrille::command {
namespace {

struct ReportArguments {
  std::vector<std::string> places;
  std::optional<std::string> output;
  bool full = false, json = false;
};

// What 'quadrille wrap --watch' has left about a hang of these runs; empty if there was none.
std::string hangs_of(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) {
    const std::filesystem::path folder(place);
    const std::filesystem::path beside = folder.parent_path() / folder.stem();  // FILE of FILE.counters
    for (const std::string& file : {place + "/run.hang.txt", beside.string() + ".hang.txt"})
      if (std::filesystem::is_regular_file(file)) text += read_regular_file(file, 1, "the verdict '" + file + "'").text + '\n';
  }
  return text;
}

int run_report(const ReportArguments& options) {
  std::vector<std::string> places = options.places;
  if (places.empty()) {
    const auto latest = mpi_face::latest_report_folder();
    if (!latest)
      refuse(
          "the folder of temporary files has no counters of yours; name another folder, or count a program: mpirun -n 8 "
          "quadrille wrap --report ./app");
    places.push_back(*latest);
  }
  Output output(options.output);
  const mpi_face::RunReport report = mpi_face::read_run(places);
  output.finish(options.json ? mpi_face::json_text_of(report)
                             : hangs_of(places) + mpi_face::text_of(report, {.full = options.full}));
  return good;
}

}  // namespace

Subcommand add_report(CLI::App& command) {
  auto options = std::make_shared<ReportArguments>();
  OptionTable table(command, "report", "print how long an MPI program under 'quadrille wrap' was in collectives and in messages");
  table.add(group::arguments,
            {{"counters", "FILE|FOLDER", options->places,
              "files of ranks, or folders of such files (default: those of the last counted run in $TMPDIR or /tmp)"}});
  table.add(group::output, {{"--full", "", options->full, "every row, the traffic matrix, the communicators and the ranks"}});
  table.add_json(options->json, "everything, as a JSON object (docs/report.md)");
  table.add_output(options->output);
  table.set_footer(
      "With 'quadrille wrap --report' each rank counts in a file of its own, which outlives the rank however it ends. The files of "
      "ranks that died or are still running are read as well, so this command shows which rank is inside which "
      "collective.\n"
      "Columns: share: part of the time of all ranks. time: time inside the calls, mean of the ranks. block: bytes of a block as "
      "in MPI's arguments; for alltoallv and the like, the bytes that a rank sent in a call. a call: time of a rank in one "
      "call, including waiting. late ranks: the part of it in which a rank waited for others to come, by n calls in which that was "
      "measured.\n\n"
      "Examples:\n"
      "  mpirun -n 8 quadrille wrap --report ./app\n"
      "  mpirun -n 8 quadrille wrap --report=full:run.txt ./app\n"
      "  quadrille report run.txt.counters --full\n"
      "  quadrille report /tmp/quadrille-report-*/rank-3.counters\n"
      "  quadrille report run.txt.counters --json --output run.json");
  return {std::move(table), [options] { return run_report(*options); }};
}

}  // namespace quadrille::command
