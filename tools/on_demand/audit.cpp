// SPDX-License-Identifier: BSD-3-Clause
// Runs quadrille audit: measures which performance guidelines the vendor's collectives violate, and which ours do.
#include "tune/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "on_demand/audit_report.hpp"
#include "options/arguments.hpp"
#include "quadrille/error.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/transports.hpp"
#include "subcommands/on_demand.hpp"
#include "support/exit_codes.hpp"
#include "support/launcher.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

// The checked options of one audit, the same on every rank.
struct AuditRequest {
  std::vector<Collective> collectives;
  std::vector<Bytes> sizes;
  AuditOptions options;
  double tolerance = 1.05, timeout_seconds = 60;
};

std::vector<Library> libraries_of(const AuditArguments& options, bool mpi) {
  const std::string side = options.side.value_or(mpi ? "both" : "ours");
  if (side != "vendor" && side != "ours" && side != "both") refuse_unknown("side", side, {"vendor", "ours", "both"});
  if (side != "ours" && !mpi)
    refuse("there is no vendor here: it is an MPI library's own collectives; start the audit under mpirun, or take --side ours");
  if (side == "both") return {Library::vendor, Library::ours};
  return {side == "vendor" ? Library::vendor : Library::ours};
}

AuditRequest make_request(const AuditArguments& options, Count ranks, bool mpi) {
  AuditRequest request;
  for (const std::string& name : options.collectives) request.collectives.push_back(parse_collective(name));
  if (request.collectives.empty()) request.collectives = all_collectives();
  request.sizes = parse_sizes(options.block.value_or("8B,1KiB,64KiB"));
  request.options.libraries = libraries_of(options, mpi);
  request.options.operation = built_in_operator(options.operation.value_or("sum"), options.type.value_or("f64"));
  if (options.repetitions) {
    const Count repetitions = parse_whole(*options.repetitions, "the number of repetitions", 1);
    if (repetitions < 6) refuse(fmt::format("{} repetitions give no interval of 95 % confidence; take 6 at least", repetitions));
    if (repetitions > 1'000'000) refuse(fmt::format("{} repetitions are too many; the limit is 1000000", repetitions));
    request.options.repetitions = static_cast<int>(repetitions);
  }
  if (options.time) request.options.seconds = parse_seconds(*options.time, "the time");
  if (options.seed) request.options.seed = static_cast<std::uint64_t>(parse_whole(*options.seed, "the seed", 0));
  if (options.tolerance) request.tolerance = parse_factor(*options.tolerance, "the tolerance", 1);
  if (options.timeout) request.timeout_seconds = parse_seconds(*options.timeout, "the time-out");
  for (const Guideline& guideline : all_guidelines())
    if (std::count(request.collectives.begin(), request.collectives.end(), guideline.left) > 0)
      for (const Bytes size : request.sizes) {
        const Bytes element = request.options.operation->element_bytes;
        if (is_reduction(guideline.left) && size % element != 0)
          refuse(
              fmt::format("blocks of {} bytes do not hold whole elements of {} bytes ({} of {}); choose another --block or --type",
                          size, element, request.options.operation->name, request.options.operation->type));
        check_memory(left_side(guideline, ranks, size, request.options.operation.get()));
      }
  return request;
}

// Returns what to audit: each collective at each size. A barrier has no size, so it is audited once.
std::vector<std::pair<Collective, Bytes>> audits_of(const AuditRequest& request) {
  std::vector<std::pair<Collective, Bytes>> audits;
  for (const Collective collective : request.collectives)
    for (const Bytes size : request.sizes)
      if (moves_data(collective) || size == request.sizes.front()) audits.emplace_back(collective, size);
  return audits;
}

// Runs all audits. Returns the exit code, the same on every rank.
int run_all(Communicator& communicator, AuditRequest request, bool strict, AuditReport* report, Watchdog& watchdog) {
  int code = good;
  ProgressLine progress;
  const auto audits = audits_of(request);
  for (std::size_t i = 0; i < audits.size(); ++i) {
    const auto [collective, size] = audits[i];
    request.options.progress = [&, of = collective](int repetition, int repetitions) {
      watchdog.beat();
      progress.show(fmt::format("{}: {} of {}, repetition {} of {}", name(of), i + 1, audits.size(), repetition + 1, repetitions));
    };
    if (report) watchdog.beat();
    AuditResult result = audit(communicator, collective, size, request.options);
    for (const Audited& comparison : result.comparisons) {
      const Judgement judgement = comparison.judgement(request.tolerance);
      const bool counts = strict && comparison.library == Library::ours && judgement == Judgement::violated;
      if (counts || judgement == Judgement::wrong_data) code = with_findings;
    }
    if (!report) continue;
    progress.clear();
    report->add(std::move(result));
  }
  return code;
}

int run_on_threads(const AuditArguments& options) {
  const Count ranks = options.ranks ? parse_whole(*options.ranks, "the number of ranks", 1) : 8;
  check_threads(ranks);
  const AuditRequest request = make_request(options, ranks, false);
  AuditReport report(options.output, options.json, request.tolerance, "threads", ranks, request.options);
  Watchdog watchdog(request.timeout_seconds, [&] { complain(stuck(request.timeout_seconds)); });
  int code = good;
  run_threads(ranks, [&](Communicator& communicator) {
    const bool is_first = communicator.rank() == 0;
    const int mine = run_all(communicator, request, options.strict, is_first ? &report : nullptr, watchdog);
    if (is_first) code = mine;
  });
  report.finish();
  return code;
}

int run_launched(const AuditArguments& options) {
  if (options.ranks) refuse("the launcher sets the number of ranks; leave --ranks out");
  // Errors that can be found before MPI starts are thrown here, so that every process simply exits.
  const bool mpi = choose_transport().is_mpi();
  if (const auto here = launched()) make_request(options, here->ranks, mpi);
  const std::unique_ptr<Communicator> world = join_launched_ranks();
  const AuditRequest request = make_request(options, world->size(), mpi);
  if (!first_can_write(*world, options.output)) return misused;
  return run_watched(*world, request.timeout_seconds, [&](Watchdog& watchdog) {
    const bool is_first = world->rank() == 0;
    AuditReport report(is_first ? options.output : std::nullopt, options.json, request.tolerance,
                       std::string(world->transport_name()), world->size(), request.options);
    const int code = run_all(*world, request, options.strict, is_first ? &report : nullptr, watchdog);
    if (is_first) report.finish();
    return code;
  });
}

}  // namespace

int run_audit(const AuditArguments& options) {
  if (options.list) {
    Output(options.output).finish(guidelines_text());
    return good;
  }
  return joins_launched_ranks(std::nullopt) ? run_launched(options) : run_on_threads(options);
}

}  // namespace quadrille::command
