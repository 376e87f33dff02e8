// SPDX-License-Identifier: BSD-3-Clause
// Tests of quadrille trace.
#include <gtest/gtest.h>

#include "quadrille/trace.hpp"
#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

TEST_F(CommandTest, TracesSchedules) {
  const Trace logical = parse_traces(prints({"trace", "alltoall", "--algorithm", "bruck", "--ranks", "8"})).at(0);
  EXPECT_EQ(logical.messages.size(), 24u);
  ASSERT_EQ(logical.times.size(), 1u);
  EXPECT_FALSE(logical.network);
  ASSERT_FALSE(logical.bounds.empty());
  EXPECT_EQ(logical.bounds[0].figure, "c1");
  EXPECT_EQ(logical.bounds[0].value, 3);  // log2 8
  prints({"trace", "alltoall", "--algorithm", "torus", "--topology", "torus:4x4", "--machine", "sp1", "--policy", "all", "-o",
          file("torus.json").string()});
  const Trace torus = parse_traces(contents(file("torus.json"))).at(0);
  ASSERT_EQ(torus.times.size(), 5u);
  EXPECT_EQ(torus.times[1].kind, TimeKind::rounds);
  EXPECT_EQ(torus.times[4].kind, TimeKind::events);
  EXPECT_EQ(torus.times[4].policy, "dataflow");
  EXPECT_EQ(torus.times[4].machine, "sp1");
  EXPECT_EQ(torus.times[4].links.size(), torus.network.value().ways.size());
  // The ends are those of `simulate`.
  const auto end = [&](const Words& by) {
    Words words{"simulate", "alltoall", "--algorithm", "torus", "--topology", "torus:4x4", "--machine", "sp1", "--json"};
    words.insert(words.end(), by.begin(), by.end());
    return Json::parse(prints(words))["candidates"][0]["end_ps"].get<Count>();
  };
  EXPECT_EQ(torus.times[1].end, end({}));
  EXPECT_EQ(torus.times[4].end, end({"--by", "events", "--policy", "dataflow"}));

  const Words one{"trace", "alltoall", "--algorithm", "direct", "--ranks", "4"};
  const auto with = [&](const Words& more) {
    Words words = one;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_EQ(parse_traces(prints(with({"--machine", "sp1", "--by", "events"}))).at(0).times.size(), 2u);
  EXPECT_EQ(parse_traces(prints(with({"--machine", "sp1", "--by", "rounds"}))).at(0).times[1].kind, TimeKind::rounds);
  const Outcome rounds = run(with({"--machine", "paragon", "--topology", "ring:4"}));
  EXPECT_EQ(rounds.exit_code, 0);
  EXPECT_NE(rounds.talk.find("simulated by rounds only: the machine paragon has no figures"), std::string::npos) << rounds.talk;
  EXPECT_EQ(parse_traces(rounds.out).at(0).times.size(), 2u);
  refuses(with({"--machine", "paragon", "--topology", "ring:4", "--by", "events"}), "the machine paragon has no figures");
  refuses({"trace"}, "name a collective or a file");
  refuses({"trace", "alltoall", "--algorithm", "direct", "--ranks", "4..8"}, "a trace is of one schedule, not of");
  refuses(with({"--by", "events"}), "simulated times need a machine");
  refuses(with({"--machine", "sp1", "--by", "event"}), "--by is 'rounds' or 'events', not 'event'");
  refuses(with({"--machine", "sp1", "--by", "rounds", "--policy", "dataflow"}), "go with --by events");
  refuses(with({"-o", file("x.svg").string()}), "would hold JSON, not SVG");
  refuses(with({"-o", file("x.perfetto").string()}), "would hold JSON, not a trace for Perfetto");
  refuses(with({"--as", "perfeto"}), "perfetto");
  const std::string perfetto = prints(with({"--as", "perfetto"}));
  EXPECT_EQ(perfetto.front(), '\x0a');  // field 1, with a length
  EXPECT_NE(perfetto.find("rank 3 sends"), std::string::npos);
}

TEST_F(CommandTest, ConvertsTraces) {
  const Words bruck{"trace", "alltoall", "--algorithm", "bruck", "--ranks", "4"};
  const auto as_perfetto = [](Words words) {
    words.insert(words.end(), {"--as", "perfetto"});
    return words;
  };
  const std::string text = prints(bruck), name = write("bruck.json", text);
  EXPECT_EQ(prints({"trace", name}), text);
  EXPECT_EQ(prints(as_perfetto({"trace", "-"}), text), prints(as_perfetto(bruck)));
  refuses({"trace", name, "--machine", "sp1"}, "holds a trace");
  for (const char* subcommand : {"verify", "draw"})
    refuses({subcommand, name}, "holds a trace, which has no programs; name the schedule it is of, or show the trace by");
  const std::string direct = prints({"trace", "alltoall", "--algorithm", "direct", "--ranks", "4"});
  const std::string two = write("two.json", '[' + text + ',' + direct + ']');
  refuses({"trace", two}, "holds 2; pick one by --only N: 1: alltoall, bruck, 4 ranks, 8 B a block; 2: alltoall, direct");
  EXPECT_EQ(prints({"trace", two, "--only", "2"}), direct);
  EXPECT_EQ(prints({"trace", two, "--only", "bruck"}), text);
  refuses({"trace", two, "--only", "1", "--only", "2"}, "give --only once");
  refuses({"trace", two, "--only", "3"}, "has nothing that --only 3 names");
  refuses({"trace", "alltoall", "--algorithm", "bruck", "--ranks", "4", "--only", "1"}, "--only picks from a file");
  const std::string schedules = prints({"schedule", "alltoall", "--algorithm", "bruck:radix=2..3", "--ranks", "9", "--json"});
  EXPECT_EQ(parse_traces(prints({"trace", write("schedules.json", schedules), "--only", "1"})).at(0).parameters,
            parse_traces(prints({"trace", "alltoall", "--algorithm", "bruck:radix=2", "--ranks", "9"})).at(0).parameters);
  refuses({"trace", write("wrong.json", R"({"format": "quadrille-trace/1"})")}, "expected a key 'collective'");
}

TEST_F(CommandTest, TracesWrongSchedulesWithTheirFindings) {
  const std::string name =
      write("mine.sched",
            "quadrille-schedule-text/1\ncollective alltoall\nalgorithm mine\nranks 2\nblock_bytes 4\nstage one first 0 rounds 1\n"
            "rank 0 scratch 0\nround 0\nsend to 1 input[4:4]\nrank 1 scratch 0\n");
  const Outcome outcome = run({"trace", name});
  EXPECT_EQ(outcome.exit_code, 1);
  const Trace trace = parse_traces(outcome.out).at(0);
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].ends, MessageEnds::sender_only);
  ASSERT_FALSE(trace.findings.empty());
  EXPECT_EQ(trace.findings[0].rule, "unmatched-message");
  EXPECT_NE(outcome.talk.find("its trace lists "), std::string::npos) << outcome.talk;
  const std::string file = this->file("mine.json").string();
  EXPECT_EQ(run({"trace", name, "-o", file}).exit_code, 1);
  EXPECT_EQ(contents(file), outcome.out) << "the file is written";
  refuses({"trace", name, "--machine", "sp1"}, "a wrong schedule has no simulated times, so leave --machine out; it has ");
}

}  // namespace
}  // namespace quadrille
