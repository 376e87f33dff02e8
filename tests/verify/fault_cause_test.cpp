// SPDX-License-Identifier: BSD-3-Clause
// Tests causes of findings with changed schedules: the operation that was changed must be named.
#include "quadrille/fault_cause.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>

#include "quadrille/verify.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

struct Sent {
  std::size_t sender, send_round, send, receiver, receive_round, receive;
  Count round;
};

class ChangedSchedule {
 public:
  explicit ChangedSchedule(const Schedule& schedule) : schedule(schedule) {
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
    for (std::size_t rank = 0; rank < programs.size(); ++rank)
      for (std::size_t r = 0; r < programs[rank].rounds.size(); ++r)
        for (std::size_t i = 0; i < programs[rank].rounds[r].sends.size(); ++i) find_receive(rank, r, i);
  }
  Message& send(std::vector<Program>& list, const Sent& sent) const { return list[sent.sender].rounds[sent.send_round].sends[sent.send]; }
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

bool names(const FaultCause& cause, const Sent& sent) {
  if (!cause.operation) return false;
  const NamedOperation& operation = *cause.operation;
  const Count last = cause.last_round.value_or(operation.round);
  return operation.from == static_cast<Rank>(sent.sender) && operation.to == static_cast<Rank>(sent.receiver) &&
         operation.round <= sent.round && sent.round <= last;
}

struct Named {
  int wrong = 0, named = 0, first = 0, alone = 0;
};

void count(const ChangedSchedule& base, const std::vector<Program>& changed, const std::vector<Sent>& guilty, Named& tally, const char* what) {
  const Schedule mutant = base.with(changed);
  const std::vector<Finding> findings = verify(mutant, {.most_findings = 10'000});
  if (findings.empty()) return;
  for (const Finding& f : findings) if (f.rule == Rule::out_of_buffer) return;
  const FaultCauses causes = causes_of(mutant, findings);
  const auto is_guilty = [&](const FaultCause& cause) {
    return std::any_of(guilty.begin(), guilty.end(), [&](const Sent& sent) { return names(cause, sent); });
  };
  ++tally.wrong;
  const bool named = std::any_of(causes.causes.begin(), causes.causes.end(), is_guilty);
  tally.named += named;
  tally.first += is_guilty(causes.causes.front());
  tally.alone += is_guilty(causes.causes.front()) && causes.causes.size() == 1;
  if (!named && getenv("SHOW")) {
    std::cout << "  MISS " << what << " " << specification(base.schedule) << " round " << guilty[0].round << " " << guilty[0].sender << " to " << guilty[0].receiver << "\n";
    for (const auto& c : causes.causes) std::cout << "       " << c.findings.size() << ": " << c.message << " | " << to_string(findings[c.findings[0]]) << "\n";
  }
}

TEST(FaultCause, Experiment) {
  std::map<std::string, std::map<std::string, Named>> table;
  std::map<std::string, Named> sum;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == Collective::barrier) continue;
    if (const char* only = getenv("ONLY"); only && std::string(algorithm->id).find(only) == std::string::npos) continue;
    for (const Count p : {4, 5})
      for (const Problem& problem : problems_of(*algorithm, p, 2)) {
        const auto choices = all_choices(*algorithm, problem, 3);
        if (choices.empty()) continue;
        const ChangedSchedule base(make_schedule(problem, choices.front()));
        auto& row = table[std::string(name(algorithm->collective)) + "/" + std::string(algorithm->id)];
        const Bytes b = std::max<Bytes>(1, problem.block_bytes);
        for (const Sent& sent : base.messages) {
          auto changed = base.programs;
          auto& sends = changed[sent.sender].rounds[sent.send_round].sends;
          auto& receives = changed[sent.receiver].rounds[sent.receive_round].receives;
          sends.erase(sends.begin() + (long)sent.send);
          count(base, changed, {sent}, row["drop send"], "drop send");
          receives.erase(receives.begin() + (long)sent.receive);
          count(base, changed, {sent}, row["drop"], "drop");
          for (const Bytes by : {b, -b}) {
            changed = base.programs;
            base.send(changed, sent).regions[0].offset += by;
            count(base, changed, {sent}, row["shift source"], "shift source");
            changed = base.programs;
            base.receive(changed, sent).regions[0].offset += by;
            count(base, changed, {sent}, row["shift target"], "shift target");
          }
          for (const Sent& other : base.messages)
            if (other.round == sent.round && &other > &sent && other.receiver != sent.receiver && other.sender != sent.receiver && sent.sender != other.receiver) {
              changed = base.programs;
              Message &r1 = base.receive(changed, sent), &r2 = base.receive(changed, other);
              base.send(changed, sent).peer = static_cast<Rank>(other.receiver);
              base.send(changed, other).peer = static_cast<Rank>(sent.receiver);
              std::swap(r1.regions, r2.regions);
              std::swap(r1.peer, r2.peer);
              Sent a = sent, c = other;
              std::swap(a.receiver, c.receiver);
              count(base, changed, {a, c, sent, other}, row["swap"], "swap");
            }
        }
      }
  }
  for (auto& [id, row] : table) {
    std::cout << id;
    for (auto& [what, t] : row) {
      std::cout << " | " << what << " " << t.wrong << "/" << t.named << "/" << t.first << "/" << t.alone;
      auto& s = sum[what];
      s.wrong += t.wrong, s.named += t.named, s.first += t.first, s.alone += t.alone;
    }
    std::cout << "\n";
  }
  for (auto& [what, t] : sum) std::cout << what << " wrong " << t.wrong << " named " << t.named << " first " << t.first << " alone " << t.alone << "\n";
}

}  // namespace
}  // namespace quadrille
