// SPDX-License-Identifier: BSD-3-Clause
// Runs quadrille project: predicts the times of a recorded program on another machine, with the MPI library's collectives and
// with ours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "foundation/text/wording.hpp"
#include "on_demand/project_report.hpp"
#include "on_demand/timeline_file.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/documents.hpp"
#include "options/file_format.hpp"
#include "options/problem_options.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/projection.hpp"
#include "quadrille/types.hpp"
#include "quadrille/vendor_choice.hpp"
#include "subcommands/on_demand.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"

namespace quadrille::command {
namespace {

constexpr Count most_times = 1'000'000;

std::vector<Count> sides_of(std::string_view text) {
  std::vector<Count> sides;
  while (true) {
    const std::size_t end = std::min(text.find('x'), text.size());
    sides.push_back(parse_whole(text.substr(0, end), "a side of a grid of --scale", 1));
    if (end == text.size()) return sides;
    text.remove_prefix(end + 1);
  }
}

// Gives one rank to each node in turn. `nodes`: the ranks placed by block.
std::vector<Count> cyclic(const std::vector<Count>& nodes) {
  std::vector<Count> room(index(*std::max_element(nodes.begin(), nodes.end()) + 1), 0);
  for (const Count node : nodes) ++room[index(node)];
  std::vector<Count> placed;
  while (placed.size() < nodes.size())
    for (std::size_t node = 0; node < room.size(); ++node)
      if (room[node] > 0) --room[node], placed.push_back(static_cast<Count>(node));
  return placed;
}

std::vector<Count> read_placement(const std::string& file, Count ranks) {
  const std::string label = label_of(file);
  std::istringstream text(read_text(file, label));
  std::vector<Count> nodes;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    for (std::string word; words >> word;) nodes.push_back(parse_whole(word, "the node of a rank in " + label, 0));
  }
  if (size(nodes) != ranks) refuse(fmt::format("{} places {} ranks, not {}", label, nodes.size(), ranks));
  return nodes;
}

// Parses "8:weak" (eight times the `recorded` ranks) and "2x4=4x16:strong" (a grid that becomes a larger one). Throws
// Error{misuse} with a sentence that says what was expected; scaled() checks the grids.
RankScale parse_scale(const std::string& text, Count recorded) {
  const std::size_t colon = text.find(':'), equals = text.find('=');
  const std::vector<std::string> rules{"same", "weak", "strong"};
  if (colon == std::string::npos)
    refuse(fmt::format("--scale is a factor or two grids, and how blocks scale ({}), such as 8:weak or 2x4=4x16:weak, not '{}'",
                       alternatives(rules), text));
  const std::string rule = text.substr(colon + 1);
  const auto blocks = block_scale_named(rule);
  if (!blocks) refuse_unknown("rule of --scale", rule, rules);
  const std::string_view grids = std::string_view(text).substr(0, colon);
  if (equals < colon)
    return {.from = sides_of(grids.substr(0, equals)), .to = sides_of(grids.substr(equals + 1)), .blocks = *blocks};
  const Count times = parse_whole(grids, "the factor of --scale", 2);
  if (times > most_times) refuse(fmt::format("--scale {} makes too many ranks", text));
  return {.from = {recorded}, .to = {recorded * times}, .blocks = *blocks};
}

// "; --scale 16:weak makes 64 ranks of the 4 recorded ones"; empty if no factor makes so many ranks.
std::string scale_hint(Count recorded, Count wanted) {
  if (recorded < 2 || wanted <= recorded || wanted % recorded != 0 || wanted > most_scaled_ranks) return "";
  return fmt::format("; --scale {}:weak makes {} ranks of the {} recorded ones", wanted / recorded, wanted, recorded);
}

// Returns the node of each of `ranks` ranks; nothing if neither option is given. `node_sizes`: ranks of each node (the option
// --node-sizes). `placement`: block (each node is filled before the next; the default), cyclic (nodes get one rank each in turn
// while they have room), or a file with the node of each rank, which needs no sizes. `recorded`: ranks before they were scaled.
// Throws Error{misuse}, Error{malformed}.
std::optional<std::vector<Count>> placed_ranks(const std::optional<std::string>& node_sizes,
                                               const std::optional<std::string>& placement, Count ranks, Count recorded) {
  const bool is_cyclic = placement == "cyclic";
  if (placement && !is_cyclic && placement != "block") {
    if (node_sizes)
      refuse(fmt::format(
          "--placement is block or cyclic beside --node-sizes; leave --node-sizes out if '{}' is a file that places the ranks",
          *placement));
    return read_placement(*placement, ranks);
  }
  if (!node_sizes && placement) refuse(fmt::format("--placement {} needs --node-sizes, such as 8x8", *placement));
  if (!node_sizes) return std::nullopt;
  ProblemOptions options;
  options.node_sizes = node_sizes;
  const Count placed = options.rank_counts(0).front();
  if (placed != ranks)
    refuse(
        fmt::format("the nodes '{}' hold {}, not {}{}", *node_sizes, counted(placed, "rank"), ranks, scale_hint(recorded, placed)));
  const std::vector<Count> nodes = options.placement();
  return is_cyclic ? cyclic(nodes) : nodes;
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

// How the recorded ranks are scaled to more ranks; nothing if they are not.
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
                              .computing = options.computing,
                              .away = options.away,
                              .without_late_ranks = options.without_late_ranks,
                              .without_correction = options.without_correction};
  projected.total_cores = options.total_cores;
  if (scale && scale->blocks == BlockScale::strong)
    projected.computing *= static_cast<double>(ranks_of_grid(scale->from)) / static_cast<double>(ranks_of_grid(scale->to));
  const Count recorded = scale ? ranks_of_grid(scale->from) : recording.world_size;
  const auto placed = placed_ranks(options.node_sizes, options.placement, recording.world_size, recorded);
  projected.nodes = placed ? *placed : recorded_hosts(recording);
  return projected;
}

// Refuses two texts for one file, or for stdout.
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

// Checks the options that can be checked without the recording.
void check_options(const ProjectArguments& options) {
  if (!options.machine) refuse("name a machine: quadrille project FOLDER --node-sizes 8x8 --machine hdr");
  if (options.scale && !options.node_sizes && !options.placement)
    refuse("--scale needs nodes for the ranks, such as --node-sizes 8x8");
  if (options.goal_side && !options.goal) refuse("--goal-side needs --goal FILE");
  if (options.goal && (options.total_cores > 0 || options.without_late_ranks))
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
  output.finish(options.json ? document_text("project", json_of(projection, situation))
                             : text_of(projection, situation, options.full));
  return good;
}

}  // namespace quadrille::command
