// SPDX-License-Identifier: BSD-3-Clause
// What (3) and (4) come to for A1 to A4 with the start-ups and the traffic of table 3, and with those of our schedules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reproduce/exhibits/irregular_times.hpp"

namespace quadrille::reproduce {
namespace {

constexpr Count nodes = 64;
const Quotation a4_is_lower{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                            "section 4.1, figures 16 and 18"};

using ByAlgorithm = std::array<double, 5>;  // of A1 to A4, from 1 on

// The free-running model of a machine, whose bytes are the paper's elements.
struct Machine {
  std::string name;
  Coefficients coefficients;

  explicit Machine(const std::string& machine)
      : name(machine), coefficients(coefficients_of(machine_of_paper(machine), *find_model("free-running"))) {
    for (const char* key : {"compose_us_per_byte", "copy_us_per_byte", "wire_us_per_byte"})
      coefficients.at(key) *= element_bytes(machine);
  }

  Price price(const std::vector<StageFigures>& stages) const {
    return price_of(Workload{.stages = stages}, *find_model("free-running"), coefficients);
  }
};

// Table 3: one stage of so many start-ups and elements.
std::vector<StageFigures> printed(int algorithm, Bytes traffic) {
  const Count root = paper_root(nodes), startups[] = {0, nodes, 2 * nodes, 2 * root, 4 * root + 2};
  const Bytes times[] = {0, 1, 2, 2, 4 * root * root / nodes};
  const Bytes load = times[algorithm] * traffic;
  return {{.startups = startups[algorithm], .messages = startups[algorithm], .volume = load, .load = load}};
}

// Of our schedules for Pattern2, with messages to oneself.
const std::vector<StageFigures>& counted(int algorithm, Bytes most) {
  return counted_exchange({nodes, most}, TrafficKind::transpose, 1, algorithm).with_own;
}

Bytes heaviest(Bytes most) { return Traffic(traffic_of(nodes, TrafficKind::transpose, most)).heaviest(); }

struct Times {
  ByAlgorithm blocking{}, nonblocking{};  // in milliseconds

  int first() const { return static_cast<int>(std::min_element(blocking.begin() + 1, blocking.end()) - blocking.begin()); }
};

template <class StagesOf>
Times times_of(const Machine& machine, const StagesOf& stages_of) {
  Times times;
  for (int algorithm = 1; algorithm <= 4; ++algorithm) {
    const Price price = machine.price(stages_of(algorithm));
    times.blocking[static_cast<std::size_t>(algorithm)] = price.blocking_s * 1000;
    times.nonblocking[static_cast<std::size_t>(algorithm)] = price.nonblocking_s * 1000;
  }
  return times;
}

// The contention factor of A1's blocking traffic from which `other` is before A1, if its own is 1 and all of t_c + t_d is t_d.
double factor_of_a1(const Machine& machine, const std::vector<StageFigures>& a1, double a1_ms, double other_ms) {
  const double wire_ms = static_cast<double>(a1.at(0).load) * machine.coefficients.at("wire_us_per_byte") / 1000;
  return std::max(1.0, 1 + (other_ms - a1_ms) / wire_ms);
}

std::string in_words(const Times& times) {
  std::string text;
  for (std::size_t algorithm = 1; algorithm <= 4; ++algorithm)
    text += fmt::format("{}A{} {:.2f}", algorithm > 1 ? ", " : "", algorithm, times.blocking[algorithm]);
  return text + " ms";
}

void compare(const Machine& machine, const std::string& from, const Times& times, const std::vector<StageFigures>& a1,
             Reproduction& made) {
  const double f_a4 = factor_of_a1(machine, a1, times.blocking[1], times.blocking[4]),
               f_a2 = factor_of_a1(machine, a1, times.blocking[1], times.blocking[2]);
  for (const std::size_t other : {1, 2})
    made.comparisons.push_back(
        {.what = fmt::format("{}, 1024 elements, (3) with f_nc_b = 1 and {}: time of A4 over that of A{} (\"{}\")", machine.name,
                             from, other, a4_is_lower.words),
         .paper = 1,
         .ours = times.blocking[4] / times.blocking[other],
         .relation = Relation::at_most,
         .reason = fmt::format(
             "by the paper's own model A{} is first ({}), which contradicts what it measured; A1 stops being first where its own "
             "traffic has f_nc_b from {:.2f} on, A4 passes it from {:.2f} on, and A4 does not pass A2 unless A2's traffic, which "
             "is "
             "balanced, meets with more contention than A4's; a factor that is the same for all changes no order in A4's favour, "
             "since A4 has the most bytes",
             times.first(), in_words(times), std::min(f_a2, f_a4), f_a4),
         .place = a4_is_lower.place});
}

Reproduction make(const Making& making) {
  Reproduction made{
      .remarks = {
          "(3) is taken with P T_s, as (1) and (4) have it, f_nc_b and f_nc_nb are 1, which the paper gives for no contention, and "
          "t_m is 0, for which table 1 has no figure; A4's t_m is counted four times, so that any t_m above 0 is in A1's favour. "
          "L_max is what a node sends and receives in Pattern2: the long message and 63 of one element.",
          "The paper does not claim that f_nc_b is 1: it is generally greater than 1 (section 2.3). What (3) says is how much "
          "greater "
          "it has to be for the measured order. Beside it is what A1's rounds come to in step, as a factor on L_max."}};
  Sheet sheet{.name = "1024",
              .columns = {"machine", "algorithm", "start-ups (table 3)", "traffic (table 3, elements)", "blocking, (3) (ms)",
                          "nonblocking, (4) (ms)", "blocking, our schedule (ms)", "nonblocking, our schedule (ms)"}};
  Sheet factors{.name = "factors",
                .columns = {"longest message (elements)", "t3d: f_nc_b of A1 from which A2 is before it",
                            "t3d: f_nc_b of A1 from which A4 is before it", "sp2: f_nc_b of A1 from which A2 is before it",
                            "sp2: f_nc_b of A1 from which A4 is before it", "A1 in step: elements over L_max", "t3d: first by (3)",
                            "sp2: first by (3)"}};
  const std::vector<Machine> machines{Machine("t3d"), Machine("sp2")};
  const Bytes most = 1024, heavy = heaviest(most);
  for (const Machine& machine : machines) {
    making.show(machine.name);
    const Times by_table = times_of(machine, [&](int algorithm) { return printed(algorithm, heavy); }),
                by_schedule = times_of(machine, [&](int algorithm) { return counted(algorithm, most); });
    for (int algorithm = 1; algorithm <= 4; ++algorithm) {
      const auto i = static_cast<std::size_t>(algorithm);
      const StageFigures stage = printed(algorithm, heavy).front();
      sheet.rows.push_back({machine.name, fmt::format("A{}", algorithm), stage.messages, stage.load, by_table.blocking[i],
                            by_table.nonblocking[i], by_schedule.blocking[i], by_schedule.nonblocking[i]});
    }
    compare(machine, "table 3", by_table, printed(1, heavy), made);
    compare(machine, "our schedules", by_schedule, counted(1, most), made);
    for (const int algorithm : {1, 2, 4}) {
      const auto i = static_cast<std::size_t>(algorithm);
      made.comparisons.push_back(
          {.what = fmt::format("{}: time of A{} by (3) from our schedule over that from table 3", machine.name, algorithm),
           .paper = 1,
           .ours = by_schedule.blocking[i] / by_table.blocking[i],
           .relation = Relation::at_most,
           .tolerance = 0.01,
           .reason = "elements that P does not divide are cut so that a node may have some more",
           .place = "table 3 and section 2.3"});
    }
  }
  for (Bytes length = 16; length <= most; length *= 2) {
    std::vector<Cell> row{length}, first;
    const std::vector<StageFigures> a1 = printed(1, heaviest(length));
    for (const Machine& machine : machines) {
      const Times times = times_of(machine, [&](int algorithm) { return printed(algorithm, heaviest(length)); });
      for (const std::size_t other : {2, 4}) row.emplace_back(factor_of_a1(machine, a1, times.blocking[1], times.blocking[other]));
      first.emplace_back(fmt::format("A{}", times.first()));
    }
    const StageFigures& in_step = counted(1, length).at(0);
    row.emplace_back(static_cast<double>(in_step.volume) / static_cast<double>(in_step.load));
    row.insert(row.end(), first.begin(), first.end());
    factors.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < machines.size(); ++i)
    made.comparisons.push_back(
        {.what = fmt::format("{}, 1024 elements: f_nc_b of A1 from which A4 is before it, against what A1's rounds in step come to",
                             machines[i].name),
         .paper = std::get<double>(factors.rows.back()[5]),
         .ours = std::get<double>(factors.rows.back()[2 + 2 * i]),
         .relation = Relation::at_most,
         .reason = "A1 in step is not slow enough",
         .place = "section 2.3, (3)",
         .is_reading = true});
  made.panels.push_back({.title = "Contention of A1 from which another one is before it",
                         .x_label = "longest message (elements)",
                         .y_label = "f_nc_b of A1",
                         .sheet = 1,
                         .x = 0,
                         .curves = {{1, "A2, T3D", CurveStyle::line, 1},
                                    {2, "A4, T3D", CurveStyle::line, 3},
                                    {3, "A2, SP2", CurveStyle::dashed, 1},
                                    {4, "A4, SP2", CurveStyle::dashed, 3},
                                    {5, "A1 in step", CurveStyle::line, 0}},
                         .log_x = true,
                         .log_y = true});
  made.sheets = {std::move(sheet), std::move(factors)};
  return made;
}

}  // namespace

extern const Exhibit liu2002_equation3{
    .id = "liu2002-equation3",
    .title = "The paper's own model without contention, and its measurements",
    .source = "liu2002, (3), (4), table 3 and section 4.1",
    .about = "64 nodes, Pattern2; blocking times by the model free-running, from table 3 and from our schedules",
    .make = make,
};

}  // namespace quadrille::reproduce
