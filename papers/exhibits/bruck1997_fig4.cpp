// SPDX-License-Identifier: BSD-3-Clause
// Shows the time of the index operation over the block size, for radices that are powers of two.
#include "papers/exhibit.hpp"
#include "papers/exhibits/sp1_index.hpp"

namespace quadrille::papers {
namespace {

// Adds the times over the block size as a sheet and a panel, and finds the best radix at each size.
std::vector<Count> add_times(Reproduction& made, const Sp1Index& index, const char* name, const char* title) {
  Sheet sheet{.name = name, .columns = {"bytes per block"}};
  Panel panel{.title = title, .x_label = "bytes per block", .y_label = "time (ms)", .sheet = made.sheets.size(), .range_group = 0};
  for (const Count radix : powers_of_two) {
    sheet.columns.push_back(fmt::format("radix {} (ms)", radix));
    panel.curves.push_back({.column = sheet.columns.size() - 1, .title = fmt::format("radix {}", radix)});
  }
  std::vector<Count> best;
  for (Bytes bytes = 16; bytes <= 512; bytes += bytes < 128 ? 16 : 32) {
    std::vector<Cell>& row = sheet.rows.emplace_back(std::vector<Cell>{bytes});
    for (const Count radix : powers_of_two) row.emplace_back(index.us(radix, bytes) / 1000);
    best.push_back(index.best_of(powers_of_two, bytes));
  }
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(std::move(panel));
  return best;
}

// Counts the block sizes at which the best radix changes to a smaller one.
Count falling(const std::vector<Count>& best) {
  Count count = 0;
  for (std::size_t i = 1; i < best.size(); ++i) count += best[i] < best[i - 1] ? 1 : 0;
  return count;
}

Reproduction make_bruck1997_fig4(const Making&) {
  Reproduction made{.remarks = {sp1_remark}};
  const Sp1Index index;
  const std::vector<Count> best = add_times(made, index, "linear", "linear model, 29 µs and 0.12 µs/byte");
  const std::vector<Count> slow = add_times(made, Sp1Index({2, 2}), "fitted", "fitted model, g1 = g2 = 2");
  Count falling_if_slow = falling(slow);
  for (const SlowDown& slow_down : {SlowDown{1, 2}, {2, 1}}) {
    Reproduction unseen;
    falling_if_slow += falling(add_times(unseen, Sp1Index(slow_down), "", ""));
  }
  made.equal(
      "number of block sizes at which the best radix decreases (\"the smaller radix tends to perform better for smaller message "
      "sizes\")",
      0, falling(best), sp1_place);
  made.equal("number of block sizes at which the best radix decreases, fitted model with (g1, g2) = (1, 2), (2, 1) and (2, 2)", 0,
             falling_if_slow, sp1_place);
  made.at_most("best radix at 16 bytes, compared with that at 512 bytes (\"and vice versa\")", best.back(), best.front(), sp1_place)
      .is_reading = true;
  made.at_least(
      "time of radix 64 over that of radix 2 at 16 bytes (\"the smaller radix tends to perform better for smaller message sizes\")",
      1, index.us(64, 16) / index.us(2, 16), sp1_place);
  made.at_most("time of radix 64 over that of radix 2 at 512 bytes (\"and vice versa\")", 1, index.us(64, 512) / index.us(2, 512),
               sp1_place);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig4{
    .id = "bruck1997-fig4",
    .title = "Index operation on 64 processors of an SP-1, by radix",
    .source = "bruck1997, figure 4 and section 3.5",
    .about = "the text does not contain the measured curves, so its claims about them are compared",
    .make = make_bruck1997_fig4,
};

}  // namespace quadrille::papers
