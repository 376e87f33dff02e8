// SPDX-License-Identifier: BSD-3-Clause
// The torus model, for networks in which a rank can use all its links at the same time: T = start-ups t_s + C2 t_w + rearranged
// rho. A round has as many start-ups as messages share its busiest link, because these messages cannot be on their way at the
// same time. The bytes of a round are those of its longest message times this number. (A rank that has more messages than links
// starts some of them later. That adds no start-ups, because these messages share the rank's links.) Before a stage with messages
// that are not contiguous in memory, each rank rearranges all its blocks once (store and rearrange). Source: [liu2005], section V
// (table II).
#include "cost/models/terms.hpp"

namespace quadrille {
namespace {

Formula torus_formula(const Coefficients& coefficients) {
  const Picoseconds startup = time_of(coefficients, "startup_us");
  const ByteTime wire = byte_time_of(coefficients, "wire_us_per_byte"),
                 rearrange = byte_time_of(coefficients, "rearrange_us_per_byte");
  return {.of_round = [=](const RoundFigures& round) -> Charges {
            return {startups_charge(std::max({Count{1}, round.turns, round.sharing}), startup),
                    bytes_charge(shared_bytes(round), wire)};
          },
          .of_stage = [=](const StageFigures& stage, const Workload& workload) -> Charges {
            return {Charge{}, {}, bytes_charge(stage.in_pieces ? workload.held : 0, rearrange)};
          }};
}

}  // namespace

extern const Model torus_model{
    .id = "torus",
    .formula =
        "T = start-ups t_s + C2 t_w + rearranged rho: all links of a rank at once; blocks are rearranged before stages that need "
        "it",
    .source = "liu2005, section V",
    .coefficients = {{.key = "startup_us", .meaning = "t_s, start-up of a message on a link"},
                     {.key = "wire_us_per_byte", .meaning = "t_w, time of a byte on a link"},
                     {.key = "rearrange_us_per_byte", .meaning = "rho, time of a byte that is rearranged"}},
    .needs_links = true,
    .adds_bytes = true,
    .terms = {{"start-ups"}, {"link bytes", true}, {"rearranged bytes", true}},
    .formula_of = torus_formula,
};

}  // namespace quadrille
