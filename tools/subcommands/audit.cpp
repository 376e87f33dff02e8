// SPDX-License-Identifier: BSD-3-Clause
// quadrille audit: measures which performance guidelines the vendor's collectives violate, and which ours do.
#include <memory>

#include "options/common_options.hpp"
#include "subcommands/on_demand.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"

namespace quadrille::command {

Subcommand add_audit(CLI::App& command) {
  auto options = std::make_shared<AuditArguments>();
  CLI::App* parser = add_subcommand(
      command, "audit", "find collectives that are slower than other collectives that do the same (performance guidelines)");
  add_option(*parser, "collective", options->collectives, "collectives to audit; see 'quadrille list' (default: all)",
             "COLLECTIVE");
  begin_group(*parser, group::problem);
  add_option(*parser, "--ranks", options->ranks, "number of threads (default 8); a launcher sets the number of ranks itself", "N");
  add_option(*parser, "--block", options->block,
             "bytes of a block, a vector or the mean share: a list, such as 8B,1KiB or 8..64KiB (default 8B,1KiB,64KiB)", "LIST");
  add_option(*parser, "--op", options->operation, "operator of reductions (default sum)", "NAME");
  add_option(*parser, "--type", options->type, "element type of reductions (default f64)", "NAME");
  begin_group(*parser, group::execution);
  add_option(*parser, "--side", options->side,
             "whose collectives: vendor (the MPI library's own), ours or both (default: both under mpirun, else ours)", "NAME");
  begin_group(*parser, group::measurement);
  add_option(*parser, "--repetitions", options->repetitions, "repetitions of everything that is timed (default 9, at least 6)",
             "N");
  add_option(*parser, "--time", options->time, "approximate time for a collective at one size (default 1s)", "SECONDS");
  add_option(*parser, "--tolerance", options->tolerance, "a guideline is violated above this factor (default 1.05)", "FACTOR");
  add_option(*parser, "--seed", options->seed, "seed of the random order of measurements (default 1)", "N");
  add_option(*parser, "--timeout", options->timeout, "stop after this time without progress (default 60s)", "SECONDS");
  begin_group(*parser, group::output);
  add_flag(*parser, "--list", options->list, "print the guidelines with their sources, and measure nothing");
  add_flag(*parser, "--strict", options->strict, "exit with code 1 if one of our collectives violates a guideline");
  add_json_flag(*parser, options->json, "as a JSON object, with all guidelines, also those that are not violated");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "A guideline says that a collective should not be slower than a mock-up: other collectives that do the same work, such as a "
      "gather and a broadcast for an allgather. Both sides run alternately on real, checked data. The factor is the left "
      "side's time divided by the right side's, the median of the repetitions, with a 95 % confidence interval. A guideline is "
      "violated if the whole interval is above the tolerance, held if none of it is, and open otherwise. Irregular collectives "
      "have equal shares, or shares that rise from 0 to twice --block. Exit code 1 if data was wrong.\n\n"
      "Examples:\n"
      "  mpirun -n 8 quadrille audit\n"
      "  mpirun -n 4 quadrille audit allgather scatter --block 8..1MiB --side vendor\n"
      "  mpirun -n 8 quadrille audit --side ours --tolerance 1.15 --strict --json --output audit.json\n"
      "  quadrille audit --list");
  return {parser, [options] { return run_audit(*options); },
          [options] { return !options->list && joins_launched_ranks(std::nullopt); }};
}

}  // namespace quadrille::command
