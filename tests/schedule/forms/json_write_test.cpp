// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "schedule/forms/documents.hpp"
#include "support/cases.hpp"
#include "support/small_documents.hpp"

namespace quadrille {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::only_schedule;
using testing::schedule_of;

TEST(Json, KeepsEverySchedule) {
  for_each_schedule(testing::extent<Count>(6, 7, 9), {0, 1, 8, 1000}, [](const Schedule& schedule) {
    const std::string document = json_of(schedule);
    const std::vector<Schedule> parsed = parse_documents(document);
    ASSERT_EQ(parsed.size(), 1u);
    EXPECT_EQ(members(parsed[0].problem), members(schedule.problem));
    EXPECT_EQ(parsed[0].algorithm, schedule.algorithm);
    EXPECT_EQ(parsed[0].parameters, schedule.parameters);
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
      EXPECT_TRUE(normalised(parsed[0].program(rank)) == normalised(schedule.program(rank))) << document;
    }
    EXPECT_TRUE(is_same(parsed[0], schedule)) << document;
    EXPECT_TRUE(parsed[0].stated_input_bytes.empty() && parsed[0].stated_output_bytes.empty());
    EXPECT_EQ(json_of(parsed[0]), document);
  });
}

TEST(Json, WritesTheKeysThatApply) {
  const std::vector<std::string> common{"format", "collective", "algorithm", "parameters", "ranks", "buffers", "stages"};
  for (const Collective collective : all_collectives()) {
    Problem problem = problem_of(collective, 4, 12);
    problem.nodes = {0, 0, 1, 1};
    problem.grid = {2, 2};
    if (is_reduction(collective)) problem.element_bytes = 4;
    const Schedule schedule = schedule_of(problem, {{0}, {1}, {2}, {3}});
    const json document = json::parse(json_of(schedule));
    std::vector<std::string> keys;
    for (const auto& [key, value] : document.items()) keys.push_back(key);
    std::vector<std::string> wanted = common;
    wanted.insert(wanted.end(), {"nodes", "grid"});
    if (is_reduction(collective)) wanted.insert(wanted.end(), {"element_bytes", "commutative"});
    if (is_rooted(collective)) wanted.push_back("root");
    if (is_irregular(collective)) wanted.push_back("counts");
    if (!is_irregular(collective) && collective != Collective::barrier) wanted.push_back("block_bytes");
    EXPECT_THAT(keys, ::testing::UnorderedElementsAreArray(wanted));
    EXPECT_EQ(members(only_schedule(document.dump()).problem), members(problem));
  }
}

TEST(Json, WritesEveryRoundAndTheShapesOfTheFormat) {
  const json document = json::parse(json_of(make_schedule(Problem::alltoall(5, 8), "bruck:form=classical")));
  EXPECT_EQ(document["format"], "quadrille-schedule/1");
  EXPECT_EQ(document["buffers"]["scratch"], json::parse("[40, 40, 40, 40, 40]"));
  const json& rotation = document["stages"][0]["rounds"][0];
  EXPECT_EQ(rotation["local"][0], json::parse(R"({"rank": 0, "copy": [["input", 0, 40], ["scratch", 0, 40]]})"));
  EXPECT_EQ(rotation["messages"], json::array());
  const json& digit = document["stages"][1]["rounds"][0];
  EXPECT_EQ(digit["local"], json::array());
  EXPECT_EQ(digit["messages"][0], json::parse(R"({"from": 0, "to": 1, "read": [["scratch", 8, 8], ["scratch", 24, 8]],
                                                  "write": [["scratch", 8, 8], ["scratch", 24, 8]]})"));
  EXPECT_FALSE(digit.contains("control"));

  Program idle{.rank = 0, .stages = {{"none", 0, 0}, {"idle", 0, 2}}};
  const json stages = json::parse(json_of(schedule_of(Problem::alltoall(1, 0), {idle})))["stages"];
  EXPECT_EQ(stages[0]["rounds"].size(), 0u);
  EXPECT_EQ(stages[1]["rounds"].size(), 2u);
}

TEST(Json, CutsALocalOperationWhereEitherListIsCut) {
  Program program{.rank = 0, .stages = {{"only", 0, 1}}, .rounds = {{.number = 0}}};
  program.rounds[0].locals.push_back({LocalKind::reduce,
                                      OperandOrder::target_first,
                                      {{Buffer::input, 0, 2, {{{2, 4}, {}, {}}}}},
                                      {{Buffer::output, 9, 3, {}}, {Buffer::output, 0, 1, {}}}});
  program.rounds[0].locals.push_back({LocalKind::copy, {}, {{Buffer::input, 0, 2, {{{2, 2}, {}, {}}}}}, {}});
  const json local = json::parse(json_of(schedule_of(Problem::alltoall(1, 8), {program})))["stages"][0]["rounds"][0]["local"];
  EXPECT_EQ(local, json::parse(R"([{"rank": 0, "reduce": [["input", 0, 2], ["output", 9, 2]], "order": "target-first"},
                                   {"rank": 0, "reduce": [["input", 4, 1], ["output", 11, 1]], "order": "target-first", "continues": true},
                                   {"rank": 0, "reduce": [["input", 5, 1], ["output", 0, 1]], "order": "target-first", "continues": true},
                                   {"rank": 0, "copy": [[["input", 0, 4]], []]}])"));
}

TEST(Json, RefusesToWriteUnmatchedMessages) {
  const auto objection = [](const std::vector<Program>& programs) -> std::string {
    std::ostringstream out;
    try {
      write_json(out, schedule_of(Problem::alltoall(2, 8), programs));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::malformed);
      EXPECT_EQ(out.str(), "");  // nothing was written before the error
      EXPECT_THAT(error.what(), HasSubstr("which the JSON form cannot express; use the text form"));
      return error.what();
    }
    return "";
  };
  const Regions region{{Buffer::output, 0, 8, {}}};
  const Program sender{.rank = 0, .stages = {{"only", 0, 1}}, .rounds = {{.number = 0, .sends = {{1, region, {}}}}}};
  const Program receiver{.rank = 1, .stages = {{"only", 0, 1}}, .rounds = {{.number = 0, .receives = {{0, region, {}}}}}};
  const Program idle[]{{.rank = 0, .stages = sender.stages}, {.rank = 1, .stages = sender.stages}};
  EXPECT_EQ(objection({sender, receiver}), "");
  EXPECT_THAT(objection({sender, idle[1]}), HasSubstr("in round 0 rank 0 sends a message to rank 1 that is not received"));
  EXPECT_THAT(objection({idle[0], receiver}), HasSubstr("in round 0 rank 1 receives a message from rank 0 that is not sent"));

  Program changed = receiver;
  changed.rounds[0].receives[0].port = Port{0, 1};
  EXPECT_THAT(objection({sender, changed}), HasSubstr("that is not received"));
  changed = sender;
  changed.rounds[0].sends[0].peer = 2;
  EXPECT_THAT(objection({changed, idle[1]}), HasSubstr("to rank 2 that is not received"));
  changed = sender;
  changed.rounds[0].control_sends.push_back({1, 64});
  Program other = receiver;
  other.rounds[0].control_receives.push_back({0, 63});
  EXPECT_THAT(objection({changed, other}), HasSubstr("a control entry"));

  changed = receiver;
  changed.stages[0].name = "another";
  EXPECT_THAT(objection({sender, changed}), HasSubstr("rank 1 has other stages than rank 0"));
  changed = sender;
  changed.stages[0].first_round = 1;
  EXPECT_THAT(objection({changed, receiver}), HasSubstr("stage 'only' does not begin at round 0"));
  changed = receiver;
  changed.rounds[0].number = 1;
  EXPECT_THAT(objection({sender, changed}), HasSubstr("rank 1 has round 1 out of order or in no stage"));
}

TEST(Json, RefusesToWriteInvalidText) {
  Schedule schedule = make_schedule(Problem::alltoall(2, 1), "direct");
  schedule.parameters["form"] = "\xff";
  std::ostringstream out;
  EXPECT_THROW(write_json(out, schedule), Error);
  EXPECT_EQ(out.str(), "");
}

TEST(Json, RefusesToWriteTooManyRounds) {
  Schedule schedule = make_schedule(Problem::alltoall(2, 4), "direct");
  schedule.program = [inner = schedule.program](Rank rank) {
    Program program = inner(rank);
    program.stages.back().round_count = Count{1} << 60;
    return program;
  };
  EXPECT_THROW(json_of(schedule), Error);
  // The sum of four times 2^62 wraps around to 0.
  schedule.program = [](Rank rank) {
    Program program{rank};
    for (std::uint64_t i = 0; i < 4; ++i) program.stages.push_back({"idle", static_cast<Count>(i << 62), Count{1} << 62});
    return program;
  };
  EXPECT_THROW(json_of(schedule), Error);
}

}  // namespace
}  // namespace quadrille
