// SPDX-License-Identifier: BSD-3-Clause
// Counts the work of ranks and nodes in each round: messages within a node and to other nodes, copies and reductions.
#pragma once

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "foundation/assert.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/model.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

// Calls visit(i) for each i below `count`, spread over the range, until it returns false. 0 comes first or last.
template <class Visit>
void for_each_spread(Count count, bool zero_first, Visit&& visit) {
  QUADRILLE_ASSERT(count > 0);
  Count step = std::max<Count>(1, count * 5 / 8);  // coprime to `count`, so that it visits every number
  while (std::gcd(step, count) != 1) ++step;
  Count at = zero_first ? 0 : step % count;
  for (Count i = 0; i < count && visit(at); ++i) at = (at + step) % count;
}

// Finds nodes that represent others under a symmetry of the ranks: a node can represent another node if a group element maps its
// ranks to the ranks of the other node, and the ranks of every node to the ranks of some node. The ranks of both nodes then do the
// same work with corresponding nodes. Returns one node of each class, or nothing if there are more than a few classes.
std::vector<Count> standing_nodes(const Symmetry& symmetry, const NodeRanks& nodes);

// Stores one value for each round. If a schedule states its number of rounds, the values are in a vector. A vector is faster, and
// each of many programs may touch a hundred thousand rounds. Files may number their rounds freely; the values are then in a map.
template <class Value>
class ByRound {
 public:
  // Allocates the vector, with a length taken from the stages of the first program. Must be called before any value is stored.
  void expect(const Program& program) {
    QUADRILLE_ASSERT(others_.empty());
    constexpr Count most = Count{1} << 22;
    if (const Count rounds = stated_rounds(program); stated_.empty() && rounds <= most) stated_.resize(index(rounds));
  }

  Value& operator[](Count number) { return number >= 0 && number < size(stated_) ? stated_[index(number)] : others_[number]; }

  // Calls visit(number, value) in the order of round numbers, also for rounds of the vector that were never used.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (Count number = 0; number < size(stated_); ++number) visit(number, stated_[index(number)]);
    for (const auto& [number, value] : others_) visit(number, value);
  }

 private:
  static Count stated_rounds(const Program& program) {
    Count rounds = 0;
    for (const Stage& stage : program.stages)
      if (const auto end = checked_sum(stage.first_round, stage.round_count)) rounds = std::max(rounds, *end);
    return rounds;
  }

  std::vector<Value> stated_;
  std::map<Count, Value> others_;
};

struct CountedWork {
  Count messages = 0;       // ends of messages, at the ranks whose programs were counted
  Count nodes_sampled = 0;  // Workload::nodes_sampled
};

// Adds the work to the figures of each round. If a symmetry is stated, only the representatives' programs are made; if the symmetry
// also maps nodes to nodes, one node of each class is counted. If there are more than some millions of messages, only a sample of
// the nodes is counted. `visit` is called once with every program that is made. It must call rounds.expect with the first of them.
CountedWork count_work(const Schedule& schedule, ByRound<RoundFigures>& rounds, const std::function<void(const Program&)>& visit);

// The bytes of a rank's buffers that have been written. A strided region counts as its hull.
class WrittenBytes {
 public:
  void add(const Regions& regions) {
    for (const Region& region : regions)
      if (region.length > 0) written_[region.buffer] += interval_of(region);
  }

  bool overlaps(const Regions& regions) const {
    return std::any_of(regions.begin(), regions.end(), [&](const Region& region) {
      if (region.length == 0) return false;
      const auto of_buffer = written_.find(region.buffer);
      return of_buffer != written_.end() && boost::icl::intersects(of_buffer->second, interval_of(region));
    });
  }

 private:
  using Intervals = boost::icl::interval_set<Bytes>;

  static Intervals::interval_type interval_of(const Region& region) {
    const auto [first, last] = hull(region);
    return region.length == 0 ? Intervals::interval_type() : Intervals::interval_type::right_open(first, last);
  }

  std::map<Buffer, Intervals> written_;
};

}  // namespace quadrille
