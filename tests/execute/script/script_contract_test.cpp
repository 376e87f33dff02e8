// SPDX-License-Identifier: BSD-3-Clause
// Breaks scripts, and programs before they are compiled, and tests that the broken contract is noticed before anything runs.
#include "execute/script/script.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "quadrille/algorithm.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {
namespace {

// Two rounds with rank 1: a message with gaps, which is staged, and a message from and to scratch memory.
Program two_rounds() {
  ProgramBuilder program{0};
  program.scratch(24);
  program.begin_round();
  program.copy({{Buffer::input, 0, 8}}, {{Buffer::scratch, 16, 8}});
  program.send(1, {{Buffer::input, 0, 8}, {Buffer::input, 16, 8}});
  program.receive(1, {{Buffer::scratch, 0, 16}});
  program.begin_round();
  program.send(1, {{Buffer::scratch, 8, 8}});
  program.receive(1, {{Buffer::output, 0, 8}});
  return std::move(program).finish();
}

struct Break {
  const char* condition;  // of the assertion that notices it, as a regular expression
  std::function<void(Script&)> apply;
};

const std::vector<Break> of_all_scripts{
    {"message\\.peer < script\\.ranks", [](Script& script) { script.messages[1].peer = 2; }},
    {"message\\.peer >= 0", [](Script& script) { script.messages[0].peer = -1; }},
    {"message\\.bytes == bytes\\(message\\.regions\\)", [](Script& script) { script.messages[0].bytes += 1; }},
    {"Buffer::scratch, \\{0, script\\.scratch_bytes\\}", [](Script& script) { script.scratch_bytes = 23; }},
    {"Buffer::staging, \\{0, script\\.staging_bytes\\}", [](Script& script) { script.staging_bytes = 15; }},
    {"Buffer::scratch", [](Script& script) { script.copies[0].target -= 17; }},
};

const std::vector<Break> of_windows{
    {"round > before", [](Script& script) { script.messages.back().round = 0; }},
    {"next == script\\.messages\\.size\\(\\)", [](Script& script) { script.windows.pop_back(); }},
    {"window\\.messages\\.first == next", [](Script& script) { std::swap(script.windows[0], script.windows[1]); }},
    {"copies_before", [](Script& script) { script.windows[0].copies_before.last = 99; }},
};

const std::vector<Break> of_tasks{
    {"named == script\\.predecessors", [](Script& script) { script.predecessors.back() += 1; }},
    {"named == script\\.predecessors", [](Script& script) { script.successors[0] ^= 1; }},
    {"tasks == 1",
     [](Script& script) {
       for (Task& task : script.tasks)
         if (task.message != Task::no_message) task.message = 0;
     }},
};

void expect_noticed(const Script& right, const std::vector<Break>& breaks) {
  check_contract(right);
  for (const Break& each : breaks) {
    Script broken = right;
    each.apply(broken);
    EXPECT_DEATH(check_contract(broken),
                 std::string("broken contract: src/execute/script/script_contract\\.cpp.*") + each.condition);
  }
}

TEST(ScriptContract, NoticesScriptsThatWouldMoveWrongBytes) {
  for (const Policy policy : {Policy::blocking, Policy::dataflow}) {
    const Script script = make_script(two_rounds(), 2, {.policy = policy});
    expect_noticed(script, of_all_scripts);
    expect_noticed(script, policy == Policy::dataflow ? of_tasks : of_windows);
  }
}

TEST(ScriptContract, KeepsWithinTheUsersBuffers) {
  const Script script = make_script(two_rounds(), 2, {});
  check_user_buffers(script, {0, 24}, {0, 8});
  EXPECT_DEATH(check_user_buffers(script, {0, 23}, {0, 8}), "Buffer::input");
  EXPECT_DEATH(check_user_buffers(script, {0, 24}, {1, 8}), "Buffer::output");
}

TEST(ScriptContract, HoldsForFusedReductions) {
  ProgramBuilder program{0};
  program.scratch(16);
  program.begin_round();
  program.copy({{Buffer::input, 0, 16}}, {{Buffer::output, 0, 16}});
  program.receive(1, {{Buffer::scratch, 0, 16}});
  program.begin_round();
  program.reduce({{Buffer::scratch, 0, 16}}, {{Buffer::output, 0, 16}}, OperandOrder::source_first);
  const Script script =
      make_script(std::move(program).finish(), 2,
                  {.buffered_bytes = [](Rank) { return Bytes{100}; }, .fuses = true, .operation = built_in_operator("sum", "f64")});
  ASSERT_NE(script.messages[0].effect, Effect::overwrite);
  expect_noticed(script, {{"bytes\\(message\\.reduced_into\\) == message\\.bytes",
                           [](Script& broken) { broken.messages[0].reduced_into[0].length = 8; }},
                          {"script\\.operation", [](Script& broken) { broken.operation = nullptr; }}});
}

// An algorithm of the table is not verified when a plan is made. If its generator wrote behind the output, the plan would write
// there, too.
TEST(ScriptContract, StopsAGeneratorThatSendsBeyondItsBuffer) {
  static constexpr auto generate = [](const Problem& problem, const Parameters&, const Analysis*, Rank me) {
    ProgramBuilder program{me};
    const Bytes b = problem.block_bytes;
    program.begin_round();
    program.copy({block(Buffer::input, me, b)}, {block(Buffer::output, me, b)});
    program.send(1 - me, {block(Buffer::input, 2, b)});  // there is no block 2
    program.receive(1 - me, {block(Buffer::output, 1 - me, b)});
    return std::move(program).finish();
  };
  static const Algorithm faulty{.collective = Collective::alltoall, .id = "faulty", .generate = generate};
  const auto make_plan = [] {
    run_threads(2, [](Communicator& ranks) {
      plan(ranks, Problem::alltoall(2, 8), {.algorithm = Candidate(Choice{&faulty, {}})});
    });
  };
  EXPECT_DEATH(make_plan(), "check_user_buffers: reach\\.is_within\\(Buffer::input, input\\)");
}

}  // namespace
}  // namespace quadrille
