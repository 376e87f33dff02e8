// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/two_parts.hpp"

#include "schedule/composition.hpp"

namespace quadrille {
namespace {

Program joined_at(Bytes offset, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  const BufferPosition place{Buffer::output, offset};
  return joined({.program = parts.first.program(me), .output = place}, {.program = parts.second.program(me), .input = place});
}

}  // namespace

std::shared_ptr<const Analysis> then_broadcast(const Problem& problem, Collective first, Bytes bytes) {
  const auto part = [&](Collective collective, Bytes block_bytes) {
    Problem of_part = problem;
    of_part.collective = collective;
    of_part.block_bytes = block_bytes;
    return make_schedule(of_part, "binomial");
  };
  return std::make_shared<TwoParts>(part(first, problem.block_bytes), part(Collective::broadcast, bytes));
}

std::shared_ptr<const Analysis> parts_by_shares(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm) {
  return std::make_shared<TwoParts>(make_schedule(problem_of_shares(problem, first), first_algorithm),
                                    make_schedule(problem_of_shares(problem, second), second_algorithm));
}

Program joined_at_the_beginning(const Problem&, const Parameters&, const Analysis* analysis, Rank me) {
  return joined_at(0, analysis, me);
}

Program joined_at_the_share(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  return joined_at(vector_share(Buffer::output, problem, me).offset, analysis, me);
}

}  // namespace quadrille
