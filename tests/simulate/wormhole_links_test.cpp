// SPDX-License-Identifier: BSD-3-Clause
// Wormhole switching: times by hand, deadlocks, and schedules in which no message waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/program_builder.hpp"
#include "quadrille/simulate.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

using ::testing::HasSubstr;

constexpr Picoseconds one_us = 1'000'000;

// A start-up of 10 us, and 1 us a byte; a rank has as many ports as it wants.
MessageTimes times_of_messages() {
  return message_times(*find_model("linear"), Coefficients{{"startup_us", 10}, {"transfer_us_per_byte", 1}, {"ports", 8}});
}

struct Sent {
  Rank from, to;
  Bytes bytes;
  Count round = 0;
};

Schedule messages(Count ranks, const std::vector<Sent>& sent) {
  std::vector<TrafficEntry> entries;
  for (const Sent& each : sent) entries.push_back({each.from, each.to, each.bytes});
  Schedule schedule{.problem = Problem::alltoallv(ranks, entries)};
  schedule.program = [=, problem = schedule.problem](Rank me) {
    const Traffic traffic(problem);
    ProgramBuilder program{me};
    for (const Count round : {0, 1}) {
      program.begin_round();
      for (const Sent& each : sent) {
        if (each.round != round) continue;
        if (each.from == me) program.send(each.to, {{Buffer::input, traffic.input_offset(me, each.to), each.bytes, {}}});
        for (const Share& share : traffic.received_by(me))
          if (each.to == me && share.peer == each.from)
            program.receive(each.from, {{Buffer::output, share.offset, share.bytes, {}}});
      }
    }
    return std::move(program).finish();
  };
  return schedule;
}

EventSimulation simulated(const Schedule& schedule, const Topology& topology, Switching switching, Count channels = 2) {
  return simulate_events(schedule, times_of_messages(),
                         {.policy = Policy::nonblocking, .topology = &topology, .switching = switching, .channels = channels});
}

// 1 -> 0 takes its link first. 3 -> 0 waits for it and holds 3 -> 2 and 2 -> 1, for which 2 -> 1 waits, which is sent later.
TEST(Wormhole, HoldsTheLinksThatItHas) {
  const Schedule schedule = messages(4, {{1, 0, 100}, {1, 2, 5}, {3, 0, 10}, {2, 1, 10, 1}});
  const Topology array = Topology::array(4);
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    std::map<Rank, Picoseconds> ends;
    const auto keep = [&](const MessageEnd& each) {
      if (!each.sends) ends[each.rank] = std::max(ends[each.rank], each.end);
    };
    const EventSimulation run = simulate_events(
        schedule, times_of_messages(),
        {.policy = Policy::blocking, .topology = &array, .switching = switching, .channels = 1, .message_end = keep});
    EXPECT_EQ(ends[0], 120 * one_us);  // the bytes of both messages, and the start-up
    EXPECT_EQ(ends[2], 15 * one_us);
    // Rank 1 begins to receive after its sends, at 100. With wormhole switching the message enters its link at 110.
    EXPECT_EQ(ends[1], (switching == Switching::wormhole ? 130 : 110) * one_us);
    EXPECT_EQ(run.link_waits, switching == Switching::wormhole ? 2 : 1);
  }
}

// Both messages cross 0 -> 1, on different channels: the first comes over the dateline, 3 -> 0. Their bytes do not overlap. A
// message that follows the first onto 3 -> 0 waits with it.
TEST(Wormhole, PassesTheBytesOfALinkOneMessageAfterTheOther) {
  const Topology ring = Topology::ring(5);
  const Schedule schedule = messages(5, {{0, 1, 100}, {4, 1, 50}, {3, 0, 10}});
  std::map<Rank, Picoseconds> ends;
  const auto keep = [&](const MessageEnd& each) {
    if (!each.sends) ends[each.rank] = std::max(ends[each.rank], each.end);
  };
  const EventSimulation run = simulate_events(
      schedule, times_of_messages(), {.topology = &ring, .switching = Switching::wormhole, .channels = 2, .message_end = keep});
  EXPECT_EQ(ends[1], 160 * one_us);
  EXPECT_EQ(ends[0], 170 * one_us);
  EXPECT_EQ(run.link_waits, 2);
}

// Every rank of a ring sends two links on. All take their first link and wait for the second.
TEST(Wormhole, ReportsTheCircleOfADeadlock) {
  for (const Count p : {3, 4, 8}) {
    std::vector<Sent> sent;
    for (Rank rank = 0; rank < p; ++rank) sent.push_back({rank, (rank + 2) % p, 10});
    const Topology ring = Topology::ring(p);
    if (p == 4) {  // two links are half of the ring: all go upwards
      try {
        simulated(messages(p, sent), ring, Switching::wormhole, 1);
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_STREQ(
            error.what(),
            "the network is in a deadlock: 4 messages wait in a circle for links that the next one holds: rank 0 to 2 waits "
            "for 1 -> 2 (dimension 0, +), rank 1 to 3 waits for 2 -> 3 (dimension 0, +), rank 2 to 0 waits for 3 -> 0 "
            "(dimension 0, +), ..");
      }
    } else if (p == 8) {
      EXPECT_THROW(simulated(messages(p, sent), ring, Switching::wormhole, 1), Error);
    } else {  // one link the other way
      EXPECT_NO_THROW(simulated(messages(p, sent), ring, Switching::wormhole, 1));
    }
    EXPECT_NO_THROW(simulated(messages(p, sent), ring, Switching::wormhole, 2));
  }
}

// With the dateline no traffic ends in a deadlock, on any ring or torus.
TEST(Wormhole, NeedsTwoChannelsOnRingsAndTori) {
  std::size_t deadlocks = 0;
  for (const char* name : {"ring:5", "ring:8", "ring:9", "torus:4x4", "torus:5x3", "torus:2x6", "torus:3x3x3", "torus:6x5,last",
                           "torus:4x8,balanced"}) {
    const Topology topology = parse_topology(name);
    for (const char* specification : {"direct", "shift", "bruck", "bruck:radix=4,ports=3"}) {
      const Schedule schedule = make_schedule(Problem::alltoall(topology.ranks(), 100), specification);
      const EventSimulation two = simulated(schedule, topology, Switching::wormhole);
      EXPECT_GE(two.end, 0);
      try {
        simulated(schedule, topology, Switching::wormhole, 1);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("the network is in a deadlock: "));
        ++deadlocks;
      }
    }
  }
  EXPECT_GE(deadlocks, 9u);
}

TEST(Wormhole, NeedsOneChannelOnMeshesAndHypercubes) {
  for (const char* name : {"array:7", "mesh:4x5", "mesh:3x3x3", "hypercube:32", "hypercube:32,last", "full:9", "fat-tree:4"}) {
    const Topology topology = parse_topology(name);
    for (const char* specification : {"direct", "shift", "bruck"}) {
      const Schedule schedule = make_schedule(Problem::alltoall(topology.ranks(), 100), specification);
      EXPECT_EQ(simulated(schedule, topology, Switching::wormhole, 1).messages,
                simulated(schedule, topology, Switching::wormhole, 2).messages);
    }
  }
}

// The lectures' schedule: in step j rank i exchanges with i XOR j, and no path shares a link.
TEST(Wormhole, NoMessageOfTheExchangeOnAHypercubeWaits) {
  for (const char* name : {"hypercube:2", "hypercube:16", "hypercube:64", "hypercube:64,last"}) {
    const Topology topology = parse_topology(name);
    const Count p = topology.ranks();
    const EventSimulation run = simulated(make_schedule(Problem::alltoall(p, 100), "xor"), topology, Switching::wormhole, 1);
    const EventSimulation in_step =
        simulate_events(make_schedule(Problem::alltoall(p, 100), "xor"), times_of_messages(),
                        {.policy = Policy::blocking, .topology = &topology, .switching = Switching::wormhole, .channels = 1});
    EXPECT_EQ(in_step.link_waits, 0) << name;
    EXPECT_EQ(in_step.end, (p - 1) * 110 * one_us) << name;
    EXPECT_GE(run.link_waits, p > 4 ? 1 : 0) << name << ": all messages at once";
  }
  const Topology ring = Topology::ring(16);
  EXPECT_GT(simulate_events(make_schedule(Problem::alltoall(16, 100), "xor"), times_of_messages(),
                            {.topology = &ring, .switching = Switching::wormhole})
                .link_waits,
            0);
}

// Where no message waits, both ways of switching take the same time.
TEST(Wormhole, IsCutThroughWithoutContention) {
  for (const char* name : {"torus:4x4", "torus:4x8", "ring:8"}) {
    const Topology topology = parse_topology(name);
    Problem problem = Problem::alltoall(topology.ranks(), 96);
    problem.grid = topology.grid();
    const Schedule schedule = make_schedule(problem, "torus");
    std::vector<EventSimulation> runs;
    for (const Switching switching : {Switching::cut_through, Switching::wormhole})
      runs.push_back(
          simulate_events(schedule, times_of_messages(), {.barriers = true, .topology = &topology, .switching = switching}));
    EXPECT_EQ(runs[0].end, runs[1].end) << name;
    EXPECT_EQ(runs[0].link_waits, 0) << name;
    EXPECT_EQ(runs[1].link_waits, 0) << name;
  }
}

TEST(Wormhole, RefusesInvalidOptions) {
  const Schedule schedule = make_schedule(Problem::alltoall(4, 1), "direct");
  const Topology ring = Topology::ring(4);
  EXPECT_THROW(simulate_events(schedule, times_of_messages(), {.switching = Switching::wormhole}), Error);
  EXPECT_THROW(simulate_events(schedule, times_of_messages(), {.topology = &ring, .switching = Switching::wormhole, .channels = 3}),
               Error);
  EXPECT_THROW(simulate_events(schedule, times_of_messages(), {.topology = &ring, .channels = 0}), Error);
}

}  // namespace
}  // namespace quadrille
