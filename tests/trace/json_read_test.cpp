// SPDX-License-Identifier: BSD-3-Clause
// Traces that cannot be read: the sentence names the place, and says what was expected there.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "quadrille/algorithm.hpp"
#include "quadrille/trace.hpp"
#include "support/cases.hpp"
#include "support/mutate.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using nlohmann::json;

json right_document() {
  const Topology ring = Topology::ring(3);
  std::ostringstream text;
  write_trace(text, trace_of(make_schedule(Problem::alltoall(3, 8), "bruck:form=classical"), &ring));
  return json::parse(text.str());
}

// Returns the sentence with which the document is refused after `key`, a JSON pointer, was set.
std::string refusal(const std::string& key, const json& value) {
  json document = right_document();
  document[json::json_pointer(key)] = value;
  return testing::sentence_of([&] { parse_traces(document.dump()); });
}

TEST(TraceRead, NamesThePlaceOfAnError) {
  EXPECT_EQ(testing::sentence_of([] { parse_traces(right_document().dump()); }), "");
  struct Wrong {
    const char* key;
    json value;
    const char* sentence;
  };
  const json missing;  // null
  const Wrong wrongs[] = {
      {"/format", "quadrille-schedule/1", "format: expected 'quadrille-trace/1', found 'quadrille-schedule/1'"},
      {"/title", 7, "title: expected a string, found 7"},
      {"/collective", "dance", "collective: expected a collective"},
      {"/buffers/output", {8, 8}, "buffers.output: expected 3 values, one for each row, found 2"},
      {"/buffers/output", {8, 8, -1}, "buffers.output: expected values of output from 0"},
      {"/messages/to", {1, 2}, "messages.to: expected 6 values, one for each row, found 2"},
      {"/messages/from", {3, 1, 2, 0, 1, 2}, "messages.from: expected ranks from 0 to 2; message 0 has 3"},
      {"/messages/to", {1, 2, 0, 1, 2, -1}, "messages.to: expected ranks from 0 to 2; message 5 has -1"},
      {"/messages/control", {0, 0, 0, 0, 0, 2}, "messages.control: expected values of control from 0 to 1, found 2"},
      {"/messages/read/regions", {0, 0, 0, 0, 0, -1}, "messages.read: expected a number of regions"},
      {"/messages/read/regions", {0, 0, 0, 0, 0, 0}, "messages.read.buffer: expected 0 values"},
      {"/messages/read/buffer", {0, 0, 0, 0, 0, 3}, "messages.read.buffer: expected values of buffer from 0 to 2, found 3"},
      {"/messages/read/length", "long", "messages.read.length: expected an array of numbers"},
      {"/messages/bytes", {8, 8, 8, 8, 8, 9}, "messages.read: expected regions of 9 bytes in row 5, found 8"},
      {"/messages/read/inner_count",
       {1, 1, 1, 1, 1, std::int64_t{1} << 40},
       "messages.read: expected at most 16777216 runs in a region; region 5 has more"},
      {"/messages/read/inner_count", {1, 1, 1, 1, 1, 3}, "messages.read: expected regions of 8 bytes in row 5, found 24"},
      {"/messages/read/length", {8, 8, 8, 8, 8, std::int64_t{1} << 62}, "messages.read: expected regions of 8 bytes in row 5"},
      {"/local/rank", json{{"runs", {3, 0, 15}}}, "local.rank: expected"},
      {"/network/links/to", json{{"runs", {0, 0, 6}}}, ""},
      {"/network/links/to", json{{"runs", {3, 0, 6}}}, "network.links.to: expected values of to from 0 to 2, found 3"},
      {"/network/grid", {3, 0}, "network.grid: expected sides of 1 or more, found 0"},
      {"/network/links/text", json::array(), "network.links.text: expected an array of 6 texts"},
      {"/network/ways/hops", {1, 1}, "network.ways.hops: expected 6 values"},
      {"/network/ways/link", {100, 100, 100, 100, 100, 100}, "network.ways.link: expected numbers of links, found 100"},
      {"/times/0/kind", "dreamt", "times[0].kind: expected one of 'logical', 'rounds', 'events', 'executed', found 'dreamt'"},
      {"/times/0/unit", "h", "times[0].unit: expected one of 'round', 'ps', 'ns', found 'h'"},
      {"/times/0/messages/send_end", {1}, "times[0].messages.send_end: expected 6 values"},
      {"/times/0/messages/send_begin",
       {4, 4, 4, 4, 4, 4},
       "times[0].messages.send_end: expected no end before its begin; row 0 begins at 4 and ends at 2"},
      {"/times/0/messages/receive_end",
       {1, 1, 1, 1, 1, std::int64_t{1} << 62},
       "times[0].messages.receive_end: expected values of receive_end from -1 to 4, found 4611686018427387904"},
      {"/times/0/end", std::int64_t{1} << 62, "times[0].end: expected the end of the last rank, 4, found 4611686018427387904"},
      {"/times/0/rank_ends", {1}, "times[0].rank_ends: expected 3 values"},
      {"/times/0/links", {{"begin", {1}}, {"end", {1}}}, "times[0].links.begin: expected 6 values"},
      {"/rounds/says", {"a", "b", 7, "d"}, "rounds.says[2]: expected a string, found 7"},
      {"/rounds/says", {"a", "b", "c", "d", "e"}, "rounds.says: expected a sentence for each round, found more"},
      {"/rounds/number", {0, 1, -2, 3}, "number"},
      {"/findings", {{{"rule", "delivery"}}}, "findings[0]: expected a key 'text', found none"},
      {"/findings", {{{"rule", "delivery"}, {"text", "t"}, {"message", 6}}}, "findings[0].message: expected a number in 0..5"},
      {"/findings", {{{"rule", "delivery"}, {"text", "t"}, {"block", {0, 3}}}}, "findings[0].block[1]: expected a rank in 0..2"},
      {"/findings",
       {{{"rule", "delivery"}, {"text", "t"}, {"region", {"cache", 0, 8}}}},
       "findings[0].region[0]: expected a buffer"},
  };
  for (const auto& [key, value, sentence] : wrongs) {
    const std::string found = refusal(key, value);
    EXPECT_TRUE(*sentence == '\0' ? found.empty() : found.find(sentence) != std::string::npos)
        << key << " = " << value << ": " << found;
  }
  for (const char* key : {"format", "title", "ranks", "buffers", "stages", "messages", "times"}) {
    json document = right_document();
    document.erase(key);
    EXPECT_NE(testing::sentence_of([&] { parse_traces(document.dump()); }).find(key), std::string::npos) << key;
  }
  EXPECT_NE(testing::sentence_of([] { parse_traces("[]"); }).find("an empty array holds no trace"), std::string::npos);
  EXPECT_NE(testing::sentence_of([] { parse_traces("{"); }).find("not JSON"), std::string::npos);
}

TEST(TraceRead, KeepsWhatAlgorithmsSayOfRounds) {
  const Trace trace = trace_of(make_schedule(Problem::alltoall(3, 8), "shift"));
  ASSERT_EQ(trace.says.size(), 2u);
  std::ostringstream text;
  write_trace(text, trace);
  EXPECT_EQ(parse_traces(text.str()).front().says, trace.says);
}

// Reading any text must end with traces or with an Error; what was read can be written and read again.
TEST(TraceRead, TakesOrRefusesRandomlyChangedDocuments) {
  const std::string right = right_document().dump();
  const std::uint64_t cases = testing::number_in_environment("QUADRILLE_FUZZ", testing::extent(300u, 3000u, 30'000u));
  const std::uint64_t seed = testing::number_in_environment("QUADRILLE_SEED", 1);
  int read = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    testing::Random random(seed + i);
    std::string text = right;
    for (std::size_t mutations = 1 + testing::below(random, 3); mutations > 0; --mutations) testing::mutate(text, random);
    std::vector<Trace> traces;
    const std::string sentence = testing::sentence_of([&] { traces = parse_traces(text); });
    EXPECT_EQ(sentence.empty(), !traces.empty()) << text;
    EXPECT_LT(sentence.size(), 1000u);
    for (const Trace& trace : traces) {
      std::ostringstream again;
      if (!testing::sentence_of([&] { write_trace(again, trace); }).empty()) continue;  // regions of 2^63 bytes
      EXPECT_EQ(parse_traces(again.str()).size(), 1u) << text;
      ++read;
    }
  }
  EXPECT_GT(read, 0);
}

TEST(TraceRead, SkipsUnknownKeysAndReadsArrays) {
  json document = right_document();
  document["later"] = {{"more", 1}};
  document["times"][0]["later"] = 5;
  EXPECT_EQ(parse_traces(document.dump()).size(), 1u);
  EXPECT_EQ(parse_traces(json{document, document}.dump()).size(), 2u);
}

}  // namespace
}  // namespace quadrille
