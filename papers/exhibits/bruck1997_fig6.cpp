// SPDX-License-Identifier: BSD-3-Clause
// Shows the time of the index operation over the radix, for three block sizes.
#include "papers/exhibit.hpp"
#include "papers/exhibits/sp1_index.hpp"

namespace quadrille::papers {
namespace {

const std::vector<Bytes> sizes{32, 64, 128};

void add_modelled_times(Reproduction& made, const Sp1Index& index, const char* name, const char* title) {
  Sheet sheet{.name = name, .columns = {"radix"}};
  Panel panel{
      .title = title, .x_label = "radix", .y_label = "time (ms)", .sheet = made.sheets.size(), .log_x = true, .range_group = 0};
  for (const Bytes bytes : sizes) {
    sheet.columns.push_back(fmt::format("{} bytes (ms)", bytes));
    panel.curves.push_back({.column = sheet.columns.size() - 1, .title = fmt::format("{} bytes per block", bytes)});
  }
  for (Count radix = 2; radix <= sp1_processors; ++radix) {
    std::vector<Cell>& row = sheet.rows.emplace_back(std::vector<Cell>{radix});
    for (const Bytes bytes : sizes) row.emplace_back(index.us(radix, bytes) / 1000);
  }
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(std::move(panel));
}

Reproduction make_bruck1997_fig6(const Making&) {
  Reproduction made{.remarks = {sp1_remark}};
  const Sp1Index index;
  add_modelled_times(made, index, "linear", "linear model, 29 µs and 0.12 µs/byte");
  add_modelled_times(made, Sp1Index({2, 2}), "fitted", "fitted model, g1 = g2 = 2");
  std::vector<Count> all;
  for (Count radix = 2; radix <= sp1_processors; ++radix) all.push_back(radix);
  constexpr const char* quotation = "\"the minimal time of the curve tends to occur at a higher radix\"";
  for (const auto& [radices, which] : {std::pair(powers_of_two, "powers of two"), std::pair(all, "all radices")}) {
    for (std::size_t i = 1; i < sizes.size(); ++i)
      made.at_least(fmt::format("best radix of {} at {} bytes, compared with that at {} bytes ({})", which, sizes[i], sizes[i - 1],
                                quotation),
                    index.best_of(radices, sizes[i - 1]), index.best_of(radices, sizes[i]), sp1_place)
          .is_reading = true;
    Count falling = 0;
    for (const SlowDown& slow_down : slow_downs)
      for (std::size_t i = 1; i < sizes.size(); ++i) {
        const Sp1Index slow(slow_down);
        falling += slow.best_of(radices, sizes[i]) < slow.best_of(radices, sizes[i - 1]) ? 1 : 0;
      }
    made.equal(fmt::format("best radix of {}, fitted model with g1 and g2 of 1 and 2: number of sizes at which it is lower than at "
                           "the size before",
                           which),
               0, falling, sp1_place);
  }
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig6{
    .id = "bruck1997-fig6",
    .title = "Index operation on 64 processors of an SP-1, over the radix",
    .source = "bruck1997, figure 6 and section 3.5",
    .about = "the text does not contain the measured curves, so its claim about their minima is compared",
    .make = make_bruck1997_fig6,
};

}  // namespace quadrille::papers
