// SPDX-License-Identifier: BSD-3-Clause
// Traces as JSON: read back as they were, small, and as the schema in docs/ says.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/trace.hpp"
#include "support/cases.hpp"
#include "support/json_schema.hpp"
#include "support/random_schedule.hpp"
#include "support/source_folder.hpp"

namespace quadrille {
namespace {

using testing::extent;

std::string written(const Trace& trace) {
  std::ostringstream text;
  write_trace(text, trace);
  return text.str();
}

// Traces of many kinds: with ports, control messages, reductions, strides, networks, nodes, simulated times and findings.
std::vector<Trace> sample_traces() {
  std::vector<Trace> traces;
  for (const Algorithm* algorithm : all_algorithms())
    for (const Problem& problem : testing::problems_of(*algorithm, 6, 12, 1)) {
      const Choice choice = testing::standard_choice(*algorithm, problem);
      if (applies(problem, choice)) traces.push_back(trace_of(make_schedule(problem, choice)));
    }
  for (int seed = 1; seed <= extent(3, 20, 100); ++seed)
    traces.push_back(
        trace_of(testing::random_schedule({.most_messages = 3, .with_controls = true}, static_cast<std::uint64_t>(seed))));
  const Topology torus = parse_topology("torus:4x4");
  Problem problem = Problem::alltoall(16, 8);
  problem.grid = {4, 4};
  const Schedule schedule = make_schedule(problem, "torus");
  Trace& full = traces.emplace_back(trace_of(schedule, &torus));
  const MessageTimes times{.overhead = 3, .latency = 500, .gap = 7, .per_byte = ByteTime::of_seconds(1e-9)};
  full.times.push_back(time_by_events(full, schedule, times, {.topology = &torus}));
  full.times.back().model = "loggp";
  full.times.back().machine = "mine \"quoted\"";
  TracedTime& executed = full.times.emplace_back(full.times[1]);
  executed.kind = TimeKind::executed;
  executed.unit = TimeUnit::nanosecond;
  executed.executor = "shared";
  executed.clock_bound = 12;
  executed.locals.assign(full.locals.size(), {4, 9});
  executed.packing = {{0, 1, {2, 3}}, {15, 0, {0, 8}}};
  full.bounds = {{"c1", 4, "bruck1997, proposition 2.1"}, {"c2", 120, "by \"hand\""}};
  full.findings = {{.rule = "delivery", .text = "holds nothing"},
                   {.rule = "delivery",
                    .text = "ä",
                    .cause = 1,
                    .rank = 15,
                    .stage = "one",
                    .round = 3,
                    .message = 17,
                    .block = std::pair<Rank, Rank>(0, 15),
                    .region = Region{Buffer::output, 8, 16, {}}}};
  return traces;
}

TEST(TraceJson, IsReadBackAsItWas) {
  for (const Trace& trace : sample_traces()) {
    const std::string text = written(trace);
    const std::vector<Trace> read = parse_traces(text);
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(written(read[0]), text);
    EXPECT_EQ(read[0].title, trace.title);
    EXPECT_EQ(read[0].messages, trace.messages) << trace.title;
    EXPECT_EQ(read[0].locals, trace.locals) << trace.title;
    EXPECT_EQ(read[0].stages, trace.stages) << trace.title;
    EXPECT_EQ(read[0].network, trace.network) << trace.title;
    EXPECT_EQ(read[0].times, trace.times) << trace.title;
    EXPECT_EQ(read[0].bounds, trace.bounds) << trace.title;
    EXPECT_EQ(read[0].findings, trace.findings) << trace.title;
    EXPECT_EQ(read[0].input_bytes, trace.input_bytes) << trace.title;
    EXPECT_EQ(read[0].output_bytes, trace.output_bytes) << trace.title;
    EXPECT_EQ(read[0].scratch_bytes, trace.scratch_bytes) << trace.title;
  }
}

TEST(TraceJson, IsAsTheDocumentationShows) {
  std::ifstream file(testing::source_folder / "docs/trace-format.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find("```json\n") + 8, end = page.find("\n```", begin);
  ASSERT_NE(end, std::string::npos);
  Trace trace = trace_of(make_schedule(Problem::alltoall(2, 8), "direct"));
  trace.title = "alltoall, direct, 2 ranks, 8 B a block";  // the command leaves out default parameters
  EXPECT_EQ(page.substr(begin, end - begin), written(trace));
}

TEST(TraceJson, IsAsTheSchemaSays) {
  std::ifstream file(testing::source_folder / "docs/trace.schema.json");
  const testing::JsonSchema schema(nlohmann::json::parse(file));
  for (const Trace& trace : sample_traces())
    EXPECT_EQ(schema.first_violation(nlohmann::json::parse(written(trace))), "") << trace.title;
  // The schema forbids what the reader refuses, too.
  for (const char* key : {"title", "messages", "buffers", "times"}) {
    nlohmann::json document = nlohmann::json::parse(written(trace_of(make_schedule(Problem::alltoall(3, 8), "bruck"))));
    document.erase(key);
    EXPECT_NE(schema.first_violation(document), "") << key;
    EXPECT_ANY_THROW(parse_traces(document.dump())) << key;
  }
}

TEST(TraceJson, HoldsManyMessagesInFewBytes) {
  const Schedule schedule = make_schedule(Problem::alltoall(256, 1024), "direct");
  Trace trace = trace_of(schedule);
  EXPECT_EQ(trace.messages.size(), 65'280u);
  constexpr std::size_t most_bytes = 2'000'000;
  EXPECT_LT(written(trace).size(), most_bytes / 20);
  const MessageTimes times{
      .overhead = 1'500'000, .latency = 5'000'000, .gap = 4'000'000, .per_byte = ByteTime::of_seconds(12.3e-9)};
  trace.times.push_back(time_by_events(trace, schedule, times));
  EXPECT_LT(written(trace).size(), most_bytes);
  // Times without any pattern, as a machine has them: up to a millisecond, in nanoseconds.
  std::mt19937_64 random(1);
  for (auto* ends : {&trace.times[1].sends, &trace.times[1].receives})
    for (TimeInterval& time : *ends) {
      time.begin = static_cast<std::int64_t>(random() % 1'000'000);
      time.end = time.begin + static_cast<std::int64_t>(random() % 10'000);
    }
  trace.times[1].waits.clear();
  EXPECT_LT(written(trace).size(), most_bytes);
}

}  // namespace
}  // namespace quadrille
