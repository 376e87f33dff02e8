// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/two_parts.hpp"

#include "schedule/transform.hpp"

namespace quadrille {
namespace {

Program joined_at(Bytes offset, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  const Placement place{Buffer::output, offset};
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

std::shared_ptr<const Analysis> parts_of_pieces(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm) {
  return std::make_shared<TwoParts>(make_schedule(of_pieces(problem, first), first_algorithm),
                                    make_schedule(of_pieces(problem, second), second_algorithm));
}

Program joined_at_the_beginning(const Problem&, const Parameters&, const Analysis* analysis, Rank me) {
  return joined_at(0, analysis, me);
}

Program joined_at_the_piece(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  return joined_at(piece(Buffer::output, problem, me).offset, analysis, me);
}

}  // namespace quadrille
