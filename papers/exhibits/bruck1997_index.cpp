// SPDX-License-Identifier: BSD-3-Clause
// The index operation of [bruck1997]: its worked example, and its times on an SP-1.
#include <fmt/format.h>

#include <vector>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// The index operation on 64 processors of an SP-1. Figures 4 to 6 show measured times; here the linear model predicts them.

constexpr Count sp1_processors = 64;
const std::vector<Count> powers_of_two{2, 4, 8, 16, 32, 64};

// g1 and g2 of the model T = g1 C1 beta + g2 C2 tau + g3, with which the paper explains its measurements. If g1 and g2 are 1,
// this is the linear model. g3 is the same for all radices.
struct SlowDown {
  double startups = 1, bytes = 1;
};

// Pairs of g1 and g2 to try. According to the paper, sending and receiving at the same time slow each other down by a factor
// "somewhere between one and two".
const std::vector<SlowDown> slow_downs{{1, 1}, {1, 2}, {2, 1}, {2, 2}};

class Sp1Index {
 public:
  explicit Sp1Index(const SlowDown& slow_down = {}) {
    costs_["startup_factor"] = slow_down.startups;
    costs_["byte_factor"] = slow_down.bytes;
  }

  double us(Count radix, Bytes block_bytes) const {
    const Schedule schedule = make_schedule(Problem::alltoall(sp1_processors, block_bytes), fmt::format("bruck:radix={}", radix));
    return price_of(workload(schedule), *find_model("fitted"), costs_).blocking_s * 1e6;
  }

  Count best_of(const std::vector<Count>& radices, Bytes block_bytes) const {
    Count best = radices.front();
    double least = us(best, block_bytes);
    for (const Count radix : radices)
      if (const double time = us(radix, block_bytes); time < least) {
        least = time;
        best = radix;
      }
    return best;
  }

  // Returns the block size at which two radices take equally long; both times are linear in the block size.
  double break_even(Count fewer_rounds, Count fewer_bytes) const {
    const double at_0 = us(fewer_rounds, 1) - us(fewer_bytes, 1), at_1001 = us(fewer_rounds, 1001) - us(fewer_bytes, 1001);
    return 1 - at_0 * 1000 / (at_1001 - at_0);
  }

 private:
  Coefficients costs_ = machine_of_paper("sp1").models.at("fitted");
};

constexpr const char* sp1_place = "section 3.5, p. 1150";
constexpr const char* sp1_remark =
    "The times are those of the linear model with the start-up and the time per byte that the paper measured. The paper says that "
    "its own measurements were longer, because of the system's routines, copying, congestion and a slow-down of send-and-receive "
    "by a factor of one to two. Its fitted model, T = g1 C1 beta + g2 C2 tau + g3, has factors for these effects, but the paper "
    "gives no values. So a table has g1 and g2 of 1 and 2. g3 is the same for all radices and is 0 here. Only "
    "claims that the paper calls qualitative are compared.";

// Checks the worked example of the index operation on five processors: figures 1 to 3, and what the text says about
// single blocks.

Schedule index_operation(Count n, Count radix) {
  return make_schedule(Problem::alltoall(n, 1), fmt::format("bruck:radix={},form=classical", radix));
}

// Counts the slots, of all n x n, that the last rearrangement moves to position i + j ("rotated i steps downwards").
Count rotated_downwards(const Schedule& schedule) {
  const Count n = schedule.problem.ranks;
  Count count = 0;
  for (Rank i = 0; i < n; ++i) {
    const Program program = schedule.program(i);
    for (const Local& local : program.rounds.back().locals) {
      const std::vector<Bytes> from = places_of(local.source), to = places_of(local.target);
      for (std::size_t b = 0; b < from.size(); ++b) count += to[b] == (i + from[b]) % n ? 1 : 0;
    }
  }
  return count;
}

Reproduction make_bruck1997_fig3(const Making&) {
  Reproduction made;
  const Schedule schedule = index_operation(5, 2);
  Sheet& sheet = made.add_sheet({.columns = {"round", "offset", "slots that move", "blocks"}});
  for (const Move& move : moves_of(schedule, 0)) sheet.rows.push_back({move.round, move.offset, listed(move.places), move.length});

  const Figures binary = figures(schedule), direct = figures(index_operation(5, 5));
  made.equal("rounds for radix 2, ceil(log2 5)", 3, binary.c1, "section 3.3 (1)");
  made.at_most("blocks a port carries for radix 2, against ceil(5/2) ceil(log2 5)", 9, binary.c2, "section 3.3 (1)");
  made.equal("rounds for radix n", 4, direct.c1, "section 3.3 (2)");
  made.equal("blocks a port carries for radix n", 4, direct.c2, "section 3.3 (2)");

  // "When r is chosen to be 3, the fifth block will be rotated two steps to the right .. and later again three steps."
  std::vector<Count> steps;
  for (const Move& move : moves_of(index_operation(9, 3), 0))
    if (std::find(move.places.begin(), move.places.end(), 5) != move.places.end()) steps.push_back(move.offset);
  made.equal("steps by which block 5 moves for radix 3, first time", 2, steps.at(0), "section 3.2, p. 1148");
  made.equal("steps by which block 5 moves for radix 3, second time", 3, steps.at(1), "section 3.2, p. 1148");

  made.equal("rounds for n = 5 and radix 2 if the last digit has floor(n/dist) values (Appendix A, line 8)", 2, binary.c1,
             "Appendix A, line 8")
      .found(Outcome::misprint, 3,
             "with the floor, block 4 would never move; section 3.3 counts ceil(log2 n) rounds, so ceil(n/dist) is meant")
      .finding->is_transcript_in_doubt = true;
  made.equal("number of the 25 blocks that phase 3 rotates i steps downwards", 25, rotated_downwards(schedule), "section 3.1")
      .found(Outcome::misprint, 5,
             "phase 3 moves the block at position j to i - j, which is a reflection, as in line 22 of Appendix A; only one block "
             "of each processor agrees with both");
  return made;
}

// Shows the time of the index operation over the block size, for radices that are powers of two.

// Adds the times over the block size as a sheet and a panel, and finds the best radix at each size.
std::vector<Count> add_index_times(Reproduction& made, const Sp1Index& index, const char* name, const char* title) {
  Sheet& sheet = made.add_sheet({.name = name, .columns = {"bytes per block"}});
  Panel& panel = made.add_panel({.title = title, .x_label = "bytes per block", .y_label = "time (ms)", .range_group = 0});
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
  const std::vector<Count> best = add_index_times(made, index, "linear", "linear model, 29 µs and 0.12 µs/byte");
  const std::vector<Count> slow = add_index_times(made, Sp1Index({2, 2}), "fitted", "fitted model, g1 = g2 = 2");
  Count falling_if_slow = falling(slow);
  for (const SlowDown& slow_down : {SlowDown{1, 2}, {2, 1}}) {
    Reproduction unseen;
    falling_if_slow += falling(add_index_times(unseen, Sp1Index(slow_down), "", ""));
  }
  made.equal(
      "number of block sizes at which the best radix decreases (\"the smaller radix tends to perform better for smaller message "
      "sizes\")",
      0, falling(best), sp1_place);
  made.equal("number of block sizes at which the best radix decreases, fitted model with (g1, g2) = (1, 2), (2, 1) and (2, 2)", 0,
             falling_if_slow, sp1_place);
  made.at_most("best radix at 16 bytes, compared with that at 512 bytes (\"and vice versa\")", best.back(), best.front(), sp1_place)
      .reading();
  made.at_least(
      "time of radix 64 over that of radix 2 at 16 bytes (\"the smaller radix tends to perform better for smaller message sizes\")",
      1, index.us(64, 16) / index.us(2, 16), sp1_place);
  made.at_most("time of radix 64 over that of radix 2 at 512 bytes (\"and vice versa\")", 1, index.us(64, 512) / index.us(2, 512),
               sp1_place);
  return made;
}

// Compares radix 2, radix n and the best power of two, and finds the block sizes at which they break even.

Reproduction make_bruck1997_fig5(const Making&) {
  Reproduction made{.remarks = {sp1_remark}};
  const Sp1Index index;
  std::vector<Count> all;
  for (Count radix = 2; radix <= sp1_processors; ++radix) all.push_back(radix);
  Sheet sheet{.name = "linear",
              .columns = {"bytes per block", "radix 2 (ms)", "radix 64 (ms)", "best power of two (ms)", "best of all radices (ms)",
                          "best power of two", "best radix"}};
  for (Bytes bytes = 16; bytes <= 512; bytes += bytes < 128 ? 16 : 32) {
    const Count power = index.best_of(powers_of_two, bytes), radix = index.best_of(all, bytes);
    sheet.rows.push_back({bytes, index.us(2, bytes) / 1000, index.us(64, bytes) / 1000, index.us(power, bytes) / 1000,
                          index.us(radix, bytes) / 1000, power, radix});
  }
  const double even = index.break_even(2, 64);
  made.at_least("bytes at which radix 2 and radix n break even (\"about 100 to 200 bytes\"), lower end of the range", 100, even,
                sp1_place);
  made.at_most("the same, upper end of the range", 200, even, sp1_place);
  // The break-even point depends on g1 / g2, so the paper's range of sizes stands for one value of that ratio.
  Sheet fitted{.name = "fitted", .columns = {"g1", "g2", "bytes at which radix 2 and radix 64 break even"}};
  for (const SlowDown& slow_down : slow_downs)
    fitted.rows.push_back({slow_down.startups, slow_down.bytes, Sp1Index(slow_down).break_even(2, 64)});
  made.sheets.push_back(std::move(sheet));
  made.panels.push_back(
      {.title = "linear model, 29 µs and 0.12 µs/byte",
       .x_label = "bytes per block",
       .y_label = "time (ms)",
       .curves = {{1, "radix 2"}, {2, "radix 64"}, {4, "best of all radices"}, {3, "best power of two", CurveStyle::dotted}}});
  made.sheets.push_back(std::move(fitted));
  return made;
}

// Shows the time of the index operation over the radix, for three block sizes.

const std::vector<Bytes> fig6_sizes{32, 64, 128};

void add_modelled_times(Reproduction& made, const Sp1Index& index, const char* name, const char* title) {
  Sheet& sheet = made.add_sheet({.name = name, .columns = {"radix"}});
  Panel& panel = made.add_panel({.title = title, .x_label = "radix", .y_label = "time (ms)", .log_x = true, .range_group = 0});
  for (const Bytes bytes : fig6_sizes) {
    sheet.columns.push_back(fmt::format("{} bytes (ms)", bytes));
    panel.curves.push_back({.column = sheet.columns.size() - 1, .title = fmt::format("{} bytes per block", bytes)});
  }
  for (Count radix = 2; radix <= sp1_processors; ++radix) {
    std::vector<Cell>& row = sheet.rows.emplace_back(std::vector<Cell>{radix});
    for (const Bytes bytes : fig6_sizes) row.emplace_back(index.us(radix, bytes) / 1000);
  }
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
    for (std::size_t i = 1; i < fig6_sizes.size(); ++i)
      made.at_least(fmt::format("best radix of {} at {} bytes, compared with that at {} bytes ({})", which, fig6_sizes[i],
                                fig6_sizes[i - 1], quotation),
                    index.best_of(radices, fig6_sizes[i - 1]), index.best_of(radices, fig6_sizes[i]), sp1_place)
          .reading();
    Count falling = 0;
    for (const SlowDown& slow_down : slow_downs)
      for (std::size_t i = 1; i < fig6_sizes.size(); ++i) {
        const Sp1Index slow(slow_down);
        falling += slow.best_of(radices, fig6_sizes[i]) < slow.best_of(radices, fig6_sizes[i - 1]) ? 1 : 0;
      }
    made.equal(fmt::format("best radix of {}, fitted model with g1 and g2 of 1 and 2: number of sizes at which it is lower than at "
                           "the size before",
                           which),
               0, falling, sp1_place);
  }
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig3{
    .title = "The index operation on five processors",
    .source = "bruck1997, figures 1 to 3, section 3.2 and Appendix A",
    .about = "rounds, offsets and blocks of processor 0, from the classical form of the schedule",
    .make = make_bruck1997_fig3,
};

extern const Exhibit bruck1997_fig4{
    .title = "Index operation on 64 processors of an SP-1, by radix",
    .source = "bruck1997, figure 4 and section 3.5",
    .about = "the text does not contain the measured curves, so its claims about them are compared",
    .make = make_bruck1997_fig4,
};

extern const Exhibit bruck1997_fig5{
    .title = "Radix 2, radix n and the best power of two on 64 processors of an SP-1",
    .source = "bruck1997, figure 5 and section 3.5",
    .about = "the break-even point is where the two lines of the model cross",
    .make = make_bruck1997_fig5,
};

extern const Exhibit bruck1997_fig6{
    .title = "Index operation on 64 processors of an SP-1, over the radix",
    .source = "bruck1997, figure 6 and section 3.5",
    .about = "the text does not contain the measured curves, so its claim about their minima is compared",
    .make = make_bruck1997_fig6,
};

}  // namespace quadrille::papers
