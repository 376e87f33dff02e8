// SPDX-License-Identifier: BSD-3-Clause
// The contention factors of (3) and (4) that follow from the event simulation, with and without overlap, and the two sentences of
// section 4.1 about nonblocking messages on a T3D.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {
namespace {

constexpr Bytes most = 1024;
constexpr std::array compared_algorithms{1, 2, 4};

struct Times {
  double blocking_ms = 0, nonblocking_ms = 0;
  double blocking_factor = 0, nonblocking_factor = 0;  // f_nc_b, f_nc_nb

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
  Coefficients coefficients = coefficients_of(machine_of_paper(machine), *find_model("free-running"));
  for (const char* key : {"compose_us_per_byte", "copy_us_per_byte", "wire_us_per_byte"})
    coefficients.at(key) *= element_bytes(machine);
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
    "The performance of nonblocking version of A2 or A4 is slightly better as compared to the corresponding "
    "blocking version",
    "section 4.1, figure 15"};
const Quotation serial{
    "The performance gain achieved by using the nonblocking version of A1 is mainly due to the reduction in "
    "start-up serialization",
    "section 4.1, figure 15"};
using TimesOfAll = std::array<TimesByOverlap, compared_algorithms.size()>;

void compare_on_a_t3d(const TimesOfAll& all, Reproduction& made) {
  const auto reading = [](Comparison& comparison) { comparison.is_reading = true; };
  const std::string where = "T3D, 64 ranks, no overlap: ";
  const Times& a1 = all[0].without;
  reading(made.at_most(fmt::format("{}nonblocking over blocking time of A1 (\"{}\")", where, large.words), large_gain, a1.gain(),
                       large.place));
  for (const std::size_t i : {1u, 2u}) {
    const double gain = all[i].without.gain();
    made.at_most(fmt::format("{}nonblocking over blocking time of A{} (\"{}\")", where, compared_algorithms[i], slightly.words), 1,
                 gain, slightly.place)
        .reason = out_of_step;
    reading(made.at_least(fmt::format("{}the same, for \"slightly\"", where), slight_gain, gain, slightly.place));
  }
  made.at_least(fmt::format("{}f_nc_b of A1 over its f_nc_nb (\"{}\")", where, serial.words), 1,
                a1.blocking_factor / a1.nonblocking_factor, serial.place);
  made.at_least(fmt::format("{}f_nc_b of A1 (\"generally greater than 1\")", where), 1, a1.blocking_factor, "section 2.3");
  made.at_least(fmt::format("{}f_nc_nb of A1 (\"generally greater than 1\")", where), 1, a1.nonblocking_factor, "section 2.3");
  reading(
      made.at_most("T3D, 64 ranks, with overlap: nonblocking over blocking time of A2, which would be more than slightly better "
                   "(\"not effective to "
                   "overlap start-up and message composing latency with actual data transfer on T3D\")",
                   slight_gain, all[1].with.gain(), "section 4.1"));
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
      .remarks = {
          "The blocking and nonblocking times are simulated, event by event, with messages to oneself and t_m = 0. The "
          "factors are the least ones from 1 on with which (3) and (4), summed over the stages, give these times. So nothing "
          "is fitted: they follow from the schedule and from the rule that each resource of a rank serves one message at a "
          "time. Without overlap, (4) is a sum like (3), with its own factor. M_max = 1024 is the paper's; the numbers of "
          "ranks are ours. Times of Pattern1 are the mean of five random draws."}};
  Sheet sheet{.name = "factors",
              .columns = {"machine", "overlap", "ranks", "algorithm", "blocking (ms)", "nonblocking (ms)",
                          "nonblocking over blocking", "f_nc_b", "f_nc_nb"}};
  Sheet gains{.name = "gains", .columns = {"ranks"}};
  for (const Count p : making.small ? std::vector<Count>{16, 64} : std::vector<Count>{16, 36, 64}) gains.rows.push_back({p});
  Panel panel{.title = "Nonblocking over blocking time on a T3D, Pattern1",
              .x_label = "ranks",
              .y_label = "ratio of the times",
              .sheet = 1};
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
  for (auto& row : gains.rows) {
    const TimesOfAll all = simulate_all("t3d", std::get<Count>(row[0]));
    for (const bool overlap : {false, true})
      for (const TimesByOverlap& times : all) row.emplace_back(times.of(overlap).gain());
    if (&row == &gains.rows.back()) compare_on_a_t3d(all, made);
  }
  simulate_all("sp2", 64);
  compare_without_contention(making, made);
  made.panels.push_back(std::move(panel));
  made.sheets.push_back(std::move(sheet));
  made.sheets.push_back(std::move(gains));
  return made;
}

}  // namespace

extern const Exhibit liu2002_contention{
    .id = "liu2002-contention",
    .title = "Contention factors, simulated, with and without overlap",
    .source = "liu2002, (3), (4) and section 4.1",
    .about =
        "blocking and nonblocking times of A1, A2 and A4 by the event simulation, and the factors of (3) and (4) that give them",
    .make = make_liu2002_contention,
};

}  // namespace quadrille::papers
