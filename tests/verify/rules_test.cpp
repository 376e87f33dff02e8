// SPDX-License-Identifier: BSD-3-Clause
// One test for each rule of the verifier: a small schedule that breaks it, and the place that the finding must name.
#include <gtest/gtest.h>

#include <fstream>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"
#include "support/cases.hpp"
#include "verify/broken_exchange.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

// Returns whether the findings include one of the rule at the rank (and in the round, if given).
::testing::AssertionResult has(const std::vector<Finding>& findings, Rule rule, Rank rank, std::optional<Count> round = {}) {
  std::string all;
  for (const Finding& finding : findings) {
    if (finding.rule == rule && finding.rank == rank && (!round || finding.round == round)) return ::testing::AssertionSuccess();
    all += "\n  " + to_string(finding);
  }
  return ::testing::AssertionFailure() << "no " << name(rule) << " at rank " << rank << " among:" << all;
}

TEST(Rules, AGoodScheduleHasNoFindings) { EXPECT_TRUE(found(of(Problem::alltoall(2, 4), exchange())).empty()); }

TEST(Rules, OutOfBuffer) {
  EXPECT_TRUE(has(broken([](auto& p) { p[1].rounds[0].receives[0].regions = {{out, 5, 4}}; }), Rule::out_of_buffer, 1, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[1].rounds[0].sends[0].regions = {{in, -1, 4}}; }), Rule::out_of_buffer, 1, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].sends[0].regions = {{tmp, 0, 4}}; }), Rule::out_of_buffer, 0, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].sends[0].regions = {{Buffer::staging, 0, 4}}; }), Rule::out_of_buffer, 0, 0));
}

TEST(Rules, InputWritten) {
  EXPECT_TRUE(has(broken([](auto& p) { p[1].rounds[0].receives[0].regions = {{in, 0, 4}}; }), Rule::input_written, 1, 0));
}

TEST(Rules, BufferSize) {
  Schedule schedule = of(Problem::alltoall(2, 4), exchange());
  schedule.stated_input_bytes = {8, 8};
  schedule.stated_output_bytes = {8, 12};
  EXPECT_TRUE(has(found(schedule), Rule::buffer_size, 1));
}

TEST(Rules, LengthMismatch) {
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].sends[0].regions = {{in, 4, 3}}; }), Rule::length_mismatch, 1, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].locals[0].target = {{out, 0, 3}}; }), Rule::length_mismatch, 0, 0));
}

TEST(Rules, ElementCut) {
  Problem problem = problem_of(Collective::allreduce, 1, 8);
  problem.element_bytes = 4;
  Program program{0,
                  0,
                  {{"reduce", 0, 2}},
                  {{0, {{LocalKind::copy, {}, {{in, 0, 8}}, {{out, 0, 8}}}}, {}, {}, {}, {}},
                   {1, {{LocalKind::reduce, OperandOrder::source_first, {{in, 0, 6}}, {{out, 0, 6}}}}, {}, {}, {}, {}}}};
  EXPECT_TRUE(has(found(of(problem, {program})), Rule::element_cut, 0, 1));
}

TEST(Rules, UnknownRank) {
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].sends[0].peer = 2; }), Rule::unknown_rank, 0, 0));
}

TEST(Rules, SelfMessage) {
  EXPECT_TRUE(has(broken([](auto& p) {
                    p[0].rounds[0].locals.clear();
                    p[0].rounds[0].sends.push_back({0, {{in, 0, 4}}, {}});
                    p[0].rounds[0].receives.push_back({0, {{out, 0, 4}}, {}});
                  }),
                  Rule::self_message, 0, 0));
}

TEST(Rules, RoundOrder) {
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds.push_back({0, {}, {}, {}, {}, {}}); }), Rule::round_order, 0, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds.push_back({7, {}, {}, {}, {}, {}}); }), Rule::round_order, 0, 7));
}

TEST(Rules, StageDisagreement) {
  EXPECT_TRUE(has(broken([](auto& p) { p[1].stages[0].name = "other"; }), Rule::stage_disagreement, 1));
  const auto difference = [](const auto& change) {
    for (const Finding& finding : broken(change))
      if (finding.rule == Rule::stage_disagreement) return finding.message;
    return std::string();
  };
  EXPECT_EQ(difference([](auto& p) { p[0].stages[0].name = "mine", p[1].stages[0].name = "other"; }),
            "stage 0 is 'other', and 'mine' at rank 0");
  EXPECT_EQ(difference([](auto& p) { p[0].stages[0].name = p[1].stages[0].name = "mine", p[1].stages[0].round_count = 3; }),
            "stage 'mine' has 3 rounds from round 0, and at rank 0 it has 1 from round 0");
  EXPECT_EQ(difference([](auto& p) { p[1].stages.push_back({"more", 1, 1}); }), "has 2 stages, and rank 0 has 1");
}

// Each rank works in two of 200,000 rounds. Looking at all ranks in each round would take hours.
TEST(Rules, RoundsWithoutOperationsCostNothing) {
  const Count p = extent<Count>(20'000, 200'000, 200'000);
  EXPECT_TRUE(found(make_schedule(problem_of(Collective::broadcast, p, 8), "chain:segments=1")).empty());
}

TEST(Rules, RepeatedMessage) {
  const auto cut = [](bool with_ports) {
    return [with_ports](auto& p) {
      p[0].rounds[0].sends = {{1, {{in, 4, 2}}, {}}, {1, {{in, 6, 2}}, {}}};
      p[1].rounds[0].receives = {{0, {{out, 0, 2}}, {}}, {0, {{out, 2, 2}}, {}}};
      if (!with_ports) return;
      for (auto* messages : {&p[0].rounds[0].sends, &p[1].rounds[0].receives}) {
        (*messages)[0].port = Port{0, 1};
        (*messages)[1].port = Port{0, -1};
      }
    };
  };
  EXPECT_TRUE(has(broken(cut(false)), Rule::repeated_message, 0, 0));
  EXPECT_TRUE(broken(cut(true)).empty()) << "two ports carry two messages";
  const auto findings = broken([](auto& p) {
    p[0].rounds[0].control_sends = {{1, 8}, {1, 16}};
    p[1].rounds[0].control_receives = {{0, 16}, {0, 8}};
  });
  EXPECT_TRUE(has(findings, Rule::repeated_message, 0, 0));
  EXPECT_TRUE(has(findings, Rule::repeated_message, 1, 0));
}

TEST(Rules, PortLimit) {
  const Schedule direct = make_schedule(Problem::alltoall(4, 4), "direct");
  EXPECT_TRUE(has(found(direct, {.port_limit = 2}), Rule::port_limit, 3, 0));
  EXPECT_TRUE(found(direct, {.port_limit = 3}).empty());
  Schedule claims_less = make_schedule(Problem::alltoall(9, 1), "bruck:radix=3,ports=2");
  claims_less.parameters["ports"] = Count{1};
  EXPECT_TRUE(has(found(claims_less), Rule::port_limit, 0));
}

// Two nodes of two ranks; the algorithm lets their exchanges take place one after the other.
TEST(Rules, NodePortLimit) {
  Problem problem = Problem::alltoall(4, 4);
  problem.nodes = {5, 5, 7, 7};
  EXPECT_TRUE(has(found(make_schedule(problem, "one-factor"), {.node_port_limit = 1}), Rule::node_port_limit, 1));
  EXPECT_TRUE(found(make_schedule(problem, "one-factor"), {.node_port_limit = 2}).empty());
  EXPECT_TRUE(found(make_schedule(problem, "one-factor")).empty()) << "the algorithm states no limit";

  const Schedule clustered = make_schedule(problem, "clustered");
  EXPECT_TRUE(found(clustered).empty());
  // Ranks 1 and 3 could send earlier, but their nodes' ports are busy.
  Schedule early = clustered;
  early.program = [&](Rank rank) {
    Program program = clustered.program(rank);
    for (Round& round : program.rounds)
      if (round.number == 3) round.number = 0;
    std::sort(program.rounds.begin(), program.rounds.end(), [](const Round& a, const Round& b) { return a.number < b.number; });
    return program;
  };
  const auto findings = found(early);
  EXPECT_EQ(findings.size(), 2u) << "one finding for each node";
  EXPECT_TRUE(has(findings, Rule::node_port_limit, 1, 0));
  EXPECT_TRUE(has(findings, Rule::node_port_limit, 3, 0));
  EXPECT_NE(findings[0].message.find("node 5 has 2 exchanges with other nodes on 1 port: 0 with 2, 1 with 3"), std::string::npos)
      << findings[0].message;

  // Without nodes, every rank is a node. Ports are full-duplex: a node may send to one rank and receive from another
  // at once, but it may not send to two, or receive from two.
  EXPECT_TRUE(found(make_schedule(Problem::alltoall(4, 4), "one-factor"), {.node_port_limit = 1}).empty());
  EXPECT_TRUE(found(make_schedule(Problem::alltoall(4, 4), "shift"), {.node_port_limit = 1}).empty());
  EXPECT_TRUE(has(found(make_schedule(Problem::alltoall(4, 4), "direct"), {.node_port_limit = 2}), Rule::node_port_limit, 2, 0));
  const Problem gather{.collective = Collective::gather, .ranks = 4, .block_bytes = 4};
  EXPECT_TRUE(has(found(make_schedule(gather, "linear"), {.node_port_limit = 2}), Rule::node_port_limit, 0, 0));
  EXPECT_TRUE(found(make_schedule(gather, "linear"), {.node_port_limit = 3}).empty());
}

TEST(Rules, NoSuchWay) {
  const auto from_port = [](Port port) {
    return found(of(Problem::alltoall(2, 4),
                    [port] {
                      auto programs = exchange();
                      for (Program& program : programs) program.rounds[0].sends[0].port = program.rounds[0].receives[0].port = port;
                      return programs;
                    }()),
                 {.topology = Topology::ring(2), .strict_links = true});
  };
  EXPECT_TRUE(from_port({0, -1}).empty());
  EXPECT_TRUE(has(from_port({1, -1}), Rule::no_such_way, 0, 0));
  EXPECT_TRUE(has(from_port({0, 3}), Rule::no_such_way, 1, 0));
  EXPECT_THROW(found(make_schedule(Problem::alltoall(4, 4), "shift"), {.topology = Topology::ring(5)}), Error);
}

TEST(Rules, LinkContention) {
  const Schedule shift = make_schedule(Problem::alltoall(6, 4), "shift");
  EXPECT_TRUE(found(shift, {.topology = Topology::ring(6)}).empty()) << "only if asked for";
  EXPECT_TRUE(found(shift, {.topology = Topology::full(6), .strict_links = true}).empty());
  const auto findings = found(shift, {.topology = Topology::ring(6), .strict_links = true});
  EXPECT_EQ(findings.size(), 3u) << "one finding for each round with messages over more than one link";
  EXPECT_TRUE(has(findings, Rule::link_contention, 0, 1));
  EXPECT_NE(findings[0].message.find("2 messages go over the link 0 -> 1 (dimension 0, +) of ring:6, among them those from 0 to 2 "
                                     "and from 5 to 1"),
            std::string::npos)
      << findings[0].message;
  // A barrier's control messages count as messages.
  EXPECT_FALSE(found(make_schedule(problem_of(Collective::barrier, 8, 0), "dissemination"),
                     {.topology = Topology::ring(8), .strict_links = true})
                   .empty());
}

TEST(Rules, UnmatchedMessage) {
  EXPECT_TRUE(has(broken([](auto& p) { p[1].rounds[0].receives.clear(); }), Rule::unmatched_message, 0, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[1].rounds[0].sends.clear(); }), Rule::unmatched_message, 0, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].control_sends.push_back({1, 8}); }), Rule::unmatched_message, 0, 0));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].control_receives.push_back({1, 8}); }), Rule::unmatched_message, 0, 0));
}

TEST(Rules, OverlappingWrites) {
  EXPECT_TRUE(has(found(of(Problem::alltoall(3, 4),
                           [] {
                             std::vector<Program> programs;
                             for (Rank rank = 0; rank < 3; ++rank)
                               programs.push_back(make_schedule(Problem::alltoall(3, 4), "direct").program(rank));
                             programs[0].rounds[0].receives[0].regions[0].offset =
                                 programs[0].rounds[0].receives[1].regions[0].offset + 3;
                             return programs;
                           }())),
                  Rule::overlapping_writes, 0, 0));
  EXPECT_TRUE(has(broken([](auto& p) {
                    p[0].rounds[0].locals[0] = {LocalKind::copy, {}, {{in, 0, 4}}, {{out, 0, 2, {{{2, 1}, {}, {}}}}}};
                  }),
                  Rule::overlapping_writes, 0, 0));
}

TEST(Rules, OverlappingLocal) {
  EXPECT_TRUE(has(broken([](auto& p) {
                    p[0].rounds[0].locals.push_back({LocalKind::copy, {}, {{out, 0, 2}}, {{out, 1, 2}}});
                  }),
                  Rule::overlapping_local, 0, 0));
}

TEST(Rules, UndefinedRead) {
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].sends[0].regions = {{out, 4, 4}}; }), Rule::undefined_read, 0, 0));
}

// p ranks send their vectors to rank 0, which combines them in the given order.
Schedule reduction(const Problem& problem, std::vector<Rank> order, Bytes shift = 0) {
  const Bytes b = problem.block_bytes;
  std::vector<Program> programs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    ProgramBuilder program{rank};
    program.stage("collect");
    program.begin_round();
    if (rank > 0) program.send(0, {{in, 0, b}});
    if (rank == 0) {
      program.scratch(problem.ranks * b);
      program.copy({{in, 0, b}}, {{tmp, 0, b}});
      for (Rank other = 1; other < problem.ranks; ++other) program.receive(other, {{tmp, other * b, b}});
    }
    program.stage("combine");
    program.begin_round();
    if (rank == 0) {
      program.copy({{tmp, order[0] * b, b}}, {{out, 0, b}});
      for (std::size_t i = 1; i < order.size(); ++i)
        program.reduce({{tmp, order[i] * b + shift, b - shift}}, {{out, 0, b - shift}}, OperandOrder::target_first);
    }
    programs.push_back(std::move(program).finish());
  }
  return of(problem, programs);
}

TEST(Rules, OperandOrder) {
  Problem problem = problem_of(Collective::reduce, 3, 4);
  EXPECT_TRUE(found(reduction(problem, {2, 0, 1})).empty());
  problem.commutative = false;
  EXPECT_TRUE(found(reduction(problem, {0, 1, 2})).empty());
  EXPECT_TRUE(has(found(reduction(problem, {0, 2, 1})), Rule::operand_order, 0));
  problem.reproducible = true;
  EXPECT_TRUE(found(reduction(problem, {0, 1, 2})).empty());
  problem.ranks = 4;
  EXPECT_TRUE(has(found(reduction(problem, {0, 1, 2, 3})), Rule::operand_order, 0)) << "((0 o 1) o 2) o 3 is not the fixed tree";
}

TEST(Rules, OperandMismatch) {
  EXPECT_TRUE(has(found(reduction(problem_of(Collective::reduce, 3, 4), {0, 1, 2}, 1)), Rule::operand_mismatch, 0, 1));
}

// Rank 0 combines the vectors of two ranks, which have two elements of 4 bytes each, after permuting the bytes of
// both by `order`.
std::vector<Finding> combined_as(const std::vector<Bytes>& order) {
  Problem problem = problem_of(Collective::reduce, 2, 8);
  problem.element_bytes = 4;
  Regions torn, whole;
  for (std::size_t i = 0; i < order.size(); ++i) {
    torn.push_back({in, order[i], 1, {}});
    whole.push_back({out, order[i], 1, {}});
  }
  ProgramBuilder root{0}, other{1};
  root.scratch(16);
  for (ProgramBuilder* program : {&root, &other}) program->stage("all");
  root.begin_round();
  root.copy(torn, {{tmp, 0, 8}});
  root.receive(1, {{tmp, 8, 8}});
  other.begin_round();
  other.send(0, torn);
  for (ProgramBuilder* program : {&root, &other}) program->begin_round();
  root.reduce({{tmp, 8, 8}}, {{tmp, 0, 8}}, OperandOrder::target_first);
  root.copy({{tmp, 0, 8}}, whole);
  return found(of(problem, {std::move(root).finish(), std::move(other).finish()}));
}

TEST(Rules, ElementTorn) {
  EXPECT_TRUE(combined_as({0, 1, 2, 3, 4, 5, 6, 7}).empty());
  EXPECT_TRUE(combined_as({4, 5, 6, 7, 0, 1, 2, 3}).empty()) << "whole elements may change places";
  for (const std::vector<Bytes>& order : std::vector<std::vector<Bytes>>{{2, 3, 0, 1, 6, 7, 4, 5},     // halves exchanged
                                                                         {3, 0, 1, 2, 7, 4, 5, 6},     // rotated
                                                                         {1, 2, 3, 4, 5, 6, 7, 0},     // shifted across elements
                                                                         {0, 1, 2, 3, 4, 5, 7, 6},     // two bytes exchanged
                                                                         {0, 1, 6, 7, 4, 5, 2, 3}}) {  // of two elements
    const auto findings = combined_as(order);
    EXPECT_EQ(findings.size(), 2u) << "one finding for each operand";
    EXPECT_TRUE(has(findings, Rule::element_torn, 0, 1));
  }
  EXPECT_EQ(combined_as({2, 3, 0, 1, 4, 5, 6, 7}).at(0).message,
            "element 0 of the source is made of bytes 2 to 3 of rank 1, then bytes 0 to 1 of rank 1; expected the 4 bytes of one "
            "element in their order, all combined in the same order and with the same brackets");
}

TEST(Rules, NoOperator) {
  EXPECT_TRUE(has(broken([](auto& p) {
                    p[0].rounds[0].locals.push_back({LocalKind::reduce, OperandOrder::source_first, {{in, 0, 4}}, {{out, 0, 4}}});
                  }),
                  Rule::no_operator, 0, 0));
}

TEST(Rules, Delivery) {
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].sends[0].regions = {{in, 0, 4}}; }), Rule::delivery, 1));
  EXPECT_TRUE(has(broken([](auto& p) { p[0].rounds[0].locals.clear(); }), Rule::delivery, 0));
  EXPECT_TRUE(has(found(reduction(problem_of(Collective::reduce, 3, 4), {0, 1})), Rule::delivery, 0)) << "an operand is missing";
  EXPECT_TRUE(has(found(reduction(problem_of(Collective::reduce, 3, 4), {0, 1, 2, 1})), Rule::delivery, 0)) << "an operand twice";
}

TEST(Rules, DeliveryOfABarrier) {
  const Problem problem = problem_of(Collective::barrier, 3, 0);
  const auto rounds = [&](std::vector<Rank> distances) {
    std::vector<Program> programs;
    for (Rank rank = 0; rank < 3; ++rank) {
      ProgramBuilder program{rank};
      for (const Rank distance : distances) {
        program.begin_round();
        program.control_send((rank + distance) % 3, 0);
        program.control_receive((rank + 3 - distance) % 3, 0);
      }
      programs.push_back(std::move(program).finish());
    }
    return of(problem, programs);
  };
  EXPECT_TRUE(found(rounds({1, 2})).empty());
  EXPECT_TRUE(found(rounds({1, 1})).empty());
  EXPECT_TRUE(has(found(rounds({1})), Rule::delivery, 0));
}

// The textbook deadlock of two programs: each sends first and receives afterwards, in different rounds.
TEST(Rules, DeadlockByCrossedOrder) {
  std::vector<Program> programs = exchange();
  for (Program& program : programs) {
    Round second = program.rounds[0];
    second.number = 1;
    second.locals.clear();
    second.sends.clear();
    program.rounds[0].receives.clear();
    program.rounds.push_back(second);
    program.stages[0].round_count = 2;
  }
  const auto blocking = found(of(Problem::alltoall(2, 4), programs), {.policies = {Policy::blocking}});
  EXPECT_TRUE(has(blocking, Rule::deadlock, 0, 0));
  EXPECT_TRUE(has(blocking, Rule::deadlock, 1, 0));
  // If messages are posted together, the same programs complete.
  for (const Policy policy : {Policy::nonblocking, Policy::dataflow})
    for (const Finding& finding : found(of(Problem::alltoall(2, 4), programs), {.policies = {policy}}))
      EXPECT_NE(finding.rule, Rule::deadlock) << to_string(finding);
}

TEST(Rules, SwapsInPlaceDoNotDeadlock) {
  std::vector<Program> programs;
  for (Rank me = 0; me < 2; ++me) {
    ProgramBuilder program{me};
    program.begin_round();
    program.copy({{in, 0, 8}}, {{out, 0, 8}});
    program.send(1 - me, {block(out, 1 - me, 4)});
    program.receive(1 - me, {block(out, 1 - me, 4)});
    programs.push_back(std::move(program).finish());
  }
  EXPECT_TRUE(found(of(Problem::alltoall(2, 4), programs)).empty());
}

TEST(Rules, EveryRuleHasATestHere) {
  std::ifstream file(std::string(QUADRILLE_SOURCE_DIR) + "/tests/verify/rules_test.cpp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const Rule rule : all_rules()) {
    std::string enumerator(name(rule));
    std::replace(enumerator.begin(), enumerator.end(), '-', '_');
    EXPECT_NE(text.find("Rule::" + enumerator + ","), std::string::npos) << enumerator;
  }
  std::ifstream verifier(std::string(QUADRILLE_SOURCE_DIR) + "/src/verify/verify.cpp");
  const std::string rules{std::istreambuf_iterator<char>(verifier), {}};
  for (const Rule rule : all_rules())
    EXPECT_NE(rules.find("//   " + std::string(name(rule)) + " "), std::string::npos)
        << "the head of verify.cpp lists " << name(rule);
}

TEST(Rules, FalseSymmetry) {
  Schedule factor = make_schedule(Problem::alltoall(5, 4), "one-factor");
  factor.symmetry = translation_symmetry(5);
  EXPECT_TRUE(has(found(factor), Rule::false_symmetry, 1, 0));
}

}  // namespace
}  // namespace quadrille
