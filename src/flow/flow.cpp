// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

#include "flow/filling.hpp"
#include "flow/flow_programs.hpp"
#include "flow/ways.hpp"
#include "foundation/arithmetic.hpp"
#include "foundation/text/parsing.hpp"
#include "foundation/text/wording.hpp"
#include "problem/same_problem.hpp"
#include "quadrille/bound.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/settings.hpp"

namespace quadrille {
namespace {

constexpr Count most_flow_ranks = 1024;
constexpr double near_the_busiest = 1.05;  // fewer rounds are worth more of C2 shared than this
constexpr Count least_rounds = 16, most_rounds = 1024;

void report(const FlowOptions& options, const std::string& text) {
  if (options.progress) options.progress(text);
}

// Many parts even out the links; few are fast to find. With switches more of them share a link, and small ones fill rounds better.
Count default_segments(const Problem& problem, const RankNetwork& network) {
  if (spreads_blocks(problem.collective))
    return problem.collective == Collective::broadcast ? 64 : std::clamp<Count>(512 / problem.ranks, 4, 32);
  return std::clamp<Count>((network.has_switches ? 32768 : 16384) / (problem.ranks * problem.ranks), 1, 32);
}

class FlowMaker {
 public:
  FlowMaker(const Problem& problem, const Topology& topology, const FlowOptions& options)
      : problem_(problem), topology_(topology), options_(options), network_(topology) {}

  FlowSchedule made() {
    FlowSchedule result;
    report(options_, "looks for the bound");
    for (const Bound& bound : network_bounds(problem_, links_of(topology_), {.grid = topology_.grid()}))
      result.bound = std::max(result.bound, bound.value);
    const Count segments = options_.segments > 0 ? options_.segments : default_segments(problem_, network_);
    std::vector<BlockPart> parts = parts_of_blocks(problem_, segments);
    Count step = 0;
    report(options_, "looks for the first ways");
    result.busiest_link = choose_ways(
        network_, parts, {.steps = options_.steps, .enough = result.bound, .goes_on = [&](Bytes busiest) {
                            report(options_, fmt::format("looks for ways, step {}: the busiest link carries {:.3f} of the bound",
                                                         ++step, ratio(busiest, result.bound)));
                            result.was_stopped =
                                options_.seconds > 0 && seconds_since_start() > static_cast<double>(options_.seconds);
                            return !result.was_stopped;
                          }});
    const FilledRounds filled = best_rounds(parts, result.busiest_link);
    result.c2_shared = filled.c2_shared;
    auto programs = std::make_shared<const std::vector<Program>>(flow_programs(problem_, network_, parts, filled));
    result.schedule = {.problem = problem_,
                       .algorithm = "flow",
                       .parameters = {{"rounds", size(filled.rounds)}, {"segments", segments}},
                       .program = [programs](Rank rank) { return programs->at(index(rank)); }};
    return result;
  }

  static double ratio(Bytes value, Bytes bound) { return bound > 0 ? static_cast<double>(value) / static_cast<double>(bound) : 1; }

 private:
  double seconds_since_start() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  // What a round carries, if the busiest link's bytes are divided into `rounds`.
  RoundLimits limits_of(Bytes busiest, Bytes longest_part, Count rounds) const {
    // With switches, messages are as long as the longest part: a round costs the longest message times the sharing.
    if (network_.has_switches) return {longest_part, std::max<Count>(1, ceil_divide(ceil_divide(busiest, longest_part), rounds))};
    const Bytes length = ceil_divide(busiest, rounds);
    return {length >= 512 ? rounded_up(length, 8) : length, 1};
  }

  // Divides into more and more rounds until C2 shared is near the bytes of the busiest link. Without switches a way of several hops
  // costs a few rounds more, however many there are. With switches, rounds in which links carry more can be filled better.
  FilledRounds best_rounds(const std::vector<BlockPart>& parts, Bytes busiest) {
    if (parts.empty()) return {};
    Bytes longest_part = 1;
    for (const BlockPart& part : parts) longest_part = std::max(longest_part, part.length);
    const Count most = network_.has_switches ? ceil_divide(busiest, longest_part) : std::min(most_rounds, busiest);
    FilledRounds best;
    for (Count rounds = network_.has_switches ? most : least_rounds;;) {
      if (options_.rounds > 0) rounds = options_.rounds;
      report(options_, fmt::format("fills {}", counted(rounds, "round")));
      FilledRounds filled = filled_rounds(network_, parts, limits_of(busiest, longest_part, rounds));
      const Count more = size(filled.rounds) - rounds;
      if (best.rounds.empty() || filled.c2_shared < best.c2_shared) best = std::move(filled);
      const bool is_last = network_.has_switches ? rounds == 1 : rounds >= most;
      if (is_last || options_.rounds > 0 || ratio(best.c2_shared, busiest) <= near_the_busiest) return best;
      const auto wanted = static_cast<Count>(static_cast<double>(more) / (near_the_busiest - 1));
      rounds = network_.has_switches ? ceil_divide(rounds, 2) : std::min(most, std::max(rounds + rounds / 2, wanted));
    }
  }

  const Problem& problem_;
  const Topology& topology_;
  const FlowOptions& options_;
  const RankNetwork network_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

bool has_flow(Collective collective) { return moves_data(collective) && !is_reduction(collective); }

FlowSchedule flow_schedule(const Problem& problem, const Topology& topology, const FlowOptions& options) {
  if (!has_flow(problem.collective))
    throw Error(ErrorCode::misuse, fmt::format("there are no schedules near the flow for {}", name(problem.collective)));
  if (topology.ranks() != problem.ranks)
    throw Error(ErrorCode::misuse,
                fmt::format("the topology '{}' has {}, not {}", topology.name(), counted(topology.ranks(), "rank"), problem.ranks));
  if (problem.ranks > most_flow_ranks)
    throw Error(ErrorCode::too_large, fmt::format("schedules near the flow are made for at most {} ranks", most_flow_ranks));
  if (std::min({options.rounds, options.segments, options.steps, options.seconds}) < 0)
    throw Error(ErrorCode::misuse, "the options of a flow are 0 or more");
  return FlowMaker(problem, topology, options).made();
}

FlowOptions parse_flow_options(std::string_view specification) {
  const SpecificationParts parts = parts_of_specification(specification);
  FlowOptions options;
  for (const ParameterSetting& setting : parts.settings) {
    const std::pair<std::string_view, Count*> known[] = {
        {"rounds", &options.rounds}, {"segments", &options.segments}, {"steps", &options.steps}, {"seconds", &options.seconds}};
    const auto entry =
        std::find_if(std::begin(known), std::end(known), [&](const auto& each) { return each.first == setting.name; });
    if (entry == std::end(known))
      throw Error(ErrorCode::misuse,
                  fmt::format("flow has no parameter '{}'; there are: rounds, segments, steps, seconds", setting.name));
    const auto value = number_in<Count>(setting.value.value_or(""));
    if (!value || *value < 1)
      throw Error(ErrorCode::misuse, fmt::format("{} of flow is a whole number of at least 1, such as {}=16, not '{}'",
                                                 setting.name, setting.name, setting.text));
    if (std::count_if(parts.settings.begin(), parts.settings.end(), [&](const auto& each) { return each.name == setting.name; }) >
        1)
      throw Error(ErrorCode::misuse, fmt::format("{} is given twice in '{}'", setting.name, specification));
    *entry->second = *value;
  }
  return options;
}

Family flow_family(const std::string& specification, const Topology& topology, std::function<void(const std::string&)> progress,
                   std::function<void(const FlowSchedule&)> made) {
  FlowOptions options = parse_flow_options(specification);
  options.progress = std::move(progress);
  struct Kept {
    std::mutex mutex;
    std::vector<Schedule> schedules;
  };
  return Family(
      specification,
      [kept = std::make_shared<Kept>(), topology, options, made = std::move(made)](const Problem& problem) -> Result<Schedule> {
        if (!has_flow(problem.collective)) return cannot(fmt::format("{} combines operands", name(problem.collective)));
        if (topology.ranks() != problem.ranks)
          return cannot(fmt::format("the network {} has {}", topology.name(), counted(topology.ranks(), "rank")));
        const std::lock_guard lock(kept->mutex);
        for (const Schedule& schedule : kept->schedules)
          if (is_same(schedule.problem, problem)) return schedule;
        const FlowSchedule flow = flow_schedule(problem, topology, options);
        if (made) made(flow);
        return kept->schedules.emplace_back(flow.schedule);
      },
      Family::MadeBy::first_rank);
}

}  // namespace quadrille
