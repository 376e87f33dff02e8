// SPDX-License-Identifier: BSD-3-Clause
// The number and the length of the messages that a rank receives in each stage of the four-stage algorithm
// (lemmas 1 to 3, theorem 1).
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "patterns/rank_array.hpp"

namespace quadrille::papers {
namespace {

// Returns a schedule whose counts are multiples of the number of ranks, as the lemmas require.
Schedule divisible(Count p) {
  std::mt19937_64 random(static_cast<std::uint64_t>(p));
  std::vector<Bytes> counts(index(p * p));
  for (Bytes& count : counts) count = p * static_cast<Bytes>(random() % 3);
  return make_schedule(Problem::alltoallv(p, std::move(counts)), irregular_algorithm(4));
}

// Maxima in units of L / P.
struct Most {
  Count messages = 0;
  double longest = 0;
};

// Compares counts that P does not divide.
void compare_indivisible(Reproduction& made) {
  const auto longest_collected = [](const std::string& specification) {
    const auto stages = trace(make_schedule(make_traffic(64, {.kind = TrafficKind::equal, .typical = 1}), specification));
    return Number(*std::max_element(stages.at(2).longest.begin(), stages.at(2).longest.end()));
  };
  made.at_most("64 ranks, all counts 1: longest message of stage III (L/P), ceil(sqrt P)", 8,
               longest_collected(irregular_algorithm(4)), "lemma 3, for counts that P divides")
      .found(Outcome::beyond_assumptions, 64,
             "section 3.2.4 assumes counts that P divides; if other counts are dealt out from the printed start slots, the data "
             "for a column stays in that column");
  made.at_most(
      "64 ranks, all counts 1: longest message of stage III (L/P), if dealing continues from target to target, which is the "
      "default here",
      8, longest_collected("four-stage:columns=paper,split=chain,grain=1,counts=known"), "lemma 3");
}

Reproduction make_liu2002_table2(const Making& making) {
  Reproduction made{
      .remarks = {"Misprints that concern no number, which may be the transcript's: lemma 2 holds for all j below P, not P - 1; "
                  "C-Distribute counts for P destinations, not for R. R (R - 1) and C (C + 1) look like products, but are two "
                  "values each: for complete columns and, in brackets, for incomplete columns."}};
  Sheet sheet{.columns = {"ranks", "stage", "column", "messages", "bound", "longest message (L/P)", "bound on its length"}};
  double messages_above[4][2], length_above[4][2], content_above = -1e300;
  std::fill(&messages_above[0][0], &messages_above[0][0] + 8, -1e300);
  std::fill(&length_above[0][0], &length_above[0][0] + 8, -1e300);
  double product = 0;
  for (const Count p : {16, 18, 20, 21, 23, 25, 29, 30, 36, 41, 42, 49, 50, 55, 61, 64, 71, 72, 81, 89, 90, 99, 100}) {
    making.show(fmt::format("{} ranks", p));
    const Schedule schedule = divisible(p);
    const RankArray array(p, RankArray::paper_columns(p));
    const double unit = ratio(Traffic(schedule.problem).heaviest(), p);
    const Number root = paper_root(p);
    const std::vector<StageTrace> stages = trace(schedule);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      Most most[2];
      for (Rank rank = 0; rank < p; ++rank) {
        const int incomplete = array.is_incomplete(array.column_of(rank)) ? 1 : 0;
        const std::size_t at = index(rank);
        most[incomplete].messages = std::max(most[incomplete].messages, stages[stage].received[at]);
        most[incomplete].longest = std::max(most[incomplete].longest, Number(stages[stage].longest[at]) / unit);
        content_above = std::max(content_above, Number(stages[stage].held[at]) / unit - root * root);
      }
      for (int incomplete = 0; incomplete < (array.is_ragged() ? 2 : 1); ++incomplete) {
        const double side = incomplete == 0 ? 0 : stage % 2 == 0 ? 1 : -1;  // more messages along rows, longer ones along columns
        messages_above[stage][incomplete] =
            std::max(messages_above[stage][incomplete], Number(most[incomplete].messages) - (root + side));
        length_above[stage][incomplete] = std::max(length_above[stage][incomplete], most[incomplete].longest - (root - side));
        if (p == 25 || p == 61)
          sheet.rows.push_back({p, static_cast<Count>(stage + 1), std::string(incomplete ? "incomplete" : "complete"),
                                most[incomplete].messages, root + side, most[incomplete].longest, root - side});
        if (p == 21 && incomplete && stage == 1) product = Number(most[1].messages) * 6;
      }
    }
  }
  made.sheets.push_back(std::move(sheet));
  const char* numerals[] = {"I", "II", "III", "IV"};
  for (int stage = 0; stage < 4; ++stage)
    for (int incomplete = 0; incomplete < 2; ++incomplete) {
      const std::string place = fmt::format("stage {}, {} column", numerals[stage], incomplete ? "incomplete" : "complete");
      made.at_most(place + ": excess of the number of messages over the bound, maximum", 0, messages_above[stage][incomplete],
                   "table 2 and lemma 1");
      made.at_most(place + ": excess of the longest message over the bound (L/P), maximum", 0, length_above[stage][incomplete],
                   "table 2 and lemma 3");
    }
  made.at_most("excess of the contents of a rank over ceil(sqrt P)^2 (L/P), maximum (theorem 1)", 0, content_above, "theorem 1");
  made.equal(
          "21 ranks, stage II: number of messages times the bound on their length in incomplete columns, K (K + 1) < K^2 in the "
          "proof of theorem 1",
          30, product, "proof of theorem 1")
      .found(Outcome::misprint, 24,
             "30 is not below 25; the product is floor(sqrt P) (K + 1), whose factors the proof names just before as the bounds on "
             "messages and lengths")
      .finding->is_transcript_in_doubt = true;
  compare_indivisible(made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_table2{
    .id = "liu2002-table2",
    .title = "Messages of the four-stage algorithm, stage by stage",
    .source = "liu2002, table 2, lemmas 1 to 3 and theorem 1",
    .about =
        "counted with messages to oneself, for 23 numbers of ranks from 16 to 100 and counts that P divides; the table shows 25 "
        "and 61 ranks",
    .make = make_liu2002_table2,
};

}  // namespace quadrille::papers
