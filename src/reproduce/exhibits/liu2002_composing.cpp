// SPDX-License-Identifier: BSD-3-Clause
// Fits t_m of the T3D and of the SP2, for which table 1 has no value: a range for each claim, and a range that fits
// most claims.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/exhibits/irregular_composing.hpp"

namespace quadrille::reproduce {
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
              .columns = {"machine", "claims", "hold at t_m = 0", "hold at once, the most", "for t_m from (µs/byte)", "to",
                          "at most one fewer, from", "to ", "fitted t_m", "hold there", "fitted t_m over t_c + t_d"}};
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
              .columns = {"machine", "figure", "claims", "hold at t_m = 0", "for the other figures t_m is from (µs/byte)", "to",
                          "its middle", "hold there"}};
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
    made.comparisons.push_back({.what = fmt::format("{}: claims of each figure that hold at the t_m fitted to the other figures "
                                                    "({}), less those that hold at t_m = 0 ({})",
                                                    machine.name, at_fit, at_zero),
                                .paper = 1,
                                .ours = Number(at_fit) - Number(at_zero),
                                .relation = Relation::at_least,
                                .reason = "the fit predicts the claims no better than t_m = 0 does" +
                                          std::string(machine.fit.range.from > 0 ? ", so that they give a range of t_m at most"
                                                                                 : ", so that they do not determine t_m"),
                                .place = "sections 4.1 and 4.2",
                                .is_reading = true});
  }
  made.sheets.push_back(std::move(sheet));
  made.remarks.push_back(fmt::format(
      "Claims of each figure that hold at the t_m fitted to the other figures, against those that hold at t_m = 0: {}. Where the "
      "two are equal, the fit predicts no claim better than t_m = 0, and confirms nothing: the claims do not determine t_m. They "
      "bound it from above where the fitted range begins at 0, and else they are in favour of a range, not of one value in it.",
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
         .reason = "by the model it " + composing_text(each.ranges),
         .place = each.claim.said.place,
         .is_reading = true});
  }
}

Reproduction make(const Making& making) {
  Reproduction made{
      .remarks = {
          "One number a machine is fitted, t_m, so that many of the claims hold; nothing else is. A claim that holds at the fitted "
          "t_m does not confirm the fit if it was used to find it. The sheet of checks confirms the fit: it shows each figure's "
          "claims at the t_m that fits the other figures.",
          "By the flat model with messages to oneself, as figures 15 to 23; the simulation knows no t_m. The most claims may hold "
          "in a sliver only, so the fit is the middle of the widest range in which at most one claim fewer holds. Width is the "
          "ratio of its ends and the middle their geometric mean, where 0 counts as 10^-5 µs/byte. Looked at is t_m up to 1 "
          "µs/byte, over 20 times t_c + t_d. What bounds t_m of the T3D from above is that two buffers gain little there, which "
          "the paper puts down to the path to the memory and not to t_m."}};
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
        "table 1 has no t_m; the table shows the t_m for which most of the paper's claims about figures 15 to 23 hold, and below "
        "it each claim at that t_m",
    .make = make,
};

}  // namespace quadrille::reproduce
