// SPDX-License-Identifier: BSD-3-Clause
// Figures 2, 3 and 13 of [liu2002]: simulates which blocking and nonblocking messages overlap, and which meet at a rank.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "papers/exhibits/irregular_times.hpp"
#include "quadrille/simulate.hpp"

namespace quadrille::papers {
namespace {

// Equations (1) and (2) for equal messages, and the delays of figures 2 and 3 where messages meet at a rank.

constexpr Count liu2002_fig3_nodes = 16;

// Values in microseconds.
struct Liu2002Fig3Machine {
  const char* name;
  double startup, compose, copy, wire;

  MessageTimes times() const {
    return message_times(*find_model("flat"), Coefficients{{"startup_us", startup},
                                                           {"compose_us_per_byte", compose},
                                                           {"copy_us_per_byte", copy},
                                                           {"wire_us_per_byte", wire},
                                                           {"overlap", 1}});
  }
};

double in_us(Picoseconds time) { return seconds_of(time) * 1e6; }

void add_equal_messages(const Liu2002Fig3Machine& machine, Sheet& sheet, Reproduction& made) {
  double worst_blocking = 0, least = 1e300, most = 0;
  for (Bytes m = 16; m <= 16384; m *= 4) {
    const Schedule schedule =
        with_own_messages(make_schedule(make_traffic(liu2002_fig3_nodes, {.kind = TrafficKind::equal, .typical = m}), "shift"));
    const auto simulated = [&](Policy policy) { return in_us(simulate_events(schedule, machine.times(), {.policy = policy}).end); };
    const double bytes = Number(m), p = Number(liu2002_fig3_nodes),
                 longest = std::max({machine.startup, bytes * machine.copy, bytes * machine.wire}),
                 all = machine.startup + bytes * (machine.copy + machine.wire);
    const double first = p * (all + bytes * machine.compose), second = p * bytes * machine.compose + p * longest,
                 blocking = simulated(Policy::blocking), nonblocking = simulated(Policy::nonblocking);
    sheet.rows.push_back({machine.name, m, first, blocking, second, nonblocking, second + all - longest});
    worst_blocking = std::max(worst_blocking, std::abs(blocking / first - 1));
    least = std::min(least, nonblocking / second);
    most = std::max(most, nonblocking / (second + all - longest));
  }
  made.equal(fmt::format("{}: simulated blocking time over (1), largest difference from 1", machine.name), 0,
             worst_blocking < 1e-9 ? 0 : worst_blocking, "section 2.3, (1)")
      .because("ranks wait for each other");
  made.at_least(fmt::format("{}: simulated nonblocking time over (2), minimum", machine.name), 1, least, "section 2.3, (2)");
  made.at_most(
      fmt::format(
          "{}: simulated nonblocking time over (2) and the other terms of one message, maximum (\"a simple approximation\")",
          machine.name),
      1, most, "section 2.3, (2)");
}

// The scenario of figure 2: in the first step P_i sends to P_(i+1), in the second to P_(i+2), in the third to P_(i+3). The
// messages of the first step differ in length, so P_0 and P_2 begin their second message while P_1 and P_3 are still sending
// their first one.
constexpr Bytes lengths[3][4] = {{1000, 6000, 2000, 5000}, {2000, 2000, 2000, 2000}, {2000, 2000, 2000, 2000}};

struct Sent {
  Rank from = 0;
  std::size_t step = 0;
  bool operator==(const Sent&) const = default;
};

struct TimeLine {
  std::map<std::pair<Rank, Count>, MessageEnd> sent, received;  // by rank and round
};

// Simulates the four nodes, without message `left_out` if it is given.
TimeLine time_line(const Liu2002Fig3Machine& machine, std::optional<Sent> left_out = {}) {
  std::vector<TrafficEntry> entries;
  for (Rank from = 0; from < 4; ++from)
    for (std::size_t step = 0; step < 3; ++step)
      if (left_out != Sent{from, step}) entries.push_back({from, (from + static_cast<Rank>(step) + 1) % 4, lengths[step][from]});
  TimeLine line;
  simulate_events(make_schedule(Problem::alltoallv(4, entries), "shift"), machine.times(),
                  {.policy = Policy::nonblocking, .message_end = [&](const MessageEnd& end) {
                     (end.sends ? line.sent : line.received)[{end.rank, end.round}] = end;
                   }});
  return line;
}

// Returns how much later a message has left its sender than it would if the other message were not sent, in microseconds.
double delay_us(const Liu2002Fig3Machine& machine, const Sent& message, const Sent& other) {
  const auto left = [&](const TimeLine& line) { return in_us(line.sent.at({message.from, static_cast<Count>(message.step)}).end); };
  return left(time_line(machine)) - left(time_line(machine, other));
}

void add_lanes(const TimeLine& line, double startup, Reproduction& made) {
  Sheet& lanes = made.add_sheet({.name = "figure3", .columns = {"port", "begin (µs)", "end (µs)", "message"}});
  made.add_panel({.title = "The scenario of figure 2: messages of four ranks, simulated",
                  .x_label = "time (µs)",
                  .y_label = "",
                  .kind = PanelKind::spans});
  for (Rank rank = 0; rank < 4; ++rank)
    for (const bool sends : {true, false}) {
      double port_free = 0;  // a message takes the output port after its start-up, when the previous message has left the port
      for (Count step = 0; step < 3; ++step) {
        const MessageEnd& end = (sends ? line.sent : line.received).at({rank, step});
        const double begin = sends ? std::max(in_us(end.begin) + startup / 2, port_free) : in_us(end.begin);
        port_free = in_us(end.end);
        lanes.rows.push_back(
            {fmt::format("P{} {}", rank, sends ? "sends" : "receives"), begin, port_free, fmt::format("of step {}", step + 1)});
      }
    }
}

Reproduction make_liu2002_fig3(const Making&) {
  const Coefficients sp2 = machine_of_paper("sp2").models.at("flat");
  const double startup = sp2.at("startup_us"), wire = sp2.at("wire_us_per_byte");
  const Liu2002Fig3Machine printed{"SP2", startup, 0, 0, wire},
      split{"SP2, t_c + t_d split evenly, t_m = t_c", startup, wire / 2, wire / 2, wire / 2};
  Reproduction made{
      .remarks = {"16 ranks send equal messages to all, also to themselves, in the order of A1; received messages are not "
                  "decomposed. Table 1 gives t_c + t_d as one value and no t_m, so a second machine splits the value evenly. The "
                  "simulation takes each resource of figure 3 for one message at a time.",
                  "Figure 2 gives no lengths: these are ours, and make the messages meet as in the figure. Each rank starts its "
                  "next send when its last one is complete. The figure shares the bandwidth of the input port between two "
                  "messages, so both are late (d_1 and d_2). Our port takes one after the other: only the later one is late, by "
                  "the whole time of the other, and both are complete at the same time as with shared bandwidth."}};
  Sheet& sheet = made.add_sheet({.name = "equal",
                                 .columns = {"machine", "bytes", "(1) (µs)", "simulated, blocking (µs)", "(2) (µs)",
                                             "simulated, nonblocking (µs)", "(2) and the other terms of one message (µs)"}});
  for (const Liu2002Fig3Machine& machine : {printed, split}) add_equal_messages(machine, sheet, made);

  add_lanes(time_line(printed), startup, made);
  const Sent s12{1, 0}, s02{0, 1}, s03{0, 2}, s20{2, 1}, s30{3, 0};
  made.at_least("d_1: µs by which S_02 is late because S_12 goes to P_2, too (\"t_d's for R_02 and R_12 increase\")", 1,
                delay_us(printed, s02, s12), "section 2.3, 1")
      .reading();
  made.at_least("d_2: µs by which S_12 is late because S_02 goes to P_2, too (\"t_d's for R_02 and R_12 increase\")", 1,
                delay_us(printed, s12, s02), "section 2.3, 1")
      .found(Outcome::not_testable, 0,
             "the port of the simulation serves one message at a time, so S_12, which came first, cannot be late; the last of the "
             "two is complete at the same time")
      .reading();
  made.at_least(
          "d_3: µs by which the next message of the rank that had to wait, S_03 to P_3, is late (\"postpones the send of the next "
          "outgoing message\")",
          1, delay_us(printed, s03, s12), "section 2.3, 2")
      .reading();
  made.at_least("µs by which S_20 is late because P_3 still sends to P_0 (\"another potential node contention occurs at P_0\")", 1,
                delay_us(printed, s20, s30), "section 2.3, figure 2")
      .reading();
  return made;
}

// Stages I and II of A4 on one rank, step by step, under the three policies.

constexpr Count liu2002_fig13_nodes = 16;
constexpr Bytes typical = 12;  // elements; a quarter of a rank's data takes about as long on the wire as a start-up

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
  Picoseconds begin = INT64_MAX, end = 0;  // of all sends and receives of the rank in the step
};

struct Played {
  Picoseconds end = 0;              // when all ranks have finished
  std::vector<MessageEnd> at_node;  // messages of the rank, by round; in a round, sends come first
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

Rank rank_with_longest_overlap(const Schedule& buffered, const MessageTimes& times) {
  const auto overlap = [&](Rank node) { return overlap_of_stages(play(buffered, times, Policy::dataflow, node)); };
  Rank longest = 0;
  for (Rank node = 0; node < liu2002_fig13_nodes; ++node)
    if (overlap(node) > overlap(longest)) longest = node;
  return longest;
}

Count overlapping_steps(const Played& played) {
  Count count = 0;
  for (std::size_t i = 0; i + 1 < played.steps.size(); ++i) count += played.steps[i + 1].begin < played.steps[i].end ? 1 : 0;
  return count;
}

void add_steps(const Played& played, const Program& program, const char* name, Reproduction& made) {
  Sheet& sheet = made.add_sheet({.name = name, .columns = {"step of the rank", "begin (µs)", "end (µs)", "stage"}});
  for (const MessageEnd& time : played.at_node) {
    const bool is_first = time.round < program.stages[1].first_round;
    const Count step = time.round - program.stages[is_first ? 0 : 1].first_round + 1;
    sheet.rows.push_back({fmt::format("{} {}, {}", is_first ? "R-Comm" : "C-Comm", step, time.sends ? "send" : "receive"),
                          in_us(time.begin), in_us(time.end), is_first ? "stage I" : "stage II"});
  }
}

Reproduction make_liu2002_fig13(const Making&) {
  Reproduction made{
      .remarks = {"The first two stages of A4 on the SP2 are simulated event by event, for 16 ranks and 22 bytes per element. The "
                  "figure names no pattern. With equal counts no rank would wait for another, so the counts are drawn at random: "
                  "few large and many small ones. Each resource of a rank serves one message at a time: the processor (the "
                  "start-up, half of it at the sender and half at the receiver) and the ports (the bytes). So in (b) and (c) the "
                  "next message is started while the bytes of one travel, as in (2) and (4). The rank shown is the one whose stage "
                  "II overlaps its stage I the longest in (c). The figure also has R- and C-Distribute; they take no time here, "
                  "because table 1 has no t_m. The last step of a stage is the message to oneself."}};
  const MessageTimes times = times_of_elements("sp2");
  const Schedule schedule = distribution(), buffered = with_two_buffers(schedule);
  const Rank shown = rank_with_longest_overlap(buffered, times);
  struct Mode {
    const char *name, *title;
    Policy policy;
  };
  std::vector<Played> all;
  for (const auto& [name, title, policy] :
       {Mode{"a", "(a) blocking", Policy::blocking}, Mode{"b", "(b) nonblocking, one send buffer", Policy::nonblocking},
        Mode{"c", "(c) nonblocking, two send buffers", Policy::dataflow}}) {
    const Played& played = all.emplace_back(play(policy == Policy::dataflow ? buffered : schedule, times, policy, shown));
    add_steps(played, schedule.program(shown), name, made);
    made.add_panel({.title = fmt::format("{}, rank {}", title, shown),
                    .x_label = "time (µs)",
                    .y_label = "",
                    .kind = PanelKind::spans,
                    .range_group = 0});
  }
  const Played &a = all[0], &b = all[1], &c = all[2];
  const auto add = [&](const std::string& what, const char* words, double paper, double ours, Relation relation,
                       bool is_reading = false) {
    made.compare(relation, fmt::format("{} (\"{}\")", what, words), paper, ours, "section 3.4, figure 13").is_reading = is_reading;
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

extern const Exhibit liu2002_fig3{
    .title = "Times of equal messages, and delays where messages meet",
    .source = "liu2002, (1), (2), figures 2 and 3",
    .about =
        "the event simulation, in which each resource of a rank serves one message at a time, beside the paper's equations and its "
        "scenario of contention",
    .make = make_liu2002_fig3,
};

extern const Exhibit liu2002_fig13{
    .title = "Stages I and II of A4, blocking and nonblocking",
    .source = "liu2002, figure 13 and section 3.4",
    .about = "the times at which a rank's ports are busy in each step, simulated under the three policies",
    .make = make_liu2002_fig13,
};

}  // namespace quadrille::papers
