// SPDX-License-Identifier: BSD-3-Clause
// Runs quadrille project: what a recorded program would take on another machine, by the MPI library's collectives and by ours.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "on_demand/project_report.hpp"
#include "on_demand/timeline_file.hpp"
#include "options/arguments.hpp"
#include "options/file_format.hpp"
#include "options/placement.hpp"
#include "options/rank_scale.hpp"
#include "options/vendor_case.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/vendor_choice.hpp"
#include "subcommands/on_demand.hpp"
#include "support/converted_picture.hpp"
#include "support/exit_codes.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"

namespace quadrille::command {
namespace {

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
  if (options.vendor && !find_vendor_library(*options.vendor)) refuse_unknown("MPI library", *options.vendor, vendor_library_ids());
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

}  // namespace

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

}  // namespace quadrille::command
