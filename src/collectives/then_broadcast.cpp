// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/then_broadcast.hpp"

#include "schedule/transform.hpp"

namespace quadrille::then_broadcast {
namespace {

struct Parts : Analysis {
  Schedule first, broadcast;
};

}  // namespace

std::shared_ptr<const Analysis> analyse(const Problem& problem, Collective first, Bytes bytes) {
  const auto part = [&](Collective collective, Bytes block_bytes) {
    Problem of_part = problem;
    of_part.collective = collective;
    of_part.block_bytes = block_bytes;
    return make_schedule(of_part, "binomial");
  };
  auto parts = std::make_shared<Parts>();
  parts->first = part(first, problem.block_bytes);
  parts->broadcast = part(Collective::broadcast, bytes);
  return parts;
}

Program generate(const Problem&, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const Parts&>(*analysis);
  return joined({.program = parts.first.program(me)}, {.program = parts.broadcast.program(me), .input = {Buffer::output, 0}});
}

}  // namespace quadrille::then_broadcast
