// SPDX-License-Identifier: BSD-3-Clause
// The time of the index operation over the radix, for three sizes of block.
#include "reproduce/exhibit.hpp"
#include "reproduce/exhibits/sp1_index.hpp"

namespace quadrille::reproduce {
namespace {

Reproduction make(const Making&) {
  Reproduction made{.remarks = {sp1_remark}};
  const Sp1Index index;
  const std::vector<Bytes> sizes{32, 64, 128};
  Sheet sheet{.columns = {"radix"}};
  Panel panel{.title = "linear model, 29 µs and 0.12 µs/byte", .x_label = "radix", .y_label = "time (ms)", .log_x = true};
  for (const Bytes bytes : sizes) {
    sheet.columns.push_back(fmt::format("{} bytes (ms)", bytes));
    panel.curves.push_back({.column = sheet.columns.size() - 1, .title = fmt::format("{} bytes a block", bytes)});
  }
  std::vector<Count> all;
  for (Count radix = 2; radix <= sp1_processors; ++radix) {
    all.push_back(radix);
    std::vector<Cell>& row = sheet.rows.emplace_back(std::vector<Cell>{radix});
    for (const Bytes bytes : sizes) row.emplace_back(index.us(radix, bytes) / 1000);
  }
  for (const auto& [radices, which] : {std::pair(powers_of_two, "powers of two"), std::pair(all, "all radices")})
    for (std::size_t i = 1; i < sizes.size(); ++i)
      made.comparisons.push_back(
          {.what = fmt::format("best of {} at {} bytes, against that at {} (\"the minimal time tends to occur at a higher radix\")",
                               which, sizes[i], sizes[i - 1]),
           .paper = static_cast<double>(index.best_of(radices, sizes[i - 1])),
           .ours = static_cast<double>(index.best_of(radices, sizes[i])),
           .relation = Relation::at_least,
           .is_reading = true});
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(std::move(panel));
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig6{
    .id = "bruck1997-fig6",
    .title = "Index operation on 64 processors of an SP-1, over the radix",
    .source = "bruck1997, figure 6 and section 3.5",
    .about = "the measured curves are not in the text, so its claim about their minima is compared",
    .make = make,
};

}  // namespace quadrille::reproduce
