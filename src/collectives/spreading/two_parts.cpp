// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/spreading/two_parts.hpp"

#include "schedule/composition.hpp"

namespace quadrille {
std::shared_ptr<const Analysis> parts_by_shares(const Problem& problem, Collective first, const std::string& first_algorithm,
                                                Collective second, const std::string& second_algorithm) {
  return std::make_shared<TwoParts>(make_schedule(problem_of_shares(problem, first), first_algorithm),
                                    make_schedule(problem_of_shares(problem, second), second_algorithm));
}

Program joined_at_the_share(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const TwoParts&>(*analysis);
  const BufferPosition place{Buffer::output, vector_share(Buffer::output, problem, me).offset};
  return joined({.program = parts.first.program(me), .output = place}, {.program = parts.second.program(me), .input = place});
}

}  // namespace quadrille
