// SPDX-License-Identifier: BSD-3-Clause
// Fits t_m of the T3D and of the SP2, for which table 1 has no value: a range for each claim, and a range that fits
// most claims.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibits/irregular_composing.hpp"

namespace quadrille::papers {
namespace {

std::string ranges_text(const ComposingRanges& ranges) {
  std::string text;
  for (const auto& [from, to] : ranges) text += fmt::format("{}{:.3g} to {:.3g}", text.empty() ? "" : ", ", from, to);
  return text.empty() ? "none" : text;
}

struct Machine {
  const char* name;
  std::vector<ComposingClaim> claims;
  ComposingFit fit;
};

// Adds a sheet with the number of claims that hold for each t_m.
void add_held(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "held", .columns = {"t_m (µs/byte)"}};
  for (const double us_per_byte : composing_grid())
    if (us_per_byte >= 1e-4) sheet.rows.push_back({us_per_byte});
  Panel panel{.title = "Claims about figures 15 to 23 that hold",
              .x_label = sheet.columns[0],
              .y_label = "share of the claims (%)",
              .sheet = made.sheets.size(),
              .log_x = true};
  for (const Machine& machine : machines) {
    sheet.columns.push_back(fmt::format("{}, of {} claims (%)", machine.name, machine.claims.size()));
    panel.curves.push_back({sheet.columns.size() - 1, sheet.columns.back(), CurveStyle::steps});
    for (auto& row : sheet.rows)
      row.push_back(100.0 * Number(claims_held(machine.claims, std::get<double>(row[0]))) / Number(machine.claims.size()));
  }
  made.panels.push_back(std::move(panel));
  made.sheets.push_back(std::move(sheet));
}

void add_fits(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "fits",
              .columns = {"machine", "claims", "hold at t_m = 0", "most that hold together", "for t_m from (µs/byte)", "to",
                          "at most one fewer holds, from", "to ", "fitted t_m", "hold at this t_m", "fitted t_m over t_c + t_d"}};
  for (const auto& [name, claims, fit] : machines) {
    const FlatModel model = flat_model_of(machine_of_paper(name));
    sheet.rows.push_back({name, size(claims), static_cast<Count>(claims_held(claims, 0)), static_cast<Count>(fit.most),
                          fit.most_range.from, fit.most_range.to, fit.range.from, fit.range.to, fit.us_per_byte,
                          static_cast<Count>(claims_held(claims, fit.us_per_byte)),
                          fit.us_per_byte * 1e-6 / (model.copy_s_per_byte + model.wire_s_per_byte)});
  }
  made.sheets.push_back(std::move(sheet));
}

// Checks each figure's claims with the t_m that was fitted to the claims about the other figures. This shows how
// well a fit predicts new data.
void add_checks(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "checks",
              .columns = {"machine", "figure", "claims", "hold at t_m = 0", "t_m fitted to the other figures, from (µs/byte)", "to",
                          "middle", "hold at this t_m"}};
  std::string sums;
  for (const Machine& machine : machines) {
    std::size_t at_zero = 0, at_fit = 0;
    for (int figure = 15; figure <= 23; ++figure) {
      std::vector<ComposingClaim> own, others;
      for (const ComposingClaim& claim : machine.claims) (claim.figure == figure ? own : others).push_back(claim);
      if (own.empty()) continue;
      const ComposingFit fit = fit_composing(others);
      const double fitted = fit.us_per_byte;
      sheet.rows.push_back({machine.name, Count{figure}, size(own), static_cast<Count>(claims_held(own, 0)), fit.range.from,
                            fit.range.to, fitted, static_cast<Count>(claims_held(own, fitted))});
      at_zero += claims_held(own, 0);
      at_fit += claims_held(own, fitted);
    }
    sums +=
        fmt::format("{}{}: {} against {} of {}", sums.empty() ? "" : "; ", machine.name, at_fit, at_zero, machine.claims.size());
    made.comparisons.push_back({.what = fmt::format("{}: number of claims that hold at the t_m fitted to the other figures ({}), "
                                                    "minus the number that hold at t_m = 0 ({})",
                                                    machine.name, at_fit, at_zero),
                                .paper = 1,
                                .ours = Number(at_fit) - Number(at_zero),
                                .relation = Relation::at_least,
                                .reason = "the fit predicts the claims no better than t_m = 0 does" +
                                          std::string(machine.fit.range.from > 0 ? ", so they give a range of t_m at most"
                                                                                 : ", so they do not determine t_m"),
                                .place = "sections 4.1 and 4.2",
                                .is_reading = true});
  }
  made.sheets.push_back(std::move(sheet));
  made.remarks.push_back(
      fmt::format("Number of claims that hold at the t_m fitted to the other figures, against the number that hold at t_m = 0: {}. "
                  "If the two numbers are equal, the fit predicts the claims no better than t_m = 0 does and confirms nothing: the "
                  "claims do not determine t_m. If the fitted range begins at 0, the claims only bound t_m from above; otherwise "
                  "they favour a range, but no single value in it.",
                  sums));
}

void add_ranges(const std::vector<Machine>& machines, Reproduction& made) {
  Sheet sheet{.name = "ranges", .columns = {"machine", "figure", "plot", "claim", "holds for t_m (µs/byte)"}};
  for (const Machine& machine : machines)
    for (const ComposingClaim& each : machine.claims)
      sheet.rows.push_back({machine.name, Count{each.figure}, each.plot.title(), each.claim.what, ranges_text(each.ranges)});
  made.sheets.push_back(std::move(sheet));
}

void compare_at_the_fit(const Machine& machine, const Making& making, Reproduction& made) {
  for (const ComposingClaim& each : machine.claims) {
    const std::vector<double> list = each.claim.values(model_times(each.plot, making, machine.fit.us_per_byte));
    made.comparisons.push_back(
        {.what = fmt::format("{}, t_m = {:.3g} µs/byte, figure {}, {}: {} (\"{}\")", machine.name, machine.fit.us_per_byte,
                             each.figure, each.plot.title(), each.claim.what, each.claim.said.words),
         .paper = each.claim.bound,
         .ours = *each.claim.decisive(list),
         .relation = each.claim.relation,
         .tolerance = claim_tolerance,
         .reason = "by the model the claim " + composing_text(each.ranges),
         .place = each.claim.said.place,
         .is_reading = true});
  }
}

Reproduction make_liu2002_composing(const Making& making) {
  Reproduction made{
      .remarks = {
          "One value per machine is fitted: t_m, chosen so that many of the claims hold. Nothing else is fitted. A claim that "
          "holds at the fitted t_m does not confirm the fit if the fit used this claim. So the sheet of checks tests the fit: it "
          "shows how many of each figure's claims hold at the t_m that fits the claims about the other figures.",
          "Times are those of the flat model with messages to oneself, as in figures 15 to 23; the simulation has no t_m. The "
          "range of t_m in which the most claims hold may be very narrow. So the fit is the middle of the widest range in which at "
          "most one claim fewer holds. The width of a range is the ratio of its ends, and its middle is their geometric mean; 0 "
          "counts as 10⁻⁵ µs/byte. t_m is searched up to 1 µs/byte, which is over 20 times t_c + t_d. On the T3D nothing overlaps, "
          "so "
          "two buffers gain nothing whatever t_m is."}};
  std::vector<Machine> machines;
  for (const char* name : {"t3d", "sp2"}) {
    Machine& machine = machines.emplace_back(Machine{name, composing_claims(name, making), {}});
    machine.fit = fit_composing(machine.claims);
  }
  add_held(machines, made);
  add_fits(machines, made);
  add_checks(machines, made);
  add_ranges(machines, made);
  for (const Machine& machine : machines) compare_at_the_fit(machine, making, made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_composing{
    .id = "liu2002-composing",
    .title = "t_m, fitted to the paper's claims",
    .source = "liu2002, table 1 and sections 4.1 and 4.2",
    .about =
        "table 1 has no t_m; the table shows the t_m for which most of the paper's claims about figures 15 to 23 hold, and the "
        "comparisons check each claim at that t_m",
    .make = make_liu2002_composing,
};

}  // namespace quadrille::papers
