// SPDX-License-Identifier: BSD-3-Clause
// Stages I and II of A4 on one rank, step by step, under the three policies.
#include <fmt/format.h>

#include <algorithm>

#include "papers/exhibits/irregular_times.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

constexpr Count liu2002_fig13_nodes = 16;
constexpr Bytes typical = 12;  // elements; a quarter of a rank's data then takes about as long on the wire as a start-up

// Returns the first two stages, with messages to oneself.
Schedule distribution() {
  Schedule schedule = with_own_messages(make_schedule(
      make_traffic(liu2002_fig13_nodes, {.kind = TrafficKind::power_law, .typical = typical}), irregular_algorithm(4)));
  schedule.program = [whole = schedule.program](Rank rank) {
    Program program = whole(rank);
    const Count end = program.stages.at(2).first_round;
    program.stages.resize(2);
    std::erase_if(program.rounds, [&](const Round& round) { return round.number >= end; });
    return program;
  };
  return schedule;
}

struct Step {
  int stage = 0;
  Count number = 0;
  Picoseconds begin = INT64_MAX, end = 0;  // of the rank's sends and receives in the step
};

struct Played {
  Picoseconds end = 0;              // when all ranks have finished
  std::vector<MessageEnd> at_node;  // ascending by round, sends first
  std::vector<Step> steps;
};

Played play(const Schedule& schedule, const MessageTimes& times, Policy policy, Rank node) {
  Played played;
  const auto keep = [&](const MessageEnd& time) {
    if (time.rank == node) played.at_node.push_back(time);
  };
  played.end = simulate_events(schedule, times, {.policy = policy, .message_end = keep}).end;
  std::sort(played.at_node.begin(), played.at_node.end(),
            [](const MessageEnd& a, const MessageEnd& b) { return std::pair(a.round, !a.sends) < std::pair(b.round, !b.sends); });
  const std::vector<Stage> stages = schedule.program(node).stages;
  for (const MessageEnd& time : played.at_node) {
    const int stage = time.round < stages[1].first_round ? 0 : 1;
    const Count number = time.round - stages[index(stage)].first_round + 1;
    if (played.steps.empty() || played.steps.back().stage != stage || played.steps.back().number != number)
      played.steps.push_back({stage, number});
    Step& step = played.steps.back();
    step.begin = std::min(step.begin, time.begin);
    step.end = std::max(step.end, time.end);
  }
  return played;
}

// Returns the time by which stage II begins before stage I has ended, or 0 if it begins later.
Picoseconds overlap_of_stages(const Played& played) {
  Picoseconds end = 0, begin = INT64_MAX;
  for (const Step& step : played.steps)
    if (step.stage == 0)
      end = std::max(end, step.end);
    else
      begin = std::min(begin, step.begin);
  return std::max<Picoseconds>(0, end - begin);
}

// Returns the time from the begin of the last send of stage I to the begin of the first send of stage II. It is
// negative if the latter is earlier.
Picoseconds between_sends(const Played& played, Count first_round_of_second) {
  Picoseconds last = INT64_MIN, first = INT64_MAX;
  for (const MessageEnd& time : played.at_node)
    if (time.sends && time.round < first_round_of_second)
      last = std::max(last, time.begin);
    else if (time.sends)
      first = std::min(first, time.begin);
  return first - last;
}

Count overlapping_steps(const Played& played) {
  Count count = 0;
  for (std::size_t i = 0; i + 1 < played.steps.size(); ++i) count += played.steps[i + 1].begin < played.steps[i].end ? 1 : 0;
  return count;
}

double in_us(Picoseconds time) { return seconds_of(time) * 1e6; }

Reproduction make_liu2002_fig13(const Making&) {
  Reproduction made{
      .remarks = {
          "The first two stages of A4 on the SP2 are simulated event by event, for 16 ranks and 22 bytes per element. The "
          "figure names no pattern. With equal counts no rank would wait for another, so the counts are drawn at random: "
          "few large and many small ones. Each resource of a rank serves one message at a time: the processor (the "
          "start-up, half of it at the sender and half at the receiver) and the ports (the bytes). So in (b) and (c) the next "
          "message is started while the bytes of one travel, as in (2) and (4). The rank shown is the one whose "
          "stage II overlaps its stage I the longest in (c). The figure also has R- and C-Distribute; they take no time "
          "here, because table 1 has no t_m. The last step of a stage is the message to oneself."}};
  const MessageTimes times = times_of_elements("sp2");
  const Schedule schedule = distribution(), buffered = with_two_buffers(schedule);
  Rank shown = 0;
  for (Rank node = 0; node < liu2002_fig13_nodes; ++node)
    if (overlap_of_stages(play(buffered, times, Policy::dataflow, node)) >
        overlap_of_stages(play(buffered, times, Policy::dataflow, shown)))
      shown = node;
  struct Mode {
    const char *name, *title;
    Policy policy;
  };
  std::vector<Played> all;
  for (const auto& [name, title, policy] :
       {Mode{"a", "(a) blocking", Policy::blocking}, Mode{"b", "(b) nonblocking, one send buffer", Policy::nonblocking},
        Mode{"c", "(c) nonblocking, two send buffers", Policy::dataflow}}) {
    const Played& played = all.emplace_back(play(policy == Policy::dataflow ? buffered : schedule, times, policy, shown));
    Sheet sheet{.name = name, .columns = {"step of the rank", "begin (µs)", "end (µs)", "stage"}};
    const Program program = schedule.program(shown);
    for (const MessageEnd& time : played.at_node) {
      const bool is_first = time.round < program.stages[1].first_round;
      const Count step = time.round - program.stages[is_first ? 0 : 1].first_round + 1;
      sheet.rows.push_back({fmt::format("{} {}, {}", is_first ? "R-Comm" : "C-Comm", step, time.sends ? "send" : "receive"),
                            in_us(time.begin), in_us(time.end), is_first ? "stage I" : "stage II"});
    }
    made.panels.push_back({.title = fmt::format("{}, rank {}", title, shown),
                           .x_label = "time (µs)",
                           .y_label = "",
                           .sheet = made.sheets.size(),
                           .kind = PanelKind::spans,
                           .range_group = 0});
    made.sheets.push_back(std::move(sheet));
  }
  const Played &a = all[0], &b = all[1], &c = all[2];
  const auto add = [&](const std::string& what, const char* words, double paper, double ours, Relation relation,
                       bool is_reading = false) {
    made.comparisons.push_back({.what = fmt::format("{} (\"{}\")", what, words),
                                .paper = paper,
                                .ours = ours,
                                .relation = relation,
                                .place = "section 3.4, figure 13",
                                .is_reading = is_reading});
  };
  add("(a): steps of the rank that begin before the previous step has ended", "Overlap of the communication steps is not possible",
      0, Number(overlapping_steps(a)), Relation::equal);
  add("(b): steps of the rank that begin before the previous step has ended", "The communication steps can be partially overlapped",
      1, Number(overlapping_steps(b)), Relation::at_least);
  add("(b): µs from the beginning of the last send of stage I to the beginning of the first send of stage II",
      "Stage II cannot start until the last send in Stage I is initiated", 0,
      in_us(between_sends(b, schedule.program(shown).stages[1].first_round)), Relation::at_least);
  add("(c): time from the beginning of stage II to the end of stage I, in start-ups",
      "The communication steps in the consecutive stages can be further overlapped", 1,
      in_us(overlap_of_stages(c)) / in_us(times.resources->send_startup + times.resources->receive_startup), Relation::at_least,
      true);
  add("time of (b) over that of (a), all ranks", "nonblocking communication .. to reduce the overall communication time", 1,
      seconds_of(b.end) / seconds_of(a.end), Relation::at_most);
  add("time of (c) over that of (b), all ranks", "can be further overlapped if dual send buffers are available", 1,
      seconds_of(c.end) / seconds_of(b.end), Relation::at_most);
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig13{
    .id = "liu2002-fig13",
    .title = "Stages I and II of A4, blocking and nonblocking",
    .source = "liu2002, figure 13 and section 3.4",
    .about = "the times at which a rank's ports are busy in each step, simulated under the three policies",
    .make = make_liu2002_fig13,
};

}  // namespace quadrille::papers
