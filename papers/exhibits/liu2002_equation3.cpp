// SPDX-License-Identifier: BSD-3-Clause
// Evaluates (3) and (4) for A1 to A4, with the start-ups and the traffic of table 3 and with those of our schedules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {
namespace {

constexpr Count nodes = 64;
const Quotation a4_is_lower{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                            "section 4.1, figures 16 and 18"};

using ByAlgorithm = std::array<double, 5>;  // indexed by algorithm, 1 to 4

// The free-running model of a machine, with the paper's elements in place of bytes.
struct Machine {
  std::string name;
  Coefficients coefficients;

  explicit Machine(const std::string& machine)
      : name(machine), coefficients(coefficients_of(machine_of_paper(machine), *find_model("free-running"))) {
    for (const char* key : {"compose_us_per_byte", "copy_us_per_byte", "wire_us_per_byte"})
      coefficients.at(key) *= element_bytes(machine);
  }

  Price price(const std::vector<StageFigures>& stages) const {
    return price_of(Workload{.stages = stages, .is_exchange = true}, *find_model("free-running"), coefficients);
  }
};

// Table 3: one stage with these start-ups and elements.
std::vector<StageFigures> printed(int algorithm, Bytes traffic) {
  const Count root = paper_root(nodes), startups[] = {0, nodes, 2 * nodes, 2 * root, 4 * root + 2};
  const Bytes times[] = {0, 1, 2, 2, 4 * root * root / nodes};
  const Bytes load = times[algorithm] * traffic;
  return {{.startups = startups[algorithm], .messages = startups[algorithm], .volume = load, .load = load}};
}

// Counts our schedules for Pattern2, with messages to oneself.
const std::vector<StageFigures>& counted(int algorithm, Bytes most) {
  return counted_exchange({nodes, most}, TrafficKind::transpose, 1, algorithm).with_own;
}

Bytes heaviest(Bytes most) { return Traffic(traffic_of(nodes, TrafficKind::transpose, most)).heaviest(); }

struct ModelledTimes {
  ByAlgorithm blocking{}, nonblocking{};  // in milliseconds
};

// Returns the fastest of the three algorithms that section 4.1 compares.
int first_of(const ModelledTimes& times) {
  const auto ms = [&](int algorithm) { return times.blocking[index(algorithm)]; };
  int first = 1;
  for (const int algorithm : {2, 4})
    if (ms(algorithm) < ms(first)) first = algorithm;
  return first;
}

template <class StagesOf>
ModelledTimes times_of(const Machine& machine, const StagesOf& stages_of) {
  ModelledTimes times;
  for (int algorithm = 1; algorithm <= 4; ++algorithm) {
    const Price price = machine.price(stages_of(algorithm));
    times.blocking[index(algorithm)] = price.blocking_s * 1000;
    times.nonblocking[index(algorithm)] = price.nonblocking_s * 1000;
  }
  return times;
}

// Returns the least contention factor of an algorithm's own blocking traffic at which `other` is faster. The other algorithm's
// factor is 1, and the whole sum t_c + t_d is attributed to t_d.
double factor_from(const Machine& machine, const std::vector<StageFigures>& stages, double own_ms, double other_ms) {
  double wire_ms = 0;
  for (const StageFigures& stage : stages) wire_ms += Number(stage.load) * machine.coefficients.at("wire_us_per_byte") / 1000;
  return std::max(1.0, 1 + (other_ms - own_ms) / wire_ms);
}

// `stages_of` returns the stages of an algorithm.
template <class StagesOf>
void compare(const Machine& machine, const std::string& from, const StagesOf& stages_of, Reproduction& made) {
  const ModelledTimes times = times_of(machine, stages_of);
  const auto& ms = times.blocking;
  for (const int other : {1, 2}) {
    const std::size_t i = index(other);
    Comparison& comparison =
        made.at_most(fmt::format("{}, 1024 elements, (3) with f_nc_b = 1 and {}: time of A4 over that of A{} (\"{}\")",
                                 machine.name, from, other, a4_is_lower.words),
                     1, ms[4] / ms[i], a4_is_lower.place);
    // A1's messages vary in length, so its factor is above 1; A2 is balanced, and its factor is 1.
    if (other == 1 && ms[4] > ms[1])
      comparison.found(
          Outcome::beyond_assumptions, ms[4] / ms[1],
          fmt::format(
              "f_nc_b is \"generally greater than 1\" (section 2.3), and A1's messages meet; A4 is faster than A1 if f_nc_b of "
              "A1 is at least {:.2f} and that of A4 is 1; A1 stops being the fastest of the three (A1 {:.2f}, A2 {:.2f}, A4 "
              "{:.2f} ms) at {:.2f}",
              factor_from(machine, stages_of(1), ms[1], ms[4]), ms[1], ms[2], ms[4],
              factor_from(machine, stages_of(1), ms[1], std::min(ms[2], ms[4]))));
    comparison.reason = fmt::format(
        "by (3) with f_nc_b = 1 A{} is the fastest of the three (A1 {:.2f}, A2 {:.2f}, A4 {:.2f} ms); A4 is faster than A{} if "
        "f_nc_b "
        "of A{} is at least {:.2f} and that of A4 is 1, though both are balanced",
        first_of(times), ms[1], ms[2], ms[4], other, other, factor_from(machine, stages_of(other), ms[i], ms[4]));
  }
}

// Adds the table of both machines at the longest length, and the comparisons with it.
void add_table(const std::vector<Machine>& machines, Bytes most, const Making& making, Reproduction& made) {
  Sheet sheet{.name = "1024",
              .columns = {"machine", "algorithm", "start-ups (table 3)", "traffic (table 3, elements)", "blocking, (3) (ms)",
                          "nonblocking, (4) (ms)", "blocking, our schedule (ms)", "nonblocking, our schedule (ms)"}};
  const Bytes heavy = heaviest(most);
  for (const Machine& machine : machines) {
    making.show(machine.name);
    const auto of_table = [&](int algorithm) { return printed(algorithm, heavy); };
    const auto of_schedule = [&](int algorithm) { return counted(algorithm, most); };
    const ModelledTimes by_table = times_of(machine, of_table), by_schedule = times_of(machine, of_schedule);
    for (int algorithm = 1; algorithm <= 4; ++algorithm) {
      const std::size_t i = index(algorithm);
      const StageFigures stage = printed(algorithm, heavy).front();
      sheet.rows.push_back({machine.name, fmt::format("A{}", algorithm), stage.messages, stage.load, by_table.blocking[i],
                            by_table.nonblocking[i], by_schedule.blocking[i], by_schedule.nonblocking[i]});
    }
    compare(machine, "table 3", of_table, made);
    compare(machine, "our schedules", of_schedule, made);
    for (const int algorithm : {1, 2, 4}) {
      const std::size_t i = index(algorithm);
      made.comparisons.push_back(
          {.what = fmt::format("{}: time of A{} by (3), from our schedule over from table 3", machine.name, algorithm),
           .paper = 1,
           .ours = by_schedule.blocking[i] / by_table.blocking[i],
           .relation = Relation::at_most,
           .tolerance = 0.01,
           .reason = "counts that P does not divide cannot be split evenly, so a rank may have some elements more",
           .place = "table 3 and section 2.3"});
    }
  }
  made.sheets.push_back(std::move(sheet));
}

// Adds a sheet with the contention factors of A1 at which another algorithm is faster.
void add_factors(const std::vector<Machine>& machines, Bytes most, Reproduction& made) {
  Sheet factors{.name = "factors",
                .columns = {"longest message (elements)", "t3d: f_nc_b of A1 above which A2 is faster",
                            "t3d: f_nc_b of A1 above which A4 is faster", "sp2: f_nc_b of A1 above which A2 is faster",
                            "sp2: f_nc_b of A1 above which A4 is faster", "A1 in lock-step: elements over L_max",
                            "t3d: fastest of A1, A2 and A4 by (3)", "sp2: fastest of A1, A2 and A4 by (3)"}};
  for (Bytes length = 16; length <= most; length *= 2) {
    std::vector<Cell> row{length}, first;
    const std::vector<StageFigures> a1 = printed(1, heaviest(length));
    for (const Machine& machine : machines) {
      const ModelledTimes times = times_of(machine, [&](int algorithm) { return printed(algorithm, heaviest(length)); });
      for (const std::size_t other : {2u, 4u}) row.emplace_back(factor_from(machine, a1, times.blocking[1], times.blocking[other]));
      first.emplace_back(fmt::format("A{}", first_of(times)));
    }
    const StageFigures& in_step = counted(1, length).at(0);
    row.emplace_back(ratio(in_step.volume, in_step.load));
    row.insert(row.end(), first.begin(), first.end());
    factors.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < machines.size(); ++i)
    made.comparisons.push_back(
        {.what = fmt::format(
             "{}, 1024 elements: f_nc_b of A1 above which A4 is faster, compared with the factor of A1's rounds in lock-step",
             machines[i].name),
         .paper = std::get<double>(factors.rows.back()[5]),
         .ours = std::get<double>(factors.rows.back()[2 + 2 * i]),
         .relation = Relation::at_most,
         .reason = "A1 in lock-step is not slow enough",
         .place = "section 2.3, (3)",
         .is_reading = true});
  made.panels.push_back({.title = "Contention factor of A1 above which A2 or A4 is faster than A1",
                         .x_label = "longest message (elements)",
                         .y_label = "f_nc_b of A1",
                         .sheet = 1,
                         .x = 0,
                         .curves = {{1, "A2, T3D", CurveStyle::line, 1},
                                    {2, "A4, T3D", CurveStyle::line, 3},
                                    {3, "A2, SP2", CurveStyle::dashed, 1},
                                    {4, "A4, SP2", CurveStyle::dashed, 3},
                                    {5, "A1 in lock-step", CurveStyle::line, 0}},
                         .log_x = true,
                         .log_y = true});
  made.sheets.push_back(std::move(factors));
}

Reproduction make_liu2002_equation3(const Making& making) {
  Reproduction made{
      .remarks = {
          "(3) is used with P T_s, as in (1) and (4). f_nc_b and f_nc_nb are 1, the paper's value for no contention. t_m is 0, "
          "because table 1 has no value for it. A4 composes each element four times, so any t_m above 0 is in A1's favour. L_max "
          "is the number of elements that a rank sends and receives in Pattern2: the long message and 63 messages of one element.",
          "The paper does not claim that f_nc_b is 1: it is generally greater than 1 (section 2.3). (3) shows how much "
          "greater it has to be for the measured order. Table 1 gives t_c + t_d as one value. The factors here attribute all of it "
          "to t_d, the only part that f_nc_b multiplies; with any t_c above 0 they are larger. They are shown beside the elements "
          "of A1's rounds in lock-step, as a factor on L_max. One common factor for all three algorithms cannot explain the "
          "measured order, because A4 has the most bytes. A3 is in the table for completeness; its traffic in table 3 is less than "
          "what a rank receives (liu2002-table3)."}};
  const std::vector<Machine> machines{Machine("t3d"), Machine("sp2")};
  const Bytes most = 1024;
  add_table(machines, most, making, made);
  add_factors(machines, most, made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_equation3{
    .id = "liu2002-equation3",
    .title = "The paper's own model without contention, and its measurements",
    .source = "liu2002, (3), (4), table 3 and section 4.1",
    .about = "64 ranks, Pattern2; blocking times by the model free-running, with the figures of table 3 and of our schedules",
    .make = make_liu2002_equation3,
};

}  // namespace quadrille::papers
