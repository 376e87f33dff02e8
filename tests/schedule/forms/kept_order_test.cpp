// SPDX-License-Identifier: BSD-3-Clause
// Both forms keep what simulated times depend on: the order in which a rank posts its receives, and where an operation ends.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "quadrille/simulate.hpp"
#include "schedule/forms/documents.hpp"
#include "support/cases.hpp"
#include "support/small_documents.hpp"

namespace quadrille {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::only_schedule;

std::vector<Picoseconds> times_under_every_policy(const Schedule& schedule) {
  static const MessageTimes times =
      message_times(*find_model("loggp"),
                    Coefficients{{"latency_us", 5}, {"overhead_us", 1.5}, {"gap_us", 4}, {"gap_us_per_byte", 0.01}, {"ports", 1}});
  std::vector<Picoseconds> ends;
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
    for (const Picoseconds end : simulate_events(schedule, times, {.policy = policy}).rank_ends) ends.push_back(end);
  return ends;
}

// What a reader sees of a written document that does not know the extensions of the format.
std::string as_read_before(std::string document) {
  for (const std::string_view key : {", \"receive_place\": ", ", \"continues\": true"})
    for (std::size_t at = 0; (at = document.find(key, at)) != std::string::npos;) document.erase(at, document.find('}', at) - at);
  return document;
}

template <class End>
std::vector<Rank> peers_of(const std::vector<End>& ends) {
  std::vector<Rank> peers;
  for (const End& end : ends) peers.push_back(end.peer);
  return peers;
}

bool receives_in_order_of_senders(const std::vector<Program>& programs) {
  for (const Program& program : programs)
    for (const Round& round : program.rounds)
      if (!std::ranges::is_sorted(peers_of(round.receives)) || !std::ranges::is_sorted(peers_of(round.control_receives)))
        return false;
  return true;
}

template <class Visit>
void for_each_small_schedule(Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : testing::extent<std::vector<Count>>({3, 6}, {1, 3, 5, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}))
      for (const Bytes block_bytes : p < 8 ? std::vector<Bytes>{1, 997} : std::vector<Bytes>{997})
        for (const Problem& problem : testing::problems_of(*algorithm, p, block_bytes, 1))
          for (const Choice& choice : testing::thinned(testing::all_choices(*algorithm, problem, 3), testing::extent(2, 3, 30)))
            visit(make_schedule(problem, choice));
}

// The last condition counts schedules whose times were others before documents kept the order and the ends of operations.
TEST(KeptOrder, GivesTheSameTimesByBothForms) {
  int ordered = 0, others = 0, changed = 0;
  for_each_small_schedule([&](const Schedule& schedule) {
    SCOPED_TRACE(specification(schedule) + " of " + testing::description(schedule.problem));
    const std::string document = json_of(schedule);
    const Schedule by_text = only_schedule(text_of(schedule)), by_json = only_schedule(document);
    const std::vector<Program> programs = programs_of(schedule);
    EXPECT_TRUE(programs_of(by_text) == programs);
    for (const Program& program : programs)
      EXPECT_TRUE(normalised(by_json.program(program.rank)) == normalised(program)) << document;
    EXPECT_EQ(json_of(by_json), document);
    const std::vector<Picoseconds> native = times_under_every_policy(schedule);
    EXPECT_EQ(times_under_every_policy(by_text), native);
    EXPECT_EQ(times_under_every_policy(by_json), native);

    // A document has places only where a reader that does not know them gets another order.
    const bool is_ordered = receives_in_order_of_senders(programs);
    EXPECT_EQ(document.find("receive_place") == std::string::npos, is_ordered);
    ++(is_ordered ? ordered : others);
    const Schedule as_before = only_schedule(as_read_before(document));
    EXPECT_TRUE(receives_in_order_of_senders(programs_of(as_before)));
    changed += times_under_every_policy(as_before) != native ? 1 : 0;
  });
  EXPECT_GT(ordered, testing::extent(1500, 3000, 3000));
  EXPECT_GT(others, testing::extent(200, 350, 350));
  EXPECT_GT(changed, testing::extent(130, 230, 230));
}

// What was written for `direct` among 3 ranks when documents had no receive_place.
constexpr const char* old_document = R"({"format": "quadrille-schedule/1",
"collective": "alltoall",
"algorithm": "direct",
"parameters": {"segments": 1},
"ranks": 3,
"block_bytes": 997,
"buffers": {
  "input": [2991, 2991, 2991],
  "output": [2991, 2991, 2991],
  "scratch": [0, 0, 0]},
"stages": [
{"name": "exchange", "rounds": [
  {"local": [
    {"rank": 0, "copy": [["input", 0, 997], ["output", 0, 997]]},
    {"rank": 1, "copy": [["input", 997, 997], ["output", 997, 997]]},
    {"rank": 2, "copy": [["input", 1994, 997], ["output", 1994, 997]]}],
   "messages": [
    {"from": 0, "to": 1, "read": [["input", 997, 997]], "write": [["output", 0, 997]]},
    {"from": 0, "to": 2, "read": [["input", 1994, 997]], "write": [["output", 0, 997]]},
    {"from": 1, "to": 2, "read": [["input", 1994, 997]], "write": [["output", 997, 997]]},
    {"from": 1, "to": 0, "read": [["input", 0, 997]], "write": [["output", 997, 997]]},
    {"from": 2, "to": 0, "read": [["input", 0, 997]], "write": [["output", 1994, 997]]},
    {"from": 2, "to": 1, "read": [["input", 997, 997]], "write": [["output", 1994, 997]]}]}]}]})";

TEST(KeptOrder, OfAnOldDocumentIsThatOfTheList) {
  const Schedule old = only_schedule(old_document);
  const Schedule native = make_schedule(Problem::alltoall(3, 997), "direct");
  EXPECT_THAT(peers_of(old.program(2).rounds.at(0).receives), ElementsAre(0, 1));
  EXPECT_THAT(peers_of(native.program(2).rounds.at(0).receives), ElementsAre(1, 0));
  EXPECT_EQ(json_of(old), old_document) << "a schedule with the order of the list has the document that it had before";
  EXPECT_FALSE(is_same(old, native));
  EXPECT_EQ(json::parse(as_read_before(json_of(native))), json::parse(old_document));
  EXPECT_TRUE(is_same(only_schedule(json_of(native)), native));
}

TEST(KeptOrder, FollowsThePlacesOfAnyDocument) {
  json document = json::parse(json_of(make_schedule(testing::problem_of(Collective::gather, 5, 8), "linear")));
  json& round = document["stages"][0]["rounds"][0];
  ASSERT_EQ(round["messages"].size(), 4u);
  const auto senders = [&] { return peers_of(only_schedule(document.dump()).program(0).rounds.at(0).receives); };
  EXPECT_THAT(senders(), ElementsAre(1, 2, 3, 4));
  round["messages"][0]["receive_place"] = 7;  // the others have place 0
  EXPECT_THAT(senders(), ElementsAre(2, 3, 4, 1));
  round["messages"][3]["receive_place"] = 7;
  round["messages"][1]["receive_place"] = 1;
  EXPECT_THAT(senders(), ElementsAre(3, 2, 1, 4));
  const json written = json::parse(json_of(only_schedule(document.dump())));
  const json& messages = written["stages"][0]["rounds"][0]["messages"];
  EXPECT_EQ(messages[0]["receive_place"], 2);
  EXPECT_EQ(messages[1]["receive_place"], 1);
  EXPECT_FALSE(messages[2].contains("receive_place"));
  EXPECT_EQ(messages[3]["receive_place"], 3);

  round["control"] = json::parse(R"([{"from": 1, "to": 0, "bytes": 1, "receive_place": 1}, {"from": 2, "to": 0, "bytes": 1}])");
  const Schedule controls = only_schedule(document.dump());
  EXPECT_THAT(peers_of(controls.program(0).rounds.at(0).control_receives), ElementsAre(2, 1));
  EXPECT_TRUE(is_same(only_schedule(json_of(controls)), controls));
  EXPECT_TRUE(is_same(only_schedule(text_of(controls)), controls));

  for (const char* wrong : {"-1", "1.5", "\"first\"", "9223372036854775808"}) {
    round["messages"][2]["receive_place"] = json::parse(wrong);
    EXPECT_THAT(refusal(document.dump()),
                HasSubstr("stages[0].rounds[0].messages[2].receive_place: expected a place among the receives of a round"))
        << wrong;
  }
}

TEST(KeptOrder, JoinsThePiecesOfAnOperation) {
  Program program{.rank = 0, .stages = {{"only", 0, 1}}, .rounds = {{.number = 0}}};
  const Local rotation{LocalKind::copy, {}, {{Buffer::input, 8, 8, {}}, {Buffer::input, 0, 8, {}}}, {{Buffer::output, 0, 16, {}}}};
  const Local own{LocalKind::copy, {}, {{Buffer::input, 0, 16, {}}}, {{Buffer::scratch, 0, 16, {}}}};
  program.rounds[0].locals = {rotation, own, rotation};
  program.scratch_bytes = 16;
  const std::string written = json_of(testing::schedule_of(Problem::alltoall(1, 16), {program}));
  json document = json::parse(written);
  json& local = document["stages"][0]["rounds"][0]["local"];
  ASSERT_EQ(local.size(), 5u);
  for (const std::size_t piece : {0, 2, 3}) EXPECT_FALSE(local[piece].contains("continues"));
  for (const std::size_t piece : {1, 4}) EXPECT_EQ(local[piece]["continues"], true);
  EXPECT_EQ(only_schedule(document.dump()).program(0).rounds.at(0).locals.size(), 3u);
  EXPECT_EQ(only_schedule(as_read_before(written)).program(0).rounds.at(0).locals.size(), 5u);

  local[1]["continues"] = false;
  EXPECT_EQ(only_schedule(document.dump()).program(0).rounds.at(0).locals.size(), 4u);
  local[1]["continues"] = 1;
  EXPECT_THAT(refusal(document.dump()), HasSubstr("local[1].continues: expected true or false, found 1"));
  local[1].erase("continues");
  local[0]["continues"] = true;
  EXPECT_THAT(refusal(document.dump()), HasSubstr("local[0]: continues no operation of its kind: none of rank 0 stands before it"));
  local[0] = {{"rank", 0}, {"copy", {{"input", 0, 0}, {"output", 0, 0}}}};
  local[1] = {{"rank", 0}, {"copy", {{"input", 0, 8}, {"output", 8, 8}}}, {"continues", true}};
  EXPECT_EQ(only_schedule(document.dump()).program(0).rounds.at(0).locals.size(), 3u) << "it continues nothing but no bytes";
  local[1]["copy"][0][2] = 5;
  EXPECT_THAT(refusal(document.dump()), HasSubstr("local[1]: is a piece whose source and target have different lengths"));
}

}  // namespace
}  // namespace quadrille
