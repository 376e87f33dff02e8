// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/hierarchy/hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "collectives/shares.hpp"
#include "collectives/worth_trying.hpp"
#include "patterns/integers.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "schedule/composition.hpp"
#include "schedule/regions.hpp"
#include "schedule/settings.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

NodeRanks by_lowest_rank(const Problem& problem) {
  const NodeRanks given(problem);
  std::vector<Count> numbers(index(problem.ranks));
  ByRank<Count> renumbered(given.node_count(), -1);
  Count next = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    Count& number = renumbered[given.node_of(rank)];
    if (number < 0) number = next++;
    numbers[index(rank)] = number;
  }
  return NodeRanks(numbers);
}

NodeRanks cut(const NodeRanks& nodes, Count lanes) {
  std::vector<Count> groups(index(nodes.rank_count()));
  for (Count node = 0; node < nodes.node_count(); ++node)
    for (Count lane = 0; lane < lanes; ++lane)
      for (Count i = cut_position(nodes.size(node), lanes, lane); i < cut_position(nodes.size(node), lanes, lane + 1); ++i)
        groups[index(nodes.ranks(node)[index(i)])] = node * lanes + lane;
  return NodeRanks(groups);
}

ByRank<Rank> leaders_of(const Problem& problem, const NodeRanks& groups, Lanes::Leader leader) {
  ByRank<Rank> leaders(groups.node_count());
  for (Count group = 0; group < groups.node_count(); ++group)
    leaders[group] = leader == Lanes::Leader::first ? groups.ranks(group).front() : groups.ranks(group).back();
  if (is_rooted(problem.collective)) leaders[groups.node_of(problem.root)] = problem.root;
  return leaders;
}

NodeRanks lanes_of(const ByRank<Rank>& leaders, Count ranks, Count lanes) {
  std::vector<Count> numbers(index(ranks), lanes);
  for (Count group = 0; group < static_cast<Count>(leaders.size()); ++group) numbers[index(leaders[group])] = group % lanes;
  return NodeRanks(numbers);
}

bool is_same(const Problem& a, const Problem& b) {
  const bool same_counts = a.counts ? b.counts && *a.counts == *b.counts : !b.counts;
  return a.collective == b.collective && a.ranks == b.ranks && a.block_bytes == b.block_bytes && a.root == b.root && same_counts;
}

Collective irregular(Collective regular) {
  switch (regular) {
    case Collective::allgather: return Collective::allgatherv;
    case Collective::reduce_scatter: return Collective::reduce_scatterv;
    case Collective::gather: return Collective::gatherv;
    default: return Collective::scatterv;
  }
}

// Returns the algorithm for a part inside nodes. Users name algorithms, separated by '+'; the first one that can solve the part's
// problem is taken, otherwise the default of the part's collective. A name that no collective has is an error.
Choice choice_inside(const Problem& problem, const std::string& specification) {
  std::optional<Choice> chosen;
  for (const std::string_view each : split_outside_parentheses(specification, '+')) {
    const std::string_view id = parts_of_specification(each).id;
    if (std::none_of(all_algorithms().begin(), all_algorithms().end(), [&](const Algorithm* known) { return known->id == id; }))
      throw Error(ErrorCode::misuse, fmt::format("there is no algorithm '{}' for a part inside nodes", id));
    if (chosen || !find_algorithm(problem.collective, id)) continue;
    if (const Choice choice = parse_choice(problem, each); applies(problem, choice)) chosen = choice;
  }
  return chosen ? *chosen : parse_choice(problem, default_algorithm(problem.collective).id);
}

bool is_equal_power_of_two(const Lanes& lanes) {
  const std::vector<Count> sizes = lanes.nodes().sizes();
  return is_power_of_two(sizes.front()) &&
         std::all_of(sizes.begin(), sizes.end() - 1, [&](Count size) { return size == sizes.front(); }) &&
         sizes.back() <= sizes.front();
}

}  // namespace

Lanes::Lanes(const Problem& problem, Count lanes, Leader leader)
    : lanes_(lanes),
      nodes_(by_lowest_rank(problem)),
      groups_(cut(nodes_, lanes)),
      leaders_(leaders_of(problem, groups_, leader)),
      by_lane_(lanes_of(leaders_, problem.ranks, lanes)) {}

bool Lanes::nodes_are_consecutive() const {
  for (Rank rank = 1; rank < nodes_.rank_count(); ++rank)
    if (nodes_.node_of(rank) < nodes_.node_of(rank - 1)) return false;
  return true;
}

bool Lanes::nodes_are_equal() const { return nodes_.rank_count() == nodes_.node_count() * nodes_.largest(); }

Count most_lanes(const Problem& problem) {
  if (problem.nodes.empty()) return 1;
  const std::vector<Count> sizes = NodeRanks(problem).sizes();
  return *std::min_element(sizes.begin(), sizes.end());
}

Count largest_node(const Problem& problem) { return problem.nodes.empty() ? 1 : NodeRanks(problem).largest(); }

Problem part_of_vector(const Problem& whole, Collective collective, Count ranks, Bytes bytes, Rank root) {
  Problem part;
  part.collective = collective;
  part.ranks = ranks;
  part.block_bytes = bytes;
  part.root = root;
  part.element_bytes = whole.element_bytes;
  part.commutative = whole.commutative;
  part.reproducible = whole.reproducible;
  return part;
}

Problem part_of_shares(const Problem& whole, Collective collective, const std::vector<Bytes>& counts, Rank root) {
  Problem part = part_of_vector(whole, collective, size(counts), counts.front(), root);
  if (std::all_of(counts.begin(), counts.end(), [&](Bytes count) { return count == counts.front(); })) return part;
  part.collective = irregular(collective);
  part.block_bytes = 0;
  part.counts = std::make_shared<const std::vector<Bytes>>(counts);
  return part;
}

Result<> hierarchy_applies(const Problem& problem, const Parameters& parameters, Form form) {
  if (largest_node(problem) == 1) return cannot("no two ranks are on the same node");
  if (NodeRanks(problem).node_count() == 1) return cannot("all ranks are on one node");
  try {
    const Hierarchy made(problem, parameters, form);
    return {};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::misuse) throw;
    return cannot(error.what());
  }
}

Hierarchy::Hierarchy(const Problem& problem, const Parameters& parameters, Form form)
    : problem_(problem),
      lanes_(problem, parameters.contains("lanes") ? number(parameters, "lanes") : 1,
             facts_of(problem.collective).is_prefix ? Lanes::Leader::last : Lanes::Leader::first) {
  const Count segments = parameters.contains("segments") ? number(parameters, "segments") : 1;
  if (segments == 1) {
    segments_.push_back({0, instance_of(problem.block_bytes, form, parameters)});
  } else {
    for (Count i = 0; i < segments; ++i) {
      const Region region = segment(Buffer::input, problem, segments, i);
      segments_.push_back({region.offset, instance_of(region.length, form, parameters)});
    }
  }
  phases_ = segments_.front().instance->phases.size();
  Count round = 0;
  for (std::size_t step = 0; step < segments_.size() + phases_ - 1; ++step) {  // of the pipeline
    starts_.push_back(round);
    Count longest = 0;
    for (std::size_t phase = 0; phase < phases_; ++phase)
      if (phase <= step && step - phase < segments_.size())
        longest = std::max(longest, segments_[step - phase].instance->phases[phase].rounds);
    round += longest;
  }
  starts_.push_back(round);
}

const Hierarchy::Instance* Hierarchy::instance_of(Bytes bytes, Form form, const Parameters& parameters) {
  for (const auto& instance : instances_)
    if (instance->problem.block_bytes == bytes) return instance.get();
  Instance& made = *instances_.emplace_back(std::make_unique<Instance>(Instance{problem_, {}}));
  made.problem.block_bytes = bytes;
  std::vector<Phase> phases = form(made.problem, lanes_, parameters);
  for (Phase& given : phases) {
    const bool is_between = given.where == Phase::Where::between;
    const std::string& specification = word(parameters, is_between ? "between" : "within");
    const Count groups = given.groups->node_count();
    PlannedPhase phase{std::move(given), ByRank<const Run*>(groups, nullptr), 0};
    for (Count group = 0; group < groups; ++group)
      if (const auto of_group = phase.problem(group)) {
        const Run* run = run_of(*of_group, specification, is_between);
        phase.runs[group] = run;
        if (group == 0 || phase.runs[group - 1] != run)
          phase.rounds = std::max(phase.rounds, round_count(run->schedule->program(0)));
      }
    if (phase.before) phase.rounds = std::max<Count>(phase.rounds, 1);
    made.phases.push_back(std::move(phase));
  }
  return &made;
}

const Hierarchy::Run* Hierarchy::run_of(const Problem& problem, const std::string& specification, bool is_between) {
  for (const auto& run : runs_)
    if (run->is_between == is_between && is_same(run->problem, problem)) return run.get();
  const Choice choice = is_between ? parse_choice(problem, specification) : choice_inside(problem, specification);
  auto schedule = std::make_shared<const Schedule>(make_schedule(problem, choice));
  return runs_.emplace_back(std::make_unique<Run>(Run{is_between, problem, choice, std::move(schedule)})).get();
}

const Hierarchy::PlannedPhase& Hierarchy::phase(std::size_t number) const {
  return segments_[number / phases_].instance->phases[number % phases_];
}

std::vector<Stage> Hierarchy::stages() const {
  std::vector<Stage> stages;
  for (std::size_t step = 0; step + 1 < starts_.size(); ++step)
    if (const Count rounds = starts_[step + 1] - starts_[step]; rounds > 0)
      stages.push_back(
          {segments_.size() == 1 ? phase(step).stage : fmt::format("step {} of the pipeline", step + 1), starts_[step], rounds});
  return stages;
}

Count Hierarchy::first_round(std::size_t phase) const { return starts_[phase / phases_ + phase % phases_]; }

// The scratch memory that the maps of one segment name.
Bytes Hierarchy::scratch_bytes(Rank rank) const {
  Bytes end = 0;
  for (const auto& instance : instances_)
    for (const PlannedPhase& phase : instance->phases)
      for (const Regions& regions : {phase.input(rank), phase.output(rank)})
        for (const Region& region : regions)
          if (region.buffer == Buffer::scratch) end = std::max(end, hull(region).second);
  return end;
}

// Moves regions of a segment's instance to the segment's place in the vector or in scratch memory.
void Hierarchy::shift(Regions& regions, std::size_t segment, Rank rank) const {
  if (segment == 0) return;
  for (Region& region : regions)
    region.offset +=
        region.buffer == Buffer::scratch ? static_cast<Bytes>(segment) * scratch_bytes(rank) : segments_[segment].offset;
}

std::optional<GroupStep> Hierarchy::step(std::size_t number, Rank rank) const {
  const PlannedPhase& planned = phase(number);
  const NodeRanks& groups = *planned.groups;
  const Count group = groups.node_of(rank);
  const Run* run = planned.runs[group];
  if (!run) return std::nullopt;
  Regions input = planned.input(rank), output = planned.output(rank);
  shift(input, number / phases_, rank), shift(output, number / phases_, rank);
  return GroupStep{run->schedule, groups.ranks(group), groups.index_of(rank), BufferMap(std::move(input)),
                   BufferMap(std::move(output))};
}

std::vector<Local> Hierarchy::before(std::size_t number, Rank rank) const {
  const auto& planned = phase(number);
  std::vector<Local> locals = planned.before ? planned.before(rank) : std::vector<Local>();
  std::erase_if(locals, [](const Local& local) { return bytes(local.source) == 0; });
  return locals;
}

Count Hierarchy::ports() const {
  Count most = 1, sum = 0;
  for (const PlannedPhase& phase : segments_.front().instance->phases) {
    Count of_phase = 0;
    for (const Run* run : phase.runs)
      if (run) of_phase = std::max(of_phase, run->schedule->port_limit.value_or(std::max<Count>(1, run->problem.ranks - 1)));
    most = std::max(most, of_phase);
    sum += of_phase;
  }
  return segments_.size() == 1 ? most : std::max<Count>(1, sum);
}

Count Hierarchy::node_ports() const {
  Count most = 1;
  for (const PlannedPhase& phase : segments_.front().instance->phases)
    if (phase.where == Phase::Where::between)
      for (const Run* run : phase.runs)
        if (run) most = std::max(most, run->schedule->port_limit.value_or(std::max<Count>(1, run->problem.ranks - 1)));
  return lanes_.count() * most;
}

Combining Hierarchy::combining() const {
  if (!lanes_.nodes_are_consecutive()) return Combining::any_order;
  Combining all = Combining::fixed_tree;
  for (const auto& run : runs_)
    if (is_reduction(run->problem.collective))
      all = std::min(all, run->choice.algorithm->combining(run->problem, run->choice.parameters));
  // A rank's prefix covers whole nodes and some ranks of the rank's own node. The prefix is combined along the fixed tree only if
  // there are two nodes of at most two ranks.
  const bool is_short = lanes_.node_count() == 2 && lanes_.nodes().largest() <= 2;
  const bool keeps_tree = is_equal_power_of_two(lanes_) && (is_short || !facts_of(problem_.collective).is_prefix);
  return keeps_tree ? all : std::min(all, Combining::rank_order);
}

std::optional<Symmetry> Hierarchy::symmetry() const {
  const Count size = lanes_.nodes().largest(), nodes = lanes_.node_count();
  if (is_irregular(problem_.collective) || is_rooted(problem_.collective) || facts_of(problem_.collective).is_prefix) return {};
  if (!lanes_.nodes_are_equal() || !lanes_.nodes_are_consecutive()) return {};
  const auto translates = [](const PlannedPhase& phase) {
    return std::all_of(phase.runs.begin(), phase.runs.end(), [](const Run* run) {
      return !run || (run->schedule->symmetry && is_translation(*run->schedule->symmetry));
    });
  };
  bool moves_nodes = true, moves_ranks = lanes_.all_lead() && problem_.collective != Collective::allreduce;
  for (const PlannedPhase& phase : segments_.front().instance->phases)
    (phase.where == Phase::Where::between ? moves_nodes : moves_ranks) &= translates(phase);
  if (!moves_nodes) return {};
  return Symmetry({{size, moves_ranks ? 1 : size}, {nodes, 1}});
}

namespace {

// The specifications that help texts and errors name. Any other algorithm of the collective can be named, too.
std::vector<std::string> choices_between(Collective collective) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::reduce: return {"binomial", "circulant"};
    case Collective::allreduce: return {"recursive-doubling", "circulant", "direct"};
    case Collective::scan:
    case Collective::exscan: return {"distance-doubling", "direct"};
    case Collective::barrier: return {"dissemination"};
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv: return {"circulant", "ring", "direct"};
    default: return {"binomial", "linear"};
  }
}

// What leaders exchange by default: an algorithm with the fewest rounds for short vectors, and one with the least volume for long
// vectors.
std::string standard_between(const Problem& problem, const Parameters& before) {
  const bool reorders = required_combining(problem) == Combining::any_order;
  const bool is_cut = before.contains("lanes") && !(before.contains("vector") && word(before, "vector") == "whole");
  const bool is_long = problem.block_bytes / (is_cut ? number(before, "lanes") : 1) >= nominal_startup_bytes;
  switch (problem.collective) {
    case Collective::broadcast: return is_long ? "circulant" : "binomial";
    case Collective::reduce: return !is_long ? "binomial" : reorders ? "circulant" : "reduce-scatter-gather:scatter=direct";
    case Collective::allreduce:
      if (is_long) return reorders ? "circulant" : "reduce-scatter-allgather:scatter=direct";
      return problem.reproducible ? "direct" : "recursive-doubling";
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv: return reorders ? "circulant" : "direct";
    case Collective::scan:
    case Collective::exscan: return problem.reproducible ? "direct" : "distance-doubling";
    default: return choices_between(problem.collective).front();
  }
}

std::vector<ParameterValue> between_worth_trying(const Problem& problem, const Parameters& before) {
  return parts_worth_trying(problem, problem.collective, &Algorithm::tried_between_nodes, standard_between(problem, before));
}

constexpr const char* in_few_rounds = "binomial+distance-doubling+recursive-doubling+circulant";

Parameter inside_parameter() {
  return {.name = "within",
          .summary = "algorithms inside nodes: each part takes the first that its collective has and that applies, or its default",
          .standard = "direct",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            constexpr Count few = 8;  // on nodes of at most so many ranks, one round with all messages is fastest
            return largest_node(problem) <= few ? "direct" : in_few_rounds;
          },
          .standard_rule = "direct, or the other if a node has more than 8 ranks",
          .choices = {"direct", in_few_rounds},
          .form = "other algorithms of the parts, with + between them",
          .is_of_the_form = may_be_specification};
}

Parameter between_parameter(Collective collective) {
  return {.name = "between",
          .summary = "algorithm of each lane between nodes",
          .standard = choices_between(collective).front(),
          .standard_for = [](const Problem& problem, const Parameters& before) -> ParameterValue {
            return standard_between(problem, before);
          },
          .standard_rule = "by size and operator",
          .choices = choices_between(collective),
          .form = "another algorithm",
          .is_of_the_form = may_be_specification,
          .worth_trying = between_worth_trying};
}

// In an allgather or a reduce_scatter of long data, a single lane leaves the link idle between its messages, and its leaders must
// copy or combine all data alone.
std::vector<ParameterValue> lanes_worth_trying(const Problem& problem, const Parameters&) {
  constexpr Bytes long_part = 1024;
  const Count most = most_lanes(problem);
  if (most == 1) return {Count{1}};
  const CollectiveFacts& facts = facts_of(problem.collective);
  if (every_rank_has_all(facts.input) || every_rank_has_all(facts.output)) {
    Bytes all = problem.block_bytes * problem.ranks;
    if (problem.counts) all = std::accumulate(problem.counts->begin(), problem.counts->end(), Bytes{0});
    if (all / most >= long_part) return {most};
  }
  return {Count{1}, most};
}

Parameter lanes_parameter() {
  return {.name = "lanes",
          .summary = "leaders of each node, which exchange equal parts of the data with other nodes at the same time",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue { return most_lanes(problem); },
          .standard_rule = "as many as possible",
          .least = 1,
          .most = most_lanes,
          .range = "1..ranks of the smallest node",
          .worth_trying = lanes_worth_trying};
}

Parameter vector_parameter() {
  return {
      .name = "vector",
      .summary = "what a lane combines: its part of the vector, or the whole; then every rank leads, and nothing is left to gather",
      .standard = "part",
      .choices = {"part", "whole"},
      .worth_trying = [](const Problem& problem, const Parameters& before) -> std::vector<ParameterValue> {
        if (number(before, "lanes") < largest_node(problem)) return {"part"};
        return {"part", "whole"};
      }};
}

Parameter one_segment_by_default() {
  Parameter segments = segments_parameter([](const Problem&, const Parameters&) -> ParameterValue { return Count{1}; }, "1");
  segments.summary = "parts into which the vector is cut; while one is between nodes, others are inside them";
  segments.worth_trying = nullptr;
  return segments;
}

bool has_segments(Collective collective) {
  return collective == Collective::broadcast || collective == Collective::reduce || collective == Collective::allreduce;
}

}  // namespace

std::vector<Parameter> parameters_of_hierarchy(Collective collective) {
  std::vector<Parameter> all;
  if (!facts_of(collective).is_prefix) all.push_back(lanes_parameter());
  if (collective == Collective::allreduce) all.push_back(vector_parameter());
  all.push_back(between_parameter(collective));
  all.push_back(inside_parameter());
  if (has_segments(collective)) all.push_back(one_segment_by_default());
  return all;
}

}  // namespace quadrille
