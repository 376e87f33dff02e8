// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/reducing/prefix_builder.hpp"

namespace quadrille {

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
