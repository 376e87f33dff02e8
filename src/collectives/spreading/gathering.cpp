// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/gathering.hpp"

#include <algorithm>

#include "collectives/slices/pairs.hpp"
#include "patterns/bine.hpp"
#include "patterns/covers.hpp"
#include "patterns/integers.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

Region own(const Shares& shares, Rank me) { return {Buffer::input, 0, shares.of(me), {}}; }

// For a reduction, the gather that is made here is later run backwards.
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
  // In the last step both partners may hold some of the same shares; each sends only what the other lacks.
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
  // They are listed upwards (mod p) from these two, so that the order is the same relative to each rank.
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

}  // namespace quadrille
