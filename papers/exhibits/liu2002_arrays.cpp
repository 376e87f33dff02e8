// SPDX-License-Identifier: BSD-3-Clause
// Figures 8, 10 and 14 of [liu2002]: steps of A4 in incomplete arrays of ranks, and the pattern that transposes an array.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "patterns/rank_array.hpp"

namespace quadrille::papers {
namespace {

// The additional messages in arrays whose last row is incomplete.

Reproduction make_liu2002_fig8(const Making&) {
  Reproduction made;
  Sheet& sheet = made.add_sheet({.columns = {"ranks", "from", "to", "for the column"}});
  for (const auto& [p, said] : {std::pair<Count, double>{18, 6}, {61, 15}}) {
    const RankArray array(p, RankArray::paper_columns(p));
    Count count = 0, elsewhere = 0;
    const StageTrace first =
        trace(make_schedule(make_traffic(p, {.kind = TrafficKind::equal, .typical = p}), irregular_algorithm(4))).at(0);
    for (const StageTrace::Sent& message : first.messages) {
      if (array.row_of(message.from) == array.row_of(message.to)) continue;
      ++count;
      elsewhere += array.row_of(message.to) == array.column_of(message.from) ? 0 : 1;
      if (p == 18) sheet.rows.push_back({p, message.from, message.to, array.column_of(message.to)});
    }
    made.equal(fmt::format("{} ranks: additional messages of stage I, r (C - r)", p), said, count,
               "section 3.2.2 (A) and figure 8");
    made.equal(fmt::format("{} ranks: additional messages that do not go from column i to row i", p), 0, elsewhere,
               "section 3.2.2 (A) and figure 8");
  }
  const RankArray array(19, RankArray::paper_columns(19));
  made.equal("19 ranks, 4 columns: complete rows, R - 1 = ceil(sqrt P) - 1 after rearranging", 4, array.rows() - 1,
             "section 3.2.2 (A)");
  made.equal("19 ranks before rearranging: complete rows, R - 1 = floor(sqrt P) - 2 as printed", 2, (19 + 4) / 5 - 1,
             "section 3.2.2 (A)")
      .found(Outcome::misprint, 3,
             "the sentence before has ceil(sqrt P) - 2, which is right, but still fewer than the r = 4 rows that are needed")
      .finding->is_transcript_in_doubt = true;
  return made;
}

// Row 2 of 61 ranks, and rank 58, step by step: the schedule with contention and the one without.

constexpr Count steps = 9, senders = 9;
constexpr Rank who[senders] = {16, 17, 18, 19, 20, 21, 22, 23, 58};
constexpr Rank none = -1;

// Receivers as printed; -1 if a sender stalls or has finished.
constexpr Rank with_contention[steps - 1][senders] = {{17, 18, 19, 20, 21, 22, 23, 16, 59}, {18, 19, 20, 21, 22, 23, 16, 17, 60},
                                                      {19, 20, 21, 22, 23, 16, 17, 18, 21}, {20, 21, 22, 23, 16, 17, 18, 19, 22},
                                                      {21, 22, 23, 16, 17, 18, 19, 20, 23}, {22, 23, 16, 17, 18, 19, 20, 21, 56},
                                                      {23, 16, 17, 18, 19, 20, 21, 22, 57}, {16, 17, 18, 19, 20, 21, 22, 23, 58}};
constexpr Rank revised[steps][senders] = {
    {17, 18, 19, 20, 21, 22, 23, 16, 59},   {18, 19, 20, 21, 22, 23, 16, 17, 60},   {19, 20, none, 22, 23, 16, 17, 18, 21},
    {20, none, 21, 23, 16, 17, 18, 19, 22}, {none, 21, 22, 16, 17, 18, 19, 20, 23}, {21, 22, 23, 17, 18, 19, 20, none, 56},
    {22, 23, 16, 18, 19, 20, none, 21, 57}, {23, 16, 17, 19, 20, none, 21, 22, 58}, {16, 17, 18, none, none, 21, 22, 23, none}};

template <std::size_t rows>
Count conflicts(const Rank (&table)[rows][senders]) {
  Count count = 0;
  for (const auto& row : table) {
    std::map<Rank, Count> receivers;
    for (const Rank receiver : row)
      if (receiver != none && receivers[receiver]++ > 0) ++count;
  }
  return count;
}

Reproduction make_liu2002_fig10(const Making&) {
  Reproduction made;
  std::map<std::pair<Count, Rank>, Rank> ours;  // by step, from 1, and by sender
  std::map<std::pair<Count, Rank>, Count> received;
  Count most_received_in_a_step = 0;
  const StageTrace first =
      trace(make_schedule(make_traffic(61, {.kind = TrafficKind::equal, .typical = 61}), irregular_algorithm(4))).at(0);
  for (const StageTrace::Sent& message : first.messages) {
    ours[{message.round + 1, message.from}] = message.to;
    most_received_in_a_step = std::max(most_received_in_a_step, ++received[{message.round, message.to}]);
  }
  Sheet& sheet = made.add_sheet({.columns = {"step"}});
  for (const Rank sender : who) sheet.columns.push_back(fmt::format("{}", sender));
  Count printed = 0, same = 0;
  for (Count step = 1; step <= steps; ++step) {
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{step});
    for (Count sender = 0; sender < senders; ++sender) {
      const Rank from = who[sender], said = revised[step - 1][sender];
      const auto found = ours.find({step, from});
      Cell& cell = row.emplace_back();
      if (found != ours.end()) cell = found->second;
      if (said == from) continue;  // a message to oneself, which our schedules do not have
      ++printed;
      same += said == (found == ours.end() ? none : found->second) ? 1 : 0;
    }
  }
  Count stall = 1;  // the first step in which rank 18 sends nothing
  while (ours.contains({stall, 18})) ++stall;
  made.equal("entries of figure 10, without messages to oneself, that our schedule also has", printed, same, "figure 10");
  made.equal("conflicts at receivers in figure 9, as printed", 3, conflicts(with_contention), "figure 9");
  made.equal("conflicts at receivers in figure 10, as printed", 0, conflicts(revised), "section 3.2.2 (B) and figure 10");
  made.equal("messages that one of the 61 ranks receives in a step, maximum", 1, most_received_in_a_step, "section 3.2.2 (B)");
  made.equal("step in which rank 18 (m = 2, k = 0) stalls, r - m + 1 + k in the text", 4, stall,
             "section 3.2.2 (B), revised R-Schedule")
      .found(Outcome::misprint, 3, "r - m + k, as figure 10 shows; the printed step would leave a conflict in each of r rows");
  return made;
}

// Lemma 2, figure 7 and R-Distribute. All elements are for one destination, so the contents of a rank tell how many elements for
// this destination it holds. Each destination has its own start slot, so elements for other destinations would change nothing.

struct Distribution {
  double from_column_share = 0, from_even = 0, astray = 0;  // largest differences from the paper, in elements
  void add(const Distribution& other) {
    from_column_share = std::max(from_column_share, other.from_column_share);
    from_even = std::max(from_even, other.from_even);
    astray = std::max(astray, other.astray);
  }
};

Distribution distributed(Count p, Rank to) {
  std::vector<TrafficEntry> entries;
  Count all = 0;
  for (Rank from = 0; from < p; ++from) {
    entries.push_back({from, to, p * (1 + (from * 7 + to) % 3)});
    all += entries.back().bytes;
  }
  const std::vector<StageTrace> stages = trace(make_schedule(Problem::alltoallv(p, entries), irregular_algorithm(4)));
  const RankArray array(p, RankArray::paper_columns(p));
  Distribution found;
  const auto look = [&](Rank from, Count column, Bytes length) {
    const double share = ratio(entries[index(from)].bytes, p) * Number(array.height(column));
    found.from_column_share = std::max(found.from_column_share, std::abs(Number(length) - share));
  };
  const StageTrace &first = stages.front(), &dealt = stages.at(stages.size() / 2 - 1);  // two ranks: one column, two stages
  if (stages.size() == 4)
    for (const StageTrace::Sent& message : first.messages) look(message.from, array.column_of(message.to), message.length);
  for (Rank rank = 0; rank < p; ++rank) {
    if (stages.size() == 4) look(rank, array.column_of(rank), first.kept[index(rank)]);
    found.from_even = std::max(found.from_even, std::abs(Number(dealt.held[index(rank)]) - ratio(all, p)));
    if (rank != to) found.astray = std::max<double>(found.astray, Number(stages.back().held[index(rank)]));
  }
  return found;
}

// Figure 11 as printed: of any P consecutive values of count[j], R go to each of the first r buckets, and R - 1 to each other
// bucket.
Count windows_dealt_otherwise(Count p) {
  const RankArray array(p, RankArray::paper_columns(p));
  Count wrong = 0;
  for (Count begin = 0; begin < p; ++begin) {
    std::vector<Count> buckets(index(array.columns()), 0);
    for (Count count = begin; count < begin + p; ++count) ++buckets[index(count % p % array.columns())];
    for (Count column = 0; column < array.columns(); ++column) wrong += buckets[index(column)] == array.height(column) ? 0 : 1;
  }
  return wrong;
}

Reproduction make_liu2002_distribution(const Making& making) {
  Reproduction made{.remarks = {"Counts are multiples of P, as section 3.2.4 assumes. Two ranks are the array of figure 7, and the "
                                "incomplete arrays are those that section 3.2.2 is about."}};
  Sheet& sheet =
      made.add_sheet({.columns = {"ranks", "bucket of stage I, difference from R or R - 1 of P elements",
                                  "stage II, difference from an even distribution", "elements that are not at their destination"}});
  Distribution all, pair;
  Count otherwise = 0;
  for (const Count p : making.small ? std::vector<Count>{2, 18} : std::vector<Count>{2, 4, 16, 18, 19, 21, 29, 36, 61}) {
    making.show(fmt::format("{} ranks", p));
    Distribution of;
    for (Rank to = 0; to<p; to += p> 36 ? 7 : 1) of.add(distributed(p, to));
    sheet.rows.push_back({p, of.from_column_share, of.from_even, of.astray});
    (p == 2 ? pair : all).add(of);
    otherwise += windows_dealt_otherwise(p);
  }
  made.equal(
      "elements for a destination at a rank at the end of stage II, largest difference from an even distribution (\"evenly "
      "distributed among the P nodes\")",
      0, all.from_even, "lemma 2");
  made.equal("two ranks, all pairs: the same (\"each message is sliced and evenly distributed into two buckets\")", 0,
             pair.from_even, "section 3.2.1, figure 7(a)");
  made.equal("two ranks, all pairs: elements that are not at their destination after message collection", 0, pair.astray,
             "section 3.2.1, figure 7(b)");
  made.equal(
      "elements in a bucket of stage I, largest difference (\"for every P elements to be sent to node j, R of them are stored in "
      "each of the first r buckets, and R - 1 of them are stored in each of the last C - r buckets\")",
      0, all.from_column_share, "section 3.2.2 (C), R-Distribute");
  made.equal("figure 11 as printed: buckets that get another number of P consecutive elements, from each start", 0, otherwise,
             "section 3.2.2 (C), figure 11");
  return made;
}

// Pattern2: the target of each rank, as printed and as a permutation for any number of ranks.

// The printed formula: rank i sends to (i % C) C + i / C.
bool is_permutation_as_printed(Count p) {
  const Count columns = RankArray::paper_columns(p);
  std::set<Rank> targets;
  for (Rank i = 0; i < p; ++i) {
    const Rank target = i % columns * columns + i / columns;
    if (target < p) targets.insert(target);
  }
  return std::ssize(targets) == p;
}

bool is_permutation(const Problem& problem) {
  std::set<Rank> targets;
  for (Rank i = 0; i < problem.ranks; ++i)
    for (const Share& share : Traffic(problem).sent_by(i)) targets.insert(share.peer);
  return std::ssize(targets) == problem.ranks && Traffic(problem).heaviest() == Traffic(problem).longest();
}

Reproduction make_liu2002_fig14(const Making&) {
  Reproduction made;
  Sheet& sheet = made.add_sheet({.columns = {"ranks", "permutation as printed", "permutation in our form"}});
  Count as_printed = 0, ours = 0, squares = 0, squares_as_printed = 0;
  for (Count p = 16; p <= 100; ++p) {
    const bool printed = is_permutation_as_printed(p), right = is_permutation(traffic_of(p, TrafficKind::transpose, 1, 0));
    const bool square = paper_root(p) * paper_root(p) == p;
    squares += square ? 1 : 0;
    squares_as_printed += square && printed ? 1 : 0;
    as_printed += printed ? 1 : 0;
    ours += right ? 1 : 0;
    sheet.rows.push_back({p, std::string(printed ? "yes" : "no"), std::string(right ? "yes" : "no")});
  }
  made.equal("squares from 16 to 100 for which Pattern2 as printed is a transpose", squares, squares_as_printed, "figure 14");
  made.equal("numbers of ranks from 16 to 100 for which Pattern2 as printed is a transpose", 85, as_printed, "figure 14")
      .found(Outcome::beyond_assumptions, 13,
             "the paper uses Pattern2 on squares only; rank (i % C) C + i / C exists for all i only if P is a square or one less")
      .reading();
  made.equal("numbers of ranks from 16 to 100 for which our Pattern2, which numbers the ranks column by column, is a transpose", 85,
             ours, "figure 14")
      .reading();
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig8{
    .title = "Additional messages in an incomplete array",
    .source = "liu2002, figure 8 and section 3.2.2",
    .about = "messages of stage I between different rows; the table shows those of 18 ranks",
    .make = make_liu2002_fig8,
};

extern const Exhibit liu2002_fig10{
    .title = "Steps of stage I in the third row of 61 ranks",
    .source = "liu2002, figures 9 and 10 and section 3.2.2",
    .about = "receivers by step and sender, from the four-stage schedule; empty if a rank stalls, has finished, or keeps its data",
    .make = make_liu2002_fig10,
};

extern const Exhibit liu2002_distribution{
    .title = "Elements for one destination, dealt out to all ranks and collected",
    .source = "liu2002, lemma 2, figures 7 and 11, and section 3.2",
    .about = "elements that ranks hold after each stage of the four-stage schedule, for all destinations, or each seventh of 61",
    .make = make_liu2002_distribution,
};

extern const Exhibit liu2002_fig14{
    .title = "Pattern2 for any number of ranks",
    .source = "liu2002, figure 14 and section 4",
    .about = "targets of all ranks, by the printed formula and in the traffic that the other exhibits use",
    .make = make_liu2002_fig14,
};

}  // namespace quadrille::papers
