// SPDX-License-Identifier: BSD-3-Clause
// Tests causes of findings with changed schedules: the operation that was changed must be named.
#include "quadrille/fault_cause.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "quadrille/indexed.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "verify/broken_exchange.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

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

bool names(const FaultCause& cause, const Sent& sent) {
  if (!cause.operation) return false;
  const NamedOperation& operation = *cause.operation;
  const Count last = cause.last_round.value_or(operation.round);
  return operation.from == static_cast<Rank>(sent.sender) && operation.to == static_cast<Rank>(sent.receiver) &&
         operation.round <= sent.round && sent.round <= last;
}

// How many changed schedules are wrong, and for how many of these the cause with most findings names the changed message.
struct Named {
  int wrong = 0, named = 0;
};

// Each finding must belong to exactly one cause.
void expect_partition(const FaultCauses& causes, std::size_t findings) {
  std::vector<int> times(findings, 0);
  for (const FaultCause& cause : causes.causes)
    for (const std::size_t i : cause.findings) ++times.at(i);
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(findings));
  EXPECT_EQ(causes.note, "");
}

void count(const ChangedSchedule& base, const std::vector<Program>& changed, const std::vector<Sent>& guilty, Named& row) {
  const Schedule mutant = base.with(changed);
  VerifyOptions options;
  options.most_findings = 10'000;
  const std::vector<Finding> findings = verify(mutant, options);
  if (findings.empty()) return;
  const FaultCauses causes = causes_of(mutant, findings);
  expect_partition(causes, findings.size());
  if (std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return finding.rule == Rule::out_of_buffer; }))
    return;  // then nothing was replayed
  ++row.wrong;
  row.named +=
      std::any_of(guilty.begin(), guilty.end(), [&](const Sent& sent) { return names(causes.causes.front(), sent); }) ? 1 : 0;
}

template <class Row>
void change_message(const ChangedSchedule& base, const Sent& sent, Row&& row) {
  std::vector<Program> changed = base.programs;
  auto& sends = changed[sent.sender].rounds[sent.send_round].sends;
  auto& receives = changed[sent.receiver].rounds[sent.receive_round].receives;
  sends.erase(sends.begin() + static_cast<std::ptrdiff_t>(sent.send));
  count(base, changed, {sent}, row("send dropped"));
  receives.erase(receives.begin() + static_cast<std::ptrdiff_t>(sent.receive));
  count(base, changed, {sent}, row("message dropped"));
  const Bytes block = std::max<Bytes>(1, base.schedule.problem.block_bytes);
  for (const Bytes by : {block, -block}) {
    changed = base.programs;
    base.send(changed, sent).regions[0].offset += by;
    count(base, changed, {sent}, row("source moved"));
    changed = base.programs;
    base.receive(changed, sent).regions[0].offset += by;
    count(base, changed, {sent}, row("target moved"));
  }
}

// Two messages of a round exchange their receivers. A cause may name a message that is there or one that is missing.
void exchange_peers(const ChangedSchedule& base, const Sent& one, const Sent& other, Named& row) {
  if (other.round != one.round || other.receiver == one.receiver || other.sender == one.receiver || one.sender == other.receiver)
    return;
  std::vector<Program> changed = base.programs;
  Message &first = base.receive(changed, one), &second = base.receive(changed, other);
  base.send(changed, one).peer = static_cast<Rank>(other.receiver);
  base.send(changed, other).peer = static_cast<Rank>(one.receiver);
  std::swap(first.regions, second.regions);
  std::swap(first.peer, second.peer);
  Sent one_now = one, other_now = other;
  std::swap(one_now.receiver, other_now.receiver);
  count(base, changed, {one_now, other_now, one, other}, row);
}

// Often several single changes explain the same findings: a message to the wrong place, or a later one from the wrong place; any of
// several ranks that have a broadcast vector. Then a guess is right in some cases only, so the limits are below 100 %. In an
// alltoall each block exists once, and most changes lose another block, which tells where it happened.
TEST(FaultCause, NamesTheChangedMessage) {
  std::map<std::string, Named> all, alltoall;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == Collective::barrier) continue;
    for (const Count p : extent<std::vector<Count>>({4}, {4, 5}, {4, 5, 6}))
      for (const Problem& problem : problems_of(*algorithm, p, 2)) {
        const std::vector<Choice> choices = all_choices(*algorithm, problem, 3);
        if (choices.empty()) continue;
        const ChangedSchedule base(make_schedule(problem, choices.front()));
        std::map<std::string, Named> rows;
        for (const Sent& sent : base.messages) {
          change_message(base, sent, [&](const char* what) -> Named& { return rows[what]; });
          for (const Sent& other : base.messages)
            if (&other > &sent) exchange_peers(base, sent, other, rows["receivers exchanged"]);
        }
        for (const auto& [what, row] : rows)
          for (auto* sum : {&all, &alltoall})
            if (sum == &all || algorithm->collective == Collective::alltoall)
              (*sum)[what].wrong += row.wrong, (*sum)[what].named += row.named;
      }
  }
  const auto expect_share = [](const std::map<std::string, Named>& rows, const std::map<std::string, int>& least_percent) {
    for (const auto& [what, percent] : least_percent) {
      const Named& row = rows.at(what);
      EXPECT_GT(row.wrong, 100) << what;
      EXPECT_GE(100 * row.named, percent * row.wrong) << what << ": " << row.named << " of " << row.wrong;
      ::testing::Test::RecordProperty(what, std::to_string(row.named) + " of " + std::to_string(row.wrong));
    }
  };
  expect_share(
      all,
      {{"send dropped", 100}, {"message dropped", 82}, {"source moved", 98}, {"target moved", 93}, {"receivers exchanged", 71}});
  expect_share(
      alltoall,
      {{"send dropped", 100}, {"message dropped", 98}, {"source moved", 99}, {"target moved", 100}, {"receivers exchanged", 91}});
}

FaultCauses causes_of_exchange(const std::vector<Program>& programs) {
  const Schedule schedule = of(Problem::alltoall(2, 4), programs);
  const std::vector<Finding> findings = verify(schedule);
  const FaultCauses causes = causes_of(schedule, findings);
  expect_partition(causes, findings.size());
  return causes;
}

TEST(FaultCause, NamesTheMessageThatOverwroteABlock) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].receives[0].regions = {block(out, 0, 4)};
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::overwrites);
  EXPECT_EQ(causes.causes[0].findings.size(), 2u);
  EXPECT_EQ(causes.causes[0].message, "block 0 to 0 was lost in round 0, overwritten by the message 1 to 0");
}

TEST(FaultCause, NamesWhatIsMissing) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].locals.clear();
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::missing);
  EXPECT_EQ(causes.causes[0].message, "block 0 to 0 stays at rank 0, input[0]: a copy is missing in round 0");
  EXPECT_EQ(causes.causes[0].operation, (NamedOperation{0, NamedOperation::Kind::copy, 0, 0}));
}

// All findings of a message with one end are one cause, deadlocks included.
TEST(FaultCause, GroupsWhatAnUnfinishedMessageCauses) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].sends.clear();
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::unfinished);
  EXPECT_EQ(causes.causes[0].operation, (NamedOperation{0, NamedOperation::Kind::message, 0, 1}));
  EXPECT_GE(causes.causes[0].findings.size(), 2u);
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

FaultCauses causes_of_wrong(const Schedule& schedule, VerifyOptions options = {}) {
  options.most_findings = most_counted_findings;
  const std::vector<Finding> findings = verify(schedule, options);
  const FaultCauses causes = causes_of(schedule, findings);
  expect_partition(causes, findings.size());
  return causes;
}

Schedule shift(Count ranks) { return make_schedule(Problem::alltoall(ranks, 4), "shift"); }

TEST(FaultCause, TheSameMistakeAtManyRanksIsOneCause) {
  for (const Count p : {5, 8, 16}) {
    for (const Rank right : {Rank{-1}, Rank{2}}) {
      const FaultCauses causes = causes_of_wrong(wrong_at(shift(p), [=](Rank rank, Round& round) {
        for (Local& local : round.locals)
          if (rank != right) local.source[0].offset = (local.source[0].offset + 4) % (4 * p);
      }));
      ASSERT_EQ(causes.causes.size(), 1u);
      EXPECT_EQ(causes.causes[0].kind, CauseKind::wrong_source);
      EXPECT_EQ(causes.causes[0].alike.size(), static_cast<std::size_t>(right < 0 ? p - 1 : p - 2));
      EXPECT_EQ(causes.causes[0].message,
                "a copy at rank 0 in round 0 reads rank 0, input[4], but block 0 to 0 is at rank 0, input[0]; the same at " +
                    (right < 0 ? "every rank" : std::to_string(p - 1) + " of " + std::to_string(p) + " ranks"));
    }
  }
}

TEST(FaultCause, TheSameMistakeInAllRoundsIsOneCause) {
  const FaultCauses causes = causes_of_wrong(wrong_at(shift(7), [](Rank, Round& round) {
    for (Message& message : round.receives) message.regions[0].offset = (message.regions[0].offset + 4) % 28;
  }));
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].alike.size(), 41u);
  EXPECT_THAT(causes.causes[0].message, ::testing::EndsWith("; the same for 42 of 42 messages in rounds 0 to 5"));
}

// All messages of a round are wrong in the same way. The schedules are those of all algorithms, also of irregular collectives,
// where the messages of a round have little in common.
TEST(FaultCause, MistakesInAllMessagesOfARoundHaveFewCauses) {
  struct Row {
    int wrong = 0, one = 0, few = 0;
  };
  std::map<std::string, Row> rows;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == Collective::barrier) continue;
    for (const Count p : extent<std::vector<Count>>({5}, {5, 8}, {5, 7, 8}))
      for (const Problem& problem : problems_of(*algorithm, p, 2)) {
        const std::vector<Choice> choices = all_choices(*algorithm, problem, 3);
        if (choices.empty()) continue;
        const ChangedSchedule base(make_schedule(problem, choices.front()));
        std::map<Count, std::vector<Sent>> rounds;
        for (const Sent& sent : base.messages) rounds[sent.round].push_back(sent);
        const Bytes block = std::max<Bytes>(1, problem.block_bytes);
        for (const auto& [round, messages] : rounds) {
          if (size(messages) < p - 1) continue;
          for (const char* what : {"source moved", "target moved", "sends dropped"}) {
            std::vector<Program> changed = base.programs;
            for (const Sent& sent : messages) {
              if (what == std::string("source moved")) base.send(changed, sent).regions[0].offset -= block;
              if (what == std::string("target moved")) base.receive(changed, sent).regions[0].offset -= block;
              if (what == std::string("sends dropped")) changed[sent.sender].rounds[sent.send_round].sends.clear();
            }
            const Schedule schedule = base.with(changed);
            const std::vector<Finding> findings = verify(schedule, {.most_findings = most_counted_findings});
            if (findings.empty() || findings.front().rule == Rule::out_of_buffer) continue;
            const FaultCauses causes = causes_of(schedule, findings);
            expect_partition(causes, findings.size());
            ++rows[what].wrong;
            rows[what].one += causes.causes.size() == 1 ? 1 : 0;
            rows[what].few += causes.causes.size() <= 3 ? 1 : 0;
          }
        }
      }
  }
  const auto expect_share = [&](const std::string& what, int one, int few) {
    const Row& row = rows.at(what);
    EXPECT_GT(row.wrong, 30) << what;
    EXPECT_GE(100 * row.one, one * row.wrong) << what << ": " << row.one << " of " << row.wrong;
    EXPECT_GE(100 * row.few, few * row.wrong) << what << ": " << row.few << " of " << row.wrong;
  };
  expect_share("source moved", 98, 100);
  expect_share("target moved", 70, 90);
  expect_share("sends dropped", 88, 94);
}

// One mistake of a generator, or of one rank, changes many programs or many rounds.
std::map<std::string, std::function<void(std::vector<Program>&)>> single_mistakes() {
  const auto reverse = [](Message& message) { std::reverse(message.regions.begin(), message.regions.end()); };
  const auto each_round = [](auto&& change) {
    return [change](std::vector<Program>& programs) {
      for (Program& program : programs)
        for (Round& round : program.rounds) change(round);
    };
  };
  const auto first_round_of_all = [](Count number) {
    return [number](std::vector<Program>& programs) {
      for (Program& program : programs)
        if (!program.rounds.empty() && program.rounds.front().number == 0) program.rounds.front().number = number;
    };
  };
  const auto rounds_of_1 = [](std::size_t first, std::size_t count, Count by) {
    return [=](std::vector<Program>& programs) {
      std::vector<Round>& rounds = programs[1].rounds;
      for (std::size_t i = first; i < rounds.size() && i - first < count; ++i) rounds[i].number += by;
    };
  };
  return {
      {"regions of sends reversed", each_round([=](Round& round) {
         for (Message& send : round.sends) reverse(send);
       })},
      {"regions of receives reversed", each_round([=](Round& round) {
         for (Message& receive : round.receives) reverse(receive);
       })},
      {"no messages", each_round([](Round& round) {
         round.sends.clear();
         round.receives.clear();
       })},
      {"no rounds",
       [](std::vector<Program>& programs) {
         for (Program& program : programs) program.rounds.clear();
       }},
      {"no stages",
       [](std::vector<Program>& programs) {
         for (Program& program : programs) program.stages.clear();
       }},
      {"nothing at rank 1", [](std::vector<Program>& programs) { programs[1].rounds.clear(); }},
      {"round 0 renamed to one that follows", first_round_of_all(1)},
      {"round 0 renamed to one of no stage", first_round_of_all(1000)},
      {"rank 1 late", rounds_of_1(0, 1000, 1)},
      {"a round of rank 1 late", rounds_of_1(1, 1, 1)},
      {"a round of rank 1 early", rounds_of_1(1, 1, -1)},
      {"a round of rank 1 very late", rounds_of_1(0, 1, 1000)},
  };
}

TEST(FaultCause, OneMistakeInManyPlacesIsOneCause) {
  struct Row {
    int wrong = 0, one = 0, few = 0;
  };
  std::map<std::string, Row> rows;
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->collective == Collective::barrier) continue;
    for (const Count p : extent<std::vector<Count>>({5}, {5, 8}, {5, 7, 8, 16}))
      for (const Problem& problem : problems_of(*algorithm, p, 2)) {
        const std::vector<Choice> choices = all_choices(*algorithm, problem, 3);
        if (choices.empty()) continue;
        const ChangedSchedule base(make_schedule(problem, choices.front()));
        for (const auto& [what, change] : single_mistakes()) {
          std::vector<Program> changed = base.programs;
          change(changed);
          const Schedule schedule = base.with(changed);
          const std::vector<Finding> findings = verify(schedule, {.most_findings = most_counted_findings});
          if (findings.empty()) continue;
          const FaultCauses causes = causes_of(schedule, findings);
          expect_partition(causes, findings.size());
          Row& row = rows[what];
          ++row.wrong;
          row.one += causes.causes.size() == 1 ? 1 : 0;
          row.few += causes.causes.size() <= 3 ? 1 : 0;
        }
      }
  }
  struct Shares {
    int one, few;  // percent
  };
  const std::map<std::string, Shares> least{
      {"regions of sends reversed", {65, 88}},
      {"regions of receives reversed", {75, 95}},
      {"no messages", {67, 90}},
      {"no rounds", {100, 100}},
      {"no stages", {100, 100}},
      {"nothing at rank 1", {95, 95}},
      {"round 0 renamed to one that follows", {85, 95}},
      {"round 0 renamed to one of no stage", {85, 97}},
      {"rank 1 late", {92, 95}},
      {"a round of rank 1 late", {88, 97}},
      {"a round of rank 1 early", {80, 95}},
      {"a round of rank 1 very late", {69, 95}},
  };
  ASSERT_EQ(least.size(), single_mistakes().size());
  for (const auto& [what, percent] : least) {
    const Row& row = rows.at(what);
    EXPECT_GT(row.wrong, 20) << what;
    EXPECT_GE(100 * row.one, percent.one * row.wrong) << what << ": " << row.one << " of " << row.wrong;
    EXPECT_GE(100 * row.few, percent.few * row.wrong) << what << ": " << row.few << " of " << row.wrong;
  }
}

TEST(FaultCause, WhatOneRankOmitsIsOneCause) {
  const FaultCauses causes = causes_of_wrong(wrong_at(shift(7), [](Rank rank, Round& round) {
    const auto is_of_3 = [=](const Message& message) { return rank == 3 || message.peer == 3; };
    if (rank == 3)
      round.sends.clear();
    else
      std::erase_if(round.receives, is_of_3);
  }));
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::missing);
  EXPECT_EQ(
      causes.causes[0].message,
      "block 3 to 0 stays at rank 3, input[0]: a message to rank 0 is missing in one of the rounds 0 to 5; the same for 6 of 6 "
      "messages from rank 3");
}

TEST(FaultCause, MessagesWithOneEndAtEveryRankAreOneCause) {
  for (const Count p : {2, 6}) {
    const FaultCauses causes = causes_of_wrong(wrong_at(shift(p), [](Rank, Round& round) {
      if (round.number == 0) round.sends.clear();
    }));
    ASSERT_EQ(causes.causes.size(), 1u);
    EXPECT_EQ(causes.causes[0].kind, CauseKind::unfinished);
    EXPECT_THAT(causes.causes[0].message, ::testing::EndsWith("; the same at every rank"));
  }
}

TEST(FaultCause, SaysThatNothingIsDone) {
  Schedule schedule = shift(8);
  schedule.symmetry.reset();
  schedule.program = [](Rank rank) { return Program{rank, 0, {}, {}}; };
  const FaultCauses causes = causes_of_wrong(schedule);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].findings.size(), 64u);
  EXPECT_EQ(causes.causes[0].message, "the programs of all ranks are empty");
}

TEST(FaultCause, SaysThatARankIsLate) {
  const FaultCauses causes =
      causes_of_wrong(wrong_at(shift(6), [](Rank rank, Round& round) { round.number += rank == 1 ? 1 : 0; }));
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::unfinished);
  EXPECT_EQ(causes.causes[0].message, "rank 1 is 1 round late: the message 0 to 1 is sent in round 0 and received in round 1");
}

TEST(FaultCause, SaysThatTheEndsOfAMessageAreInDifferentRounds) {
  std::vector<Program> programs = exchange();
  programs[0].stages[0].round_count = programs[1].stages[0].round_count = 2;
  programs[0].rounds.push_back({1, {}, std::move(programs[0].rounds[0].sends), {}, {}, {}});
  programs[0].rounds[0].sends.clear();
  const FaultCauses causes = causes_of_exchange(programs);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].message, "the message 0 to 1 is sent in round 1 and received in round 0");
}

TEST(FaultCause, ARuleThatIsBrokenAtEveryRankIsOneCause) {
  VerifyOptions options;
  options.port_limit = 1;
  const Schedule direct = make_schedule(Problem::alltoall(6, 4), "direct");
  const FaultCauses causes = causes_of_wrong(direct, options);
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::rule);
  EXPECT_FALSE(is_its_finding(causes.causes[0]));
  EXPECT_EQ(causes.causes[0].message,
            "rank 0, stage 'exchange', round 0: port-limit: sends 5 messages in one round on 1 ports; the same at every rank");
}

FaultCauses causes_after(const Schedule& right, const std::function<void(std::vector<Program>&)>& change) {
  const ChangedSchedule base(right);
  std::vector<Program> changed = base.programs;
  change(changed);
  return causes_of_wrong(base.with(changed));
}

// One operation that is wrong breaks rules besides those about its bytes.
TEST(FaultCause, WhatOneMistakeBreaksIsOneCause) {
  const Schedule direct = make_schedule(Problem::alltoall(6, 8), "direct");
  const auto twice = [](std::vector<Program>& programs) {
    std::vector<Message>& receives = programs[0].rounds[0].receives;
    receives.push_back(receives.front());
  };
  const std::map<std::string, FaultCauses> all{
      {"receive into input", causes_after(direct, [](auto& p) { p[0].rounds[0].receives[0].regions[0].buffer = in; })},
      {"receive twice", causes_after(direct, twice)},
      {"receive twice, bruck", causes_after(make_schedule(Problem::alltoall(8, 8), "bruck"), twice)},
      {"wrong receiver", causes_after(direct, [](auto& p) { p[0].rounds[0].sends[2].peer = p[0].rounds[0].sends[3].peer; })},
      {"send one round late", causes_after(make_schedule(Problem::alltoall(6, 8), "ring"),
                                           [](auto& p) {
                                             std::vector<Round>& rounds = p[5].rounds;
                                             rounds[1].sends.push_back(rounds[0].sends[0]);
                                             rounds[0].sends.clear();
                                           })},
      {"reach out of the output", causes_after(direct, [](auto& p) { p[2].rounds[0].receives[0].regions[0].offset = 48; })}};
  for (const auto& [what, causes] : all) EXPECT_EQ(causes.causes.size(), 1u) << what;
  EXPECT_EQ(all.at("receive into input").causes[0].kind, CauseKind::wrong_target);
  EXPECT_EQ(all.at("wrong receiver").causes[0].kind, CauseKind::unfinished);
  EXPECT_THAT(all.at("reach out of the output").causes[0].message, ::testing::HasSubstr("reaches outside a buffer of 48 bytes"));
}

// What a reduction reads instead, and all results that come from it, follow from the receive that is not there.
TEST(FaultCause, AReceiveThatAReductionLacksIsOneCause) {
  const Problem problem = Problem::allreduce(6, 48);
  for (const char* algorithm : {"circulant", "rabenseifner", "reduce-scatter-allgather"}) {
    const ChangedSchedule base(make_schedule(problem, algorithm));
    int one = 0;
    for (const Sent& sent : base.messages) {
      std::vector<Program> changed = base.programs;
      auto& receives = changed[sent.receiver].rounds[sent.receive_round].receives;
      receives.erase(receives.begin() + static_cast<std::ptrdiff_t>(sent.receive));
      const FaultCauses causes = causes_of_wrong(base.with(changed));
      one += causes.causes.size() == 1 ? 1 : 0;
      EXPECT_TRUE(names(causes.causes.front(), sent)) << algorithm;
    }
    EXPECT_GE(100 * one, 90 * size(base.messages)) << algorithm << ": " << one << " of " << base.messages.size();
  }
}

// A message that reads behind what was written, and the one that wrote it before, could both be moved. Only one of the two ways
// leaves a hole in scratch.
TEST(FaultCause, TheReaderIsBlamedIfTheWriterWouldLeaveAHole) {
  Problem problem = Problem::alltoall(5, 8);
  problem.nodes = {0, 0, 1, 1, 1};
  const FaultCauses causes = causes_after(make_schedule(problem, "combined"), [](std::vector<Program>& programs) {
    for (Round& round : programs[0].rounds)
      for (Message& send : round.sends)
        if (send.peer == 2) send.regions.back().offset += 8;
  });
  ASSERT_EQ(causes.causes.size(), 1u);
  EXPECT_EQ(causes.causes[0].kind, CauseKind::wrong_source);
  EXPECT_EQ(causes.causes[0].operation->from, 0);
  EXPECT_EQ(causes.causes[0].operation->to, 2);
}

TEST(FaultCause, MistakesAtDifferentRanksStayApart) {
  const FaultCauses causes = causes_after(make_schedule(Problem::alltoall(8, 8), "direct"), [](std::vector<Program>& programs) {
    programs[1].rounds[0].receives.pop_back();
    programs[4].rounds[0].receives[0].regions[0].buffer = in;
    programs[6].rounds[0].receives.push_back(programs[6].rounds[0].receives[0]);
  });
  EXPECT_GE(causes.causes.size(), 2u);
}

TEST(FaultCause, DifferentMistakesAreDifferentCauses) {
  const FaultCauses causes = causes_of_wrong(wrong_at(shift(8), [](Rank rank, Round& round) {
    for (Local& local : round.locals)
      if (rank == 1) local.source[0].offset = 0;
    for (Message& message : round.receives)
      if (rank == 5 && message.peer == 4) message.regions[0].offset = 0;
  }));
  EXPECT_EQ(causes.causes.size(), 2u);
  for (const FaultCause& cause : causes.causes) EXPECT_THAT(cause.alike, ::testing::IsEmpty());
}

// Findings about the programs themselves come first, although others are more.
TEST(FaultCause, ARankThatDoesNotExistComesFirst) {
  const Schedule schedule = wrong_at(shift(8), [](Rank rank, Round& round) {
    if (rank == 0) round.locals.clear();
    if (rank == 7 && round.number == 3) round.sends[0].peer = 99;
    if (rank == 1 && round.number == 0) round.sends[0].regions[0].length = 3;
    for (Message& message : round.receives)
      if (rank == 5) message.regions[0].offset = 4 * 5;
  });
  const std::vector<Finding> findings = verify(schedule);
  EXPECT_EQ(findings[0].rule, Rule::unknown_rank);
  EXPECT_EQ(findings[1].rule, Rule::length_mismatch);
  const FaultCauses causes = causes_of(schedule, findings);
  EXPECT_EQ(causes.causes[0].message, "the message 7 to 99 in round 3 is not finished: there is no rank 99; ranks are 0 to 7");
  EXPECT_LT(causes.causes[0].findings.size(), causes.causes[2].findings.size());
}

TEST(FaultCause, Counts) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].receives[0].regions = {block(out, 0, 4)};
  const Schedule schedule = of(Problem::alltoall(2, 4), programs);
  std::vector<Finding> findings = verify(schedule);
  EXPECT_EQ(count_of(findings, causes_of(schedule, findings)), "2 findings, one cause");
  EXPECT_EQ(count_of(findings, {}), "2 findings");
  findings.resize(1);
  EXPECT_EQ(count_of(findings, {{{.findings = {0}}}, ""}), "1 finding, one cause");
  findings.resize(most_counted_findings);
  EXPECT_EQ(count_of(findings, {{{.kind = CauseKind::missing}, {.kind = CauseKind::missing}}, ""}),
            "at least 10000 findings; the first of these have 2 causes");
}

TEST(FaultCause, RightSchedulesHaveNone) { EXPECT_TRUE(causes_of_exchange(exchange()).causes.empty()); }

// A region of more single bytes than are kept.
TEST(FaultCause, SaysWhenAScheduleIsTooLarge) {
  constexpr Bytes length = Bytes{3} << 20;
  Problem problem;
  problem.collective = Collective::broadcast;
  problem.ranks = 2;
  problem.block_bytes = length;
  const Regions bytes_of_input{{in, 0, 1, {{{length, 1}, {}, {}}}}}, output{{out, 0, length, {}}};
  const Schedule schedule = of(problem, {{0, 0, {{"all", 0, 1}}, {{0, {}, {{1, bytes_of_input, {}}}, {}, {}, {}}}},
                                         {1, 0, {{"all", 0, 1}}, {{0, {}, {}, {{0, output, {}}}, {}, {}}}}});
  const std::vector<Finding> findings = verify(schedule);
  ASSERT_EQ(findings.size(), 1u);  // the root's own output
  const FaultCauses causes = causes_of(schedule, findings);
  EXPECT_TRUE(causes.causes.empty());
  EXPECT_EQ(causes.note, "no causes were sought: its operations have too many runs to follow single bytes");
}

}  // namespace
}  // namespace quadrille
