// SPDX-License-Identifier: BSD-3-Clause
// Traces of schedules: compared with the programs, replayed, and compared with the figures that others count.
#include "quadrille/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/document.hpp"
#include "schedule/composition.hpp"
#include "support/cases.hpp"
#include "support/random_schedule.hpp"
#include "support/sentence_of.hpp"
#include "support/trace_replay.hpp"

namespace quadrille {
namespace {

using testing::TraceReplay;

// Calls visit(schedule, place) for the algorithms of the table with their defaults.
template <class Visit>
void for_each_traced(Count most_ranks, Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (Count p = 1; p <= most_ranks; ++p)
      for (const Problem& problem : testing::problems_of(*algorithm, p, 3, 2)) {
        const Choice choice = testing::standard_choice(*algorithm, problem);
        if (applies(problem, choice))
          visit(make_schedule(problem, choice), testing::description(problem) + ' ' + std::string(algorithm->id));
      }
}

// What identifies a message in a program: round, sender, receiver, bytes, and whether it is a control message.
using MessageKey = std::tuple<Count, Rank, Rank, Bytes, bool>;

std::map<MessageKey, int> messages_sent(const Schedule& schedule) {
  std::map<MessageKey, int> all;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      for (const Message& send : round.sends) ++all[{round.number, rank, send.peer, bytes(send.regions), false}];
      for (const Control& send : round.control_sends) ++all[{round.number, rank, send.peer, send.bytes, true}];
    }
  return all;
}

TEST(Trace, KeepsTheOrderInWhichRanksReceive) {
  const auto senders = [](const Trace& trace) {
    std::map<std::pair<Count, Rank>, std::vector<std::pair<Count, Rank>>> all;  // places and senders by round and receiver
    for (const TracedMessage& message : trace.messages)
      all[{message.round, message.to}].emplace_back(message.receive_place, message.from);
    for (auto& [key, list] : all)
      std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
  };
  for_each_traced(testing::extent(5, 8, 12), [&](const Schedule& schedule, const std::string& place) {
    const Trace trace = trace_of(schedule);
    const auto told = senders(trace);
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
      for (const Round& round : in_posting_order(schedule.program(rank)).rounds)
        for (std::size_t i = 0; i < round.receives.size(); ++i)
          ASSERT_EQ(told.at({round.number, rank})[i].second, round.receives[i].peer) << place;
  });
  const Trace direct = trace_of(make_schedule(Problem::alltoall(4, 8), "direct"));
  EXPECT_EQ(direct.messages[0].receive_place, 0) << "0 to 1: rank 1 receives from rank 0 first";
  EXPECT_EQ(direct.messages[2].receive_place, 2) << "0 to 3: rank 3 receives from rank 0 last";
  for (const TracedMessage& message : trace_of(make_schedule(Problem::alltoall(5, 8), "bruck")).messages)
    EXPECT_EQ(message.receive_place, 0);
}

TEST(Trace, HasEachMessageOnceAndInOrder) {
  for_each_traced(testing::extent(4, 9, 17), [](const Schedule& schedule, const std::string& place) {
    const Trace trace = trace_of(schedule);
    std::map<MessageKey, int> traced;
    for (std::size_t i = 0; i < trace.messages.size(); ++i) {
      const TracedMessage& message = trace.messages[i];
      ++traced[{message.round, message.from, message.to, message.bytes, message.is_control}];
      EXPECT_EQ(message.ends, MessageEnds::both) << place;
      if (!message.is_control) EXPECT_EQ(bytes(message.read), bytes(message.write)) << place;
      if (i > 0)
        EXPECT_LE(std::pair(trace.messages[i - 1].round, trace.messages[i - 1].from), std::pair(message.round, message.from))
            << place;
      EXPECT_EQ(trace.times.at(0).sends[i], (TimeInterval{message.round, message.round + 1})) << place;
    }
    EXPECT_EQ(traced, messages_sent(schedule)) << place;
  });
}

TEST(Trace, LeadsToTheExpectedOutputAlsoWhenReadFromAFile) {
  for_each_traced(testing::extent(3, 6, 12), [](const Schedule& schedule, const std::string& place) {
    std::ostringstream text;
    write_trace(text, trace_of(schedule));
    const std::vector<Trace> traces = parse_traces(text.str());
    ASSERT_EQ(traces.size(), 1u) << place;
    TraceReplay replay(traces[0]);
    replay.run();
    EXPECT_EQ(replay.first_error(), "") << place;
  });
}

TEST(Trace, CountsTheFiguresOfRounds) {
  for_each_traced(testing::extent(4, 8, 12), [](const Schedule& schedule, const std::string& place) {
    const Topology ring = Topology::ring(schedule.problem.ranks);
    const Figures expected = figures(schedule);
    const LinkFigures links = link_figures(schedule, ring);
    Count c1 = 0, sharing = 0;
    Bytes c2 = 0, c2_shared = 0;
    for (const TracedRound& round : rounds_of(trace_of(schedule, &ring))) {
      c1 += round.messages > 0 ? 1 : 0;
      c2 += round.longest;
      c2_shared += round.longest * round.sharing;
      sharing = std::max(sharing, round.sharing);
    }
    EXPECT_EQ(c1, expected.c1) << place;
    EXPECT_EQ(c2, expected.c2) << place;
    EXPECT_EQ(sharing, links.sharing) << place;
    EXPECT_EQ(c2_shared, links.c2_shared) << place;
  });
}

TEST(Trace, KnowsTheLinksOfEachMessage) {
  const Topology torus = parse_topology("torus:3x4");
  const Trace trace = trace_of(make_schedule(Problem::alltoall(12, 8), "direct"), &torus);
  ASSERT_TRUE(trace.network);
  EXPECT_EQ(trace.network->topology, "torus:3x4");
  EXPECT_EQ(static_cast<Count>(trace.network->links.size()), torus.link_count());
  std::size_t hop = 0;
  for (std::size_t i = 0; i < trace.messages.size(); ++i) {
    EXPECT_EQ(trace.network->hops[i], torus.distance(trace.messages[i].from, trace.messages[i].to));
    Vertex here = trace.messages[i].from;
    for (Count k = 0; k < trace.network->hops[i]; ++k) {
      const Link link = torus.link(trace.network->ways[hop++]);
      EXPECT_EQ(link.from, here);
      here = link.to;
    }
    EXPECT_EQ(here, trace.messages[i].to);
  }
  EXPECT_EQ(hop, trace.network->ways.size());
  EXPECT_NE(testing::sentence_of([&] { trace_of(make_schedule(Problem::alltoall(3, 8), "direct"), &torus); }), "");
}

// A trace that could not be read again is not made.
TEST(Trace, RefusesMoreRowsThanAreRead) {
  EXPECT_EQ(
      testing::sentence_of([] { trace_of(make_schedule(Problem::alltoall(5000, 8), "direct")); }),
      "alltoall among 5000 ranks takes at least 24995000 messages in a trace; the limit is 16777216; ask for a smaller problem");
  Schedule many_runs = make_schedule(Problem::alltoall(2, Bytes{1} << 26), "direct");
  many_runs.symmetry.reset();
  many_runs.program = [made = many_runs.program](Rank rank) {
    Program program = made(rank);
    for (Round& round : program.rounds)
      for (Message& send : round.sends) {
        send.regions[0].levels[0] = {send.regions[0].length, 1};
        send.regions[0].length = 1;
      }
    return program;
  };
  EXPECT_EQ(testing::sentence_of([&] { trace_of(many_runs); }),
            "alltoall among 2 ranks takes at least 67108864 runs in a region of a trace; the limit is 16777216; ask for a smaller "
            "problem");
  const Topology ring = Topology::ring(500);
  const std::string sentence = testing::sentence_of([&] { trace_of(make_schedule(Problem::alltoall(500, 8), "direct"), &ring); });
  EXPECT_NE(sentence.find(" links of all messages in a trace; the limit is 16777216"), std::string::npos) << sentence;
}

TEST(Trace, ShowsMessagesOfWrongSchedulesWithTheEndsThatTheyHave) {
  const std::string head =
      "quadrille-schedule-text/1\ncollective alltoall\nalgorithm mine\nranks 3\nblock_bytes 4\nstage one first 0 rounds 2\n";
  const Trace trace =
      trace_of(parse_documents(head + "rank 0 scratch 0\nround 1\nsend to 1 input[4:4]\nsend to 2 input[8:4]\n"
                                      "rank 1 scratch 0\nround 1\nreceive from 0 output[0:4]\nreceive from 2 output[8:4]\n"
                                      "rank 2 scratch 0\nround 0\nreceive from 0 output[0:4]\nround 1\nsend to 7 input[0:4]\n")
                   .at(0));
  ASSERT_EQ(trace.messages.size(), 5u);
  const auto check = [&](std::size_t i, Count round, Rank from, Rank to, MessageEnds ends) {
    const TracedMessage& message = trace.messages[i];
    EXPECT_EQ(std::tuple(message.round, message.from, message.to, message.ends), std::tuple(round, from, to, ends)) << i;
    EXPECT_EQ(message.bytes, 4);
    EXPECT_EQ(message.read.empty(), ends == MessageEnds::receiver_only);
    EXPECT_EQ(message.write.empty(), ends == MessageEnds::sender_only);
    EXPECT_EQ(trace.times[0].sends[i].begin, ends == MessageEnds::receiver_only ? -1 : round);
    EXPECT_EQ(trace.times[0].receives[i].end, ends == MessageEnds::sender_only ? -1 : round + 1);
  };
  check(0, 0, 0, 2, MessageEnds::receiver_only);
  check(1, 1, 0, 1, MessageEnds::both);
  check(2, 1, 0, 2, MessageEnds::sender_only);
  check(3, 1, 2, 7, MessageEnds::sender_only);
  check(4, 1, 2, 1, MessageEnds::receiver_only);
}

}  // namespace
}  // namespace quadrille
