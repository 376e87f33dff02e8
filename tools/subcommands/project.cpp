// SPDX-License-Identifier: BSD-3-Clause
// quadrille project: predicts the times of a recorded program on another machine, with the MPI library's collectives and with
// ours.
#include <memory>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "subcommands/on_demand.hpp"
#include "subcommands/subcommand.hpp"

namespace quadrille::command {

Subcommand add_project(CLI::App& command) {
  auto options = std::make_shared<ProjectArguments>();
  OptionTable table(command, "project", "what a recorded program would take on another machine, and whether ours would be faster");
  table.add(group::arguments,
            {{"folder", "FOLDER", options->folder, "the folder of the recording (default: quadrille-recording)"}});
  table.add(
      group::algorithm,
      {{"--choose", "COLLECTIVE=ALGORITHM", options->chosen,
        "ours: this algorithm for all calls of a collective, such as alltoall=bruck:radix=4, instead of our choice; repeatable"},
       {"--vendor", "NAME", options->vendor,
        "the MPI library whose choices are compared: " + alternatives(vendor_library_ids()) + " (default: the recorded one)"}});
  table.add(
      group::machine,
      {{"--machine", "NAME|FILE", options->machine,
        "the machine: a name, such as hdr, or a machine file; see 'quadrille calibrate'"},
       {"--node-sizes", "LIST", options->node_sizes,
        "ranks of each node, in order: 1,2,3, or 4x6 for four nodes of six (default: the hosts of the recording)"},
       {"--placement", "block|cyclic|FILE", options->placement,
        "block (a node is filled before the next; default), cyclic (one rank a node in turn), or a file with the node of each "
        "rank, instead of --node-sizes"},
       {"--scale", "GRID:same|weak|strong", options->scale,
        "more ranks than were recorded: 8:weak for eight times as many, 2x4=4x16:strong for a grid that grows. same: blocks "
        "keep their sizes, weak: each rank keeps its data, strong: all ranks together keep theirs"},
       {"--computing",
        "FACTOR",
        {options->computing, factor("computing", 0)},
        "factor for the computing between calls (default {default})"},
       {"--away",
        "FACTOR",
        {options->away, factor("time away", 0)},
        "factor for the time in which ranks slept or waited for a core (default {default})"},
       {"--total-cores",
        "N",
        {options->total_cores, whole("the number of cores", 1)},
        "cores that all ranks share while they compute (default: one a rank)"},
       {"--without-late-ranks", "", options->without_late_ranks,
        "as if the ranks of a communicator shared their work evenly and entered each collective together"},
       {"--without-correction", "", options->without_correction,
        "prices as the model tells them, also where the machine's file has residuals measured on the same node sizes"}});
  table.add(group::output, {{"--full", "", options->full, "every row"}});
  table.add_json(options->json, "a JSON object (docs/projection.md)");
  table.add(
      group::output,
      {{"--plot", "FILE", options->plot, "also draw bars before and after, as SVG"},
       {"--goal", "FILE", options->goal, "also write the run as GOAL, for LogGOPSim and ATLAHS (docs/projection.md)"},
       {"--goal-side", "SIDE", options->goal_side, "whose schedules: vendor (default) or ours"},
       {"--trace", "FILE", options->trace,
        "also write what each rank does when, by either side's collectives: run.html is a page, run.perfetto for "
        "ui.perfetto.dev"},
       {"--trace-window", "FROM..TO", options->trace_window,
        "of --trace: only what was recorded in these seconds, such as 2..3.5 (default: from 0 on; at most 100,000 calls of all "
        "ranks together, and 20,000 in a page)"}});
  table.add_output(options->output);
  table.set_footer(
      "The recording ('quadrille wrap --record') is replayed twice: with what the MPI library takes by its built-in rules, and "
      "with our choice. The ranks are those recorded, or copies of them (--scale). Brackets are the 10th and the 90th percentile "
      "of 200 replays that draw what is not known. Programs with more than 20 % of their time in point-to-point calls get no "
      "verdict. *: not "
      "known what the library does, so neither side gains there.\n\n"
      "Examples:\n"
      "  mpirun -n 64 quadrille wrap --record=run.recording ./app\n"
      "  quadrille project run.recording --node-sizes 8x8 --machine hdr\n"
      "  quadrille project run.recording --node-sizes 8x8 --placement cyclic --machine ethernet100\n"
      "  quadrille project run.recording --machine hdr --computing 0.5 --choose alltoall=bruck:radix=4 --json\n"
      "  quadrille project run.recording --machine hdr --without-late-ranks --plot parts.svg\n"
      "  quadrille project run.recording --node-sizes 8x8 --machine hdr --goal run.goal --goal-side ours\n"
      "  quadrille project run.recording --machine hdr --trace run.perfetto --trace-window 2..2.5\n"
      "  quadrille project run.recording --scale 8:weak --node-sizes 8x64 --machine hdr");
  return {std::move(table), [options] { return run_project(*options); }};
}

}  // namespace quadrille::command
