// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/spreading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/shares.hpp"
#include "collectives/slices/pairs.hpp"
#include "patterns/bine.hpp"
#include "patterns/circulant.hpp"
#include "patterns/covers.hpp"
#include "patterns/integers.hpp"
#include "patterns/trees.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

Region own(const Shares& shares, Rank me) { return {Buffer::input, 0, shares.of(me), {}}; }

// For a reduction, the gather made here is reversed later.
ProgramBuilder begin(const Problem& problem, const Shares& shares, Rank me) {
  ProgramBuilder program{me};
  program.stage(is_reduction(problem.collective) ? "combine" : "gather");
  program.begin_round();
  program.copy({own(shares, me)}, {shares.of(Buffer::output, me)});
  return program;
}

}  // namespace

Program gather_along_ring(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  ProgramBuilder program = begin(problem, shares, me);
  program.expect(p, 2);
  for (Count step = 1; step < p; ++step) {
    if (step > 1) program.begin_round();
    const Rank leaving = (me + p - step + 1) % p, arriving = (me + p - step) % p;
    program.send((me + 1) % p, {step == 1 ? own(shares, me) : shares.of(Buffer::output, leaving)});
    program.receive((me + p - 1) % p, {shares.of(Buffer::output, arriving)});
  }
  return std::move(program).finish();
}

Program gather_by_skips(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  const Cover skips = halving_cover(p);
  ProgramBuilder program = begin(problem, shares, me);
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    if (k > 0) program.begin_round();
    const Count skip = skips[k], count = skips[k + 1] - skip;
    const Rank above = (me + skip) % p, below = (me + p - skip) % p;
    program.send(below, k == 0 ? Regions{own(shares, me)} : shares.of(Buffer::output, {me, count}));
    program.receive(above, shares.of(Buffer::output, {above, count}));
  }
  return std::move(program).finish();
}

Program gather_by_doubling(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  ProgramBuilder program = begin(problem, shares, me);
  for (Count held = 1; held < p; held *= 2) {
    if (held > 1) program.begin_round();
    const Rank partner = me ^ held, first = me & -held;  // first of the ranks whose shares are held
    const auto group = [&](Rank from) { return shares.of(Buffer::output, {from, std::min(held, p - from)}); };
    if (partner < p) {
      program.send(partner, held == 1 ? Regions{own(shares, me)} : group(first));
      program.receive(partner, group(first ^ held));
    }
    for (const PassingOn& round : passing_on(p, held, me)) {
      program.begin_round();
      if (round.to) program.send(*round.to, group(first ^ held));
      if (round.from) program.receive(*round.from, group(first ^ held));
    }
  }
  return std::move(program).finish();
}

Program gather_by_doubling_from_afar(const Problem& problem, const Shares& shares, Rank me) {
  const auto every = [&](Count step, Rank first) {
    Regions regions;
    for (Rank rank = first; rank < problem.ranks; rank += step) append(regions, shares.of(Buffer::output, rank));
    return folded(regions);
  };
  ProgramBuilder program = begin(problem, shares, me);
  for (Count distance = problem.ranks / 2; distance > 0; distance /= 2) {
    const Count step = 2 * distance;  // distance between ranks whose shares are held
    const bool first = step == problem.ranks;
    if (!first) program.begin_round();
    program.send(me ^ distance, first ? Regions{own(shares, me)} : every(step, me % step));
    program.receive(me ^ distance, every(step, (me ^ distance) % step));
  }
  return std::move(program).finish();
}

Program gather_by_bine(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  // In the last step both partners may hold some of the same shares; each sends only the shares that its partner lacks.
  const auto sent = [&](Rank from, Rank to, Count step) {
    const RankRange held = bine_neighbours(from, step, p), known = bine_neighbours(to, step, p);
    return 2 * held.count <= p ? held : RankRange{(known.first + known.count) % p, p - known.count};
  };
  ProgramBuilder program = begin(problem, shares, me);
  for (Count step = 0; Count{1} << step < p; ++step) {
    if (step > 0) program.begin_round();
    const Rank partner = bine_partner(me, step, p);
    program.send(partner, step == 0 ? Regions{own(shares, me)} : shares.of(Buffer::output, sent(me, partner, step)));
    program.receive(partner, shares.of(Buffer::output, sent(partner, me, step)));
  }
  return std::move(program).finish();
}

Program gather_by_bine_from_afar(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  // Before step i a rank holds the shares of the ranks that are congruent, modulo 2^(i+2), to itself or its partner of step i + 1.
  // The list goes upwards (mod p), first from the rank and then from its partner, so that it is the same relative to each rank.
  const auto held = [&](Rank rank, Count step) {
    const Count modulus = Count{4} << step;
    Regions regions;
    for (const Rank member : {rank, bine_partner(rank, step + 1, p)})
      for (Count distance = 0; distance < p; distance += modulus)
        append(regions, shares.of(Buffer::output, (member + distance) % p));
    return folded(regions);
  };
  ProgramBuilder program = begin(problem, shares, me);
  const Count last_step = ceil_log2(p) - 1;
  for (Count step = last_step; step >= 0; --step) {
    const bool first = step == last_step;
    if (!first) program.begin_round();
    const Rank partner = bine_partner(me, step, p);
    program.send(partner, first ? Regions{own(shares, me)} : held(me, step));
    program.receive(partner, first ? Regions{shares.of(Buffer::output, partner)} : held(partner, step));
  }
  return std::move(program).finish();
}

Program gather_on_mesh(const Problem& problem, Count rows, const Shares& shares, Rank me) {
  const Count columns = problem.ranks / rows;
  const Count row = me / columns, column = me % columns;
  const auto rank = [columns](Count r, Count c) { return r * columns + c; };
  ProgramBuilder program{me};
  program.expect(rows + columns, 2);
  program.stage("rows");
  program.begin_round();
  program.copy({own(shares, me)}, {shares.of(Buffer::output, me)});
  for (Count step = 1; step < columns; ++step) {
    if (step > 1) program.begin_round();
    const Rank leaving = rank(row, (column + columns - step + 1) % columns),
               arriving = rank(row, (column + columns - step) % columns);
    program.send(rank(row, (column + 1) % columns), {step == 1 ? own(shares, me) : shares.of(Buffer::output, leaving)});
    program.receive(rank(row, (column + columns - 1) % columns), {shares.of(Buffer::output, arriving)});
  }
  program.stage("columns");
  for (Count step = 1; step < rows; ++step) {
    program.begin_round();
    const Count leaving = (row + rows - step + 1) % rows, arriving = (row + rows - step) % rows;
    program.send(rank((row + 1) % rows, column), shares.of(Buffer::output, {rank(leaving, 0), columns}));
    program.receive(rank((row + rows - 1) % rows, column), shares.of(Buffer::output, {rank(arriving, 0), columns}));
  }
  return std::move(program).finish();
}

Program gather_directly(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  ProgramBuilder program = begin(problem, shares, me);
  program.expect(p, 2);
  for (Count distance = 1; distance < p; ++distance) {
    const Rank from = (me + p - distance) % p;
    program.send((me + distance) % p, {own(shares, me)});
    program.receive(from, {shares.of(Buffer::output, from)});
  }
  return std::move(program).finish();
}

std::optional<Symmetry> translation(const Problem& problem, const Parameters&) { return translation_symmetry(problem.ranks); }

Result<> has_power_of_two_ranks(const Problem& problem, const Parameters&) {
  if (is_power_of_two(problem.ranks)) return {};
  return cannot("it pairs rank i with i ^ m and therefore needs a power of two, not " + std::to_string(problem.ranks) + " ranks");
}

Result<> has_even_ranks(Count ranks) {
  if (ranks == 1 || ranks % 2 == 0) return {};
  return cannot("it pairs even ranks with odd ones and therefore needs an even number of ranks, not " + std::to_string(ranks));
}

Result<> has_ranks_for_bine_from_afar(Count ranks) {
  if (is_power_of_two(ranks)) return {};
  return cannot("with large messages for the nearest partners it needs a power of two, not " + std::to_string(ranks) + " ranks");
}

Symmetry even_translation(Count ranks) { return ranks == 1 ? translation_symmetry(1) : Symmetry({{ranks, 2}}); }

namespace {

Count depth_of(Count ranks, Count fan_out) {
  Count depth = 0;
  for (Count begin = 0, width = 1; begin + width < ranks; ++depth) begin += width, width = std::min(width * fan_out, ranks);
  return depth;
}

}  // namespace

Program broadcast_by_tree(const TreePosition& position, Bytes bytes, Rank me) {
  const Region input = block(Buffer::input, 0, bytes), output = block(Buffer::output, 0, bytes);
  ProgramBuilder program{me};
  go_down(
      program, position, [&](const TreeEdge& edge) { program.receive(edge.peer, {output}); },
      [&](const TreeEdge& edge) { program.send(edge.peer, {position.parent ? output : input}); });
  if (!position.parent) program.copy({input}, {output});
  return std::move(program).finish();
}

Program broadcast_by_skips(const Problem& problem, Count segments, std::string stage, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const Count v = (me - problem.root + p) % p;
  const auto rank_of = [&](Count other) { return (other + problem.root) % p; };
  const auto part = [&](Buffer buffer, Count index) { return segment(buffer, problem, segments, index); };
  ProgramBuilder program{me};
  program.stage(std::move(stage));
  if (p > 1) {
    program.expect(segments, 2);
    const std::vector<Count> skips = circulant_skips(p);
    const CirculantReceipts mine(skips, v, segments);
    std::vector<CirculantReceipts> theirs;  // of the rank one skip above this rank
    for (std::size_t k = 0; k + 1 < skips.size(); ++k) theirs.emplace_back(skips, (v + skips[k]) % p, segments);
    for (Count round = 0; round < mine.rounds(); ++round) {
      program.begin_round();
      const std::size_t k = index(mine.skip_index(round));
      if (const auto got = mine.segment(round)) program.receive(rank_of((v + p - skips[k]) % p), {part(Buffer::output, *got)});
      if (const auto given = theirs[k].segment(round))
        program.send(rank_of((v + skips[k]) % p), {part(v == 0 ? Buffer::input : Buffer::output, *given)});
    }
  }
  if (v == 0) program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, 0, b)});
  return std::move(program).finish();
}

Parameter segments_of_skips() {
  return segments_parameter(
      [](const Problem& problem, const Parameters&) -> ParameterValue {
        return best_segment_count(ceil_log2(problem.ranks) - 1, problem.block_bytes);
      },
      "sqrt((ceil(log2 p)-1)*b/8KiB), at most 1024");
}

Program broadcast_by_full_tree(const Problem& problem, const Parameters& parameters, std::string stage, Rank me) {
  const Count segments = number(parameters, "segments");
  const TreePosition position = position_in_full_tree(problem.ranks, problem.root, number(parameters, "fan-out"), stage, me);
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  ProgramBuilder program{me};
  program.stage(std::move(stage));
  const Buffer held = position.parent ? Buffer::output : Buffer::input;
  const Count depth = position.phases.front().rounds, rounds = depth == 0 ? 0 : depth + segments - 1;
  // A segment takes an edge one round after the segment before it.
  const auto segment_at = [&](Count round, const TreeEdge& edge) { return round - edge.round; };
  const auto is_segment = [&](Count index) { return index >= 0 && index < segments; };
  for (Count round = 0; round < rounds; ++round) {
    program.begin_round();
    if (position.parent)
      if (const Count index = segment_at(round, *position.parent); is_segment(index))
        program.receive(position.parent->peer, {segment(Buffer::output, problem, segments, index)});
    for (const TreeEdge& edge : position.children)
      if (const Count index = segment_at(round, edge); is_segment(index))
        program.send(edge.peer, {segment(held, problem, segments, index)});
  }
  if (!position.parent) program.copy({input}, {output});
  return std::move(program).finish();
}

std::vector<Parameter> full_tree_parameters() {
  return {{.name = "fan-out",
           .summary = "children of each rank",
           .standard = Count{2},
           .least = 1,
           .most = [](const Problem& problem) { return std::max<Count>(1, problem.ranks - 1); },
           .range = "1..max(1,p-1)",
           .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
             return {std::min<Count>(2, std::max<Count>(1, problem.ranks - 1))};
           }},
          segments_parameter(
              [](const Problem& problem, const Parameters& before) -> ParameterValue {
                return best_segment_count(depth_of(problem.ranks, number(before, "fan-out")) - 1, problem.block_bytes);
              },
              "sqrt((depth-1)*b/8KiB), at most 1024")};
}

Count full_tree_ports(const Problem&, const Parameters& parameters) { return number(parameters, "fan-out"); }

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

Parameter grid_rows() {
  return {.name = "rows",
          .summary =
              "rows of the grid: by default those of the problem's own grid, else the largest divisor of p up to its square root",
          .standard = Count{1},
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return problem.grid.size() == 2 ? problem.grid[0] : most_square_rows(problem.ranks);
          },
          .standard_rule = "the grid's, else the largest divisor of p up to its square root",
          .choices = {},
          .least = 1,
          .most = [](const Problem& problem) { return problem.ranks; },
          .range = "the divisors of p"};
}

Result<> has_full_rows(const Problem& problem, const Parameters& parameters) {
  const Count rows = number(parameters, "rows");
  if (problem.ranks % rows == 0) return {};
  return cannot(fmt::format("{} ranks do not fill a grid of {} rows", problem.ranks, rows));
}

Parameter mesh_rows() {
  Parameter parameter = grid_rows();
  parameter.summary =
      "rows of the grid; if this is the first side of the problem's own grid (the default), all sides of that grid are used";
  parameter.standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
    return problem.grid.empty() ? most_square_rows(problem.ranks) : problem.grid[0];
  };
  parameter.standard_rule = "the grid's first side, else the largest divisor of p up to its square root";
  return parameter;
}

std::vector<Count> mesh_sides(const Problem& problem, Count rows) {
  if (!problem.grid.empty() && problem.grid[0] == rows) return problem.grid;
  return {rows, problem.ranks / rows};
}

// A translation of rows keeps the order of blocks within a row; a translation of columns would change it.
Symmetry rows_moved_on(const Problem& problem, const Parameters& parameters) {
  const Count rows = number(parameters, "rows"), columns = problem.ranks / rows;
  return Symmetry({{columns, columns}, {rows, 1}});
}

}  // namespace quadrille
