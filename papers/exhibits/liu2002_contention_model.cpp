// SPDX-License-Identifier: BSD-3-Clause
// The model of [liu2002], (3) and (4), without contention and with contention factors.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {
namespace {

// Evaluates (3) and (4) for A1 to A4, with the start-ups and the traffic of table 3 and with those of our schedules.

constexpr Count nodes = 64;
const Quotation a4_is_lower{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                            "section 4.1, figures 16 and 18"};

using ByAlgorithm = std::array<double, 5>;  // indexed by algorithm, 1 to 4

// The free-running model of a machine, with the paper's elements in place of bytes.
struct FreeRunningMachine {
  std::string name;
  Coefficients coefficients;

  explicit FreeRunningMachine(const std::string& machine)
      : name(machine), coefficients(flat_of_elements(machine, 0, "free-running")) {}

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

// Counts our schedules for Pattern2.
const CountedExchange& counted_stages_of(int algorithm, Bytes most) {
  return counted_exchange({nodes, most}, TrafficKind::transpose, 1, algorithm);
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
ModelledTimes times_of(const FreeRunningMachine& machine, const StagesOf& stages_of) {
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
double factor_from(const FreeRunningMachine& machine, const std::vector<StageFigures>& stages, double own_ms, double other_ms) {
  double wire_ms = 0;
  for (const StageFigures& stage : stages) wire_ms += Number(stage.load) * machine.coefficients.at("wire_us_per_byte") / 1000;
  return std::max(1.0, 1 + (other_ms - own_ms) / wire_ms);
}

// `stages_of` returns the stages of an algorithm, and `without_of` those without messages to oneself.
template <class StagesOf, class WithoutOf>
void compare(const FreeRunningMachine& machine, const std::string& from, const StagesOf& stages_of, const WithoutOf& without_of,
             Reproduction& made) {
  const ModelledTimes times = times_of(machine, stages_of);
  const auto &ms = times.blocking, without = times_of(machine, without_of).blocking;
  for (const int other : {1, 2}) {
    const std::size_t i = index(other);
    Comparison& comparison =
        made.at_most(fmt::format("{}, 1024 elements, (3) with f_nc_b = 1 and {}: time of A4 over that of A{} (\"{}\")",
                                 machine.name, from, other, a4_is_lower.words),
                     1, ms[4] / ms[i], a4_is_lower.place);
    if (const double own = ms[4] / ms[i], none = without[4] / without[i]; own != none)
      comparison.from_to(std::min(own, none), std::max(own, none)).beside(without_own(none));
    // A1's messages vary in length, so its factor is above 1; A2 is balanced, and its factor is 1.
    if (other == 1 && ms[4] > ms[1])
      comparison.found(
          Outcome::beyond_assumptions, {},
          fmt::format(
              "f_nc_b is \"generally greater than 1\" (section 2.3), and A1's messages meet; A4 is faster than A1 if f_nc_b of "
              "A1 is at least {:.2f} and that of A4 is 1; A1 stops being the fastest of the three (A1 {:.2f}, A2 {:.2f}, A4 "
              "{:.2f} ms) at {:.2f}",
              factor_from(machine, stages_of(1), ms[1], ms[4]), ms[1], ms[2], ms[4],
              factor_from(machine, stages_of(1), ms[1], std::min(ms[2], ms[4]))));
    comparison.reason = fmt::format(
        "by (3) with f_nc_b = 1 A{} is the fastest of the three (A1 {:.2f}, A2 {:.2f}, A4 {:.2f} ms); A4 is faster than A{} if "
        "f_nc_b of A{} is at least {:.2f} and that of A4 is 1, though both are balanced",
        first_of(times), ms[1], ms[2], ms[4], other, other, factor_from(machine, stages_of(other), ms[i], ms[4]));
  }
}

// Adds the table of both machines at the longest length, and the comparisons with it.
void add_table(const std::vector<FreeRunningMachine>& machines, Bytes most, const Making& making, Reproduction& made) {
  Sheet& sheet = made.add_sheet(
      {.name = "1024",
       .columns = {"machine", "algorithm", "start-ups (table 3)", "traffic (table 3, elements)", "blocking, (3) (ms)",
                   "nonblocking, (4) (ms)", "blocking, our schedule (ms)", "nonblocking, our schedule (ms)"}});
  const Bytes heavy = heaviest(most);
  for (const FreeRunningMachine& machine : machines) {
    making.show(machine.name);
    const auto of_table = [&](int algorithm) { return printed(algorithm, heavy); };
    const auto of_schedule = [&](int algorithm) { return counted_stages_of(algorithm, most).with_own.stages; };
    const ModelledTimes by_table = times_of(machine, of_table), by_schedule = times_of(machine, of_schedule);
    for (int algorithm = 1; algorithm <= 4; ++algorithm) {
      const std::size_t i = index(algorithm);
      const StageFigures stage = printed(algorithm, heavy).front();
      sheet.rows.push_back({machine.name, fmt::format("A{}", algorithm), stage.messages, stage.load, by_table.blocking[i],
                            by_table.nonblocking[i], by_schedule.blocking[i], by_schedule.nonblocking[i]});
    }
    compare(machine, "table 3", of_table, of_table, made);
    compare(
        machine, "our schedules", of_schedule, [&](int algorithm) { return counted_stages_of(algorithm, most).without.stages; },
        made);
    for (const int algorithm : {1, 2, 4}) {
      const std::size_t i = index(algorithm);
      made.at_most(fmt::format("{}: time of A{} by (3), from our schedule over from table 3", machine.name, algorithm), 1,
                   by_schedule.blocking[i] / by_table.blocking[i], "table 3 and section 2.3")
          .within(0.01)
          .because("counts that P does not divide cannot be split evenly, so a rank may have some elements more");
    }
  }
}

// Adds a sheet with the contention factors of A1 at which another algorithm is faster.
void add_factors(const std::vector<FreeRunningMachine>& machines, Bytes most, Reproduction& made) {
  Sheet& factors =
      made.add_sheet({.name = "factors",
                      .columns = {"longest message (elements)", "t3d: f_nc_b of A1 above which A2 is faster",
                                  "t3d: f_nc_b of A1 above which A4 is faster", "sp2: f_nc_b of A1 above which A2 is faster",
                                  "sp2: f_nc_b of A1 above which A4 is faster", "A1 in lock-step: elements over L_max",
                                  "t3d: fastest of A1, A2 and A4 by (3)", "sp2: fastest of A1, A2 and A4 by (3)"}});
  for (Bytes length = 16; length <= most; length *= 2) {
    std::vector<Cell> row{length}, first;
    const std::vector<StageFigures> a1 = printed(1, heaviest(length));
    for (const FreeRunningMachine& machine : machines) {
      const ModelledTimes times = times_of(machine, [&](int algorithm) { return printed(algorithm, heaviest(length)); });
      for (const std::size_t other : {2u, 4u}) row.emplace_back(factor_from(machine, a1, times.blocking[1], times.blocking[other]));
      first.emplace_back(fmt::format("A{}", first_of(times)));
    }
    const StageFigures& in_step = counted_stages_of(1, length).with_own.stages.at(0);
    row.emplace_back(ratio(in_step.volume, in_step.load));
    row.insert(row.end(), first.begin(), first.end());
    factors.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < machines.size(); ++i)
    made.at_most(
            fmt::format(
                "{}, 1024 elements: f_nc_b of A1 above which A4 is faster, compared with the factor of A1's rounds in lock-step",
                machines[i].name),
            std::get<double>(factors.rows.back()[5]), std::get<double>(factors.rows.back()[2 + 2 * i]), "section 2.3, (3)")
        .because("A1 in lock-step is not slow enough")
        .reading();
  made.add_panel({.title = "Contention factor of A1 above which A2 or A4 is faster than A1",
                  .x_label = "longest message (elements)",
                  .y_label = "f_nc_b of A1",
                  .curves = {{1, "A2, T3D", CurveStyle::line, 1},
                             {2, "A4, T3D", CurveStyle::line, 3},
                             {3, "A2, SP2", CurveStyle::dashed, 1},
                             {4, "A4, SP2", CurveStyle::dashed, 3},
                             {5, "A1 in lock-step", CurveStyle::line, 0}},
                  .log_x = true,
                  .log_y = true});
}

Reproduction make_liu2002_equation3(const Making& making) {
  Reproduction made{
      .remarks = {
          "(3) is used with P T_s, as in (1) and (4). f_nc_b and f_nc_nb are 1, the paper's value for no contention. t_m is 0, "
          "because table 1 has no value for it. A4 composes each element four times, so any t_m above 0 is in A1's favour. L_max "
          "is the number of elements that a rank sends and receives in Pattern2: the long message and 63 messages of one element.",
          "The paper does not claim that f_nc_b is 1: it is generally greater than 1 (section 2.3). (3) shows how much greater it "
          "has to be for the measured order. Table 1 gives t_c + t_d as one value. The factors here attribute all of it to t_d, "
          "the only part that f_nc_b multiplies; with any t_c above 0 they are larger. They are shown beside the elements of A1's "
          "rounds in lock-step, as a factor on L_max. One common factor for all three algorithms cannot explain the measured "
          "order, because A4 has the most bytes. A3 is in the table for completeness; its traffic in table 3 is less than what a "
          "rank receives (liu2002-table3)."}};
  const std::vector<FreeRunningMachine> machines{FreeRunningMachine("t3d"), FreeRunningMachine("sp2")};
  const Bytes most = 1024;
  add_table(machines, most, making, made);
  add_factors(machines, most, made);
  return made;
}

// The contention factors of (3) and (4) that follow from the event simulation, with and without overlap, and the two sentences of
// section 4.1 about nonblocking messages on a T3D.

constexpr Bytes most = 1024;
constexpr std::array compared_algorithms{1, 2, 4};

struct Times {
  double blocking_ms = 0, nonblocking_ms = 0;
  double blocking_factor = 0, nonblocking_factor = 0;  // f_nc_b, f_nc_nb
  Extremes gains;                                      // over the draws

  double gain() const { return nonblocking_ms / blocking_ms; }
};

// Returns the least factor of at least 1 for which the model free-running takes this time.
double factor_for(double ms, const std::vector<StageFigures>& stages, Coefficients coefficients, const char* key, Policy policy) {
  const Workload work{.stages = stages, .is_exchange = true};
  double low = 1, high = 1024;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = halving == 0 ? low : (low + high) / 2;
    coefficients[key] = middle;
    const bool is_enough = price_of(work, *find_model("free-running"), coefficients).seconds(policy) * 1000 >= ms;
    if (halving == 0 && is_enough) return 1;
    (is_enough ? high : low) = middle;
  }
  return high;
}

struct TimesByOverlap {
  Times without, with;
  const Times& of(bool overlap) const { return overlap ? with : without; }
};

// Simulates both modes, without and with overlap. The blocking time does not depend on it.
TimesByOverlap times_of(const char* machine, TrafficKind pattern, Count ranks, int algorithm, const Making& making) {
  making.show(fmt::format("{}, A{}, {} ranks", machine, algorithm, ranks));
  Coefficients coefficients = FreeRunningMachine(machine).coefficients;
  const std::uint64_t draws = draws_of(pattern, making);
  TimesByOverlap mean;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const Schedule schedule =
        with_own_messages(make_schedule(traffic_of(ranks, pattern, most, few, seed), irregular_algorithm(algorithm)));
    const std::vector<StageFigures> stages = stage_figures(schedule);
    const double blocking = simulated_ms(schedule, times_of_elements(machine), ExchangeMode::blocking);
    for (const bool overlap : {false, true}) {
      const double nonblocking = simulated_ms(schedule, times_of_elements(machine, overlap), ExchangeMode::one_buffer);
      coefficients["overlap"] = overlap ? 1 : 0;
      Times& times = overlap ? mean.with : mean.without;
      times.gains.add(nonblocking / blocking);
      times.blocking_ms += blocking / Number(draws);
      times.nonblocking_ms += nonblocking / Number(draws);
      times.blocking_factor += factor_for(blocking, stages, coefficients, "blocking_contention", Policy::blocking) / Number(draws);
      times.nonblocking_factor += factor_for(nonblocking, stages, coefficients, "contention", Policy::nonblocking) / Number(draws);
    }
  }
  return mean;
}

const Quotation large{"A1 results in a large performance gain when nonblocking mode is used", "section 4.1, figure 15"};
const Quotation slightly{
    "The performance of nonblocking version of A2 or A4 is slightly better as compared to the corresponding blocking version",
    "section 4.1, figure 15"};
const Quotation serial{
    "The performance gain achieved by using the nonblocking version of A1 is mainly due to the reduction in start-up serialization",
    "section 4.1, figure 15"};
using TimesOfAll = std::array<TimesByOverlap, compared_algorithms.size()>;

// `all` has the times by number of ranks, which the paper does not name.
void compare_on_a_t3d(const std::vector<TimesOfAll>& all, Reproduction& made) {
  const std::string where = "T3D, 16 to 64 ranks, no overlap: ";
  constexpr const char* ranks_are_ours = "the numbers of ranks are ours, and the targets of Pattern1 random";
  const auto over_all = [&](Comparison& comparison, std::size_t algorithm, bool overlap) -> Comparison& {
    Extremes& range = comparison.open.emplace();
    for (const TimesOfAll& times : all)
      for (const Number gain : {times[algorithm].of(overlap).gains.least, times[algorithm].of(overlap).gains.most}) range.add(gain);
    return comparison;
  };
  const TimesOfAll& largest = all.back();
  over_all(made.at_most(fmt::format("{}nonblocking over blocking time of A1 (\"{}\")", where, large.words), slight_gain,
                        largest[0].without.gain(), large.place),
           0, false)
      .because(long_messages_meet)
      .reading();
  for (const std::size_t i : {1u, 2u}) {
    const double gain = largest[i].without.gain();
    over_all(
        made.at_most(fmt::format("{}nonblocking over blocking time of A{} (\"{}\")", where, compared_algorithms[i], slightly.words),
                     1, gain, slightly.place),
        i, false)
        .because(fmt::format("{}; {}", out_of_step, ranks_are_ours));
    over_all(made.at_least(fmt::format("{}the same, for \"slightly\"", where), slight_gain, gain, slightly.place), i, false)
        .because(ranks_are_ours)
        .reading();
  }
  const std::string on_64 = "T3D, 64 ranks, no overlap: ";
  const Times& a1 = largest[0].without;
  made.at_least(fmt::format("{}f_nc_b of A1 over its f_nc_nb (\"{}\")", on_64, serial.words), 1,
                a1.blocking_factor / a1.nonblocking_factor, serial.place);
  made.at_least(fmt::format("{}f_nc_b of A1 (\"generally greater than 1\")", on_64), 1, a1.blocking_factor, "section 2.3");
  made.at_least(fmt::format("{}f_nc_nb of A1 (\"generally greater than 1\")", on_64), 1, a1.nonblocking_factor, "section 2.3");
  over_all(
      made.at_most("T3D, 16 to 64 ranks, with overlap: nonblocking over blocking time of A2, which would be more than slightly "
                   "better (\"not effective to overlap start-up and message composing latency with actual data transfer on "
                   "T3D\")",
                   slight_gain, largest[1].with.gain(), "section 4.1"),
      1, true)
      .because(ranks_are_ours)
      .reading();
}

void compare_without_contention(const Making& making, Reproduction& made) {
  for (const int algorithm : {2, 4}) {
    const Times balanced = times_of("sp2", TrafficKind::transpose, 64, algorithm, making).with;
    Comparison& blocking =
        made.equal(fmt::format("SP2, 64 ranks, Pattern2: f_nc_b of A{} (\"equal to 1 if there is no node contention\")", algorithm),
                   1, balanced.blocking_factor, "section 2.3");
    blocking.tolerance = 0.01;
    blocking.reason = "ranks that are not in step wait for each other";
    Comparison& nonblocking =
        made.at_most(fmt::format("the same, f_nc_nb of A{}", algorithm), 1, balanced.nonblocking_factor, "section 2.3");
    nonblocking.tolerance = 0.1;
    nonblocking.reason = "(4) leaves out the other terms of the first and the last message of a stage";
  }
}

Reproduction make_liu2002_contention(const Making& making) {
  Reproduction made{
      .remarks = {"The blocking and nonblocking times are simulated, event by event, with messages to oneself and t_m = 0. The "
                  "factors are the least ones from 1 on with which (3) and (4), summed over the stages, give these times. So "
                  "nothing is fitted: they follow from the schedule and from the rule that each resource of a rank serves one "
                  "message at a time. Without overlap, (4) is a sum like (3), with its own factor. M_max = 1024 is the paper's; "
                  "the numbers of ranks are ours. Times of Pattern1 are the mean of three random draws."}};
  Sheet& sheet = made.add_sheet({.name = "factors",
                                 .columns = {"machine", "overlap", "ranks", "algorithm", "blocking (ms)", "nonblocking (ms)",
                                             "nonblocking over blocking", "f_nc_b", "f_nc_nb"}});
  Sheet& gains = made.add_sheet({.name = "gains", .columns = {"ranks"}});
  for (const Count p : making.small ? std::vector<Count>{16, 64} : std::vector<Count>{16, 25, 36, 64}) gains.rows.push_back({p});
  Panel& panel = made.add_panel(
      {.title = "Nonblocking over blocking time on a T3D, Pattern1", .x_label = "ranks", .y_label = "ratio of the times"});
  for (const bool overlap : {false, true})
    for (const int algorithm : compared_algorithms) {
      gains.columns.push_back(fmt::format("A{}, {}", algorithm, overlap ? "overlap" : "no overlap"));
      panel.curves.push_back(
          {gains.columns.size() - 1, gains.columns.back(), overlap ? CurveStyle::dashed : CurveStyle::line, index(algorithm - 1)});
    }
  const auto simulate_all = [&](const char* machine, Count p) {
    TimesOfAll all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = times_of(machine, TrafficKind::spike, p, compared_algorithms[i], making);
    for (const bool overlap : {false, true})
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Times& times = all[i].of(overlap);
        sheet.rows.push_back({machine, overlap ? "overlap" : "no overlap", p, fmt::format("A{}", compared_algorithms[i]),
                              times.blocking_ms, times.nonblocking_ms, times.gain(), times.blocking_factor,
                              times.nonblocking_factor});
      }
    return all;
  };
  std::vector<TimesOfAll> by_ranks;
  for (auto& row : gains.rows) {
    by_ranks.push_back(simulate_all("t3d", std::get<Count>(row[0])));
    for (const bool overlap : {false, true})
      for (const TimesByOverlap& times : by_ranks.back()) row.emplace_back(times.of(overlap).gain());
  }
  compare_on_a_t3d(by_ranks, made);
  simulate_all("sp2", 64);
  compare_without_contention(making, made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_equation3{
    .title = "The paper's own model without contention, and its measurements",
    .source = "liu2002, (3), (4), table 3 and section 4.1",
    .about = "64 ranks, Pattern2; blocking times by the model free-running, with the figures of table 3 and of our schedules",
    .make = make_liu2002_equation3,
};

extern const Exhibit liu2002_contention{
    .title = "Contention factors, simulated, with and without overlap",
    .source = "liu2002, (3), (4) and section 4.1",
    .about =
        "blocking and nonblocking times of A1, A2 and A4 by the event simulation, and the factors of (3) and (4) that give them",
    .make = make_liu2002_contention,
};

}  // namespace quadrille::papers
