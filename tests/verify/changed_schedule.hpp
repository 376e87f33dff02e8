// SPDX-License-Identifier: BSD-3-Clause
// Schedules with mistakes, made from right ones, and the causes that are found for them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "quadrille/algorithm.hpp"
#include "quadrille/fault_cause.hpp"
#include "quadrille/verify.hpp"

namespace quadrille::testing {

// A message with both of its ends, as indices.
struct Sent {
  std::size_t sender, send_round, send, receiver, receive_round, receive;
  Count round;
};

// A right schedule, from which changed ones are made.
class ChangedSchedule {
 public:
  explicit ChangedSchedule(const Schedule& schedule) : schedule(schedule) {
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
    for (std::size_t rank = 0; rank < programs.size(); ++rank)
      for (std::size_t r = 0; r < programs[rank].rounds.size(); ++r)
        for (std::size_t i = 0; i < programs[rank].rounds[r].sends.size(); ++i) find_receive(rank, r, i);
  }
  Message& send(std::vector<Program>& list, const Sent& sent) const {
    return list[sent.sender].rounds[sent.send_round].sends[sent.send];
  }
  Message& receive(std::vector<Program>& list, const Sent& sent) const {
    return list[sent.receiver].rounds[sent.receive_round].receives[sent.receive];
  }
  Schedule with(const std::vector<Program>& changed) const {
    Schedule result = schedule;
    result.symmetry.reset();
    result.program = [changed](Rank rank) { return changed[static_cast<std::size_t>(rank)]; };
    return result;
  }

  Schedule schedule;
  std::vector<Program> programs;
  std::vector<Sent> messages;

 private:
  void find_receive(std::size_t rank, std::size_t r, std::size_t i) {
    const Round& round = programs[rank].rounds[r];
    const Message& message = round.sends[i];
    const auto to = static_cast<std::size_t>(message.peer);
    for (std::size_t s = 0; s < programs[to].rounds.size(); ++s)
      for (std::size_t k = 0; k < programs[to].rounds[s].receives.size(); ++k)
        if (const Message& other = programs[to].rounds[s].receives[k];
            programs[to].rounds[s].number == round.number && other.peer == static_cast<Rank>(rank) && other.port == message.port)
          messages.push_back({rank, r, i, to, s, k, round.number});
  }
};

inline bool names(const FaultCause& cause, const Sent& sent) {
  if (!cause.operation) return false;
  const NamedOperation& operation = *cause.operation;
  const Count last = cause.last_round.value_or(operation.round);
  return operation.from == static_cast<Rank>(sent.sender) && operation.to == static_cast<Rank>(sent.receiver) &&
         operation.round <= sent.round && sent.round <= last;
}

// Each finding must belong to exactly one cause.
inline void expect_partition(const FaultCauses& causes, std::size_t findings) {
  std::vector<int> times(findings, 0);
  for (const FaultCause& cause : causes.causes)
    for (const std::size_t i : cause.findings) ++times.at(i);
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(findings));
  EXPECT_EQ(causes.note, "");
}

// A schedule whose generator makes the same mistake in many programs.
template <class Change>
Schedule wrong_at(const Schedule& right, Change&& change) {
  Schedule schedule = right;
  schedule.symmetry.reset();
  schedule.program = [made = right.program, change](Rank rank) {
    Program program = made(rank);
    for (Round& round : program.rounds) change(rank, round);
    return program;
  };
  return schedule;
}

inline FaultCauses causes_of_wrong(const Schedule& schedule, VerifyOptions options = {}) {
  options.most_findings = most_counted_findings;
  const std::vector<Finding> findings = verify(schedule, options);
  const FaultCauses causes = causes_of(schedule, findings);
  expect_partition(causes, findings.size());
  return causes;
}

inline Schedule shift(Count ranks) { return make_schedule(Problem::alltoall(ranks, 4), "shift"); }

inline FaultCauses causes_after(const Schedule& right, const std::function<void(std::vector<Program>&)>& change) {
  const ChangedSchedule base(right);
  std::vector<Program> changed = base.programs;
  change(changed);
  return causes_of_wrong(base.with(changed));
}

}  // namespace quadrille::testing
