// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "schedule/forms/documents.hpp"
#include "support/small_documents.hpp"

namespace quadrille {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::only_schedule;

// Two ranks exchange their blocks in one round.
json swap_document() {
  return json::parse(R"({
    "format": "quadrille-schedule/1", "collective": "alltoall", "algorithm": "by hand", "parameters": {"ports": 1},
    "ranks": 2, "block_bytes": 8, "buffers": {"input": [16, 16], "output": [16, 16], "scratch": [0, 0]},
    "stages": [{"name": "swap", "rounds": [{
      "local": [{"rank": 0, "copy": [["input", 0, 8], ["output", 0, 8]]}, {"rank": 1, "copy": [["input", 8, 8], ["output", 8, 8]]}],
      "messages": [{"from": 0, "to": 1, "read": [["input", 8, 8]], "write": [["output", 0, 8]]},
                   {"from": 1, "to": 0, "read": [["input", 0, 8]], "write": [["output", 8, 8]]}]}]}]})");
}

json& round_of(json& document) { return document["stages"][0]["rounds"][0]; }

json& message_of(json& document) { return round_of(document)["messages"][0]; }

TEST(Json, ReadsAnyValidDocument) {
  json document = swap_document();
  document.erase("algorithm");
  document.erase("parameters");
  document["viewer"] = {{"colour", {1, 2.5, nullptr}}};  // unknown keys
  document["topology"] = {{"kind", "torus"}, {"dims", {1, 2}}};
  document["grid"] = {1, 2};
  document["stages"].push_back({{"name", "nothing"}, {"rounds", {json::object(), {{"local", json::array()}}}}});
  round_of(document)["local"][0]["copy"] =
      json::parse(R"([[["input", 0, 4], ["input", 4, 4]], [["output", 0, 0], ["output", 0, 8]]])");
  round_of(document)["control"] = json::parse(R"([{"from": 0, "to": 1, "bytes": 64}])");
  message_of(document)["port"] = {0, -1};
  message_of(document)["read"] = json::parse(R"([["input", 8, 0], ["input", 8, 8]])");
  json second = message_of(document);  // to the same rank on another port
  second["port"] = {0, 1};
  round_of(document)["messages"].push_back(second);
  round_of(document)["messages"].push_back(json::parse(R"({"from": 0, "to": 1, "read": [], "write": [["input", 3, 0]]})"));

  const Schedule schedule = only_schedule(document.dump());
  EXPECT_EQ(schedule.algorithm, "");
  EXPECT_TRUE(schedule.parameters.empty());
  EXPECT_EQ(schedule.problem.grid, (std::vector<Count>{1, 2}));
  const Program program = schedule.program(0);
  EXPECT_EQ(program.stages, (std::vector<Stage>{{"swap", 0, 1}, {"nothing", 1, 2}}));
  ASSERT_EQ(program.rounds.size(), 1u);
  const Round& round = program.rounds[0];
  EXPECT_EQ(round.locals.at(0).source.size(), 2u);
  EXPECT_EQ(round.locals.at(0).target.size(), 1u);
  ASSERT_EQ(round.sends.size(), 2u);
  EXPECT_EQ(round.sends[0], (Message{1, {{Buffer::input, 8, 8, {}}}, Port{0, -1}}));
  EXPECT_EQ(round.sends[1].port, (Port{0, 1}));
  EXPECT_EQ(round.control_sends, (std::vector<Control>{{1, 64}}));
  EXPECT_EQ(schedule.program(1).rounds.at(0).control_receives, (std::vector<Control>{{0, 64}}));
  EXPECT_EQ(json_of(only_schedule(json_of(schedule))), json_of(schedule));
}

TEST(Json, KeepsParametersOfEveryKind) {
  json document = swap_document();
  document["parameters"] = json::parse(R"({"a": -3, "b": "x", "c": true, "d": 0.5, "e": null, "f": 9223372036854775808, "g": ""})");
  const Parameters wanted{{"a", Count{-3}}, {"b", "x"}, {"c", "true"}, {"d", "0.5"}, {"e", "null"}, {"f", "9223372036854775808"},
                          {"g", ""}};
  EXPECT_EQ(only_schedule(document.dump()).parameters, wanted);
}

TEST(Json, KeepsWrongSchedulesUnchanged) {
  json document = swap_document();
  document["buffers"]["input"][0] = 3;
  message_of(document)["to"] = 0;                                            // to itself
  message_of(document)["read"] = json::parse(R"([["scratch", -5, 9000]])");  // outside its buffer, and longer than what is written
  round_of(document)["messages"][1]["write"] = json::parse(R"([["input", 0, 8]])");
  json& messages = round_of(document)["messages"];
  messages.insert(messages.begin(), message_of(document));  // the same message twice
  const Schedule schedule = only_schedule(document.dump());
  EXPECT_EQ(schedule.stated_input_bytes, (std::vector<Bytes>{3, 16}));
  const Round round = schedule.program(0).rounds.at(0);
  EXPECT_EQ(round.sends, (std::vector<Message>(2, {0, {{Buffer::scratch, -5, 9000, {}}}, {}})));
  EXPECT_EQ(round.receives.size(), 3u);
  EXPECT_EQ(json::parse(json_of(schedule)), document);
}

TEST(Json, OperatorsDoNotCommuteByDefault) {
  json document = swap_document();
  document["collective"] = "allreduce";
  EXPECT_FALSE(only_schedule(document.dump()).problem.commutative);
  document["commutative"] = true;
  document["element_bytes"] = 4;
  EXPECT_TRUE(only_schedule(document.dump()).problem.commutative);
  EXPECT_FALSE(only_schedule(document.dump()).problem.reproducible);
  document["reproducible"] = true;
  const Schedule reproducible = only_schedule(document.dump());
  EXPECT_TRUE(reproducible.problem.reproducible);
  EXPECT_TRUE(json::parse(json_of(reproducible))["reproducible"]);
  EXPECT_EQ(only_schedule(document.dump()).problem.element_bytes, 4);
}

TEST(Json, ReadsAnArrayOfDocuments) {
  const auto schedules =
      parse_documents(" \n[" + json_of(make_schedule(Problem::alltoall(2, 8), "direct")) + "," + swap_document().dump() + "]");
  ASSERT_EQ(schedules.size(), 2u);
  EXPECT_EQ(schedules[1].algorithm, "by hand");
  EXPECT_THAT(refusal("[]"), HasSubstr("an empty array holds no schedule"));
  EXPECT_THAT(refusal("[3]"), HasSubstr("[0]: expected an object, found 3"));
}

TEST(Json, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string pointer, value, sentence;
  };
  const std::string round = "/stages/0/rounds/0", where = "stages[0].rounds[0]";
  const std::vector<Case> cases{
      {"/format", R"("quadrille-schedule/2")", "format: expected 'quadrille-schedule/1', found 'quadrille-schedule/2'"},
      {"/collective", R"("alltoal")", "collective: expected a collective (alltoall, alltoallv, "},
      {"/collective", "7", "collective: expected the name of a collective, found 7"},
      {"/collective", R"("scatter")", "the document: expected a key 'root', found none"},
      {"/collective", R"("allgatherv")", "the document: expected a key 'counts', found none"},
      {"/algorithm", "[]", "algorithm: expected a string, found an array of 0"},
      {"/parameters", "3", "parameters: expected an object, found 3"},
      {"/parameters", R"({"a": [1]})", "parameters: expected a number or a word for 'a'"},
      {"/ranks", "0", "ranks: expected a number of ranks in 1..2^63-1, found 0"},
      {"/ranks", "2.0", "found 2.0"},
      {"/ranks", "9223372036854775808", "found 9223372036854775808"},
      {"/ranks", "3", "buffers.input: expected an array of 3 numbers, one for each rank, found an array of 2"},
      {"/block_bytes", "-1", "block_bytes: expected a number of bytes in 0..2^63-1, found -1"},
      {"/block_bytes", "true", "found true"},
      {"/nodes", "[1]", "nodes: expected an array of 2 numbers, one for each rank"},
      {"/grid", "[2, 0]", "grid[1]: expected a side in 1..2^63-1, found 0"},
      {"/buffers", "[]", "buffers: expected an object, found an array of 0"},
      {"/buffers/output", "[1, -1]", "buffers.output[1]: expected a number of bytes"},
      {"/buffers/scratch", "[1, 2, 3]", "buffers.scratch: expected an array of 2"},
      {"/stages", "{}", "stages: expected an array, found an object"},
      {"/stages/0", "null", "stages[0]: expected an object, found null"},
      {"/stages/0/name", "null", "stages[0].name: expected a string, found null"},
      {"/stages/0/rounds", "1", "stages[0].rounds: expected an array, found 1"},
      {round, "[]", where + ": expected an object"},
      {round + "/local", "{}", where + ".local: expected an array"},
      {round + "/local/1/rank", "2", where + ".local[1].rank: expected a rank in 0..1, found 2"},
      {round + "/local/0/reduce", "[]", where + ".local[0]: expected either 'copy' or 'reduce'"},
      {round + "/local/0", R"({"rank": 0})", "expected either 'copy' or 'reduce'"},
      {round + "/local/0", R"({"rank": 0, "reduce": [["input", 0, 8], ["output", 0, 8]]})", ".local[0]: expected a key 'order'"},
      {round + "/local/0", R"({"rank": 0, "reduce": [["input", 0, 8], ["output", 0, 8]], "order": "any"})",
       ".local[0].order: expected 'source-first' or 'target-first', found 'any'"},
      {round + "/local/0/copy", R"([["input", 0, 8]])", ".copy: expected a source and a target, found an array of 1"},
      {round + "/local/0/copy/0", "3", ".copy[0]: expected a region or a list of regions, found 3"},
      {round + "/messages/0/from", "7", where + ".messages[0].from: expected a rank in 0..1, found 7"},
      {round + "/messages/0/to", "-1", where + ".messages[0].to: expected a rank in 0..1, found -1"},
      {round + "/messages/0/read", R"(["input", 0, 8])", ".messages[0].read[0]: expected a region"},
      {round + "/messages/0/read/0", R"(["input", 0])",
       ".read[0]: expected a region, [buffer, offset, length], found an array of 2"},
      {round + "/messages/0/read/0/0", R"("staging")", ".read[0][0]: expected a buffer (input, output, scratch), found 'staging'"},
      {round + "/messages/0/read/0/1", "1e3", ".read[0][1]: expected an offset that fits in 64 bits, found 1000.0"},
      {round + "/messages/0/write/0/2", "-8", ".write[0][2]: expected a length in 0..2^63-1, found -8"},
      {round + "/messages/0/port", "[1]", ".port: expected a port, [dimension, +1 or -1]"},
      {round + "/messages/0/port", "[0, 0]", ".port[1]: expected +1 or -1, found 0"},
      {round + "/messages/0/port", "[2147483648, 1]", ".port[0]: expected a dimension in 0..2147483647"},
      {round + "/control", R"([{"from": 0, "to": 1}])", ".control[0]: expected a key 'bytes', found none"},
      {round + "/control", R"([{"from": 0, "to": 2, "bytes": 1}])", ".control[0].to: expected a rank in 0..1"},
  };
  for (const Case& wrong : cases) {
    json document = swap_document();
    document[json::json_pointer(wrong.pointer)] = json::parse(wrong.value);
    EXPECT_THAT(refusal(document.dump()), HasSubstr(wrong.sentence)) << wrong.pointer << " = " << wrong.value;
  }
  for (const std::string key : {"format", "collective", "ranks", "block_bytes", "buffers", "stages"}) {
    json document = swap_document();
    document.erase(key);
    EXPECT_EQ(refusal(document.dump()), "the document: expected a key '" + key + "', found none");
  }
}

TEST(Json, ChecksTheShapeOfCounts) {
  json document = swap_document();
  document["collective"] = "alltoallv";
  document["counts"] = json::parse("[[8, 8], [8, 8]]");
  EXPECT_EQ(only_schedule(document.dump()).problem.counts->size(), 4u);
  document["counts"] = json::parse("[[8, 8], [8, 8, 8]]");
  EXPECT_THAT(refusal(document.dump()),
              HasSubstr("counts[1]: expected an array of 2 numbers, one for each rank, found an array of 3"));
  document["counts"] = json::parse("[8, 8, 8, 8]");
  EXPECT_THAT(refusal(document.dump()), HasSubstr("counts: expected an array of 2 rows"));
  document["counts"] = json::parse("[[8, -8], [8, 8]]");
  EXPECT_THAT(refusal(document.dump()), HasSubstr("counts[0][1]: expected a number of bytes"));
}

TEST(Json, RefusesWhatIsNotJson) {
  const std::string good = swap_document().dump();
  for (std::size_t length = 1; length < good.size(); ++length) EXPECT_NE(refusal(good.substr(0, length)), "") << length;
  EXPECT_THAT(refusal("{\"format\": }"), HasSubstr("the document is not JSON: line 1, column 12: syntax error"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal("{\"ranks\": 1e999}"), HasSubstr("not JSON: number overflow"));
  EXPECT_THAT(refusal("{\"\xff\": 1}"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(std::string("{\0}", 3)), HasSubstr("not JSON"));
  EXPECT_LT(refusal("{\"" + std::string(1 << 20, 'x')).size(), 400u);
}

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_EQ(refusal(R"({"ranks": 5, "ranks": 3})"), "the document: expected each key once, found a second 'ranks'");
  EXPECT_EQ(refusal(R"([{}, {"rounds": [{"a": 1}, {"a": {"b": 1, "c": 2, "b": []}}]}])"),
            "[1].rounds[1].a: expected each key once, found a second 'b'");
}

TEST(Json, SurvivesDeepNesting) {
  constexpr std::size_t depth = 1'000'000;
  std::string objects = "{";
  for (std::size_t i = 0; i < depth; ++i) objects += "\"a\":{";
  EXPECT_NE(refusal(std::string(depth, '[')), "");
  EXPECT_NE(refusal(std::string(depth, '[') + std::string(depth, ']')), "");
  EXPECT_NE(refusal(objects), "");
  EXPECT_NE(refusal(objects + std::string(depth + 1, '}')), "");
  const auto with_algorithm = [](std::size_t levels) {
    std::string document = swap_document().dump();
    return document.replace(document.find("\"by hand\""), 9, std::string(levels, '[') + std::string(levels, ']'));
  };
  EXPECT_THAT(refusal(with_algorithm(63)), HasSubstr("algorithm: expected a string, found an array of 1"));
  for (const std::string& text : {with_algorithm(64), std::string(depth, '['), objects})
    EXPECT_THAT(refusal(text), HasSubstr("arrays and objects nested 65 deep; the limit is 64"));
}

TEST(Json, LargeNumbersTakeNoMemory) {
  json document = swap_document();
  document["ranks"] = 1'000'000'000'000;
  document["block_bytes"] = 0;
  EXPECT_THAT(refusal(document.dump()), HasSubstr("buffers.input: expected an array of 1000000000000 numbers"));
  document["nodes"] = {0, 1};
  EXPECT_THAT(refusal(document.dump()), HasSubstr("nodes: expected an array of 1000000000000 numbers"));
  document["block_bytes"] = 8;
  EXPECT_THROW(parse_documents(document.dump()), Error);
}

TEST(Json, RefusesFarMoreStagesThanRounds) {
  json document = swap_document();
  const auto of_size = [&](Count ranks, std::size_t stages, const std::string& name) {
    const std::vector<int> none(static_cast<std::size_t>(ranks), 0);
    document["ranks"] = ranks;
    document["block_bytes"] = 0;
    document["buffers"] = {{"input", none}, {"output", none}, {"scratch", none}};
    document["stages"] = std::vector<json>(stages, {{"name", name}, {"rounds", json::array()}});
    return document.dump();
  };
  EXPECT_EQ(parse_documents(of_size(500, 500, "a")).at(0).program(499).stages.size(), 500u);
  EXPECT_THROW(parse_documents(of_size(20000, 20000, "a")), Error);
  EXPECT_THROW(parse_documents(of_size(20000, 1, std::string(1 << 20, 'a'))), Error);
}

}  // namespace
}  // namespace quadrille
