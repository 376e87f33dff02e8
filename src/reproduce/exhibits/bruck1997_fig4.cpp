// SPDX-License-Identifier: BSD-3-Clause
// The time of the index operation over the size of blocks, for radices that are powers of two.
#include "reproduce/exhibit.hpp"
#include "reproduce/exhibits/sp1_index.hpp"

namespace quadrille::reproduce {
namespace {

Reproduction make(const Making&) {
  Reproduction made{.remarks = {sp1_remark}};
  const Sp1Index index;
  Sheet sheet{.columns = {"bytes a block"}};
  Panel panel{.title = "linear model, 29 µs and 0.12 µs/byte", .x_label = "bytes a block", .y_label = "time (ms)"};
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
  Count falling = 0;
  for (std::size_t i = 1; i < best.size(); ++i) falling += best[i] < best[i - 1] ? 1 : 0;
  made.comparisons = {{.what = "sizes of block from which the best radix becomes smaller (\"the smaller radix tends to perform "
                               "better for smaller message sizes\")",
                       .paper = 0,
                       .ours = static_cast<double>(falling)},
                      {.what = "best radix at 16 bytes, against that at 512",
                       .paper = static_cast<double>(best.back()),
                       .ours = static_cast<double>(best.front()),
                       .relation = Relation::at_most,
                       .is_reading = true},
                      {.what = "time of radix 64 over that of radix 2 at 16 bytes",
                       .paper = 1,
                       .ours = index.us(64, 16) / index.us(2, 16),
                       .relation = Relation::at_least},
                      {.what = "time of radix 64 over that of radix 2 at 512 bytes",
                       .paper = 1,
                       .ours = index.us(64, 512) / index.us(2, 512),
                       .relation = Relation::at_most}};
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(std::move(panel));
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig4{
    .id = "bruck1997-fig4",
    .title = "Index operation on 64 processors of an SP-1, by radix",
    .source = "bruck1997, figure 4 and section 3.5",
    .about = "the measured curves are not in the text, so its claims about them are compared",
    .make = make,
};

}  // namespace quadrille::reproduce
