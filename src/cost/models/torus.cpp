// SPDX-License-Identifier: BSD-3-Clause
// All-port networks with store-and-rearrange: T = start-ups t_s + C2 t_w + rearranged rho. All links of a rank at once; a round's
// bytes are its longest message times the sharing of its busiest link. Before a stage whose messages are of several pieces, a rank
// puts all its blocks in order, once.
// Source: [liu2005], section V (table II).
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Price price(const Workload& workload, const Coefficients& coefficients) {
  Count startups = 0;
  Bytes bytes = 0, rearranged = 0;
  for (const StageFigures& stage : workload.stages) {
    for (const RoundFigures& round : stage.rounds) {
      startups += std::max<Count>(1, round.turns);
      add_bytes(bytes, shared_bytes(round));
    }
    if (stage.in_pieces) add_bytes(rearranged, workload.held);
  }
  return sum_of({startups_term("start-ups", startups, seconds(coefficients, "startup_us")),
                 bytes_term("link bytes", bytes, seconds(coefficients, "wire_us_per_byte")),
                 bytes_term("rearranged bytes", rearranged, seconds(coefficients, "rearrange_us_per_byte"))});
}

}  // namespace

extern const Model torus_model{
    .id = "torus",
    .formula = "T = start-ups t_s + C2 t_w + rearranged rho: all links at once, and a pass over all blocks before each stage",
    .source = "liu2005, section V",
    .coefficients = {{.key = "startup_us", .meaning = "t_s, of a round"},
                     {.key = "wire_us_per_byte", .meaning = "t_w, of a byte on a link"},
                     {.key = "rearrange_us_per_byte", .meaning = "rho, of a byte that changes its place"}},
    .needs_links = true,
    .price = price,
};

}  // namespace quadrille
