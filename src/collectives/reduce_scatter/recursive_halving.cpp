// SPDX-License-Identifier: BSD-3-Clause
// reduce_scatter/recursive-halving, reduce_scatterv/recursive-halving: in each round a rank sends half of its partial results to a
// partner, and combines the other half with the partial results that it receives.
// Source  [grama2003] all-to-all reduction on a hypercube; in MPI libraries since Rabenseifner's reductions.
// Needs   any p; with far partners first, an operator that commutes. Shares of any size, which may be empty.
// Idea    Ranks i and i ^ m exchange: each sends the partial results for the half of the ranks to which its partner belongs. With
//         m = 1, 2, 4, .. operands are combined in the order of ranks, and every second remaining block is sent. With m = p/2,
//         p/4, .., the reverse of recursive doubling, each message is contiguous in memory. If p = 2^d + q with 0 < q < 2^d, the
//         first 2 q ranks are pairs, as in MPI libraries. First the upper rank of a pair combines both vectors. Then it acts for
//         both ranks among 2^d ranks. At last it sends the lower rank its share.
// Cost    C1 = log2 p rounds; C2 = p - 1 blocks: both the least possible on one port, if p is a power of two. Else
//         C1 = floor(log2 p) + 2 rounds, and C2 is about 2 p blocks. With shares C2 is the sum over the rounds of the most that a
//         rank sends.
// Prefer  p a power of two, on links that carry both directions at once.
#include <fmt/format.h>

#include "collectives/reducing/folding.hpp"
#include "collectives/saying.hpp"
#include "collectives/spreading/spreading.hpp"
#include "patterns/integers.hpp"
#include "schedule/composition.hpp"

namespace quadrille {
namespace {

// Regions of the shares `first`, `first` + `step`, .. of the vector. The input has all shares. Scratch memory has only
// the shares of one parity, without gaps.
class EveryOther {
 public:
  EveryOther(const Problem& problem, const Shares& shares, Rank parity) : p_(problem.ranks), shares_(shares) {
    if (!is_irregular(problem.collective)) return;
    closed_up_.push_back(0);
    for (Rank rank = parity; rank < p_; rank += 2) closed_up_.push_back(closed_up_.back() + shares.of(rank));
  }

  Bytes bytes(Rank first, Count step) const {
    if (closed_up_.empty()) return p_ / step * shares_.of(0);
    Bytes sum = 0;
    for (Rank rank = first; rank < p_; rank += step) sum += shares_.of(rank);
    return sum;
  }

  Regions in_input(Rank first, Count step) const {
    if (closed_up_.empty()) return {regular(Buffer::input, first, step)};
    Regions regions;
    for (Rank rank = first; rank < p_; rank += step) regions.push_back(shares_.of(Buffer::input, rank));
    return regions;
  }

  Regions in_scratch(Rank first, Count step) const {
    if (closed_up_.empty()) return {regular(Buffer::scratch, first / 2, step / 2)};
    Regions regions;
    for (Rank rank = first; rank < p_; rank += step)
      regions.push_back({Buffer::scratch, closed_up_[index(rank / 2)], shares_.of(rank), {}});
    return regions;
  }

 private:
  // Returns every `step`-th share, beginning with `first`. In scratch memory, `first` and `step` count only the shares of one
  // parity.
  Region regular(Buffer buffer, Count first, Count step) const {
    const Bytes b = shares_.of(0);
    const Count count = buffer == Buffer::input ? p_ / step : p_ / (2 * step);
    if (step == 1) return blocks(buffer, first, count, b);
    return {buffer, first * b, b, {{{count, step * b}, {}, {}}}};
  }

  const Count p_;
  const Shares& shares_;
  std::vector<Bytes> closed_up_;  // irregular collectives: where the shares of one parity lie in scratch memory
};

// Before the exchange with i ^ m, m = 1, 2, 4, .., rank i holds the shares whose numbers agree with i in the bits below m,
// combined over m consecutive ranks, as in the fixed tree.
Program nearest_first(const Problem& problem, const Shares& shares, Rank me) {
  const Count p = problem.ranks;
  const EveryOther part(problem, shares, me & 1);
  ProgramBuilder program{me};
  program.stage("combine");
  program.begin_round();
  if (p == 1) program.copy({shares.of(Buffer::input, 0)}, {{Buffer::output, 0, shares.of(0), {}}});
  // Data received after the first round is stored in two areas after the partial results. Rounds use the two areas alternately.
  const Bytes kept_bytes = p > 2 ? part.bytes(me & 1, 2) : 0;
  const std::array<Bytes, 2> area_bytes{p > 4 ? part.bytes(me & 3, 4) : 0, p > 8 ? part.bytes(me & 7, 8) : 0};
  program.scratch(kept_bytes + area_bytes[0] + area_bytes[1]);
  Count round = 0;
  for (Count bit = 1; bit < p; bit *= 2, ++round) {
    const Count step = 2 * bit;
    const Rank partner = me ^ bit, mine = me & (step - 1), theirs = partner & (step - 1);
    const bool from_below = partner < me;
    program.send(partner, bit == 1 ? part.in_input(theirs, step) : part.in_scratch(theirs, step));
    const Regions running = bit == 1 ? part.in_input(mine, step) : part.in_scratch(mine, step);
    if (step == p || bit == 1) {  // the rank's own partial results are combined into the received data
      const Region place = step == p ? Region{Buffer::output, 0, shares.of(me), {}} : Region{Buffer::scratch, 0, kept_bytes, {}};
      program.receive(partner, {place});
      program.begin_round();
      program.reduce(running, {place}, from_below ? OperandOrder::target_first : OperandOrder::source_first);
    } else {
      const Region area{Buffer::scratch, kept_bytes + (round % 2 == 1 ? 0 : area_bytes[0]), part.bytes(mine, step), {}};
      program.receive(partner, {area});
      program.begin_round();
      program.reduce({area}, running, from_below ? OperandOrder::source_first : OperandOrder::target_first);
    }
  }
  return std::move(program).finish();
}

// If p is no power of two: folds pairs, runs recursive halving among the survivors, and scatters in each pair.
std::shared_ptr<const Analysis> analyse_recursive_halving(const Problem& problem, const Parameters& parameters) {
  if (is_power_of_two(problem.ranks)) return Shares::analyse(problem, parameters);
  const auto made = std::make_shared<FoldedPairs>(problem, Survivor::upper);
  const FoldedPairs* const all = made.get();
  const auto shares = std::make_shared<const Shares>(problem);
  const auto kept = [=](Rank survivor) -> Regions {  // the shares of the ranks for which it acts
    if (!all->in_pair(survivor)) return {{Buffer::output, 0, shares->of(survivor), {}}};
    return {all->behind_vector(survivor, shares->bytes(all->stands_for(all->number_of(survivor))))};
  };
  made->fold("binomial");
  made->add_of_survivors(
      "combine", SurvivorOrder::by_number, part_of_survivors(*all, problem, *shares),
      "recursive-halving:first=" + word(parameters, "first"), [=](Rank rank) { return all->vector_of(rank); }, kept);
  made->add("unfold", 1, [=](Rank rank) -> std::optional<GroupStep> {
    if (!all->in_pair(rank)) return std::nullopt;
    const auto pair = all->pair_of(rank);
    Problem part = part_of_any_order(problem, Collective::scatterv, {shares->of(pair[0]), shares->of(pair[1])});
    part.root = 1;
    return GroupStep{std::make_shared<const Schedule>(make_schedule(part, "linear")), pair, rank % 2,
                     all->survives(rank) ? BufferMap(kept(rank)) : BufferMap(),
                     BufferMap({{Buffer::output, 0, shares->of(rank), {}}})};
  });
  return made;
}

Program generate_recursive_halving(const Problem& problem, const Parameters& parameters, const Analysis* analysis, Rank me) {
  if (!is_power_of_two(problem.ranks)) return folded_program(problem, parameters, analysis, me);
  if (word(parameters, "first") == "near") return nearest_first(problem, shares(analysis), me);
  return reduced(gather_by_doubling(problem, shares(analysis), me));
}

Parameter halving_order() {
  return {.name = "first",
          .summary = "the first partners: near ones, which keeps the order of ranks, or far ones, which keeps messages contiguous",
          .standard = "far",
          .standard_for = [](const Problem& problem, const Parameters&) -> ParameterValue {
            return required_combining(problem) == Combining::any_order ? "far" : "near";
          },
          .standard_rule = "far if operands may be combined in any order, else near",
          .choices = {"near", "far"},
          .range = {},
          .worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> {
            return {"near", "far"};
          }};
}

Combining recursive_halving_combining(const Problem& problem, const Parameters& parameters) {
  return word(parameters, "first") == "near" ? combining_of_folded(problem, parameters)
                                             : any_order_of_more_than_two(problem, parameters);
}

const std::string order_of_combining = fmt::format("near first: {}; far first: any order", combining_rule_of_folded);

}  // namespace

Algorithm reduce_scatter_recursive_halving(Collective collective) {
  return {
      .collective = collective,
      .id = "recursive-halving",
      .summary = "exchange partial results: send half of the shares, combine the other half, and go on with that half",
      .picture =
          "Partners divide the work: each sends the half that belongs to the other's side and combines the half that it keeps. The "
          "messages halve from round to round. With log2 p rounds and no more volume than a ring, both are the least possible on "
          "one port.",
      .source = "grama2003",
      .parameters = {halving_order()},
      .says =
          [](const Problem& problem, const Parameters& parameters, Count round) {
            if (!is_power_of_two(problem.ranks)) return std::string();
            return says_swap("its partial results for " + counted_shares(problem, problem.ranks >> (round + 1)),
                             word(parameters, "first") == "far" ? ceil_log2(problem.ranks) - 1 - round : round) +
                   ", and combines those that it gets";
          },
      .generate = generate_recursive_halving,
      .analyse = analyse_recursive_halving,
      .ports = [](const Problem&, const Parameters&) { return Count{1}; },
      .combining = recursive_halving_combining,
      .combining_rule = order_of_combining,
      .tried_with_shares = [](const Problem& whole) -> std::vector<std::string_view> {
        if (!is_power_of_two(whole.ranks)) return {};
        return {""};
      },
  };
}

}  // namespace quadrille
