// SPDX-License-Identifier: BSD-3-Clause
// Collectives between and inside nodes, composed of schedules for groups of ranks. A group consists of ranks of one node, or of
// the ranks of a lane between nodes. Each collective has one form, which lists its phases. Parameters, rounds, ports, symmetry
// and the order in which operands are combined follow from the phases, by the same rules for all collectives.
#pragma once

#include <functional>

#include "collectives/shares.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/algorithm.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

// Lanes between nodes. The ranks of each node are cut into groups of ranks with neighbouring numbers, one group for each lane.
// One rank of each group, the leader, exchanges the group's data with other nodes. The leaders of the groups with the same number
// form a lane.
class Lanes {
 public:
  enum class Leader : std::uint8_t { first, last };  // which rank of a group leads
  // Nodes are numbered in the order of their lowest ranks. The root of a rooted collective leads its group.
  // Needs 1 <= lanes <= the size of the smallest node.
  Lanes(const Problem& problem, Count lanes, Leader leader = Leader::first);

  Count count() const { return lanes_; }
  Count node_count() const { return nodes_.node_count(); }
  bool all_lead() const { return lanes_ == nodes_.largest(); }  // every group has one rank
  bool nodes_are_consecutive() const;
  bool nodes_are_equal() const;  // in size

  // Groups of ranks that run a schedule together. The last group of lanes() is no lane: it has the ranks that lead no group.
  const NodeRanks& nodes() const { return nodes_; }
  const NodeRanks& groups() const { return groups_; }  // group l of node a is number a * count() + l
  const NodeRanks& lanes() const { return by_lane_; }

  Count lane_of(Rank rank) const { return groups_.node_of(rank) % lanes_; }  // of the rank's group
  bool leads(Rank rank) const { return by_lane_.node_of(rank) < lanes_; }
  Rank leader(Count group) const { return leaders_[group]; }
  Count group(Count node, Count lane) const { return node * lanes_ + lane; }

 private:
  Count lanes_;
  NodeRanks nodes_, groups_;
  ByRank<Rank> leaders_;  // by group
  NodeRanks by_lane_;
};

// The size of the smallest node, which limits the lanes, and the size of the largest node; 1 if the problem names no nodes.
Count most_lanes(const Problem& problem);
Count largest_node(const Problem& problem);

// One phase of a form: the ranks of each group run a collective together.
struct Phase {
  std::string stage;
  enum class Where : std::uint8_t { inside, between } where = Where::inside;  // inside nodes, or between them
  const NodeRanks* groups = nullptr;
  std::function<std::optional<Problem>(Count group)> problem{};  // nothing: the group is idle
  std::function<Regions(Rank)> input{}, output{};                // where the buffers of a rank of the group lie
  std::function<std::vector<Local>(Rank)> before{};              // local operations at the beginning; null: none
};

// Returns the phases in order. Their functions may refer to the problem and the lanes. Throws Error{misuse} if the collective has
// no such form for these parameters, with the reason.
using Form = std::vector<Phase> (*)(const Problem&, const Lanes&, const Parameters&);

// The problem of one phase, with the operator of the whole problem and without nodes.
Problem part_of_vector(const Problem& whole, Collective collective, Count ranks, Bytes bytes, Rank root = 0);
// `collective` must be regular. If the counts differ, the problem gets its irregular form.
Problem part_of_shares(const Problem& whole, Collective collective, const std::vector<Bytes>& counts, Rank root = 0);

// The counts of a group's ranks, of which only leaders have data.
template <class BytesOfLane>
std::vector<Bytes> counts_of_leaders(const Lanes& lanes, std::span<const Rank> ranks, BytesOfLane&& bytes_of_lane) {
  std::vector<Bytes> counts;
  for (const Rank rank : ranks) counts.push_back(lanes.leads(rank) ? bytes_of_lane(lanes.lane_of(rank)) : 0);
  return counts;
}

class Hierarchy : public Analysis, public Composition {
 public:
  // Throws Error{misuse} if an algorithm for a phase is unknown or does not apply, with the reason.
  Hierarchy(const Problem& problem, const Parameters& parameters, Form form);

  std::vector<Stage> stages() const override;
  std::size_t phase_count() const override { return segments_.size() * phases_; }
  Count first_round(std::size_t phase) const override;
  std::optional<GroupStep> step(std::size_t phase, Rank rank) const override;
  std::vector<Local> before(std::size_t phase, Rank rank) const override;

  Count ports() const;
  Count node_ports() const;
  Combining combining() const;
  std::optional<Symmetry> symmetry() const;

 private:
  struct Run {  // of one algorithm for one problem; groups with equal problems share it
    bool is_between = false;
    Problem problem;
    Choice choice;
    std::shared_ptr<const Schedule> schedule;
  };
  struct PlannedPhase : Phase {
    ByRank<const Run*> runs;  // by group; null: idle
    Count rounds = 0;
  };
  struct Instance {  // of the form, for segments of one length
    Problem problem;
    std::vector<PlannedPhase> phases;
  };
  struct Segment {
    Bytes offset = 0;
    const Instance* instance = nullptr;
  };

  const Instance* instance_of(Bytes bytes, Form form, const Parameters& parameters);
  const Run* run_of(const Problem& problem, const std::string& specification, bool is_between);
  Bytes scratch_bytes(Rank rank) const;
  void shift(Regions& regions, std::size_t segment, Rank rank) const;
  const PlannedPhase& phase(std::size_t number) const;

  Problem problem_;
  Lanes lanes_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<std::unique_ptr<Instance>> instances_;
  std::vector<Segment> segments_;
  std::size_t phases_ = 0;
  std::vector<Count> starts_;  // the first round of each step of the pipeline; then the number of rounds
};

// For records of hierarchical algorithms.
Result<> hierarchy_applies(const Problem& problem, const Parameters& parameters, Form form);

// The parts of the data that lanes carry, and where they lie: shares of ranks, or parts of a vector.

// For forms of collectives in which every rank has a share (allgather, reduce_scatter, gather, scatter): a lane carries the shares
// of the ranks in its groups. Both arguments must outlive the object and all copies of it.
class ShareParts {
 public:
  ShareParts(const Problem& problem, const Lanes& lanes);

  Bytes bytes_of_group(Count group) const;
  Bytes bytes_of_lane(Count lane) const { return (*lane_bytes_)[lane]; }
  Bytes bytes_before_group(Rank leader) const;  // of the groups of the leader's lane before its own group

  // Where shares lie in a buffer that has all shares in the order of ranks: those of a group, those of a lane, or those of all
  // lanes one after the other. A lane lists its groups in the order of their leaders. If `from` is given, the list begins at the
  // node of this rank and wraps around.
  Regions of_group(Buffer buffer, Count group) const;
  Regions of_lane(Buffer buffer, Count lane, std::optional<Rank> from = std::nullopt) const;
  Regions of_all(Buffer buffer, std::optional<Rank> from = std::nullopt) const;

  // The counts of the ranks of a group, a node or a lane that exchange these shares.
  std::vector<Bytes> counts_in_group(Count group) const;
  std::vector<Bytes> counts_in_node(Count node) const;  // of leaders, each with all shares of its lane
  std::vector<Bytes> counts_in_lane(Count lane) const;

  // A phase in which each group of several ranks runs a collective of its shares. The group's leader is the root.
  Phase in_groups(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                  std::function<Regions(Rank)> output) const;
  // A phase in which each lane runs a collective of its shares between nodes; the collective may be rooted.
  Phase between_nodes(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                      std::function<Regions(Rank)> output) const;

 private:
  void add_group(Regions& regions, Buffer buffer, Count group) const;
  void add_lane(Regions& regions, Buffer buffer, Count lane, std::optional<Rank> from) const;

  std::shared_ptr<const Shares> shares_;
  const Problem* problem_;
  const Lanes* lanes_;
  std::shared_ptr<const ByRank<Bytes>> lane_bytes_;
};

// For forms of collectives of vectors (broadcast, reduce, allreduce): the vector is cut into a part for each lane. Both arguments
// must outlive the object and all copies of it.
class VectorParts {
 public:
  VectorParts(const Problem& problem, const Lanes& lanes) : problem_(&problem), lanes_(&lanes) {}

  Bytes bytes(Count lane) const { return at(Buffer::input, lane).length; }
  Region at(Buffer buffer, Count lane) const { return segment(buffer, *problem_, lanes_->count(), lane); }
  Region whole(Buffer buffer) const { return {buffer, 0, problem_->block_bytes, {}}; }
  // Where the part of a leader's lane lies in the vector; nothing for ranks that lead no group.
  Regions held(Buffer buffer, Rank rank) const;
  // The part of a leader's lane combined over the ranks of its node: in scratch memory, or in the input of a rank that is alone on
  // its node.
  Regions of_node(Rank rank) const;

  // The problem in which the ranks of a node gather or scatter the parts.
  Problem shared_out(Collective collective, Count node, Rank root = 0) const;

  Phase combine_in_nodes() const;  // from the inputs to `of_node`
  Phase spread_in_nodes() const;   // from `held` in the output to the whole output of every rank
  // A phase in which each lane runs a collective of its part between nodes; the collective may be rooted.
  Phase between_nodes(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                      std::function<Regions(Rank)> output) const;
  // A phase that gathers or scatters the parts between the root and the leaders of its node.
  Phase in_roots_node(std::string stage, Collective collective, std::function<Regions(Rank)> input,
                      std::function<Regions(Rank)> output) const;

 private:
  Count roots_node() const { return lanes_->nodes().node_of(problem_->root); }

  const Problem* problem_;
  const Lanes* lanes_;
};

// The record of a hierarchical algorithm. All of it except the texts follows from the form.
//
// The parameters of hierarchical algorithms, with their defaults and the values worth trying.
std::vector<Parameter> parameters_of_hierarchy(Collective collective);

template <Form form>
Algorithm hierarchical(Collective collective, std::string summary, std::string_view picture,
                       std::string_view needs = "several nodes, one with several ranks, and what the parts need") {
  Algorithm record{
      .collective = collective,
      .id = "hierarchical",
      .summary = std::move(summary),
      .picture = picture,
      .needs = needs,
      .source = "traff2020",
      .parameters = parameters_of_hierarchy(collective),
      .generate = [](const Problem&, const Parameters&, const Analysis* analysis,
                     Rank me) { return composed(static_cast<const Hierarchy&>(*analysis), me); },
      .applies = [](const Problem& problem, const Parameters& parameters) { return hierarchy_applies(problem, parameters, form); },
      .analyse = [](const Problem& problem, const Parameters& parameters) -> std::shared_ptr<const Analysis> {
        return std::make_shared<Hierarchy>(problem, parameters, form);
      },
      .cuts_blocks = true,  // lanes cut vectors, and parts may have segments
      .ports = [](const Problem& problem, const Parameters& parameters) { return Hierarchy(problem, parameters, form).ports(); },
      .node_ports = [](const Problem& problem,
                       const Parameters& parameters) { return Hierarchy(problem, parameters, form).node_ports(); },
  };
  if (!is_irregular(collective) && !is_rooted(collective) && collective != Collective::scan && collective != Collective::exscan)
    record.symmetry = [](const Problem& problem, const Parameters& parameters) {
      return Hierarchy(problem, parameters, form).symmetry();
    };
  if (is_reduction(collective)) {
    record.combining = [](const Problem& problem, const Parameters& parameters) {
      return Hierarchy(problem, parameters, form).combining();
    };
    record.combining_rule =
        "as the parts if each node has consecutive ranks, but fixed tree only if all nodes have the same power of two of ranks "
        "(the last one may have fewer); else any order";
  }
  return record;
}

}  // namespace quadrille
