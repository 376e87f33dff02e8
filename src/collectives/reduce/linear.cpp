// SPDX-License-Identifier: BSD-3-Clause
// reduce/linear: every rank sends its vector to the root, which combines them all.
// Source  [grama2003] all-to-one reduction, the naive way.
// Needs   nothing: any p, any root, any operator; keeps to the fixed tree if required.
// Idea    The root receives `ports` vectors in each round, in the order of ranks, while it combines the vectors of the previous
//         round. Neighbouring partial results over equally many ranks are combined immediately, so for n vectors at most log2 n
//         partial results are kept.
// Cost    C1 = ceil((p - 1) / ports) rounds and C2 = C1 vectors; the root receives p - 1 vectors and does all
//         the combining.
// Prefer  two or three ranks.
#include "collectives/reducing/folding.hpp"
#include "collectives/spreading/spreading.hpp"

namespace quadrille {
namespace {

// Slots for vectors in scratch memory. A slot that is given back is free again one round later, so that two rounds can overlap.
class Slots {
 public:
  explicit Slots(Bytes bytes) : bytes_(bytes) {}

  Region take() {
    if (free_.empty()) free_.push_back({Buffer::scratch, count_++ * bytes_, bytes_, {}});
    const Region slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(const Region& slot) { given_back_.push_back(slot); }
  void next_round() {
    free_.insert(free_.end(), given_back_.begin(), given_back_.end());
    given_back_.clear();
  }
  Bytes size() const { return count_ * bytes_; }

 private:
  Bytes bytes_;
  Count count_ = 0;
  Regions free_, given_back_;
};

Program program_of_root(const Problem& problem, Count ports) {
  const Count p = problem.ranks;
  const Region input = block(Buffer::input, 0, problem.block_bytes), output = block(Buffer::output, 0, problem.block_bytes);
  ProgramBuilder program{problem.root};
  program.expect(p, 2);
  program.stage("combine");
  Slots slots(problem.block_bytes);
  TreeFold fold(program, [&](const Region& spent) { slots.give_back(spent); });
  Regions arrived;  // operands of the previous round, in the order of ranks
  const auto fold_arrived = [&] {
    for (const Region& operand : arrived) fold.add(operand);
    arrived.clear();
  };
  Count received = 0;
  for (Rank rank = 0; rank < p; ++rank) {
    if (rank == problem.root) {
      arrived.push_back(input);
      continue;
    }
    if (received % ports == 0) {
      program.begin_round();
      slots.next_round();
      fold_arrived();
    }
    arrived.push_back(received++ == 0 ? output : slots.take());
    program.receive(rank, {arrived.back()});
  }
  program.begin_round();
  fold_arrived();
  fold.finish();
  program.scratch(slots.size());
  return std::move(program).finish();
}

Program generate_linear(const Problem& problem, const Parameters& parameters, const Analysis*, Rank me) {
  const Count ports = number(parameters, "ports");
  if (me == problem.root) return program_of_root(problem, ports);
  const Count rounds = ceil_divide(problem.ranks - 1, ports), round = (me < problem.root ? me : me - 1) / ports;
  ProgramBuilder program{me};
  program.stage("combine");
  program.skip_rounds(round + 1);
  program.send(problem.root, {block(Buffer::input, 0, problem.block_bytes)});
  program.skip_rounds(rounds - round);
  return std::move(program).finish();
}

}  // namespace

extern const Algorithm reduce_linear{
    .collective = Collective::reduce,
    .id = "linear",
    .summary = "every rank sends its vector to the root, which combines them all",
    .picture =
        "All vectors go to the root, which combines them all, while the other ranks send once and are done. The root receives p - "
        "1 vectors and does all the work, so it is for two or three ranks.",
    .source = "grama2003",
    .parameters = {ports_of_root("messages that the root receives in one round")},
    .generate = generate_linear,
    .ports = [](const Problem&, const Parameters& parameters) { return number(parameters, "ports"); },
    .combining = always_fixed_tree,
    .combining_rule = always_fixed_tree_rule,
};

}  // namespace quadrille
