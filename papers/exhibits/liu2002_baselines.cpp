// SPDX-License-Identifier: BSD-3-Clause
// Other methods with which the paper compares its own: the brute-force solution for incomplete arrays, and A2 by scanning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "patterns/rank_array.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::papers {
namespace {

constexpr Bytes longest = 1024;  // in elements, as in most of the paper's figures

std::string on_paper_grid(const char* id, Bytes grain) {
  return fmt::format("{}:columns=paper,split=paper,grain={},counts=known", id, grain);
}

constexpr const char* in_place = "four-stage";
constexpr const char* brute_force = "folded-four-stage";
constexpr const char *in_3_1_2 = "section 3.1.2", *in_3_2_2 = "section 3.2.2";

// Counts the stages with messages to oneself. The exception is the stage in which brute force moves the last row's data, because
// ranks without data do nothing in it.
std::vector<StageFigures> counted_stages(const Schedule& schedule) {
  const std::vector<StageFigures> without = stage_figures(schedule);
  std::vector<StageFigures> stages = stage_figures(with_own_messages(schedule));
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (stages[i].name == "fold" || stages[i].name == "unfold") stages[i] = without[i];
  return stages;
}

Count steps_of(const std::vector<StageFigures>& stages) {
  Count sum = 0;
  for (const StageFigures& stage : stages) sum += stage.startups;
  return sum;
}

// Returns the volume in units of L.
double volume_of(const Schedule& schedule, const std::vector<StageFigures>& stages) {
  Bytes sum = 0;
  for (const StageFigures& stage : stages) sum += stage.volume;
  return ratio(sum, Traffic(schedule.problem).heaviest());
}

double milliseconds(Count p, const char* id, Bytes most, const PaperPlatform& platform) {
  const Bytes element = platform.element_bytes;
  const Schedule schedule =
      make_schedule(traffic_of(p, TrafficKind::transpose, most * element, few * element), on_paper_grid(id, element));
  return price_of({.stages = counted_stages(schedule)}, *find_model("flat"), machine_of_paper(platform.machine)).blocking_s * 1000;
}

// Returns the value that differs most from the expected one.
double most_off(const std::vector<double>& values, double wanted) {
  return *std::max_element(values.begin(), values.end(),
                           [&](double a, double b) { return std::abs(a - wanted) < std::abs(b - wanted); });
}

void add_incomplete_arrays(const Making& making, Reproduction& made) {
  Sheet& sheet = made.add_sheet(
      {.name = "incomplete",
       .columns = {"ranks", "columns", "ranks of the last row", "start-ups, A4", "start-ups, brute force", "volume, A4 (L)",
                   "volume, brute force (L)", "most elements on a rank, A4 (L)", "most elements on a rank, brute force (L)",
                   "T3D, A4 (ms)", "T3D, brute force (ms)", "SP2, A4 (ms)", "SP2, brute force (ms)"}});
  double least_time[2] = {1e300, 1e300}, least_held = 1e300, most_doubled = 0, most_fold = 0;
  std::vector<double> extra, messages_off;
  for (const Count p : making.small ? std::vector<Count>{18, 23, 61} : std::vector<Count>{18, 21, 23, 31, 40, 45, 52, 61, 75, 95}) {
    making.show(fmt::format("{} ranks", p));
    const RankArray array(p, RankArray::paper_columns(p));
    const Count columns = array.columns(), full = (array.rows() - 1) * columns;
    const Problem problem = traffic_of(p, TrafficKind::transpose, longest);
    const Schedule ours = make_schedule(problem, on_paper_grid(in_place, 1)),
                   theirs = make_schedule(problem, on_paper_grid(brute_force, 1));
    const std::vector<StageFigures> one = counted_stages(ours), other = counted_stages(theirs);
    const Number heaviest = Traffic(problem).heaviest();
    const double held[] = {Number(most_held(trace(ours))) / heaviest, Number(most_held(trace(theirs))) / heaviest};
    std::vector<Cell> row{
        p,       columns, array.short_row(), steps_of(one), steps_of(other), volume_of(ours, one), volume_of(theirs, other),
        held[0], held[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      const double times[] = {milliseconds(p, in_place, longest, platforms[i]),
                              milliseconds(p, brute_force, longest, platforms[i])};
      row.insert(row.end(), {times[0], times[1]});
      least_time[i] = std::min(least_time[i], times[1] / times[0]);
    }
    sheet.rows.push_back(std::move(row));
    least_held = std::min(least_held, held[1] / held[0]);

    const StageTrace fold = trace(theirs).front();
    most_doubled = std::max(most_doubled, Number(*std::max_element(fold.held.begin(), fold.held.end())) / heaviest);
    for (const StageTrace::Sent& message : fold.messages) most_fold = std::max(most_fold, Number(message.length) / heaviest);
    messages_off.push_back(Number(fold.messages.size()) - Number(array.short_row()));
    const Schedule inside = make_schedule(traffic_of(full, TrafficKind::transpose, longest),
                                          fmt::format("four-stage:columns={},split=paper,grain=1,counts=known", columns));
    extra.push_back(Number(figures(theirs).c1 - figures(inside).c1));
  }

  const std::string where = "incomplete arrays, Pattern2: ";
  made.equal(where +
                 "elements on a rank of the full array before its four stages, maximum (L) (\"this approach doubles the maximum "
                 "traffic\")",
             2, most_doubled, in_3_2_2);
  made.equal(where +
                 "steps of brute force minus those of A4 on the full array, value farthest from 2 (\"two extra steps of "
                 "communication are required\")",
             2, most_off(extra, 2), in_3_2_2);
  made.equal(
      where +
          "messages of an extra step minus r, value farthest from 0 (\"in each of these steps, r messages are sent in parallel\")",
      0, most_off(messages_off, 0), in_3_2_2);
  made.equal(where + "longest message of an extra step (L) (\"as long as L_max\")", 1, most_fold, in_3_2_2);
  for (std::size_t i = 0; i < 2; ++i)
    made.at_least(fmt::format("{}{}, {} elements: time of brute force over that of A4, minimum (\"our algorithm is efficient\")",
                              where, platforms[i].title, longest),
                  1, least_time[i], in_3_2_2);
  made.at_least(where + "elements on a rank, brute force over A4, minimum (\"and saves buffer space\")", 1, least_held, in_3_2_2);
}

// Returns the least message length at which A4 is not slower than the brute-force solution. A4 needs more start-ups and fewer
// bytes.
std::string break_even_of(Count p) {
  const Problem problem = traffic_of(p, TrafficKind::transpose, longest);
  const Schedule ours = make_schedule(problem, on_paper_grid(in_place, 1)),
                 theirs = make_schedule(problem, on_paper_grid(brute_force, 1));
  const std::vector<StageFigures> one = counted_stages(ours), other = counted_stages(theirs);
  const Number startups = steps_of(one) - steps_of(other);
  const double more = volume_of(theirs, other) - volume_of(ours, one);
  std::string text;
  for (const PaperPlatform& platform : platforms)
    text += fmt::format("{}L = {:.3g} elements on the {}", text.empty() ? "" : " and ", platform.worth_it_below(startups, more),
                        platform.title);
  return text;
}

// The messages of a schedule's first stage.
struct FirstStage {
  Count runs = 0;         // the most runs of memory that a rank sends
  double unevenness = 0;  // in one message: the most elements for one destination, minus the fewest
};

// `destination_elements` is the number of elements that a rank has for each destination. In memory, the elements for one
// destination follow those for the previous destination.
FirstStage first_stage_of(const Schedule& schedule, Count destination_elements) {
  const Count p = schedule.problem.ranks;
  FirstStage first;
  for (Rank rank = 0; rank < p; ++rank) {
    const Program program = schedule.program(rank);
    const Stage& stage = program.stages.front();
    Count runs = 0;
    for (const Round& round : program.rounds) {
      if (round.number >= stage.first_round + stage.round_count) break;
      for (const Message& message : round.sends) {
        ByRank<Count> by_destination(p, 0);
        for (const Region& region : message.regions)
          for_each_run(region, [&](Bytes offset, Bytes length) {
            ++runs;
            for (Bytes at = offset; at < offset + length; ++at) ++by_destination[at / destination_elements];
          });
        const auto [least, most] = std::minmax_element(by_destination.begin(), by_destination.end());
        first.unevenness = std::max<double>(first.unevenness, Number(*most - *least));
      }
    }
    first.runs = std::max(first.runs, runs);
  }
  return first;
}

void add_scanning(const Making& making, Reproduction& made) {
  Sheet& sheet = made.add_sheet(
      {.name = "scanning",
       .columns = {"ranks", "elements per destination", "A2 by", "steps", "volume (L)", "pieces that a rank sends in stage 1",
                   "elements for a destination in a message, maximum minus minimum"}});
  double most_uneven = 0, most_marked = 0, least_ratio = 1e300, most_volume_off = 0;
  for (const auto& [p, elements] : making.small ? std::vector<std::pair<Count, Count>>{{16, 100}}
                                                : std::vector<std::pair<Count, Count>>{{16, 16}, {16, 100}, {64, 64}, {64, 1024}}) {
    making.show(fmt::format("{} ranks, {} elements", p, elements));
    const Problem problem = make_traffic(p, {.kind = TrafficKind::equal, .typical = elements});
    const Number heaviest = Traffic(problem).heaviest();
    FirstStage first[2];
    double volume[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const Schedule schedule =
          make_schedule(problem, fmt::format("{}:grain=1,counts=known", i == 0 ? "two-phase" : "scan-two-phase"));
      const Figures counted = figures(with_own_messages(schedule));
      first[i] = first_stage_of(schedule, elements);
      volume[i] = Number(counted.c2) / heaviest;
      sheet.rows.push_back(
          {p, elements, std::string(i == 0 ? "slices" : "scanning"), counted.c1, volume[i], first[i].runs, first[i].unevenness});
    }
    most_uneven = std::max(most_uneven, first[1].unevenness);
    most_marked = std::max(most_marked, ratio(first[0].runs, p * p));
    most_volume_off = std::max(most_volume_off, std::abs(volume[1] - volume[0]));
    if (elements > p) least_ratio = std::min(least_ratio, ratio(first[1].runs, first[0].runs));
  }
  const std::string where = "A2, equal counts: ";
  made.at_most(where +
                   "elements for a destination in a message by scanning, maximum minus minimum (\"evenly distribute the data "
                   "elements .. into P outgoing messages\")",
               1, most_uneven, in_3_1_2);
  made.at_most(
          where +
              "slices that a rank marks in a stage, over P^2, maximum (\"It takes O(P^2) time to mark the slices in each stage\")",
          1, most_marked, in_3_1_2)
      .reading();
  made.equal(where +
                 "volume by scanning minus volume by slices, largest difference (L); both take A2's two stages (\"A similar "
                 "algorithm was proposed by Bader et al.\")",
             0, most_volume_off, in_3_1_2);
  made.at_least(where +
                    "pieces by scanning over pieces by slices if a destination has more than P elements, minimum; slices are the "
                    "longer runs of memory",
                1, least_ratio, in_3_1_2)
      .reading();
}

Reproduction make_liu2002_baselines(const Making& making) {
  Reproduction made{
      .remarks = {
          "In Pattern2 a rank has 1024 elements for its mirror image and 1 for each other rank. Messages to oneself are counted, "
          "as in the paper. Times are those of blocking mode by the flat model.",
          "Brute force takes two steps more than A4 on the complete rows. A4 on all ranks takes four steps more than on the "
          "complete rows: one in each of stages I and III for the additional messages, and one in each of stages II and IV for the "
          "longer columns. So brute force has two steps fewer than A4 on all ranks. For 61 ranks brute force is faster only "
          "below " +
              break_even_of(61) + ".",
          "The paper says that scanning needs less buffer space (section 3.1.2). It says so about data in any order, which would "
          "have to be sorted into slices. In alltoallv the data is ordered by destination, and both forms need the same space.",
          "Pieces are counted, not timed. On the speed of the two forms the paper says: \"If a platform provides a fast mechanism "
          "for block transfer, the approach to move data slice by slice may be more efficient than the one to scan the data and "
          "move data element by element\"; but it found MPI's packing and derived data types inefficient, and concludes: \"Thus, "
          "the scan-based composition of messages leads to faster implementation\" (section 3.1.2)."}};
  add_incomplete_arrays(making, made);
  add_scanning(making, made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_baselines{
    .title = "The four-stage algorithm and brute force on incomplete arrays; A2 by slices and by scanning",
    .source = "liu2002, sections 3.1.2 and 3.2.2",
    .about =
        "steps, volume, elements on a rank and times by table 1, for A4 with additional messages and for A4 on the complete rows, "
        "which also do the work of the last row; pieces of memory in both forms of A2",
    .make = make_liu2002_baselines,
};

}  // namespace quadrille::papers
