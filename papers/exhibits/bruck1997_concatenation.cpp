// SPDX-License-Identifier: BSD-3-Clause
// The concatenation operation of [bruck1997]: its worked examples, and how its last round is cut into areas.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "patterns/concatenation.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::papers {
namespace {

// Checks the worked examples of the concatenation operation: the spanning trees of nine ranks on two ports, and five
// ranks on one.

Schedule concatenation(Count n, Count ports, Bytes block_bytes) {
  return make_schedule(problem_of(Collective::allgather, n, block_bytes), fmt::format("concatenation:ports={}", ports));
}

void compare(Reproduction& made, const Schedule& schedule, const std::vector<std::pair<Count, Bytes>>& said, const std::string& who,
             const char* place) {
  const std::vector<Move> moves = moves_of(schedule, 0);
  Sheet& sheet = made.add_sheet({.name = who, .columns = {"round", "offset", "blocks"}});
  for (const Move& move : moves) sheet.rows.push_back({move.round, move.offset, move.length});
  for (std::size_t i = 0; i < said.size(); ++i) {
    const bool there = i < moves.size();
    made.equal(fmt::format("{}: offset of edge {}", who, i + 1), said[i].first, there ? moves[i].offset : 0, place);
    made.equal(fmt::format("{}: blocks on edge {}", who, i + 1), said[i].second, there ? moves[i].length : 0, place);
  }
}

// By the paper's own figures, the folklore algorithm takes twice as long for every machine and block size.
void price(Reproduction& made) {
  const MachineCosts machine = machine_of_paper("sp1");
  Sheet& sheet = made.add_sheet(
      {.name = "sp1",
       .columns = {"processors", "block (B)", "folklore (µs)", "concatenation (µs)", "folklore over concatenation"}});
  for (const Count n : {16, 64}) {
    Extremes over;
    for (const Bytes block_bytes : {4, 64, 1024, 16384}) {
      const Problem problem = problem_of(Collective::allgather, n, block_bytes);
      const auto us = [&](const char* specification) {
        return price_of(workload(make_schedule(problem, specification)), *find_model("linear"), machine).blocking_s * 1e6;
      };
      const double folklore = us("gather-broadcast"), concatenation = us("concatenation");
      sheet.rows.push_back({n, block_bytes, folklore, concatenation, folklore / concatenation});
      over.add(folklore / concatenation);
    }
    made.at_least(
            fmt::format(
                "{} processors of the SP-1, blocks of 4 B to 16 KiB: time of the folklore algorithm over that of concatenation, "
                "minimum; by the paper's count both C1 and C2 are twice as large (\"This algorithm is not optimal\")",
                n),
            2, over.least, "section 4, p. 1150")
        .reading();
  }
}

Reproduction make_bruck1997_fig7(const Making&) {
  Reproduction made;
  compare(made, concatenation(9, 2, 1), {{1, 1}, {2, 1}, {3, 3}, {6, 3}}, "nine-processors", "section 4.1, figures 7 and 8");
  compare(made, concatenation(5, 1, 1), {{1, 1}, {2, 2}, {4, 1}}, "five-processors", "section 4.2, figure 9");

  const Figures folklore = figures(make_schedule(problem_of(Collective::allgather, 16, 1), "gather-broadcast"));
  made.equal("folklore algorithm (gather, then broadcast) on 16 processors: rounds, 2 ceil(log2 n)", 8, folklore.c1,
             "section 4, p. 1150");
  made.equal("folklore algorithm on 16 processors: blocks a port carries in these rounds, 2 (n - 1)", 30, folklore.c2,
             "section 4, p. 1150")
      .found(Outcome::paper_is_wrong, 15 + 16 * 4,
             "a port carries n - 1 blocks in the gather and n blocks in each of the log n rounds of the broadcast; 2 (n - 1) needs "
             "pipelining, which takes more rounds");
  price(made);
  return made;
}

// Checks how the last round of the concatenation is cut into areas, and when the result is not optimal.

Schedule one_round_concatenation(Count n, Count ports, Bytes block_bytes, const char* last = "one-round") {
  return make_schedule(problem_of(Collective::allgather, n, block_bytes),
                       fmt::format("concatenation:ports={},last={}", ports, last));
}

// The table as printed: for each byte of p3 .. p9, the number of its area.
void cut(Reproduction& made) {
  const Count first = 3, columns = 7, rows = 3, ports = 3;
  const TablePartition partition = partition_table(columns, rows, ports, first);
  Sheet& sheet = made.add_sheet({.columns = {"byte"}});
  for (Count column = 0; column < columns; ++column) sheet.columns.push_back(fmt::format("p{}", first + column));
  for (Count row = 0; row < rows; ++row) {
    auto& cells = sheet.rows.emplace_back(std::vector<Cell>{row});
    for (Count column = 0; column < columns; ++column)
      for (std::size_t area = 0; area < partition.areas.size(); ++area)
        if (const Count cell = column * rows + row; cell >= partition.areas[area].first && cell < partition.areas[area].last)
          cells.emplace_back(static_cast<Count>(area + 1));
  }
  const Count offsets[] = {3, 5, 7};
  for (std::size_t area = 0; area < 3; ++area) {
    const TableArea& ours = partition.areas.at(area);
    made.equal(fmt::format("offset of area A{}", area + 1), offsets[area], ours.offset, "section 4.2 and table 1");
    made.equal(fmt::format("bytes in area A{}", area + 1), 7, ours.last - ours.first, "section 4.2 and table 1");
  }
}

// Returns true if section 4.2 does not claim that the algorithm is optimal for these values. `power` is (k+1)^d, not below n.
bool in_range(Count n, Count k, Bytes b, Count power) { return b >= 3 && k >= 3 && n > power - k && n < power; }

// Returns true if, within that range, the largest of k areas must have more than ceil(b n2/k) bytes. Let t = (k+1)^d - n, e0 =
// floor(b t/k) and q = ceil(b/(b-e)). The largest area must exceed these bytes by e0 - max{e <= e0: b (q-1) floor(k/q) + (k mod q)
// e <= b t}. The formula agrees with an exhaustive search.
bool must_exceed(Count n, Count k, Bytes b, Count power) {
  const Count missing = b * (power - n), share = missing / k;
  for (Bytes e = share; e >= 0; --e) {
    const Count q = (b + b - e - 1) / (b - e);
    if (b * (q - 1) * (k / q) + k % q * e <= missing) return e < share;
  }
  return true;
}

struct Excess {
  Count not_optimal = 0, in_the_range = 0, in_the_exact_range = 0, not_optimal_outside = 0;
  Count further_rounds = 0, not_optimal_in_two_rounds = 0;  // of the form with one round more; further_rounds is a maximum
  Bytes beyond_bound = 0;                                   // the most bytes by which a volume exceeds the lower bound plus b - 1
};

Excess excess(const Making& making) {
  Excess result;
  for (Count k = 3; k <= 10; ++k) {
    making.show(fmt::format("last rounds on {} ports", k));
    for (Count power = k + 1; power - k + 1 <= (k <= 6 ? 1500 : 400); power *= k + 1)
      for (Count n = power - k; n <= std::min<Count>(power, k <= 6 ? 1500 : 400); ++n)
        for (Bytes b = 3; b <= 24; ++b) {
          if (n <= k + 1) continue;  // a single round suffices
          const Figures one_round = figures(one_round_concatenation(n, k, b));
          const Bytes least = (b * (n - 1) + k - 1) / k, more = one_round.c2 - least;
          if (in_range(n, k, b, power)) {
            const Figures two_rounds = figures(one_round_concatenation(n, k, b, "two-rounds"));
            result.further_rounds = std::max(result.further_rounds, two_rounds.c1 - one_round.c1);
            result.not_optimal_in_two_rounds += two_rounds.c2 > least ? 1 : 0;
            ++result.in_the_range;
            result.in_the_exact_range += must_exceed(n, k, b, power) ? 1 : 0;
            result.not_optimal += more > 0 ? 1 : 0;
            result.beyond_bound = std::max(result.beyond_bound, more - (b - 1));
          } else {
            result.not_optimal_outside += more > 0 ? 1 : 0;
          }
        }
  }
  return result;
}

Reproduction make_bruck1997_table1(const Making& making) {
  Reproduction made;
  cut(made);
  const std::vector<Move> ten = moves_of(one_round_concatenation(10, 3, 3), 0);
  const auto first_round = std::count_if(ten.begin(), ten.end(), [&](const Move& move) { return move.round == ten.front().round; });
  made.equal("n1 of the example with n = 10 and k = 3", 3, 1 + first_round, "section 4.2 and table 1")
      .found(Outcome::misprint, 4,
             "section 4 defines n1 as (k+1)^(d-1), which is 4, so that n2 is 6; the table shows a valid cut, but not one that "
             "occurs in this algorithm");
  const std::vector<Move> four = moves_of(one_round_concatenation(4, 2, 2), 0);
  const auto last = std::count_if(four.begin(), four.end(), [&](const Move& move) { return move.round == four.back().round; });
  made.equal(
          "processors addressed in the last round for n = 4, k = 2 and b = 2, if each offset \"is determined by the index of the "
          "leftmost column\"",
          1, last, "section 4.2, p. 1152")
      .found(Outcome::paper_is_wrong, 2,
             "both areas begin in the same column, but by section 1.2 the ports send to different processors; with offsets that "
             "differ, theorem 4.3 holds");
  const Excess counted = excess(making);
  made.equal("cases outside the range of theorem 4.3 that are not optimal", 0, counted.not_optimal_outside, "theorem 4.3");
  const char* at_the_expense =
      "\"it is easy to achieve optimal C2 at the expense of increasing C1 by one round over the lower bound\"";
  made.equal(fmt::format("cases in the range whose volume exceeds the lower bound in one round more ({})", at_the_expense), 0,
             counted.not_optimal_in_two_rounds, "remark after theorem 4.3");
  made.at_most("rounds that they have more, maximum", 1, counted.further_rounds, "remark after theorem 4.3");
  made.at_most("bytes by which the volume exceeds the lower bound plus b - 1, maximum in the range", 0, counted.beyond_bound,
               "remark after theorem 4.3");
  made.at_most(
          "cases that are not optimal: at most all cases in that range (k up to 10, b up to 24, n up to 1500, or 400 if k is 7 or "
          "more)",
          counted.in_the_range, counted.not_optimal, "theorem 4.3")
      .found(Outcome::sharper_bound, counted.in_the_exact_range,
             "theorem 4.3 promises nothing inside the range; a closed form says which of its cases cannot be optimal in one last "
             "round");
  return made;
}

// Propositions 2.1 and 2.2, and the known algorithm on a generalized hypercube.

// In round t each rank sends the (k+1)^t blocks that it holds to the k ranks that differ from it in digit t only [bruck1997,
// section 4, after bhuyan1984].
Schedule on_generalized_hypercube(Count n, Count ports) {
  Schedule schedule = one_round_concatenation(n, ports, ports);  // only its problem is used: blocks of `ports` bytes
  schedule.symmetry.reset();
  schedule.program = [n, ports, b = schedule.problem.block_bytes](Rank me) {
    ProgramBuilder program(me);
    for (Count held = 1; held < n; held *= ports + 1) {
      program.begin_round();
      if (held == 1) program.copy({block(Buffer::input, 0, b)}, {block(Buffer::output, me, b)});
      const Count mine = me / held, digit = mine % (ports + 1);
      for (Count other = 0; other <= ports; ++other) {
        if (other == digit) continue;
        const Count theirs = mine - digit + other;
        program.send(theirs * held + me % held,
                     {held == 1 ? block(Buffer::input, 0, b) : blocks(Buffer::output, mine * held, held, b)});
        program.receive(theirs * held + me % held, {blocks(Buffer::output, theirs * held, held, b)});
      }
    }
    return std::move(program).finish();
  };
  return schedule;
}

void compare_hypercubes(Reproduction& made) {
  Count cases = 0, optimal = 0, wrong = 0;
  for (Count k = 1; k <= 7; ++k)
    for (Count n = k + 1; n <= 256; n *= k + 1) {
      const Schedule schedule = on_generalized_hypercube(n, k);
      const Figures counted = figures(schedule);
      ++cases;
      optimal += counted.ports == k && counted.c1 == ceil_log(n, k + 1) && counted.c2 == n - 1 ? 1 : 0;  // blocks of k bytes
      wrong += verify(schedule).empty() ? 0 : 1;
    }
  const char* place = "section 4, p. 1151";
  made.equal("generalized hypercubes of (k+1)^d ranks up to 256, on one to seven ports, whose schedule does not concatenate", 0,
             wrong, place);
  made.equal(
      "of these, those with the least C1 and C2 (\"optimal in both C1 and C2. For a given k >= 1, this algorithm can be "
      "generalized to the case where n is a power of k + 1\")",
      cases, optimal, place);
}

Reproduction make_bruck1997_concatenation(const Making& making) {
  Reproduction made{.remarks = {"Blocks have 1 and 12 bytes. A choice of an algorithm has as many ports as its schedule uses. Any "
                                "schedule bears the bounds out; that they are attained shows that no larger ones hold."}};
  Sheet& sheet = made.add_sheet({.columns = {"n", "choices", "least C1 over its bound", "least C2 over its bound"}});
  Extremes all_c1, all_c2;
  for (Count n = 2; n <= (making.small ? 9 : 33); ++n) {
    Extremes c1, c2;
    Count choices = 0;
    for (const Bytes b : {1, 12}) {
      const Problem problem = problem_of(Collective::allgather, n, b);
      for (const Choice& choice : choices_worth_trying(problem)) {
        const Figures counted = figures(make_schedule(problem, choice));
        const Number k = counted.ports;
        c1.add(ratio(counted.c1, ceil_log(n, counted.ports + 1)));
        c2.add(Number(counted.c2) / (Number(b * (n - 1)) / k));
        ++choices;
      }
    }
    sheet.rows.push_back({n, choices, c1.least, c2.least});
    all_c1.add(c1.least), all_c2.add(c2.least);
  }
  made.equal(
      "C1 over log_(k+1) n, rounded up, least of all choices of all algorithms (\"any concatenation algorithm requires\" so many "
      "rounds)",
      1, all_c1.least, "proposition 2.1");
  made.equal("C2 over b (n - 1) / k, least of all choices of all algorithms (\"any concatenation algorithm transfers\" as much)", 1,
             all_c2.least, "proposition 2.2");
  compare_hypercubes(made);
  return made;
}

}  // namespace

extern const Exhibit bruck1997_fig7{
    .title = "The concatenation operation on nine and on five processors",
    .source = "bruck1997, figures 7 to 9 and section 4",
    .about = "messages of processor 0; figure 9 counts offsets downwards, which reverses the ring",
    .make = make_bruck1997_fig7,
};

extern const Exhibit bruck1997_concatenation{
    .title = "Bounds of the concatenation operation, and generalized hypercubes",
    .source = "bruck1997, section 2.1 and section 4",
    .about = "rounds and volume of all algorithms, and of a schedule on a generalized hypercube that is built here and verified",
    .make = make_bruck1997_concatenation,
};

extern const Exhibit bruck1997_table1{
    .title = "The last round of the concatenation cut into areas",
    .source = "bruck1997, table 1, proposition 4.2 and theorem 4.3",
    .about = "the table shows the area to which each byte belongs",
    .make = make_bruck1997_table1,
};

}  // namespace quadrille::papers
