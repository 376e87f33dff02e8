// SPDX-License-Identifier: BSD-3-Clause
// Checks that the times of a trace respect the dependences of the schedule's programs.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "quadrille/trace.hpp"
#include "schedule/composition.hpp"
#include "schedule/dependence.hpp"

namespace quadrille::testing {

// Finds the entries of a trace that belong to the operations of one rank's program. The messages of a round with one peer are in
// posting order on both sides.
class OperationsInTrace {
 public:
  OperationsInTrace(const Trace& trace, const TracedTime& time, Rank rank) : time_(time) {
    for (std::size_t i = 0; i < trace.messages.size(); ++i) {
      const TracedMessage& message = trace.messages[i];
      if (message.from == rank) sends_[{message.round, message.to}].push_back(i);
      if (message.to == rank) receives_[{message.round, message.from}].push_back(i);
    }
    for (std::size_t i = 0; i < trace.locals.size(); ++i)
      if (trace.locals[i].rank == rank) locals_[trace.locals[i].round].push_back(i);
  }

  // Returns the time of the next operation of the program; call it in program order.
  TimeInterval next(const Program& program, const Operation& operation) {
    const Round& round = program.rounds[operation.round];
    switch (operation.kind) {
      case OperationKind::local:
        return time_.locals.empty() ? TimeInterval{} : time_.locals[locals_.at(round.number).at(operation.index)];
      case OperationKind::send: return time_.sends[taken(sends_, {round.number, round.sends[operation.index].peer})];
      case OperationKind::receive: return time_.receives[taken(receives_, {round.number, round.receives[operation.index].peer})];
    }
    return {};
  }

 private:
  using ByPeer = std::map<std::pair<Count, Rank>, std::vector<std::size_t>>;  // by round and peer

  static std::size_t taken(ByPeer& messages, std::pair<Count, Rank> key) {
    std::vector<std::size_t>& list = messages.at(key);
    const std::size_t first = list.front();
    list.erase(list.begin());
    return first;
  }

  const TracedTime& time_;
  ByPeer sends_, receives_;
  std::map<Count, std::vector<std::size_t>> locals_;
};

// Returns the first violation; empty if there is none. What is read was written before the reading begins. A write ends after
// earlier writes, and after local operations have begun to read what it overwrites. Sends may have been packed before they begin,
// and an arrived message may wait in other memory until it may be written. A message is complete at its receiver after its sender
// began. Operations whose times are not known are left out.
inline std::string first_disorder(const Trace& trace, const TracedTime& time, const Schedule& schedule) {
  for (std::size_t i = 0; i < trace.messages.size(); ++i) {
    const TimeInterval send = time.sends[i], receive = time.receives[i];
    if (send.begin < 0 || send.end < send.begin || receive.begin < 0 || receive.end < receive.begin)
      return fmt::format("message {} has no times", i);
    if (receive.end < send.begin) return fmt::format("message {} arrives at {} but is sent at {}", i, receive.end, send.begin);
    if (std::max(send.end, receive.end) > time.end) return fmt::format("message {} ends after the end", i);
  }
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
    const Program program = in_posting_order(schedule.program(rank));
    const DependenceGraph graph = dependences(program);
    OperationsInTrace entries(trace, time, rank);
    std::vector<TimeInterval> times;
    for (const Operation& operation : graph.operations) times.push_back(entries.next(program, operation));
    for (std::size_t i = 0; i < times.size(); ++i)
      for (const Dependence& before : graph.before[i]) {
        const TimeInterval first = times[before.on], second = times[i];
        const bool same_round = graph.operations[before.on].round == graph.operations[i].round;
        if (first.begin < 0 || second.begin < 0) continue;
        if (first == second && graph.operations[i].kind == OperationKind::local) continue;       // they have the time of all copies
        if (same_round && graph.operations[before.on].kind == OperationKind::receive) continue;  // receives of a round do not wait
        if (before.hazard == Hazard::write_after_read && graph.operations[before.on].kind == OperationKind::send) continue;
        if (before.hazard != Hazard::read_after_write && graph.operations[i].kind == OperationKind::receive) continue;
        const bool holds = before.hazard == Hazard::read_after_write   ? first.end <= second.begin
                           : before.hazard == Hazard::write_after_read ? first.begin <= second.end
                                                                       : first.end <= second.end;
        if (!holds)
          return fmt::format("rank {}: operation {} ({} to {}) does not wait for operation {} ({} to {})", rank, i, second.begin,
                             second.end, before.on, first.begin, first.end);
      }
  }
  return "";
}

}  // namespace quadrille::testing
