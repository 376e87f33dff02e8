// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/reducing/folding.hpp"

#include <algorithm>

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
    if (told_ == input_) {  // first message of an exscan: the vector is needed with and without the own vector
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

}  // namespace quadrille
