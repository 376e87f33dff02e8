// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/reducing/folding.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "patterns/integers.hpp"
#include "problem/limits.hpp"
#include "quadrille/program_builder.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

void TreeFold::add(const Region& operand) {
  partials_.push_back({operand, 1});
  while (partials_.size() > 1 && partials_.back().operands == partials_[partials_.size() - 2].operands) combine_last_two();
}

void TreeFold::finish() {
  if (partials_.empty()) return;
  while (partials_.size() > 1) combine_last_two();
  const Region& result = partials_.front().place;
  if (result.buffer != Buffer::output) program_.copy({result}, {{Buffer::output, 0, result.length, {}}});
  partials_.clear();
}

void TreeFold::combine_last_two() {
  const Partial upper = partials_.back();
  partials_.pop_back();
  Partial& lower = partials_.back();
  const bool upward = lower.place.buffer == Buffer::input || upper.place.buffer == Buffer::output;
  const Region source = upward ? lower.place : upper.place, target = upward ? upper.place : lower.place;
  program_.reduce({source}, {target}, upward ? OperandOrder::source_first : OperandOrder::target_first);
  if (source.buffer == Buffer::scratch && spent_) spent_(source);
  lower = {target, lower.operands + upper.operands};
}

Program folded_directly(const Problem& problem, Rank last_source, Rank first_target, Rank me) {
  const Count p = problem.ranks;
  const Bytes b = problem.block_bytes;
  const auto place = [&](Rank rank) {
    if (rank == me) return block(Buffer::input, 0, b);
    const Count others = rank < me ? rank : rank - 1;  // number of places before that of `rank`
    return others == 0 ? block(Buffer::output, 0, b) : block(Buffer::scratch, others - 1, b);
  };
  ProgramBuilder program{me};
  program.scratch(std::max<Count>(0, last_source - (me <= last_source ? 1 : 0)) * b);
  program.stage("exchange");
  program.begin_round();
  for (Count distance = 1; distance < p; ++distance) {
    const Rank to = (me + distance) % p, from = (me + p - distance) % p;
    if (to >= first_target) program.send(to, {block(Buffer::input, 0, b)});
    if (from <= last_source) program.receive(from, {place(from)});
  }
  program.stage("combine");
  program.begin_round();
  TreeFold fold(program);
  for (Rank rank = 0; rank <= last_source; ++rank) fold.add(place(rank));
  fold.finish();
  return std::move(program).finish();
}

std::optional<Symmetry> translation_of_any_order(const Problem& problem, const Parameters&) {
  if (required_combining(problem) != Combining::any_order) return std::nullopt;
  return translation_symmetry(problem.ranks);
}

Program forwarded_to_root(const Problem& problem, Program combine, Rank holder) {
  if (holder == problem.root) return combine;
  const Bytes b = problem.block_bytes;
  const Rank me = combine.rank;
  BufferPosition result{Buffer::output, 0};
  if (me == holder) {
    result = {Buffer::scratch, combine.scratch_bytes};
    combine.scratch_bytes += b;
  }
  ProgramBuilder forward{me};
  forward.stage("forward");
  forward.begin_round();
  if (me == holder) forward.send(problem.root, {block(Buffer::input, 0, b)});
  if (me == problem.root) forward.receive(holder, {block(Buffer::output, 0, b)});
  return joined({.program = std::move(combine), .output = result}, {.program = std::move(forward).finish(), .input = result});
}

PrefixBuilder::PrefixBuilder(const Problem& problem, Rank me, std::string stage)
    : input_(block(Buffer::input, 0, problem.block_bytes)),
      output_(block(Buffer::output, 0, problem.block_bytes)),
      program_(me),
      told_(input_) {
  if (problem.collective == Collective::scan) result_ = input_;
  program_.stage(std::move(stage));
}

void PrefixBuilder::begin_round() {
  program_.begin_round();
  for (Local& local : pending_)
    if (local.kind == LocalKind::copy)
      program_.copy(std::move(local.source), std::move(local.target));
    else
      program_.reduce(std::move(local.source), std::move(local.target), local.order);
  pending_.clear();
}

void PrefixBuilder::send(Rank to) { program_.send(to, {told_}); }

void PrefixBuilder::receive_from_below(Rank from, bool tell) {
  const bool is_one = result_ == told_;
  const bool first = !result_ || *result_ == input_;  // the output is free, so the vector is received there
  const Region arrived = first ? output_ : area();
  program_.receive(from, {arrived});
  if (tell && !is_one) {
    if (told_ == input_) {  // first message of an exscan: it is needed both alone and combined with the own vector
      told_ = slot(Slot::told);
      copy(arrived, told_);
      reduce(input_, told_, OperandOrder::target_first);
    } else {
      reduce(arrived, told_, OperandOrder::source_first);
    }
  }
  if (!first)
    reduce(arrived, output_, OperandOrder::source_first);
  else if (result_)
    reduce(input_, output_, OperandOrder::target_first);
  result_ = output_;
  if (is_one) told_ = output_;
}

void PrefixBuilder::receive_from_above(Rank from) {
  const Region own = slot(Slot::told);
  if (told_ == own) {
    const Region arrived = area();
    program_.receive(from, {arrived});
    reduce(arrived, own, OperandOrder::target_first);
  } else {
    program_.receive(from, {own});
    reduce(told_, own, OperandOrder::source_first);
    told_ = own;
  }
}

Program PrefixBuilder::finish() && {
  begin_round();
  if (result_ == input_) program_.copy({input_}, {output_});
  program_.scratch(slot_count_ * input_.length);
  return std::move(program_).finish();
}

Region PrefixBuilder::slot(Slot which) {
  std::optional<Count>& index = slots_[which];
  if (!index) index = slot_count_++;
  return block(Buffer::scratch, *index, input_.length);
}

Region PrefixBuilder::area() { return slot(areas_used_++ % 2 == 0 ? Slot::even : Slot::odd); }

void PrefixBuilder::copy(const Region& source, const Region& target) {
  pending_.push_back({LocalKind::copy, {}, {source}, {target}});
}

void PrefixBuilder::reduce(const Region& source, const Region& target, OperandOrder order) {
  pending_.push_back({LocalKind::reduce, order, {source}, {target}});
}

FoldedPairs::FoldedPairs(const Problem& problem, Survivor survivor)
    : problem_(problem),
      survivor_(survivor),
      survivors_(static_cast<Count>(std::bit_floor(static_cast<std::uint64_t>(problem.ranks)))),
      pairs_(problem.ranks - survivors_),
      vector_bytes_(input_bytes(problem, 0)),
      ranks_(index(problem.ranks)) {
  check_limit(problem, problem.ranks, most_listed, "shares");
  std::iota(ranks_.begin(), ranks_.end(), 0);
}

Rank FoldedPairs::survivor(Count number) const {
  if (number >= pairs_) return number + pairs_;
  return 2 * number + (survivor_ == Survivor::upper ? 1 : 0);
}

RankRange FoldedPairs::stands_for(Count number) const {
  return number < pairs_ ? RankRange{2 * number, 2} : RankRange{number + pairs_, 1};
}

Count FoldedPairs::reversed(Count number) const {
  Count result = 0;
  for (Count bit = 1; bit < survivors_; bit *= 2, number /= 2) result = 2 * result + number % 2;
  return result;
}

void FoldedPairs::fold(const std::string& algorithm) {
  if (pairs_ == 0) return;
  Problem part = part_of_any_order(problem_, Collective::reduce, 2, vector_bytes_);
  part.root = survivor_ == Survivor::upper ? 1 : 0;
  const auto schedule = std::make_shared<const Schedule>(make_schedule(part, algorithm));
  add("fold", round_count(schedule->program(0)), [this, schedule](Rank rank) -> std::optional<GroupStep> {
    if (!in_pair(rank)) return std::nullopt;
    return GroupStep{schedule, pair_of(rank), rank % 2, BufferMap({{Buffer::input, 0, vector_bytes_, {}}}),
                     survives(rank) ? BufferMap(vector_of(rank)) : BufferMap()};
  });
}

void FoldedPairs::add(std::string stage, Count rounds, Step step) {
  const Count first = phases_.empty() ? 0 : phases_.back().first_round + phases_.back().rounds;
  phases_.push_back({std::move(stage), first, rounds, std::move(step)});
}

void FoldedPairs::add_of_survivors(std::string stage, SurvivorOrder order, const Problem& part, const std::string& algorithm,
                                   Places input, Places output) {
  const auto schedule = std::make_shared<const Schedule>(make_schedule(part, algorithm));
  Group group{order, {}};
  for (Count place = 0; place < survivors_; ++place)
    group.ranks.push_back(place == 0 && heir_ ? *heir_ : survivor(order == SurvivorOrder::reversed ? reversed(place) : place));
  add(std::move(stage), round_count(schedule->program(0)),
      [this, schedule, group = std::move(group), input = std::move(input),
       output = std::move(output)](Rank rank) -> std::optional<GroupStep> {
        const auto place = place_in(group, rank);
        if (!place) return std::nullopt;
        return GroupStep{schedule, group.ranks, *place, BufferMap(input(rank)), BufferMap(output(rank))};
      });
}

std::optional<Count> FoldedPairs::place_in(const Group& group, Rank rank) const {
  if (rank == group.ranks.front()) return 0;
  if (!survives(rank) || number_of(rank) == 0) return std::nullopt;
  return group.order == SurvivorOrder::reversed ? reversed(number_of(rank)) : number_of(rank);
}

void FoldedPairs::hand_over(Rank heir, Bytes bytes, Places data) {
  const auto schedule =
      std::make_shared<const Schedule>(make_schedule(part_of_any_order(problem_, Collective::broadcast, 2, bytes), "linear"));
  heir_ = heir;
  add("hand over", round_count(schedule->program(0)),
      [schedule, pair = std::vector<Rank>{survivor(0), heir}, data = std::move(data)](Rank rank) -> std::optional<GroupStep> {
        if (rank == pair[0]) return GroupStep{schedule, pair, 0, BufferMap(data(rank)), BufferMap(data(rank))};
        if (rank == pair[1]) return GroupStep{schedule, pair, 1, BufferMap(), BufferMap(data(rank))};
        return std::nullopt;
      });
}

Regions FoldedPairs::vector_of(Rank survivor) const {
  return {{in_pair(survivor) ? Buffer::scratch : Buffer::input, 0, vector_bytes_, {}}};
}

Region FoldedPairs::behind_vector(Rank survivor, Bytes bytes) const {
  return {Buffer::scratch, in_pair(survivor) ? vector_bytes_ : 0, bytes, {}};
}

std::vector<Stage> FoldedPairs::stages() const {
  std::vector<Stage> stages;
  for (const Phase& phase : phases_)
    if (phase.rounds > 0) stages.push_back({phase.stage, phase.first_round, phase.rounds});
  return stages;
}

Parameter fold_parameter() {
  return {.name = "fold",
          .summary = "how the ranks of a pair combine their vectors: one of them does it, or each does half of it",
          .standard = "whole",
          .choices = {"whole", "halves"},
          .range = {},
          .worth_trying = [](const Problem& problem, const Parameters&) -> std::vector<ParameterValue> {
            if (is_power_of_two(problem.ranks)) return {"whole"};  // there are no pairs
            return {"whole", "halves"};
          }};
}

std::shared_ptr<FoldedPairs> folded_by(const Problem& problem, const Parameters& parameters, Survivor of_whole) {
  const bool halves = word(parameters, "fold") == "halves";
  auto folded = std::make_shared<FoldedPairs>(problem, halves ? Survivor::lower : of_whole);
  folded->fold(halves ? "reduce-scatter-gather:scatter=recursive-halving" : "binomial");
  return folded;
}

Program folded_program(const Problem&, const Parameters&, const Analysis* analysis, Rank me) {
  return composed(static_cast<const FoldedPairs&>(*analysis), me);
}

Problem part_of_any_order(const Problem& problem, Collective collective, Count ranks, Bytes block_bytes) {
  return {.collective = collective, .ranks = ranks, .block_bytes = block_bytes, .element_bytes = problem.element_bytes};
}

Problem part_of_any_order(const Problem& problem, Collective collective, std::vector<Bytes> counts) {
  Problem part = part_of_any_order(problem, collective, size(counts), 0);
  part.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
  return part;
}

Problem part_of_survivors(const FoldedPairs& pairs, const Problem& problem, const Shares& shares) {
  std::vector<Bytes> counts;
  for (Count number = 0; number < pairs.survivors(); ++number) counts.push_back(shares.bytes(pairs.stands_for(number)));
  return part_of_any_order(problem, Collective::reduce_scatterv, std::move(counts));
}

Combining combining_of_folded(const Problem& problem, const Parameters&) {
  const Count p = problem.ranks;
  return is_power_of_two(p + (p & -p)) ? Combining::fixed_tree : Combining::rank_order;
}

Program exchange_of_vectors(const Problem& problem, PartnerOfRound partner_of, Rank me) {
  const Count p = problem.ranks;
  const Count survivors = static_cast<Count>(std::bit_floor(static_cast<std::uint64_t>(p))), pairs = p - survivors;
  const Count exchanges = std::countr_zero(static_cast<std::uint64_t>(survivors));
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  const bool in_pair = me < 2 * pairs;
  ProgramBuilder program{me};
  if (pairs > 0) {
    program.stage("fold");
    program.begin_round();
  }
  if (in_pair && me % 2 == 0) {
    program.send(me + 1, {input});
    program.stage("exchange");
    program.skip_rounds(exchanges);
    program.stage("unfold");
    program.begin_round();
    program.receive(me + 1, {output});
    return std::move(program).finish();
  }

  // The first vector that a rank receives goes to the output, and the input is combined into it. Every combination is
  // done when the next round begins.
  struct {
    Regions source, target;
    OperandOrder order = OperandOrder::source_first;
  } pending;
  const auto begin_round = [&] {
    program.begin_round();
    program.reduce(std::move(pending.source), std::move(pending.target), pending.order);
    pending = {};
  };
  Count in_scratch = 0;
  bool bare = true;
  const auto receive = [&](Rank from) {
    const bool from_below = from < me;
    const Region place = bare ? output : block(Buffer::scratch, in_scratch++ % 2, problem.block_bytes);
    program.receive(from, {place});
    pending = {{bare ? input : place}, {output}, bare == from_below ? OperandOrder::target_first : OperandOrder::source_first};
    bare = false;
  };

  if (in_pair) receive(me - 1);
  program.stage("exchange");
  const Count x = in_pair ? me / 2 : me - pairs;
  for (Count round = 0; round < exchanges; ++round) {
    begin_round();
    const Count y = partner_of(x, round, survivors);
    const Rank partner = y < pairs ? 2 * y + 1 : y + pairs;
    program.send(partner, {bare ? input : output});
    receive(partner);
  }
  if (pairs > 0) program.stage("unfold");
  begin_round();
  if (in_pair) program.send(me - 1, {output});
  if (p == 1) program.copy({input}, {output});
  program.scratch(std::min<Count>(in_scratch, 2) * problem.block_bytes);
  return std::move(program).finish();
}

}  // namespace quadrille
