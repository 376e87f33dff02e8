// SPDX-License-Identifier: BSD-3-Clause
// quadrille audit: measures which performance guidelines the vendor's collectives violate, and which ours do.
#include <memory>

#include "options/arguments.hpp"
#include "subcommands/on_demand.hpp"
#include "subcommands/subcommand.hpp"
#include "support/launcher.hpp"

namespace quadrille::command {

Subcommand add_audit(CLI::App& command) {
  auto options = std::make_shared<AuditArguments>();
  OptionTable table(command, "audit",
                    "find collectives that are slower than other collectives that do the same (performance guidelines)");
  table.add(group::arguments, {{"collective",
                                "COLLECTIVE",
                                {options->collectives, parse_collectives},
                                "collectives to audit; see 'quadrille list' (default: all)"}});
  table.add(group::problem,
            {{"--ranks",
              "N",
              {options->ranks, whole("the number of ranks", 1)},
              fmt::format("number of threads (default {}); a launcher sets the number of ranks itself", standard_audit_threads)},
             {"--block",
              "LIST",
              {options->sizes, parse_sizes},
              "bytes of a block, a vector or the mean share: a list, such as 8B,1KiB or 8..64KiB (default 8B,1KiB,64KiB)"},
             {"--op", "NAME", options->operation, "operator of reductions (default sum)"},
             {"--type", "NAME", options->type, "element type of reductions (default f64)"}});
  table.add(group::execution,
            {{"--side", "NAME", options->side,
              "whose collectives: vendor (the MPI library's own), ours or both (default: both under mpirun, else ours)"}});
  table.add(group::measurement,
            {{"--repetitions",
              "N",
              {options->repetitions, repeats("repetitions", 1)},
              "repetitions of everything that is timed (default {default}, at least 6)"},
             {"--time",
              "SECONDS",
              {options->seconds, seconds("the time")},
              "approximate time for a collective at one size (default {default}s)"},
             {"--tolerance",
              "FACTOR",
              {options->tolerance, factor("the tolerance", 1)},
              "a guideline is violated above this factor (default {default})"},
             {"--seed", "N", {options->seed, whole("the seed", 0)}, "seed of the random order of measurements (default {default})"},
             {"--timeout",
              "SECONDS",
              {options->timeout_seconds, seconds("the time-out")},
              "stop after this time without progress (default {default}s)"}});
  table.add(group::output, {{"--list", "", options->list, "print the guidelines with their sources, and measure nothing"},
                            {"--strict", "", options->strict, "exit with code 1 if one of our collectives violates a guideline"}});
  table.add_json(options->json, "as a JSON object, with all guidelines, also those that are not violated");
  table.add_output(options->output);
  table.set_footer(
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
  return {std::move(table), [options] { return run_audit(*options); },
          [options] { return !options->list && joins_launched_ranks(std::nullopt); }};
}

}  // namespace quadrille::command
