// SPDX-License-Identifier: BSD-3-Clause
// Start-ups, transmission and rearrangement of exchanges on a torus of 2^d x 2^d.
#include <fmt/format.h>

#include "reproduce/exhibit.hpp"
#include "reproduce/exhibits/torus_exchange.hpp"

namespace quadrille::reproduce {
namespace {

Reproduction make(const Making& making) {
  Reproduction made;
  Sheet sheet{.columns = {"d", "algorithm", "start-ups", "blocks transmitted", "blocks rearranged"}};
  for (int d = 2; d <= 7; ++d) {
    making.show(fmt::format("torus of {0} x {0}", 1 << d));
    const auto add = [&](const char* name, const TorusCosts& costs) {
      sheet.rows.push_back({Count{d}, std::string(name), costs.startups, costs.blocks, costs.rearranged});
    };
    for (const PublishedExchange& other : other_exchanges) add(other.name, other.costs(d));
    const TorusCosts said = published_at2(d), ours = counted_at2(d);
    add("AT2, as published", said);
    add("AT2, counted", ours);
    made.comparisons.push_back(
        {.what = fmt::format("d = {}: start-ups, 2^(d-1) + 2", d), .paper = said.startups, .ours = ours.startups});
    made.comparisons.push_back(
        {.what = fmt::format("d = {}: blocks transmitted, 2^(3d-3)", d), .paper = said.blocks, .ours = ours.blocks});
    made.comparisons.push_back(
        {.what = fmt::format("d = {}: blocks rearranged, 3 * 2^(2d)", d), .paper = said.rearranged, .ours = ours.rearranged});
  }
  made.sheets.push_back(std::move(sheet));
  return made;
}

}  // namespace

extern const Exhibit liu2005_table2{
    .id = "liu2005-table2",
    .title = "Costs of exchanges on a torus of 2^d x 2^d",
    .source = "liu2005, table II",
    .about = "AT2 counted from schedules up to 128 x 128 nodes, on the links of the torus; the rows of the others are the paper's",
    .make = make,
};

}  // namespace quadrille::reproduce
