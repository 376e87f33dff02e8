// SPDX-License-Identifier: BSD-3-Clause
// Compares radix 2, radix n and the best power of two, and finds the block sizes at which they break even.
#include "papers/exhibit.hpp"
#include "papers/exhibits/sp1_index.hpp"

namespace quadrille::papers {
namespace {

Reproduction make_bruck1997_fig5(const Making&) {
  Reproduction made{.remarks = {sp1_remark}};
  const Sp1Index index;
  std::vector<Count> all;
  for (Count radix = 2; radix <= sp1_processors; ++radix) all.push_back(radix);
  Sheet sheet{.name = "linear",
              .columns = {"bytes per block", "radix 2 (ms)", "radix 64 (ms)", "best power of two (ms)", "best of all radices (ms)",
                          "best power of two", "best radix"}};
  double worst = 0;
  for (Bytes bytes = 16; bytes <= 512; bytes += bytes < 128 ? 16 : 32) {
    const Count power = index.best_of(powers_of_two, bytes), radix = index.best_of(all, bytes);
    sheet.rows.push_back({bytes, index.us(2, bytes) / 1000, index.us(64, bytes) / 1000, index.us(power, bytes) / 1000,
                          index.us(radix, bytes) / 1000, power, radix});
    worst = std::max(worst, index.us(power, bytes) / std::min(index.us(2, bytes), index.us(64, bytes)));
  }
  const double even = index.break_even(2, 64);
  made.at_least("bytes at which radix 2 and radix n break even (\"about 100 to 200 bytes\"), lower end of the range", 100, even,
                sp1_place);
  made.at_most("the same, upper end of the range", 200, even, sp1_place);
  made.at_most("time of the best power of two over the shorter time of radix 2 and radix n, maximum (\"the best overall choice\")",
               1, worst, sp1_place);
  // The break-even point depends on g1 / g2, so the paper's range of sizes stands for one value of that ratio.
  Sheet fitted{.name = "fitted", .columns = {"g1", "g2", "bytes at which radix 2 and radix 64 break even"}};
  for (const SlowDown& slow_down : slow_downs) {
    const double bytes = Sp1Index(slow_down).break_even(2, 64);
    fitted.rows.push_back({slow_down.startups, slow_down.bytes, bytes});
    if (slow_down.startups != 2 || slow_down.bytes != 2) continue;
    made.at_least("fitted model, g1 = g2 = 2: bytes at which radix 2 and radix n break even, lower end of the range", 100, bytes,
                  sp1_place);
    made.at_most("the same, upper end of the range", 200, bytes, sp1_place);
  }
  made.at_most(
          "fitted model: smallest g1/g2 for which they break even at 100 bytes or more; g1/g2 is 1 if both slow down equally, and "
          "less with congestion",
          1, 100 / even, sp1_place)
      .is_reading = true;
  made.at_most(
          "fitted model: largest g1/g2 for which they break even at 200 bytes or less; g1/g2 is at most 2 if g1 is at most 2 and "
          "g2 at least 1",
          2, 200 / even, sp1_place)
      .is_reading = true;
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(
      {.title = "linear model, 29 µs and 0.12 µs/byte",
       .x_label = "bytes per block",
       .y_label = "time (ms)",
       .curves = {{1, "radix 2"}, {2, "radix 64"}, {4, "best of all radices"}, {3, "best power of two", CurveStyle::dotted}}});
  made.sheets.push_back(std::move(fitted));
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig5{
    .id = "bruck1997-fig5",
    .title = "Radix 2, radix n and the best power of two on 64 processors of an SP-1",
    .source = "bruck1997, figure 5 and section 3.5",
    .about = "the break-even point is where the two lines of the model cross",
    .make = make_bruck1997_fig5,
};

}  // namespace quadrille::papers
