// SPDX-License-Identifier: BSD-3-Clause
// Checks theorems 2.7 and 2.9, which bound the volume of the index operation in few rounds. The constants are taken from the
// theorems' proofs and compared with the volumes of our schedules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/exhibit.hpp"
#include "papers/machines.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// A block has as many bytes as there are ports, so that no bound on the bytes of a port has to be rounded.
Figures compound_index(Count n, Count radix, Count ports) {
  return figures(make_schedule(Problem::alltoall(n, ports), fmt::format("bruck:radix={},ports={}", radix, ports)));
}

// The proof of theorem 2.7 counts hops: after T rounds, at most C(T, f) k^f blocks of a rank can have made f hops.
double hops_bound(Count n, Count ports, Count rounds) {
  Bytes most = 0;
  for (const Bound& bound : lower_bounds(Problem::alltoall(n, ports), ports, rounds))
    if (bound.figure == "c2") most = std::max(most, bound.value);
  return ratio(most, ports);
}

struct Extremes {
  double least = 1e300, most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

// Theorem 2.7: ceil(log_(k+1) n) rounds, for all n, with radix k + 1.
void compare_fewest_rounds(Reproduction& made, const Making& making) {
  Sheet sheet{.name = "fewest-rounds", .columns = {"n", "one port", "two ports", "three ports", "four ports"}};
  Extremes volume_over_proof, volume_over_bound, proof_over_bound;
  const Count last = making.small ? 64 : 512;
  for (Count n = 8; n <= last; ++n) {
    std::vector<Cell> row{n};
    for (Count k = 1; k <= 4; ++k) {
      const Figures counted = compound_index(n, k + 1, k);
      const double blocks = ratio(counted.c2, k);
      const double logarithm = std::log(Number(n)) / std::log(Number(k + 1));
      const double bound = ratio(n, k + 1) * logarithm;
      const double proof = hops_bound(n, k, counted.c1);
      volume_over_proof.add(blocks / proof);
      volume_over_bound.add(blocks / bound);
      proof_over_bound.add(proof / bound);
      row.emplace_back(blocks / bound);
    }
    sheet.rows.push_back(std::move(row));
  }
  Panel panel{.title = "theorem 2.7: C2 over b n/(k+1) log_(k+1) n",
              .x_label = "n",
              .y_label = "ratio",
              .sheet = made.sheets.size(),
              .log_x = true};
  for (std::size_t k = 1; k <= 4; ++k) panel.curves.push_back({k, sheet.columns[k]});
  made.panels.push_back(std::move(panel));
  made.sheets.push_back(std::move(sheet));
  const std::string range = fmt::format("n from 8 to {}, one to four ports, fewest rounds", last);
  made.at_least(range + ": C2 over the number of hops that the proof counts, minimum", 1, volume_over_proof.least,
                "section 2.3, proof of theorem 2.7");
  made.at_least(range +
                    ": the proof's hops over b n/(k+1) log_(k+1) n, minimum (\"Omega\" is read as a factor of 1/4: half of the "
                    "ranks need half of the rounds)",
                0.25, proof_over_bound.least, "section 2.3, theorem 2.7")
      .is_reading = true;
  made.at_most(range +
                   ": C2 over b n/(k+1) log_(k+1) n, maximum (4 is allowed, because rounding up at most doubles n/(k+1) and the "
                   "logarithm)",
               4, volume_over_bound.most, "section 2.3, theorem 2.7")
      .is_reading = true;
}

// Theorem 2.9: one port, at most c log2 n rounds. Half of a rank's blocks make at least h hops, where h is the smallest number with
// sum_(j<=h) C(c log n, j) >= n/2. By lemma C.1, h is at least min(m/64, m / (8 log c)) for m = log(n/2).
void compare_logarithmic_rounds(Reproduction& made) {
  Sheet sheet{.name = "logarithmic-rounds", .columns = {"n", "c = 1", "c = 2", "c = 3", "c = 4"}};
  Extremes over_lemma, over_bound;
  for (Count log_n = 3; log_n <= 12; ++log_n) {
    const Count n = Count{1} << log_n;
    std::vector<Cell> row{n};
    for (Count c = 1; c <= 4; ++c) {
      double least = 1e300;  // in blocks, over all radices with at most c log2 n rounds
      for (Count radix = 2; radix <= std::min<Count>(n, 64); ++radix)
        if (const Figures counted = compound_index(n, radix, 1); counted.c1 <= c * log_n)
          least = std::min<double>(least, Number(counted.c2));
      const Number m = log_n - 1, all = n * log_n;
      const double hops = c == 1 ? m / 64 : std::min(m / 64, m / (8 * std::log2(Number(c))));
      over_lemma.add(least / (Number(n) / 2 * hops));
      over_bound.add(least / all);
      row.emplace_back(least / all);
    }
    sheet.rows.push_back(std::move(row));
  }
  Panel panel{.title = "theorem 2.9: C2 over b n log2 n, best radix",
              .x_label = "n",
              .y_label = "ratio",
              .sheet = made.sheets.size(),
              .log_x = true};
  for (std::size_t c = 1; c <= 4; ++c) panel.curves.push_back({c, fmt::format("C1 at most {} log2 n", c)});
  made.panels.push_back(std::move(panel));
  made.sheets.push_back(std::move(sheet));
  const std::string range = "n from 8 to 4096, one port, at most c log2 n rounds, c from 1 to 4";
  made.at_least(range + ": C2 over b n/2 min(m/64, m/(8 log c)), where m = log2(n/2), minimum", 1, over_lemma.least,
                "section 2.3, proof of theorem 2.9, and lemma C.1");
  made.at_least(range + ": C2 of the best radix over b n log2 n, minimum (\"Omega(b n log n)\"; 1/256 by the lemma's constants)",
                1.0 / 256, over_bound.least, "section 2.3, theorem 2.9")
      .is_reading = true;
  made.at_most(range + ": C2 of the best radix over b n log2 n, maximum (radix 2 has half of b n log2 n)", 0.5, over_bound.most,
               "section 3.3")
      .is_reading = true;
}

Reproduction make_bruck1997_compound(const Making& making) {
  Reproduction made{.remarks = {"The theorems bound all algorithms. The ratios stay between constants, so the bounds are tight up "
                                "to a constant factor."}};
  compare_fewest_rounds(made, making);
  making.show("theorem 2.9");
  compare_logarithmic_rounds(made);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_compound{
    .id = "bruck1997-compound",
    .title = "Compound lower bounds of the index operation",
    .source = "bruck1997, theorems 2.7 and 2.9, section 2.3",
    .about =
        "the bytes that a port carries in few rounds, counted from schedules and divided by the bounds with the constants of their "
        "proofs",
    .make = make_bruck1997_compound,
};

}  // namespace quadrille::papers
