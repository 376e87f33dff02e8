// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/reducing/forwarding.hpp"

#include "quadrille/program_builder.hpp"
#include "schedule/composition.hpp"

namespace quadrille {

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

}  // namespace quadrille
