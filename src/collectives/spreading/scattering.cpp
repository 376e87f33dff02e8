// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/scattering.hpp"

#include "collectives/spreading/broadcasting.hpp"
#include "schedule/composition.hpp"

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

}  // namespace

bool is_gather(Collective collective) { return collective == Collective::gather || collective == Collective::gatherv; }

std::string stage_of_scattering(const Problem& problem) { return is_gather(problem.collective) ? "gather" : "scatter"; }

Program for_collective(const Problem& problem, Program scatter) {
  return is_gather(problem.collective) ? reversed(std::move(scatter)) : scatter;
}

Program scatter_by_tree(const Problem& problem, const TreePosition& position, const Shares& shares, Rank me) {
  const Luggage luggage(shares, problem.ranks, position.ranks, me);
  const bool is_root = !position.parent;
  ProgramBuilder program{me};
  if (!is_root) program.scratch(luggage.size());
  go_down(
      program, position, [&](const TreeEdge& edge) { program.receive(edge.peer, luggage.arriving()); },
      [&](const TreeEdge& edge) {
        program.send(edge.peer, is_root ? shares.of(Buffer::input, edge.ranks) : luggage.of(edge.ranks));
      });
  if (is_root) program.copy({shares.of(Buffer::input, me)}, {{Buffer::output, 0, shares.of(me), {}}});
  return for_collective(problem, std::move(program).finish());
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
