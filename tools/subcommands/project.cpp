// SPDX-License-Identifier: BSD-3-Clause
// quadrille project: what a recorded program would take on another machine, by the MPI library's collectives and by ours.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "foundation/alternatives.hpp"
#include "options/arguments.hpp"
#include "options/common_options.hpp"
#include "options/file_format.hpp"
#include "options/placement.hpp"
#include "options/rank_scale.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/vendor_choice.hpp"
#include "reports/project_report.hpp"
#include "reports/timeline_file.hpp"
#include "subcommands/subcommand.hpp"
#include "support/converted_picture.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

struct ProjectArguments {
  std::string folder = "quadrille-recording";
  std::optional<std::string> machine, node_sizes, placement, scale, vendor, computing, away, total_cores, plot, trace, trace_window,
      goal, goal_side, output;
  std::vector<std::string> chosen;
  bool without_late_ranks = false, without_correction = false, full = false, json = false;
};

std::vector<std::string> library_ids() {
  std::vector<std::string> ids;
  for (const VendorLibrary& library : all_vendor_libraries()) ids.emplace_back(library.id);
  return ids;
}

// The hosts on which the ranks were recorded, numbered from 0.
std::vector<Count> recorded_hosts(const Recording& recording) {
  std::map<std::string, Count> numbers;
  std::vector<Count> hosts;
  for (const RecordedRank& rank : recording.ranks)
    hosts.push_back(numbers.try_emplace(rank.host, static_cast<Count>(numbers.size())).first->second);
  return hosts;
}

std::map<Collective, std::string> chosen_algorithms(const std::vector<std::string>& words) {
  std::map<Collective, std::string> chosen;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      refuse(fmt::format("'{}' is no choice; write COLLECTIVE=ALGORITHM: alltoall=bruck:radix=4", word));
    const Collective collective = parse_collective(word.substr(0, equals));
    const std::string algorithm = word.substr(equals + 1), id = algorithm.substr(0, algorithm.find(':'));
    std::vector<std::string> known;
    for (const Algorithm* each : algorithms_for(collective)) known.emplace_back(each->id);
    if (!find_algorithm(collective, id)) refuse_unknown(fmt::format("algorithm of {}", name(collective)), id, known);
    if (!chosen.emplace(collective, algorithm).second) refuse(fmt::format("--choose names two algorithms of {}", name(collective)));
  }
  return chosen;
}

Implementation parse_side(const std::string& word) {
  for (const Implementation side : {Implementation::vendor, Implementation::ours})
    if (word == name(side)) return side;
  refuse_unknown("side", word, {"vendor", "ours"});
}

// More ranks than were recorded.
std::optional<RankScale> scale_of(const ProjectArguments& options, const Recording& recording) {
  if (!options.scale) return std::nullopt;
  return parse_scale(*options.scale, recording.world_size);
}

ProjectionOptions projection_options(const ProjectArguments& options, const Recording& recording,
                                     const std::optional<RankScale>& scale) {
  if (options.vendor && !find_vendor_library(*options.vendor)) refuse_unknown("MPI library", *options.vendor, library_ids());
  ProjectionOptions projected{.machine = find_machine(*options.machine),
                              .vendor = options.vendor.value_or(""),
                              .chosen = chosen_algorithms(options.chosen),
                              .without_late_ranks = options.without_late_ranks,
                              .without_correction = options.without_correction};
  if (options.computing) projected.computing = parse_factor(*options.computing, "computing", 0);
  if (scale && scale->blocks == BlockScale::strong)
    projected.computing *= static_cast<double>(ranks_of_grid(scale->from)) / static_cast<double>(ranks_of_grid(scale->to));
  if (options.away) projected.away = parse_factor(*options.away, "time away", 0);
  if (options.total_cores) projected.total_cores = parse_whole(*options.total_cores, "the number of cores", 1);
  const Count recorded = scale ? ranks_of_grid(scale->from) : recording.world_size;
  const auto placed = placed_ranks(options.node_sizes, options.placement, recording.world_size, recorded);
  projected.nodes = placed ? *placed : recorded_hosts(recording);
  return projected;
}

// A file that is written, or stdout, has one text.
void check_written_files(const ProjectArguments& options) {
  std::map<std::filesystem::path, std::string_view> written;
  const auto add = [&](const std::string& file, std::string_view option) {
    if (file.empty()) return;
    std::error_code none;
    const std::filesystem::path path =
        file == "-" ? std::filesystem::path(file) : std::filesystem::weakly_canonical(std::filesystem::absolute(file), none);
    const auto [other, is_new] = written.emplace(path, option);
    if (is_new) return;
    refuse(fmt::format("{} needs a file of its own, because {}", option,
                       file == "-" ? "stdout has another text" : fmt::format("{} names the same", other->second)));
  };
  add(options.output.value_or("-"), "--output");
  add(options.plot.value_or(""), "--plot");
  add(options.goal.value_or(""), "--goal");
  add(options.trace.value_or(""), "--trace");
}

// What needs no recording to be checked.
void check_options(const ProjectArguments& options) {
  if (!options.machine) refuse("name a machine: quadrille project FOLDER --node-sizes 8x8 --machine hdr");
  if (options.scale && !options.node_sizes && !options.placement)
    refuse("--scale needs nodes for the ranks, such as --node-sizes 8x8");
  if (options.goal_side && !options.goal) refuse("--goal-side needs --goal FILE");
  if (options.goal && (options.total_cores || options.without_late_ranks))
    refuse("--goal excludes --total-cores and --without-late-ranks, because GOAL can say neither");
  if (options.trace_window && !options.trace) refuse("--trace-window says what --trace shows; add --trace run.perfetto");
  if (options.trace && options.without_late_ranks)
    refuse("--trace shows when ranks are late, and --without-late-ranks takes that away; leave one of them out");
  check_written_files(options);
}

std::optional<Output> opened(const std::optional<std::string>& file, FileFormat format) {
  if (!file) return std::nullopt;
  check_extension(*file, format);
  return std::optional<Output>(std::in_place, file);
}

Projection with_progress(const Recording& recording, ProjectionOptions options) {
  ProgressLine progress;
  progress.show("replaying");
  options.progress = [&](double share) { progress.show(fmt::format("replayed {:.0f} % of the calls", std::floor(100 * share))); };
  return project(recording, options);
}

int run_project(const ProjectArguments& options) {
  check_options(options);
  const Implementation goal_side = parse_side(options.goal_side.value_or("vendor"));
  std::optional<Output> plot = opened(options.plot, FileFormat::svg), goal = opened(options.goal, FileFormat::text);
  std::optional<TimelineFile> trace;
  if (options.trace) trace.emplace(*options.trace, options.trace_window);
  Output output(options.output);

  Recording recording = read_recording(options.folder);
  const std::optional<RankScale> scale = scale_of(options, recording);
  if (scale) recording = scaled(recording, *scale);
  ProjectionOptions projected = projection_options(options, recording, scale);
  const ProjectedSituation situation = situation_of(recording, projected, scale);
  if (trace) trace->watch(recording, situation, projected);
  Projection projection = with_progress(recording, projected);

  if (goal) {
    write_goal(goal->stream(), recording, projected, goal_side);
    goal->finish();
  }
  if (trace) projection.remarks.push_back(trace->finish(projection, situation));
  if (plot) plot->finish(picture_for(options.plot, svg_of(projection, situation)));
  output.finish(options.json ? to_text(json_of(projection, situation)) : text_of(projection, situation, options.full));
  return good;
}

}  // namespace

Subcommand add_project(CLI::App& command) {
  auto options = std::make_shared<ProjectArguments>();
  CLI::App* parser =
      add_subcommand(command, "project", "what a recorded program would take on another machine, and whether ours would be faster");
  add_option(*parser, "folder", options->folder, "the folder of the recording (default: quadrille-recording)", "FOLDER");
  begin_group(*parser, group::algorithm);
  add_option(
      *parser, "--choose", options->chosen,
      "ours: this algorithm for all calls of a collective, such as alltoall=bruck:radix=4, instead of our choice; repeatable",
      "COLLECTIVE=ALGORITHM");
  add_option(*parser, "--vendor", options->vendor,
             "the MPI library whose choices are compared: " + alternatives(library_ids()) + " (default: the recorded one)", "NAME");
  begin_group(*parser, group::machine);
  add_option(*parser, "--machine", options->machine,
             "the machine: a name, such as hdr, or a machine file; see 'quadrille calibrate'", "NAME|FILE");
  add_option(*parser, "--node-sizes", options->node_sizes,
             "ranks of each node, in order: 1,2,3, or 4x6 for six nodes of four (default: the hosts of the recording)", "LIST");
  add_option(*parser, "--placement", options->placement,
             "block (a node is filled before the next; default), cyclic (one rank a node in turn), or a file with the node of each "
             "rank, instead of --node-sizes",
             "block|cyclic|FILE");
  add_option(*parser, "--scale", options->scale,
             "more ranks than were recorded: 8:weak for eight times as many, 2x4=4x16:strong for a grid that grows. same: blocks "
             "keep their sizes, weak: each rank keeps its data, strong: all ranks together keep theirs",
             "GRID:same|weak|strong");
  add_option(*parser, "--computing", options->computing, "factor for the computing between calls (default 1)", "FACTOR");
  add_option(*parser, "--away", options->away, "factor for the time in which ranks slept or waited for a core (default 1)",
             "FACTOR");
  add_option(*parser, "--total-cores", options->total_cores, "cores that all ranks share while they compute (default: one a rank)",
             "N");
  add_flag(*parser, "--without-late-ranks", options->without_late_ranks,
           "as if the ranks of a communicator shared their work evenly and entered each collective together");
  add_flag(*parser, "--without-correction", options->without_correction,
           "prices as the model tells them, also where the machine's file has residuals measured on the same node sizes");
  begin_group(*parser, group::output);
  add_flag(*parser, "--full", options->full, "every row");
  add_json_flag(*parser, options->json, "a JSON object (docs/projection.md)");
  add_option(*parser, "--plot", options->plot, "also draw bars before and after, as SVG", "FILE");
  add_option(*parser, "--goal", options->goal, "also write the run as GOAL, for LogGOPSim and ATLAHS (docs/projection.md)", "FILE");
  add_option(*parser, "--goal-side", options->goal_side, "whose schedules: vendor (default) or ours", "SIDE");
  add_option(*parser, "--trace", options->trace,
             "also write what each rank does when, by either side's collectives: run.html is a page, run.perfetto for "
             "ui.perfetto.dev",
             "FILE");
  add_option(
      *parser, "--trace-window", options->trace_window,
      "of --trace: only what was recorded in these seconds, such as 2..3.5 (default: from 0 on; at most 100,000 calls of all "
      "ranks together, and 20,000 in a page)",
      "FROM..TO");
  add_output_option(*parser, options->output);
  set_footer(
      *parser,
      "The recording ('quadrille wrap --record') is replayed twice: with what the MPI library takes by its built-in rules, and "
      "with our choice. The ranks are those recorded, or copies of them (--scale). Brackets are the 10th and the 90th percentile "
      "of 200 draws of what was assumed. Programs with more than 20 % of their time in point-to-point calls get no verdict. *: not "
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
  return {parser, [options] { return run_project(*options); }};
}

}  // namespace quadrille::command
