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

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"
#include "support/machine.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_threads = 64;

struct CalibrateArguments {
  std::optional<std::string> ranks, executor, time, output;
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
  CalibrateRequest request;
  const AskedExecutor asked = parse_executor_of_ranks(options.executor);
  const TransportChoice choice = choose_transport();
  request.launched = !asked.on_threads && choice.transport != TransportKind::threads;
  if (options.executor && !asked.on_threads && !request.launched)
    refuse(
        fmt::format("there are no processes to exchange with by the executor {}: {}; start it as 'mpirun -n 8 quadrille calibrate'",
                    *options.executor, choice.reason));
  request.options.executor = asked.executor;
  if (options.time) request.options.seconds = parse_seconds(*options.time, "the time");
  request.options.residuals = !options.without_residuals;
  request.ranks = options.ranks ? parse_whole(*options.ranks, "the number of ranks", 2) : 8;
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

// One row for each collective and side, one column for each size of block: "1.31 ±12 %".
std::string residuals_text(const std::vector<Residual>& residuals) {
  if (residuals.empty()) return "";
  std::set<Bytes> sizes;
  for (const Residual& each : residuals) sizes.insert(each.block_bytes);
  std::vector<Column> columns{{"measured / predicted"}, {"by"}};
  for (const Bytes bytes : sizes) columns.push_back({bytes == 0 ? "no data" : bytes_text(bytes), Align::right});
  Table table(columns);
  for (const Collective collective : all_collectives())
    for (const Implementation by : {Implementation::ours, Implementation::vendor}) {
      std::vector<TableCell> cells{std::string(name(collective)), std::string(name(by))};
      bool has_any = false;
      for (const Bytes bytes : sizes) {
        const auto found = std::find_if(residuals.begin(), residuals.end(), [&](const Residual& each) {
          return each.collective == collective && each.by == by && each.block_bytes == bytes;
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
  Json fits = Json::array(), models = Json::object(), residuals = Json::array();
  for (const LineFit& fit : calibration.fits) {
    Json samples = Json::array();
    for (const auto& sample : fit.samples)
      samples.push_back({{"bytes", sample.bytes},
                         {"seconds", sample.seconds},
                         {"clock_bound_s", sample.clock_bound_s},
                         {"fitted_s", fit.at(sample.bytes)}});
    fits.push_back({{"of", fit.of},
                    {"startup_s", fit.startup_s},
                    {"s_per_byte", fit.s_per_byte},
                    {"worst_error", fit.worst_error()},
                    {"samples", std::move(samples)}});
  }
  for (const auto& [id, coefficients] : calibration.machine.models)
    for (const auto& [key, value] : coefficients) models[id][key] = value;
  for (const Residual& each : calibration.machine.residuals)
    residuals.push_back({{"collective", name(each.collective)},
                         {"by", name(each.by)},
                         {"block", each.block_bytes},
                         {"ratio", each.ratio},
                         {"spread", each.spread}});
  return {{"name", calibration.machine.name},
          {"description", calibration.machine.description},
          {"models", std::move(models)},
          {"fits", std::move(fits)},
          {"residuals", std::move(residuals)},
          {"residual_node_sizes", calibration.machine.residual_node_sizes},
          {"max_rate_error", calibration.max_rate_error},
          {"copy_s_per_byte", calibration.copy_s_per_byte},
          {"gather_s_per_byte", calibration.gather_s_per_byte},
          {"missing", calibration.missing}};
}

constexpr double most_tolerated_error = 0.5;  // of a fit; above this a remark is printed

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
  Output().finish(json ? to_text(calibration_json(calibration)) : calibration_text(calibration));
  for (const LineFit& fit : calibration.fits)
    if (fit.worst_error() > most_tolerated_error)
      remark(fmt::format("{}: the fit is off by {:.0f} % at most; calibrate again on a quiet machine, or with a longer --time",
                         fit.of, 100 * fit.worst_error()));
  remark(fmt::format("written to {}; try: quadrille price alltoall --ranks 8 --machine {}", request.file.string(),
                     request.file.stem() == "this-machine" && request.file.parent_path() == user_machine_folder()
                         ? "this-machine"
                         : request.file.string()));
}

// Shows on a line of stderr what the calibration is doing.
auto with_progress(CalibrateOptions options, const auto& run_calibrate) {
  ProgressLine line;
  options.progress = [&](std::string_view doing) { line.show(doing); };
  return run_calibrate(options);
}

int run_launched(const CalibrateRequest& request, bool json) {
  const std::unique_ptr<Communicator> world = join_launched_ranks();
  if (!first_can_write(*world, request.file.string())) return misused;
  try {
    const Calibration calibration =
        with_progress(request.options, [&](const CalibrateOptions& told) { return calibrate(*world, told); });
    if (world->rank() == 0) report(calibration, request, json);
    return good;
  } catch (const Error& error) {
    // All ranks throw this error. After any other error, other ranks may still wait for this one.
    if (error.code() == ErrorCode::misuse) throw;
    fmt::print(stderr, "quadrille: rank {}: {}\n", world->rank(), error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "quadrille: rank {}: {}\n", world->rank(), error.what());
  }
  world->abort(misused);
  return misused;
}

int run_calibrate(const CalibrateArguments& options) {
  const CalibrateRequest request = request_of(options);
  if (request.launched) return run_launched(request, options.json);
  Output{request.file.string()};  // throws if it cannot be written
  Calibration calibration;
  with_progress(request.options, [&](const CalibrateOptions& told) {
    run_threads(request.ranks, [&](Communicator& communicator) {
      Calibration mine = calibrate(communicator, told);
      if (communicator.rank() == 0) calibration = std::move(mine);
    });
  });
  report(std::move(calibration), request, options.json);
  return good;
}

}  // namespace

Subcommand add_calibrate(CLI::App& command) {
  auto options = std::make_shared<CalibrateArguments>();
  CLI::App* parser = add_subcommand(
      command, "calibrate",
      "measure what start-ups and bytes cost on this machine, and keep the costs as this-machine for price and race");
  begin_group(*parser, group::execution);
  add_option(*parser, "--ranks", options->ranks, "number of threads (default 8); a launcher sets the number of ranks itself", "N");
  add_option(*parser, "--executor", options->executor,
             "threads, " + executor_help() +
                 "; default: without a launcher threads, else the first of shared, hybrid and mpi that the ranks have",
             "NAME");
  begin_group(*parser, group::measurement);
  add_option(
      *parser, "--time", options->time,
      "approximate time of the fits (default 2s); comparing prices with measured times takes as long again, at most twice as long",
      "SECONDS");
  add_flag(
      *parser, "--without-residuals", options->without_residuals,
      "do not compare the prices with measured times of collectives; 'quadrille project' then assumes that they are off by 20 %");
  add_json_flag(*parser, options->json, "print a JSON object");
  add_option(*parser, "-o,--output", options->output,
             "write the machine to this file (default: this-machine.toml in the user's folder)", "FILE");
  set_footer(
      *parser,
      "The fitted lines are printed with their distance from the measured times. Figures that cannot be measured are left "
      "out. Then each collective is timed at eight sizes, by our choice and by the MPI library's own; the file has these times "
      "divided by the prices, by which 'quadrille project' corrects prices and draws bands.\n\n"
      "Examples:\n"
      "  quadrille calibrate\n"
      "  mpirun -n 8 quadrille calibrate --output eight.toml\n"
      "  quadrille run -n 4 quadrille calibrate --executor shared\n"
      "  quadrille price alltoall --ranks 8 --machine this-machine");
  Subcommand subcommand{parser, [options] { return run_calibrate(*options); },
                        [options] { return joins_launched_ranks(options->executor); }};
  subcommand.writes = [] { return FileFormat::toml; };
  return subcommand;
}

}  // namespace quadrille::command
