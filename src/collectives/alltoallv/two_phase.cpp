// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/two-phase: everything is cut into p shares, one for each rank, and collected from there (A2 of the source).
// Source  [liu2002], algorithm A2.
// Needs   nothing: any sizes.
// Idea    Of what i has for j, rank i + j + q (mod p) takes the q-th share. So every message of the first pass has a p-th of
//         its sender's data, and every one of the second a p-th of its receiver's.
// Cost    C1 <= 2(p - 1) rounds, C2 at most 2L(p-1)/p and the rounding, L the most that a rank sends or receives.
// Prefer  long and very uneven counts; for shorter ones four-stage does the same in fewer rounds.
#include <algorithm>
#include <optional>

#include "collectives/counts_agreement.hpp"
#include "collectives/pairs.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

struct AllPairs : Analysis {
  std::vector<Pair> by_source;
  std::vector<const Pair*> by_target;
  std::vector<std::size_t> row_starts, column_starts;  // p + 1 of each
  std::optional<CountsAgreement> agreement;
};

std::shared_ptr<const Analysis> analyse(const Problem& problem, const Parameters& parameters) {
  auto all = std::make_shared<AllPairs>();
  const auto p = static_cast<std::size_t>(problem.ranks);
  if (word(parameters, "counts") == "gathered") all->agreement.emplace(problem);
  all->by_source = pairs_of(problem);
  all->row_starts.assign(p + 1, 0);
  all->column_starts.assign(p + 1, 0);
  for (const Pair& pair : all->by_source) {
    ++all->row_starts[static_cast<std::size_t>(pair.source) + 1];
    ++all->column_starts[static_cast<std::size_t>(pair.target) + 1];
  }
  for (std::size_t rank = 0; rank < p; ++rank) {
    all->row_starts[rank + 1] += all->row_starts[rank];
    all->column_starts[rank + 1] += all->column_starts[rank];
  }
  all->by_target.resize(all->by_source.size());
  std::vector<std::size_t> next(all->column_starts.begin(), all->column_starts.end() - 1);
  for (const Pair& pair : all->by_source) all->by_target[next[static_cast<std::size_t>(pair.target)]++] = &pair;
  return all;
}

class Cutting {
 public:
  Cutting(Count p, Bytes grain) : p_(p), grain_(grain) {}

  Count count(const Pair& pair) const { return std::min(p_, ceil_divide(pair.bytes, grain_)); }  // that are not empty
  Slice share(const Pair& pair, Count q) const {
    const Count units = ceil_divide(pair.bytes, grain_), each = units / p_, longer = units % p_;
    const auto cut = [&](Count x) { return std::min(pair.bytes, (x * each + std::min(x, longer)) * grain_); };
    return {&pair, cut(q), cut(q + 1)};
  }
  Rank taker(const Pair& pair, Count q) const { return (pair.source + pair.target + q) % p_; }
  Slice share_of(const Pair& pair, Rank rank) const { return share(pair, ((rank - pair.source - pair.target) % p_ + p_) % p_); }

 private:
  Count p_;
  Bytes grain_;
};

void exchange(ProgramBuilder& program, Rank me, std::vector<Regions>& sends, std::vector<Regions>& receives) {
  const auto p = static_cast<Count>(sends.size());
  for (Count distance = 1; distance < p; ++distance) {
    if (distance > 1) program.begin_round();
    const Rank to = (me + distance) % p, from = (me + p - distance) % p;
    program.send(to, std::move(sends[static_cast<std::size_t>(to)]));
    program.receive(from, std::move(receives[static_cast<std::size_t>(from)]));
  }
}

Program generate(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  const auto& all = static_cast<const AllPairs&>(*analysis);
  const Cutting cutting(problem.ranks, number(parameters, "grain"));
  const auto p = static_cast<std::size_t>(problem.ranks), own = static_cast<std::size_t>(me);

  // In a message the shares stand by target, then source. A message arrives in one piece of scratch memory.
  std::vector<Regions> spread(p), spread_receives(p), collect(p), collect_receives(p);
  for (std::size_t i = all.row_starts[own]; i < all.row_starts[own + 1]; ++i) {
    const Pair& pair = all.by_source[i];
    for (Count q = 0; q < cutting.count(pair); ++q)
      append(spread[static_cast<std::size_t>(cutting.taker(pair, q))], cutting.share(pair, q).input());
  }
  std::vector<Bytes> arrived(p, 0);  // from each source
  for (const Pair& pair : all.by_source)
    if (pair.source != me) arrived[static_cast<std::size_t>(pair.source)] += cutting.share_of(pair, me).length();
  Bytes scratch = 0;
  std::vector<Bytes> next(p, 0);
  for (std::size_t source = 0; source < p; ++source) {
    next[source] = scratch;
    append(spread_receives[source], {Buffer::scratch, scratch, arrived[source], {}});
    scratch += arrived[source];
  }

  Regions own_from, own_to;
  for (const Pair* pair : all.by_target) {
    const Slice share = cutting.share_of(*pair, me);
    Bytes& place = next[static_cast<std::size_t>(pair->source)];
    const Region held = pair->source == me ? share.input() : Region{Buffer::scratch, place, share.length(), {}};
    if (pair->source != me) place += share.length();
    append(pair->target == me ? own_from : collect[static_cast<std::size_t>(pair->target)], held);
    if (pair->target == me) append(own_to, share.output());
  }
  for (std::size_t i = all.column_starts[own]; i < all.column_starts[own + 1]; ++i) {
    const Pair& pair = *all.by_target[i];
    for (Count q = 0; q < cutting.count(pair); ++q)
      append(collect_receives[static_cast<std::size_t>(cutting.taker(pair, q))], cutting.share(pair, q).output());
  }

  ProgramBuilder program{me};
  program.scratch(scratch);
  if (all.agreement) all.agreement->add_to(program, me);
  if (p > 1) {
    program.stage("spread");
    program.begin_round();
    exchange(program, me, spread, spread_receives);
  }
  program.stage("collect");
  program.begin_round();
  program.copy(std::move(own_from), std::move(own_to));
  exchange(program, me, collect, collect_receives);
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm alltoallv_two_phase{
    .collective = Collective::alltoallv,
    .id = "two-phase",
    .summary = "cut everything into a share for each rank, then collect the shares: balanced whatever the counts",
    .needs = "",
    .source = "liu2002, algorithm A2",
    .parameters = {grain_parameter(), counts_parameter(/*with_headers=*/false)},
    .generate = generate,
    .analyse = analyse,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
