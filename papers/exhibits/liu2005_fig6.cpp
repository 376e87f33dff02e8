// SPDX-License-Identifier: BSD-3-Clause
// The estimated times of exchanges on tori of 16 x 16 to 128 x 128 ranks of an Intel Paragon.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/exhibits/torus_exchange.hpp"

namespace quadrille::papers {
namespace {

// Returns the block size from which on `ours` is faster. It is negative if `ours` is always faster.
double break_even(const TorusCosts& ours, const TorusCosts& other, const Coefficients& machine) {
  const double start = ours.us(machine, 0) - other.us(machine, 0);
  const double slope = (other.us(machine, 1) - other.us(machine, 0)) - (ours.us(machine, 1) - ours.us(machine, 0));
  return start / slope;
}

// Returns the block size from which on AT2 is faster than all others on a torus of 2^d x 2^d ranks.
double first_fastest(const TorusCosts& at2, int d, const Coefficients& machine) {
  double from = 0;
  for (const PublishedExchange& other : other_exchanges) from = std::max(from, break_even(at2, other.costs(d), machine));
  return from;
}

Reproduction make_liu2005_fig6(const Making& making) {
  Reproduction made;
  const Coefficients paragon = machine_of_paper("paragon").models.at("torus");
  for (int d = 4; d <= 7; ++d) {
    const int side = 1 << d;
    const std::string place = fmt::format("{0}x{0}", side);
    making.show(place);
    const TorusCosts at2 = counted_at2(d);
    Sheet sheet{.name = place, .columns = {"bytes per block"}};
    Panel panel{.title = place + " torus",
                .x_label = "bytes per block",
                .y_label = "time (ms)",
                .sheet = made.sheets.size(),
                .log_x = true,
                .log_y = true,
                .range_group = 0};
    const auto add_curve = [&](const std::string& name, CurveStyle style) {
      sheet.columns.push_back(name + " (ms)");
      panel.curves.push_back({sheet.columns.size() - 1, name, style});
    };
    std::vector<std::pair<std::string, TorusCosts>> rivals;
    for (const PublishedExchange& other : other_exchanges)
      rivals.emplace_back(other.algorithm ? std::string(other.name) + ", counted" : other.name,
                          other.algorithm ? counted(d, other.algorithm) : other.costs(d));
    rivals.emplace_back("previous scheme (section IV.A), counted", counted(d, "submesh"));
    add_curve("AT2, counted", CurveStyle::line);
    for (const auto& [name, costs] : rivals) add_curve(name, CurveStyle::dashed);
    for (Bytes bytes = 1; bytes <= 4096; bytes *= 2) {
      const Number m = bytes;
      auto& row = sheet.rows.emplace_back(std::vector<Cell>{bytes, at2.us(paragon, m) / 1000});
      for (const auto& [name, costs] : rivals) row.emplace_back(costs.us(paragon, m) / 1000);
    }
    made.at_most(place + ": bytes per block from which AT2 is the fastest (\"for any message size\": from 1)", 1,
                 first_fastest(at2, d, paragon), "section V, below figure 6")
        .found(Outcome::paper_is_wrong, first_fastest(published_at2(d), d, paragon),
               "by the paper's own table II, the exchange of Suh and Yalamanchili has fewer start-ups and is faster for blocks of "
               "one byte");
    for (const auto& [name, costs] : rivals)
      made.at_least(
          fmt::format("{}: time of {} over that of AT2 at 4096 bytes (\"always outperforms the other algorithms\")", place, name),
          1, costs.us(paragon, 4096) / at2.us(paragon, 4096), "section V, below figure 6");
    made.sheets.push_back(std::move(sheet));
    made.panels.push_back(std::move(panel));
  }
  const TorusCosts small = counted_at2(2), other = other_exchanges[1].costs(2);
  made.at_least("4x4: time of Suh and Yalamanchili over that of AT2 at 1 MiB (\"any network size\")", 1,
                other.us(paragon, 1 << 20) / small.us(paragon, 1 << 20), "section V, below figure 6")
      .found(Outcome::beyond_assumptions, other.us(paragon, 1 << 20) / published_at2(2).us(paragon, 1 << 20),
             "AT2 consists of exchanges on rings of at least four ranks (section III), but the rings of 4x4 have two; figure 6 "
             "begins with 16x16. By table II, the other exchange has fewer start-ups and rearranges less on 4x4");
  return made;
}

}  // namespace

extern const Exhibit liu2005_fig6{
    .id = "liu2005-fig6",
    .title = "Exchanges on tori of an Intel Paragon",
    .source = "liu2005, figure 6 and section V",
    .about =
        "AT2, Suh and Shin's exchange and the previous scheme priced from schedules counted on the links of the torus, the others "
        "from the paper's table II",
    .make = make_liu2005_fig6,
};

}  // namespace quadrille::papers
