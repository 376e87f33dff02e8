// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/scattering.hpp"

#include "collectives/spreading/grid_rows.hpp"
#include "collectives/spreading/tree_rounds.hpp"
#include "patterns/mesh_tree.hpp"
#include "schedule/transform.hpp"

namespace quadrille {
namespace {

// The shares that a rank forwards. Scratch memory has the shares of its subtree in order, except for its own share.
class Luggage {
 public:
  Luggage(const Shares& shares, Count ranks, RankRange subtree, Rank me)
      : shares_(shares), ranks_(ranks), subtree_(subtree), me_(me) {}

  Bytes size() const { return shares_.bytes(subtree_) - shares_.of(me_); }

  // The regions into which the shares of the subtree are received; the rank's own share goes to the output.
  Regions arriving() const {
    const Bytes ahead = shares_.bytes({subtree_.first, distance(me_)});
    return {
        {Buffer::scratch, 0, ahead, {}}, {Buffer::output, 0, shares_.of(me_), {}}, {Buffer::scratch, ahead, size() - ahead, {}}};
  }

  Regions of(RankRange part) const {
    const Bytes ahead = shares_.bytes({subtree_.first, distance(part.first)});
    return {{Buffer::scratch, ahead - (distance(part.first) > distance(me_) ? shares_.of(me_) : 0), shares_.bytes(part), {}}};
  }

 private:
  Count distance(Rank rank) const { return (rank - subtree_.first + ranks_) % ranks_; }

  const Shares& shares_;
  const Count ranks_;
  const RankRange subtree_;
  const Rank me_;
};

// A gather is made as a scatter and then reversed.
bool is_gather(Collective collective) { return collective == Collective::gather || collective == Collective::gatherv; }

std::string stage_name(const Problem& problem) { return is_gather(problem.collective) ? "gather" : "scatter"; }

// Turns a scatter into the program of the problem's collective: if this is a gather, the scatter is reversed.
Program for_collective(const Problem& problem, Program scatter) {
  return is_gather(problem.collective) ? reversed(std::move(scatter)) : scatter;
}

// Down a tree: a rank receives the shares of its whole subtree, keeps its own share, and sends the others on. The ranks
// of a subtree must be consecutive.
Program scatter_by_tree(const TreePosition& position, const Shares& shares, Count ranks, Rank me) {
  const Luggage luggage(shares, ranks, position.ranks, me);
  const bool is_root = !position.parent;
  ProgramBuilder program{me};
  if (!is_root) program.scratch(luggage.size());
  go_down(
      program, position, [&](const TreeEdge& edge) { program.receive(edge.peer, luggage.arriving()); },
      [&](const TreeEdge& edge) {
        program.send(edge.peer, is_root ? shares.of(Buffer::input, edge.ranks) : luggage.of(edge.ranks));
      });
  if (is_root) program.copy({shares.of(Buffer::input, me)}, {{Buffer::output, 0, shares.of(me), {}}});
  return std::move(program).finish();
}

// The root sends straight to every rank, `ports` messages in each round, in the order root + 1, root + 2, ..
Program scatter_from_root(const Problem& problem, const Shares& shares, Count ports, Rank me) {
  const Count p = problem.ranks;
  const Rank root = problem.root;
  const Count rounds = ceil_divide(p - 1, ports);
  ProgramBuilder program{me};
  program.stage(stage_name(problem));
  if (me != root) {
    const Count round = ((me - root + p) % p - 1) / ports;
    program.skip_rounds(round + 1);
    program.receive(root, {{Buffer::output, 0, shares.of(me), {}}});
    program.skip_rounds(rounds - round - 1);
    return std::move(program).finish();
  }
  program.expect(p);
  program.begin_round();
  program.copy({shares.of(Buffer::input, me)}, {{Buffer::output, 0, shares.of(me), {}}});
  for (Count distance = 1; distance < p; ++distance) {
    if (distance > 1 && (distance - 1) % ports == 0) program.begin_round();
    program.send((root + distance) % p, {shares.of(Buffer::input, (root + distance) % p)});
  }
  return std::move(program).finish();
}

}  // namespace

Algorithm linear_algorithm(Collective collective, std::string_view summary) {
  return {
      .collective = collective,
      .id = "linear",
      .summary = summary,
      .source = "grama2003",
      .parameters = {ports_of_root(is_gather(collective) ? "messages that the root receives in one round"
                                                         : "messages that the root sends in one round")},
      .generate =
          [](const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
            return for_collective(problem, scatter_from_root(problem, shares(analysis), number(parameters, "ports"), me));
          },
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
  };
}

Algorithm binomial_algorithm(Collective collective, std::string_view summary) {
  return {
      .collective = collective,
      .id = "binomial",
      .summary = summary,
      .source = "grama2003",
      .generate =
          [](const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
            const TreePosition position = position_of(BinomialTree(problem.ranks, problem.root), stage_name(problem), me);
            return for_collective(problem, scatter_by_tree(position, shares(analysis), problem.ranks, me));
          },
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

Algorithm mesh_algorithm(Collective collective, std::string_view summary) {
  return {
      .collective = collective,
      .id = "mesh",
      .summary = summary,
      .needs = "rows divides p",
      .source = "grama2003",
      .parameters = {mesh_rows()},
      .generate =
          [](const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
            const MeshTree tree{mesh_sides(problem, number(parameters, "rows")), problem.root, DimensionOrder::first_first,
                                LineCut::around_holder};
            return for_collective(problem, scatter_by_tree(position_of(tree, me), shares(analysis), problem.ranks, me));
          },
      .applies = has_full_rows,
      .analyse = Shares::analyse,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
  };
}

Parameter ports_of_root(std::string_view summary) {
  return {.name = "ports",
          .summary = summary,
          .standard = Count{1},
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return std::max<Count>(1, problem.ranks - 1);
          },
          .standard_rule = "all",
          .least = 1,
          .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
          .range = "1..max(1,p-1)",
          .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
            return {Count{1}, std::max<Count>(1, problem.ranks - 1)};
          }};
}

}  // namespace quadrille
