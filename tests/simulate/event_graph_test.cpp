// SPDX-License-Identifier: BSD-3-Clause
// The graph of events: which ends belong together, who waits for whom, and which schedules are refused.
#include "simulate/event_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "quadrille/algorithm.hpp"
#include "quadrille/error.hpp"
#include "verify/broken_exchange.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using Event = EventGraph::Event;

EventGraph graph_of(const Schedule& schedule, Policy policy = Policy::blocking, bool barriers = false) {
  return event_graph(schedule, {.policy = policy, .barriers = barriers});
}

std::vector<Event> events(const EventGraph& graph, EventKind kind) {
  std::vector<Event> list;
  for (Event event = 0; event < graph.kinds.size(); ++event)
    if (graph.kinds[event] == kind) list.push_back(event);
  return list;
}

TEST(EventGraph, JoinsTheEndsOfEachMessage) {
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
    for (const char* specification : {"bruck:radix=2", "direct", "torus"}) {
      const EventGraph graph = graph_of(make_schedule(Problem::alltoall(9, 8), specification), policy);
      std::set<Event> receives;
      for (const Event send : events(graph, EventKind::send)) {
        const Event receive = graph.other_ends[send];
        ASSERT_NE(receive, EventGraph::none);
        EXPECT_EQ(graph.kinds[receive], EventKind::receive);
        EXPECT_EQ(graph.bytes[receive], graph.bytes[send]);
        EXPECT_EQ(graph.rounds[receive], graph.rounds[send]);
        EXPECT_NE(graph.ranks[receive], graph.ranks[send]);
        EXPECT_GE(graph.waits_for[receive], 1u) << "a receive waits for its send";
        receives.insert(receive);
      }
      EXPECT_EQ(receives.size(), events(graph, EventKind::receive).size());
      EXPECT_EQ(graph.messages, static_cast<Count>(receives.size()));
      EXPECT_EQ(graph.ports.empty(), specification != std::string_view("torus")) << "only a torus has ports";
    }
}

// An event waits for its send, if it is a receive, and for the events of its own rank whose edges end at it.
TEST(EventGraph, CountsTheEdgesThatEndAtAnEvent) {
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
    const EventGraph graph = graph_of(make_schedule(Problem::alltoall(8, 8), "bruck:radix=2"), policy);
    ASSERT_EQ(graph.first_after.size(), graph.kinds.size() + 1);
    std::vector<std::uint32_t> edges(graph.kinds.size());
    for (Event event = 0; event < graph.kinds.size(); ++event)
      for (const Event after : graph.events_after(event)) {
        EXPECT_EQ(graph.ranks[after], graph.ranks[event]);
        ++edges[after];
      }
    for (Event event = 0; event < graph.kinds.size(); ++event)
      EXPECT_EQ(graph.waits_for[event], edges[event] + (graph.kinds[event] == EventKind::receive ? 1 : 0)) << event;
  }
}

// A chain of two hops: under every policy rank 1 sends on only what it has received.
TEST(EventGraph, LetsARankSendOnWhatItHasReceived) {
  const Schedule chain = make_schedule({.collective = Collective::broadcast, .ranks = 3, .block_bytes = 8}, "chain:segments=1");
  for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
    const EventGraph graph = graph_of(chain, policy);
    const Event received = graph.first_receive[1], sent = graph.first_send[1];
    ASSERT_NE(received, EventGraph::none);
    ASSERT_NE(sent, EventGraph::none);
    std::set<Event> reached{received};
    for (bool grows = true; grows;) {
      grows = false;
      for (const Event event : std::set<Event>(reached))
        for (const Event after : graph.events_after(event)) grows = reached.insert(after).second || grows;
    }
    EXPECT_TRUE(reached.contains(sent));
    EXPECT_EQ(graph.first_send[2], EventGraph::none);
    EXPECT_EQ(graph.first_receive[0], EventGraph::none);
  }
}

// Two ranks exchange blocks in the given rounds, which each of them lists in its own order.
Schedule exchange_in(Count first_of_rank_zero, Count first_of_rank_one) {
  std::vector<Program> programs = exchange();
  programs[0].rounds.insert(programs[0].rounds.begin(), Round{.number = first_of_rank_zero});
  programs[1].rounds.insert(programs[1].rounds.begin(), Round{.number = first_of_rank_one});
  for (Program& program : programs) {
    program.rounds[1].number = 9;
    program.stages = {{"all", 0, 10}};
    program.rounds[0].sends = {{1 - program.rank, {{in, 0, 2}}, {}}};
    program.rounds[0].receives = {{1 - program.rank, {{out, 0, 2}}, {}}};
  }
  return of(Problem::alltoall(2, 4), programs);
}

TEST(EventGraph, SortsRoundsByTheirNumbers) {
  const EventGraph graph = graph_of(exchange_in(7, 7));
  EXPECT_EQ(graph.round_numbers, (std::vector<Count>{7, 9}));
  EXPECT_EQ(graph.messages_of_round, (std::vector<Count>{2, 2}));
  const Event first = graph.first_send[0], second = graph.next[first];
  EXPECT_EQ(graph.rounds[first], 0u);
  EXPECT_EQ(graph.rounds[second], 1u);
  EXPECT_EQ(graph.next[second], EventGraph::none);
  EXPECT_EQ(graph.bytes[first], 2);
  EXPECT_EQ(graph.bytes[second], 4);
}

// The other way counts where a rank both sends and receives in one round.
TEST(EventGraph, MarksRanksThatMeetMessagesOfTheOtherWay) {
  for (const std::uint8_t mark :
       graph_of(make_schedule({.collective = Collective::broadcast, .ranks = 2, .block_bytes = 8}, "linear")).meets_other_way)
    EXPECT_EQ(mark, 0);
  const EventGraph both = graph_of(of(Problem::alltoall(2, 4), exchange()));
  for (const Event send : events(both, EventKind::send)) EXPECT_EQ(both.meets_other_way[send], 1);
}

TEST(EventGraph, KeepsPortsIfAnyMessageHasOne) {
  std::vector<Program> programs = exchange();
  programs[0].rounds[0].sends[0].port = programs[1].rounds[0].receives[0].port = Port{0, -1};
  const EventGraph graph = graph_of(of(Problem::alltoall(2, 4), programs));
  ASSERT_EQ(graph.ports.size(), graph.kinds.size());
  EXPECT_EQ(graph.ports[graph.first_send[0]], (Port{0, -1}));
  EXPECT_EQ(graph.ports[graph.first_send[1]].dimension, -1) << "none";
}

TEST(EventGraph, HasTheGatesOfEachRoundWithBarriers) {
  const EventGraph graph = graph_of(exchange_in(7, 7), Policy::dataflow, true);
  ASSERT_EQ(graph.gates_of_round.size(), 2u);
  for (const std::vector<Event>& gates : graph.gates_of_round) {
    EXPECT_GE(gates.size(), 2u) << "one of each rank";
    for (const Event gate : gates) EXPECT_EQ(graph.waits_for[gate], 0u) << "a gate waits only for the barrier";
  }
  EXPECT_TRUE(graph_of(exchange_in(7, 7)).gates_of_round.empty());
}

template <class Change>
std::string refusal(Change&& change, bool takes_lone_messages = false) {
  std::vector<Program> programs = exchange();
  change(programs);
  try {
    event_graph(of(Problem::alltoall(2, 4), programs), {.takes_lone_messages = takes_lone_messages});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::misuse);
    return error.what();
  }
  return "";
}

TEST(EventGraph, RefusesMessagesThatDoNotMatch) {
  const auto of_rank = [](Rank rank) {
    return "rank " + std::to_string(rank) +
           " expects other messages than are sent to it, in round 0 or close to it; 'quadrille verify' says more";
  };
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_EQ(refusal([](auto& p) { p[0].rounds[0].sends.clear(); }), of_rank(1));
  EXPECT_EQ(refusal([](auto& p) { p[0].rounds[0].receives.clear(); }), of_rank(0));
  EXPECT_EQ(refusal([](auto& p) { p[0].rounds[0].sends[0].regions[0].length = 3; }), of_rank(1));
  EXPECT_EQ(refusal([](auto& p) { p[1].rounds[0].number = 1; }), of_rank(0)) << "a round late";
  for (const Rank peer : {-1, 0, 2}) EXPECT_EQ(refusal([&](auto& p) { p[0].rounds[0].sends[0].peer = peer; }), of_rank(0)) << peer;
}

TEST(EventGraph, TakesLoneMessagesIfAsked) {
  EXPECT_EQ(refusal([](auto& p) { p[0].rounds[0].sends.clear(); }, true), "");
  std::vector<Program> programs = exchange();
  programs[1].rounds[0].receives.clear();
  const EventGraph graph = event_graph(of(Problem::alltoall(2, 4), programs), {.takes_lone_messages = true});
  EXPECT_EQ(graph.other_ends[graph.first_send[0]], EventGraph::none);
  EXPECT_NE(graph.other_ends[graph.first_send[1]], EventGraph::none);
}

}  // namespace
}  // namespace quadrille
