// SPDX-License-Identifier: BSD-3-Clause
// Finds the sizes from which on a broadcast is faster as a scatter followed by an all-to-all broadcast.
#include <fmt/format.h>

#include <cmath>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"

namespace quadrille::papers {
namespace {

// The time of a start-up equals the time of `startup_bytes` bytes.
constexpr double startup_bytes = 1024;

double time_of(Collective collective, Count p, Bytes bytes, const char* specification) {
  const Coefficients plain{{"startup_us", startup_bytes}, {"transfer_us_per_byte", 1}, {"ports", 1}};
  return price_of(workload(make_schedule(problem_of(collective, p, bytes), specification)), *find_model("linear"), plain)
             .blocking_s *
         1e6;
}

// Returns the ratio m tw / ts from which on the improved form is faster, to within 64 bytes, by bisection.
double crossing(Count p) {
  Bytes below = 1, above = 1024;
  const auto better = [&](Bytes units) {
    return time_of(Collective::broadcast, p, units * 64, "scatter-allgather") <
           time_of(Collective::broadcast, p, units * 64, "binomial");
  };
  while (above - below > 1) {
    const Bytes middle = (above + below) / 2;
    (better(middle) ? above : below) = middle;
  }
  return Number(above * 64) / startup_bytes;
}

Reproduction make_grama2003_optimised(const Making& making) {
  Reproduction made{
      .remarks = {"The slides do not say where the two forms cross. The value read from them is computed from the times of both "
                  "forms, one of which they give only as \"about\". Our value is counted in steps of a sixteenth of a start-up."}};
  const Count p = 64;
  Sheet sheet{.name = "times",
              .columns = {"m tw / ts", "binomial (ts)", "scatter and all-to-all broadcast (ts)", "2 (log p + m tw/ts)"}};
  for (Bytes bytes = 64; bytes <= 8192; bytes *= 2) {
    const double m = Number(bytes) / startup_bytes;
    sheet.rows.push_back({m, time_of(Collective::broadcast, p, bytes, "binomial") / startup_bytes,
                          time_of(Collective::broadcast, p, bytes, "scatter-allgather") / startup_bytes,
                          2 * (std::log2(64.0) + m)});
  }
  Sheet crossings{.name = "crossings", .columns = {"ranks", "m tw / ts, counted", "log p / (log p - 2)"}};
  for (const Count n : {8, 16, 32, 64, 256}) {
    making.show(fmt::format("broadcast among {} ranks", n));
    const double d = std::log2(Number(n));
    const double said = d / (d - 2), ours = crossing(n);
    crossings.rows.push_back({n, ours, said});
    made.comparisons.push_back({.what = fmt::format("{} ranks: m tw / ts from which the improved broadcast is faster; the slides "
                                                    "give its time as about 2 (ts log p + tw m)",
                                                    n),
                                .paper = said,
                                .ours = ours,
                                .tolerance = 0.2,
                                .place = "Optimizations of standard algorithms; Optimized one-to-all",
                                .is_reading = true});
  }
  for (const auto& [collective, specification] : {std::pair(Collective::broadcast, "scatter-allgather"),
                                                  {Collective::reduce, "reduce-scatter-gather"},
                                                  {Collective::allreduce, "circulant"}})
    made.equal(fmt::format("{} of 64 KiB on 64 ranks: time over 2 (ts log p + tw m)", name(collective)), 1,
               time_of(collective, p, 65536, specification) / (2 * (startup_bytes * 6 + 65536)),
               collective == Collective::broadcast ? "Optimized one-to-all" : "Application of concepts to reductions")
        .tolerance = 1.0 / 64;
  made.sheets = {std::move(sheet), std::move(crossings)};
  made.panels.push_back(
      {.title = "broadcast among 64 ranks",
       .x_label = "m tw / ts",
       .y_label = "time (ts)",
       .sheet = 0,
       .x = 0,
       .curves = {{1, "binomial"}, {2, "scatter and all-to-all broadcast"}, paper_points(3, "2 (ts log p + tw m)")},
       .log_x = true});
  made.panels.push_back({.title = "where the improved form becomes faster",
                         .x_label = "ranks",
                         .y_label = "m tw / ts",
                         .sheet = 1,
                         .x = 0,
                         .curves = {{1, "counted"}, {2, "log p / (log p - 2)", CurveStyle::dashed}},
                         .log_x = true});
  return made;
}

}  // namespace

extern const Exhibit grama2003_optimised{
    .id = "grama2003-optimised",
    .title = "Improved broadcast, reduction and all-reduce",
    .source = "grama2003, optimisations of standard algorithms",
    .about = "schedules priced by the linear model, in start-ups; the slides leave open when the improved form is faster",
    .make = make_grama2003_optimised,
};

}  // namespace quadrille::papers
