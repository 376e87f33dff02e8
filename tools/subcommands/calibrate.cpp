// SPDX-License-Identifier: BSD-3-Clause
// quadrille calibrate: measures this machine and writes its figures to a machine file for `price` and `race`.
#include "quadrille/fit.hpp"
#include "quadrille/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <tuple>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_threads = 64, standard_threads = 8;

struct CalibrateArguments {
  std::optional<Count> ranks;
  std::optional<std::string> executor, output;
  CalibrateOptions calibrate;
  bool without_residuals = false, json = false;
};

struct CalibrateRequest {
  bool launched = false;
  Count ranks = 0;  // threads
  CalibrateOptions options;
  std::filesystem::path file;
};

// Returns the file to write. The user's folder is created if it does not exist.
std::filesystem::path file_of(const CalibrateArguments& options) {
  if (options.output) return *options.output;
  const std::string folder = user_machine_folder();
  if (folder.empty()) refuse("there is no home folder to keep this-machine in; name a file: --output this-machine.toml");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::environment, fmt::format("cannot make the folder '{}': {}", folder, error.message()));
  return std::filesystem::path(folder) / "this-machine.toml";
}

CalibrateRequest request_of(const CalibrateArguments& options) {
  CalibrateRequest request{.ranks = options.ranks.value_or(standard_threads), .options = options.calibrate};
  const AskedExecutor asked = parse_executor_of_ranks(options.executor);
  const TransportChoice choice = choose_transport();
  request.launched = !asked.on_threads && choice.transport != TransportKind::threads;
  if (options.executor && !asked.on_threads && !request.launched)
    refuse(
        fmt::format("there are no processes to exchange with by the executor {}: {}; start it as 'mpirun -n 8 quadrille calibrate'",
                    *options.executor, choice.reason));
  request.options.executor = asked.executor;
  request.options.residuals = !options.without_residuals;
  if (request.ranks > most_threads)
    refuse(fmt::format("{} ranks are too many to calibrate on threads; the limit is {}", request.ranks, most_threads));
  if (request.launched && options.ranks) refuse("the launcher sets the number of ranks; leave --ranks out");
  if (options.output == "-") refuse("calibrate prints a report to stdout; name a file for the figures: --output this-machine.toml");
  request.file = file_of(options);
  std::error_code none;
  if (!options.output && exists(request.file, none) && !is_regular_file(request.file, none))
    refuse(fmt::format("the machine file '{}' is not a regular file", request.file.string()));
  return request;
}

// One row for each collective by the MPI library or by ours, one column for each size of block: "1.31 ±12 %".
std::string residuals_text(const std::vector<Residual>& residuals) {
  if (residuals.empty()) return "";
  std::set<Bytes> sizes;
  for (const Residual& each : residuals) sizes.insert(each.block_bytes);
  std::vector<Column> columns = headings("measured / predicted|by");
  for (const Bytes bytes : sizes) columns.push_back({bytes == 0 ? "no data" : bytes_text(bytes), Align::right});
  Table table(columns);
  using Row = std::tuple<Collective, Implementation, bool>;
  for (const Collective collective : all_collectives())
    for (const Row& row : {Row(collective, Implementation::ours, false), Row(collective, Implementation::ours, true),
                           Row(collective, Implementation::vendor, false), Row(collective, Implementation::vendor, true)}) {
      const auto [of, by, in_succession] = row;
      std::vector<TableCell> cells{std::string(name(of)), fmt::format("{}{}", name(by), in_succession ? ", in succession" : "")};
      bool has_any = false;
      for (const Bytes bytes : sizes) {
        const auto found = std::find_if(residuals.begin(), residuals.end(), [&](const Residual& each) {
          return Row(each.collective, each.by, each.in_succession) == row && each.block_bytes == bytes;
        });
        has_any = has_any || found != residuals.end();
        cells.push_back(found == residuals.end() ? "" : fmt::format("{:.2f} ±{:.0f} %", found->ratio, 100 * found->spread));
      }
      if (has_any) table.add(std::move(cells));
    }
  return table.text() + '\n';
}

std::string calibration_text(const Calibration& calibration) {
  std::string text = fmt::format("{}: {}\n\n", calibration.machine.name, calibration.machine.description);
  Table table(
      {{"timed"}, {"message", Align::right}, {"measured", Align::right}, {"fitted", Align::right}, {"error", Align::right}});
  for (const LineFit& fit : calibration.fits)
    for (const auto& sample : fit.samples)
      table.add({fit.of, Sizes{{sample.bytes}}, seconds_text(sample.seconds, sample.clock_bound_s),
                 seconds_text(fit.at(sample.bytes)), fmt::format("{:+.0f} %", std::round(100 * fit.error(sample)) + 0.0)});
  text += table.text() + '\n';
  text += fmt::format("a byte copied in one run {:.3g} ns, in pieces of 64 {:.3g} ns\n\n", calibration.copy_s_per_byte * 1e9,
                      calibration.gather_s_per_byte * 1e9);
  MachineCosts figures = calibration.machine;
  figures.residuals.clear();  // a table is easier to read
  return text + residuals_text(calibration.machine.residuals) + machine_text(figures, calibration.remarks());
}

Json calibration_json(const Calibration& calibration) {
  const MachineCosts& machine = calibration.machine;
  Json object = MEMBERS_OF(machine, name, description, models);
  object["fits"] = array_of(calibration.fits, [](const LineFit& fit) {
    Json json = MEMBERS_OF(fit, of, startup_s, s_per_byte);
    json["worst_error"] = fit.worst_error();
    json["samples"] = array_of(fit.samples, [&](const auto& sample) {
      return joined(MEMBERS_OF(sample, bytes, seconds, clock_bound_s), {{"fitted_s", fit.at(sample.bytes)}});
    });
    return json;
  });
  object["residuals"] = array_of(machine.residuals, [](const Residual& each) {
    return Json{{"collective", name(each.collective)},
                {"by", name(each.by)},
                {"block", each.block_bytes},
                {"ratio", each.ratio},
                {"spread", each.spread},
                {"noise", each.noise},
                {"in_succession", each.in_succession}};
  });
  object.update(MEMBERS_OF(machine, residual_node_sizes, residual_date));
  return joined(object, MEMBERS_OF(calibration, max_rate_error, copy_s_per_byte, gather_s_per_byte, missing));
}

constexpr double most_tolerated_error = 0.5;  // above this error of a fit a remark is printed

std::string file_text(const Calibration& calibration) {
  try {
    return machine_text(calibration.machine, calibration.remarks());
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}; nothing is written, calibrate again on a quiet machine", error.what()));
  }
}

// Prints and writes the result, on the rank that prints.
void report(Calibration calibration, const CalibrateRequest& request, bool json) {
  calibration.machine.description += ", " + to_string(this_machine());
  Output(request.file.string()).finish(file_text(calibration));
  Output().finish(json ? document_text("calibrate", calibration_json(calibration)) : calibration_text(calibration));
  for (const LineFit& fit : calibration.fits)
    if (fit.worst_error() > most_tolerated_error)
      remark(fmt::format("{}: the fit is off by {:.0f} % at most; calibrate again on a quiet machine, or with a longer --time",
                         fit.of, 100 * fit.worst_error()));
  remark(fmt::format("written to {}; try: quadrille price alltoall --ranks 8 --machine {}", request.file.string(),
                     request.file.stem() == "this-machine" && request.file.parent_path() == user_machine_folder()
                         ? "this-machine"
                         : request.file.string()));
}

int run_calibrate(const CalibrateArguments& options) {
  const CalibrateRequest request = request_of(options);
  RankGroup ranks = request.launched ? RankGroup(join_launched_ranks()) : RankGroup(request.ranks);
  if (!ranks.first_can_write({request.file.string()})) return misused;
  CalibrateOptions told = request.options;
  std::optional<ProgressLine> line(std::in_place);
  told.progress = [&](std::string_view doing) { line->show(doing); };
  return ranks.run(RankGroup::for_ever, [&](Communicator& communicator) {
    Calibration calibration = calibrate(communicator, told);
    if (communicator.rank() != 0) return good;
    line.reset();
    report(std::move(calibration), request, options.json);
    return good;
  });
}

}  // namespace

Subcommand add_calibrate(CLI::App& command) {
  auto options = std::make_shared<CalibrateArguments>();
  OptionTable table(command, "calibrate",
                    "measure what start-ups and bytes cost on this machine, and keep the costs as this-machine for price and race");
  table.add(group::execution,
            {{"--ranks",
              "N",
              {options->ranks, whole("the number of ranks", 2)},
              fmt::format("number of threads (default {}); a launcher sets the number of ranks itself", standard_threads)},
             {"--executor", "NAME", options->executor,
              "threads, " + executor_help() +
                  "; default: without a launcher threads, else the first of shared, hybrid and mpi that the ranks have"}});
  table.add(group::measurement,
            {{"--time",
              "SECONDS",
              {options->calibrate.seconds, seconds("the time")},
              "approximate time of the fits (default {default}s); comparing prices with measured times takes as long "
              "again, at most twice as long"},
             {"--without-residuals", "", options->without_residuals,
              "do not compare the prices with measured times of collectives; 'quadrille project' then assumes "
              "that they are off by 20 %"}});
  table.add_json(options->json, "print a JSON object");
  table.add(group::output, {{"-o,--output", "FILE", options->output,
                             "write the machine to this file (default: this-machine.toml in the user's folder)"}});
  table.set_footer(
      "The fitted lines are printed with their distance from the measured times. Figures that cannot be measured are left "
      "out. Then each collective is timed at eight sizes, by our choice and by the MPI library's own, after pauses and in "
      "succession; the file has these times divided by the prices, by which 'quadrille project' corrects prices and draws "
      "bands.\n\n"
      "Examples:\n"
      "  quadrille calibrate\n"
      "  mpirun -n 8 quadrille calibrate --output eight.toml\n"
      "  quadrille run -n 4 quadrille calibrate --executor shared\n"
      "  quadrille price alltoall --ranks 8 --machine this-machine");
  Subcommand subcommand{std::move(table), [options] { return run_calibrate(*options); },
                        [options] { return joins_launched_ranks(options->executor); }};
  subcommand.writes = [] { return FileFormat::toml; };
  return subcommand;
}

}  // namespace quadrille::command
