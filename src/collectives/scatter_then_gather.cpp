// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/scatter_then_gather.hpp"

#include "schedule/transform.hpp"

namespace quadrille::scatter_then_gather {
namespace {

struct Parts : Analysis {
  Schedule scatter, gather;
};

}  // namespace

std::shared_ptr<const Analysis> analyse(const Problem& problem, const std::string& scatter, const std::string& gather) {
  auto parts = std::make_shared<Parts>();
  parts->scatter = make_schedule(of_pieces(problem, Collective::reduce_scatterv), scatter);
  parts->gather = make_schedule(of_pieces(problem, Collective::allgatherv), gather);
  return parts;
}

Program generate(const Problem& problem, const Parameters&, const Analysis* analysis, Rank me) {
  const auto& parts = static_cast<const Parts&>(*analysis);
  const Placement place{Buffer::output, piece(Buffer::output, problem, me).offset};
  return joined({.program = parts.scatter.program(me), .output = place}, {.program = parts.gather.program(me), .input = place});
}

}  // namespace quadrille::scatter_then_gather
