// SPDX-License-Identifier: BSD-3-Clause
// Tables 1 to 4 of [liu2002]: the platforms, and messages, start-ups, traffic and buffers of A1 to A4.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "papers/problems.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// The communication features of the platforms. All prices of this paper's exhibits are computed from them.

Reproduction make_liu2002_table1(const Making&) {
  Reproduction made;
  struct Row {
    const char* name;
    double startup_us, us_per_byte;
  };
  Sheet& sheet =
      made.add_sheet({.columns = {"platform", "start-up (µs)", "t_c + t_d (µs/byte)", "ratio (bytes)", "a message of 1 KiB (µs)"}});
  Extremes ratios;
  for (const auto& [name, startup_us, us_per_byte] :
       {Row{"cm5", 85, 0.12}, Row{"sp2", 44, 0.035}, Row{"t3d", 38, 0.043}, Row{"t3e", 28, 0.006}, Row{"myrinet", 68, 0.027}}) {
    const MachineCosts machine = machine_of_paper(name);
    const Workload one = workload(make_schedule(problem_of(Collective::broadcast, 2, 1024), "binomial"));
    const Price message = price_of(one, *find_model("flat"), machine);
    const double start = message.terms.at(0).seconds * 1e6, byte = message.terms.at(1).seconds * 1e6 / 1024;
    sheet.rows.push_back({machine.description, start, byte, start / byte, message.blocking_s * 1e6});
    made.equal(fmt::format("{}: T_s of our machine file, in µs; the column of the table is headed T_d", machine.description),
               startup_us, start, "table 1");
    made.equal(fmt::format("{}: t_c + t_d of our machine file, in µs/byte", machine.description), us_per_byte, byte, "table 1");
    ratios.add(start / byte);
  }
  made.at_least("smallest T_s / (t_c + t_d), \"in the range of 1000\": above a third of 1000", 1000.0 / 3, ratios.least,
                "section 5")
      .reading();
  made.at_most("largest T_s / (t_c + t_d), \"in the range of 1000\": below three times 1000", 3000, ratios.most, "section 5")
      .reading()
      .found(Outcome::retyped, 28 / 0.006, "by table 1 the T3E's time per byte is that short compared with its start-up");
  return made;
}

// The number and the length of the messages that a rank receives in each stage of the four-stage algorithm
// (lemmas 1 to 3, theorem 1).

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
  Sheet& sheet = made.add_sheet(
      {.columns = {"ranks", "stage", "column", "messages", "bound", "longest message (L/P)", "bound on its length"}});
  Extremes messages_above[4][2], length_above[4][2], content_above;
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
        content_above.add(Number(stages[stage].held[at]) / unit - root * root);
      }
      for (int incomplete = 0; incomplete < (array.is_ragged() ? 2 : 1); ++incomplete) {
        const double side = incomplete == 0 ? 0 : stage % 2 == 0 ? 1 : -1;  // more messages along rows, longer ones along columns
        messages_above[stage][incomplete].add(Number(most[incomplete].messages) - (root + side));
        length_above[stage][incomplete].add(most[incomplete].longest - (root - side));
        if (p == 25 || p == 61)
          sheet.rows.push_back({p, static_cast<Count>(stage + 1), std::string(incomplete ? "incomplete" : "complete"),
                                most[incomplete].messages, root + side, most[incomplete].longest, root - side});
        if (p == 21 && incomplete && stage == 1) product = Number(most[1].messages) * 6;
      }
    }
  }
  const char* numerals[] = {"I", "II", "III", "IV"};
  for (int stage = 0; stage < 4; ++stage)
    for (int incomplete = 0; incomplete < 2; ++incomplete) {
      const std::string place = fmt::format("stage {}, {} column", numerals[stage], incomplete ? "incomplete" : "complete");
      made.at_most(place + ": excess of the number of messages over the bound, maximum", 0, messages_above[stage][incomplete].most,
                   "table 2 and lemma 1");
      made.at_most(place + ": excess of the longest message over the bound (L/P), maximum", 0, length_above[stage][incomplete].most,
                   "table 2 and lemma 3");
    }
  made.at_most("excess of the contents of a rank over ceil(sqrt P)^2 (L/P), maximum (theorem 1)", 0, content_above.most,
               "theorem 1");
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

// The start-ups and the traffic of A1 to A4.

double startups_with_own(const Schedule& schedule) { return Number(figures(with_own_messages(schedule)).c1); }

void add_shift_matrix(Reproduction& made) {
  // The shift matrix comes closer to the bound on the volume than all other traffic matrices.
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < 61; ++from) entries.push_back({from, (from + 1) % 61, 61});
  const Schedule shifted = make_schedule(Problem::alltoallv(61, std::move(entries)), irregular_algorithm(4));
  const Number volume = figures(with_own_messages(shifted)).c2;
  made.at_most(
      "A4, 61 ranks, each sends to the next rank: sum over the steps of the longest message (L/P), 4 K (K + 1) (theorem 2)", 288,
      volume, "theorem 2");
  made.at_most("A4, 61 ranks, each sends to the next rank: sum over the steps of the longest message (L/P), 4 K^2", 256, volume,
               "section 1 and table 3")
      .found(Outcome::misprint, 286, "theorem 2 has 4 K (K + 1) for the same time")
      .finding->is_transcript_in_doubt = true;
  made.equal(
          "A4, 61 ranks: total start-ups, K + 2 (proof of theorem 2)", 10,
          startups_with_own(make_schedule(make_traffic(61, {.kind = TrafficKind::equal, .typical = 61}), irregular_algorithm(4))),
          "proof of theorem 2")
      .found(Outcome::misprint, 34,
             "4 K + 2, as the theorem itself says: stages I and III have K + 1 steps each, stages II and IV have K")
      .finding->is_transcript_in_doubt = true;
}

Reproduction make_liu2002_table3(const Making& making) {
  Reproduction made{.remarks = {"Misprints that concern no number, some of which may be the transcript's: (3) has P T_s_send where "
                                "(1) and (4) have P T_s; theorem 2 writes T_d for T_s; the R- and the C-Schedule of figure 6 are "
                                "exchanged between overview and definition, and C-Collect belongs to stage III and is by column."}};
  Sheet& sheet = made.add_sheet(
      {.columns = {"ranks", "algorithm", "start-ups", "start-ups (paper)", "traffic of a rank (L)", "traffic (paper)"}});
  for (const Count p : {64, 61}) {
    making.show(fmt::format("{} ranks", p));
    const Count root = paper_root(p);
    const Number n = p, k = Number(root);
    const double startups[] = {n, 2 * n, 2 * k, 4 * k + 2}, traffic[] = {1, 2, 2, 4 * k * k / n};
    for (int number = 1; number <= 4; ++number) {
      const bool square = root * root == p;
      if (number == 3 && !square) continue;  // A3 needs a square
      const Problem transpose = traffic_of(p, TrafficKind::transpose, 16 * p, 0);
      const Problem ones = make_traffic(p, {.kind = TrafficKind::equal, .typical = p});
      const Schedule schedule = make_schedule(transpose, irregular_algorithm(number));
      const auto counted = startups_with_own(make_schedule(ones, irregular_algorithm(number)));
      const double received = ratio(most_received(trace(schedule)), Traffic(transpose).heaviest());
      sheet.rows.push_back({p, fmt::format("A{}", number), counted, startups[number - 1], received, traffic[number - 1]});
      const std::string place = fmt::format("A{}, {} ranks", number, p);
      made.compare(number == 4 ? Relation::at_most : Relation::equal, place + ": start-ups", startups[number - 1], counted,
                   "table 3");
      Comparison& comparison = made.at_most(place + ", Pattern2: traffic of a rank (L)", traffic[number - 1], received, "table 3");
      if (number == 3)
        comparison.found(Outcome::paper_is_wrong, k + 1,
                         "in the row hop a rank may receive the data of sqrt(P) ranks, a hot spot of section 3.1.3, and the column "
                         "hop then brings it L more");
    }
  }
  add_shift_matrix(made);
  return made;
}

// The memory that A1 to A4 need for intermediate data.

// Returns the most by which A4's memory on a rank exceeds the bound of theorem 1, in units of L / P. The exchanges are Pattern1 and
// Pattern2 with counts that are multiples of P.
double above_theorem_1(const Making& making) {
  Extremes above;
  for (const Count p :
       making.small ? std::vector<Count>{21, 25} : std::vector<Count>{16, 18, 21, 25, 36, 41, 49, 55, 61, 64, 81, 100})
    for (const TrafficKind kind : {TrafficKind::spike, TrafficKind::transpose}) {
      const Schedule schedule = make_schedule(traffic_of(p, kind, 8 * p, p), irregular_algorithm(4));
      const Number share = ratio(Traffic(schedule.problem).heaviest(), p), root = paper_root(p);
      above.add(Number(output_and_scratch(schedule)) / share - 2 * root * root);
    }
  return above.most;
}

void add_memory_of_a2(Reproduction& made) {
  const Schedule ragged = make_schedule(traffic_of(61, TrafficKind::transpose, 8 * 61, 61), irregular_algorithm(4));
  made.at_most(
          "61 ranks: output and scratch of A4 over A2's buffers, 2 L (\"our algorithm is superior to the previous algorithms with "
          "respect to buffer space requirement\")",
          1, ratio(output_and_scratch(ragged), 2 * Traffic(ragged.problem).heaviest()), "section 5")
      .found(Outcome::paper_is_wrong, (61 + 64) / 122.0,
             "a buffer of A4 has ceil(sqrt P)^2 L/P elements, above L except on squares; section 3.3 names A1 and A3 only");
}

Reproduction make_liu2002_table4(const Making& making) {
  Reproduction made{
      .remarks = {
          "In the paper a rank's own data is in the send buffer at the start, and the algorithm then writes to this buffer. Our "
          "schedules never write to the input. So the paper's two buffers are compared with the memory that a schedule writes to "
          "on a rank: output and scratch together. The last column of the table also includes the input."}};
  const Count p = 64;
  const Bytes most = 1024;
  const Problem problem = traffic_of(p, TrafficKind::transpose, most, 0);
  const Number n = p, m = most, heaviest = Traffic(problem).heaviest(), root = paper_root(p);
  const double send[] = {m * n, heaviest, m * n, heaviest}, receive[] = {heaviest, heaviest, m * n, heaviest};
  Sheet& sheet =
      made.add_sheet({.columns = {"algorithm", "send buffer (paper)", "receive buffer (paper)", "both (paper)", "scratch",
                                  "output and scratch", "most elements on a rank after a stage", "input, output and scratch"}});
  double written[5] = {};
  for (int number = 1; number <= 4; ++number) {
    const Schedule schedule = make_schedule(problem, irregular_algorithm(number));
    const double both = send[number - 1] + receive[number - 1];
    const Number scratch = workload(schedule).scratch;
    written[number] = Number(output_and_scratch(schedule));
    sheet.rows.push_back({fmt::format("A{}", number), send[number - 1], receive[number - 1], both, scratch, written[number],
                          most_held(trace(schedule)), written[number] + heaviest});
    Comparison& comparison = made.at_most(
        fmt::format("A{}: elements of sBUF and rBUF together (table 4); ours: output and scratch of a rank, maximum", number), both,
        written[number], "table 4");
    if (number == 1)
      comparison.found(
          Outcome::sharper_bound, heaviest,
          "the counts are known, so no message needs a slot of M_max elements, and each message is sent from where its data is");
    if (number == 3)
      comparison.found(Outcome::sharper_bound, root * heaviest,
                       "the counts are known, so no message needs a slot of M_max elements; a rank receives the data of the "
                       "sqrt(P) - 1 others of its row and, in the end, the data for itself: sqrt(P) L");
  }
  made.at_most(
      "A4, counts that P divides: excess of a rank's output and scratch over 2 ceil(sqrt P)^2 (L_max/P), maximum (\"the total size "
      "of the buffer needed at any node\")",
      0, above_theorem_1(making), "theorem 1, section 3.2.4");
  made.equal(
          "memory of A3 over memory of A4 by table 4, P (\"if M_max = L_max, then A3 needs P times the buffer space required by "
          "A4\")",
          n, (send[2] + receive[2]) / (send[3] + receive[3]), "section 3.3")
      .beside(fmt::format("{:.4g} by our schedules, whose A3 has no slots of M_max elements, because the counts are known",
                          written[3] / written[4]));
  add_memory_of_a2(made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_table1{
    .title = "Communication features of the platforms",
    .source = "liu2002, table 1 and section 5",
    .about = "a message of 1 KiB, priced on each machine by the flat model",
    .make = make_liu2002_table1,
};

extern const Exhibit liu2002_table2{
    .title = "Messages of the four-stage algorithm, stage by stage",
    .source = "liu2002, table 2, lemmas 1 to 3 and theorem 1",
    .about =
        "counted with messages to oneself, for 23 numbers of ranks from 16 to 100 and counts that P divides; the table shows 25 "
        "and 61 ranks",
    .make = make_liu2002_table2,
};

extern const Exhibit liu2002_table3{
    .title = "Start-ups and traffic of the four algorithms",
    .source = "liu2002, table 3 and theorem 2",
    .about =
        "start-ups of an exchange with equal counts, and traffic of Pattern2 without small messages; messages to oneself are "
        "counted, as in the paper",
    .make = make_liu2002_table3,
};

extern const Exhibit liu2002_table4{
    .title = "Buffers of the four algorithms",
    .source = "liu2002, table 4, section 3.3 and theorem 1",
    .about =
        "64 ranks, Pattern2 with messages of 1024 elements and no others, so that M_max = L_max; all values are in elements. "
        "Theorem 1 is checked for 12 numbers of ranks from 16 to 100 and both patterns, with counts that P divides",
    .make = make_liu2002_table4,
};

}  // namespace quadrille::papers
