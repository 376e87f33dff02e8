// SPDX-License-Identifier: BSD-3-Clause
// The event-driven simulator: compared with results by hand, and with the round-synchronous one on the table's
// algorithms and on random schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "quadrille/error.hpp"
#include "quadrille/simulate.hpp"
#include "support/cases.hpp"
#include "support/random_schedule.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

const Coefficients loggp{{"latency_us", 5}, {"overhead_us", 1.5}, {"gap_us", 4}, {"gap_us_per_byte", 0.0123456789}, {"ports", 1}};
constexpr Picoseconds microsecond = 1'000'000;

Coefficients linear(Count ports) {
  return {{"startup_us", 7}, {"transfer_us_per_byte", 0.0123456789}, {"ports", static_cast<double>(ports)}};
}

MessageTimes loggp_times() { return message_times(*find_model("loggp"), loggp); }
MessageTimes linear_times(Count ports) { return message_times(*find_model("linear"), linear(ports)); }

// Calls visit(schedule, place) for the algorithms of the table with their defaults.
template <class Visit>
void for_each_algorithm(Visit&& visit) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Count p : testing::extent<std::vector<Count>>({1, 2, 5, 8}, {1, 2, 5, 8, 12}, {1, 2, 5, 8, 12, 16}))
      for (Problem problem : testing::problems_of(*algorithm, p, 24, 1)) {
        if (problem.nodes.empty())
          for (Rank rank = 0; rank < p; ++rank) problem.nodes.push_back(rank / 4);
        const Choice choice = testing::standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        visit(make_schedule(problem, choice), testing::description(problem) + ' ' + std::string(algorithm->id));
      }
}

template <class Visit>
void for_each_random(int count, Visit&& visit) {
  for (int seed = 1; seed <= count; ++seed) {
    const testing::RandomShape shape{
        .ranks = 2 + seed % 7, .rounds = 1 + seed % 9, .most_messages = 1 + seed % 4, .with_controls = seed % 3 == 0};
    visit(testing::random_schedule(shape, static_cast<std::uint64_t>(seed)), "seed " + std::to_string(seed));
  }
}

Count most_messages(const Schedule& schedule) { return workload(schedule).ports; }

Picoseconds in_step(const Schedule& schedule, const MessageTimes& times) {
  return simulate_events(schedule, times, {.barriers = true}).end;
}

TEST(SimulateEvents, TimesMessagesByLogGp) {
  const Schedule schedule = make_schedule(testing::problem_of(Collective::broadcast, 2, 1001), "binomial");
  const EventSimulation one = simulate_events(schedule, loggp_times());
  EXPECT_EQ(one.messages, 1);
  EXPECT_EQ(one.end, 8 * microsecond + 12'345'679);
  EXPECT_EQ(one.rank_ends, (std::vector<Picoseconds>{1'500'000 + 12'345'679, 8 * microsecond + 12'345'679}));
  EXPECT_EQ(simulate_events(schedule, linear_times(1)).end, 7 * microsecond + 12'358'025);
  // From a root to seven others: a message every max(g, o); then from all of them to one.
  const Problem eight = testing::problem_of(Collective::scatter, 8, 1), gathered = testing::problem_of(Collective::gather, 8, 1);
  EXPECT_EQ(simulate_events(make_schedule(eight, "linear"), loggp_times()).end, 8 * microsecond + 6 * 4 * microsecond);
  EXPECT_EQ(simulate_events(make_schedule(gathered, "linear"), loggp_times()).end, 8 * microsecond + 6 * 4 * microsecond);
  // With a port for each message, only the processor's overheads are one after the other.
  Coefficients many_ports = loggp;
  many_ports["ports"] = 7;
  const Model& model = *find_model("loggp");
  for (const Problem& problem : {eight, gathered}) {
    const Schedule fan = make_schedule(problem, "linear");
    EXPECT_EQ(simulate_events(fan, message_times(model, many_ports)).end, 8 * microsecond + 6 * 1'500'000);
    EXPECT_EQ(simulate_rounds(fan, model, many_ports).end, 8 * microsecond + 6 * 1'500'000);
  }
  const Schedule direct = make_schedule(Problem::alltoall(8, 1001), "direct");
  EXPECT_EQ(simulate_events(direct, message_times(model, many_ports)).end, 8 * microsecond + 6 * 3 * microsecond + 12'345'679);
  EXPECT_EQ(simulate_rounds(direct, model, many_ports).end, 8 * microsecond + 6 * 3 * microsecond + 12'345'679);
}

// LogGP of one message: the sender needs o and the time of the further bytes, the network L, the receiver the time of
// the bytes and o.
TEST(SimulateEvents, ReportsBothEndsOfEachMessage) {
  const Schedule schedule = make_schedule(testing::problem_of(Collective::broadcast, 2, 1001), "binomial");
  std::vector<MessageEnd> ends;
  const EventSimulation one =
      simulate_events(schedule, loggp_times(), {.message_end = [&](const MessageEnd& end) { ends.push_back(end); }});
  ASSERT_EQ(ends.size(), 2u);
  const MessageEnd &sent = ends[ends[0].sends ? 0 : 1], &received = ends[ends[0].sends ? 1 : 0];
  EXPECT_TRUE(sent.sends && !received.sends);
  EXPECT_EQ(sent.rank, 0);
  EXPECT_EQ(received.rank, 1);
  EXPECT_EQ(sent.begin, 0);
  EXPECT_EQ(sent.end, 1'500'000 + 12'345'679);
  EXPECT_EQ(received.begin, 1'500'000 + 5 * microsecond);
  EXPECT_EQ(received.end, one.end);
  // Checks every message of a larger exchange: all lie within the total time.
  ends.clear();
  const EventSimulation all = simulate_events(make_schedule(Problem::alltoall(8, 100), "bruck"), loggp_times(),
                                              {.message_end = [&](const MessageEnd& end) { ends.push_back(end); }});
  EXPECT_EQ(static_cast<Count>(ends.size()), 2 * all.messages);
  Picoseconds last = 0;
  for (const MessageEnd& end : ends) {
    EXPECT_LT(end.begin, end.end);
    last = std::max(last, end.end);
  }
  EXPECT_EQ(last, all.end);
}

TEST(SimulateEvents, LetsRanksContinueIfTheyWaitForNoOther) {
  testing::RandomShape shape{.ranks = 4, .rounds = 2};
  Schedule schedule = testing::random_schedule(shape, 1);
  const auto message = [](Rank peer, Bytes bytes) { return Message{peer, {{Buffer::output, 0, bytes, {}}}, {}}; };
  schedule.program = [&](Rank rank) {
    Program program{.rank = rank, .stages = {{"one", 0, 2}}};
    program.rounds.resize(2);
    program.rounds[1].number = 1;
    const Rank mate = rank ^ 1;
    const Bytes first = rank < 2 ? 1000 : 1, second = rank < 2 ? 1 : 1000;
    (rank % 2 == 0 ? program.rounds[0].sends : program.rounds[0].receives).push_back(message(mate, first));
    (rank % 2 == 0 ? program.rounds[1].sends : program.rounds[1].receives).push_back(message(mate, second));
    return program;
  };
  const MessageTimes times{.latency = 10, .gap = 10, .per_byte = ByteTime::of_seconds(1e-12), .is_first_byte_included = false};
  EXPECT_EQ(in_step(schedule, times), 10 + 1000 + 10 + 1000);
  EXPECT_EQ(simulate_events(schedule, times).end, 10 + 1000 + 10 + 1);
}

TEST(SimulateEvents, InStepEqualsTheSimulationByRounds) {
  Count compared = 0;
  const auto expect_rounds = [&](const Schedule& schedule, const std::string& place) {
    const Count most = most_messages(schedule);
    if (most <= 1) {
      EXPECT_EQ(in_step(schedule, loggp_times()), simulate_rounds(schedule, *find_model("loggp"), loggp).end) << place;
      ++compared;
    }
    for (const Count ports : {most, most + 1})
      if (ports >= 1) {
        EXPECT_EQ(in_step(schedule, linear_times(ports)), simulate_rounds(schedule, *find_model("linear"), linear(ports)).end)
            << place;
      }
  };
  for_each_algorithm(expect_rounds);
  for_each_random(300, expect_rounds);
  EXPECT_GT(compared, 300);
}

// If a rank has more messages than ports, the formula takes the maximum of each figure over all ranks, while the
// simulator distributes single messages. Neither result is more than three times the other.
TEST(SimulateEvents, InStepDiffersFromTheSimulationByRoundsAtMostThreefold) {
  bool differs = false;
  const auto expect_bound = [&](const Schedule& schedule, const std::string& place) {
    for (const Count ports : {1, 2, 3}) {
      const Picoseconds rounds = simulate_rounds(schedule, *find_model("linear"), linear(ports)).end,
                        events = in_step(schedule, linear_times(ports));
      EXPECT_LE(events, 3 * rounds) << place;
      EXPECT_LE(rounds, 3 * events) << place;
      differs = differs || events != rounds;
    }
    const Picoseconds rounds = simulate_rounds(schedule, *find_model("loggp"), loggp).end,
                      events = in_step(schedule, loggp_times());
    EXPECT_LE(events, 3 * rounds) << place;
    EXPECT_LE(rounds, 3 * events) << place;
  };
  for_each_algorithm(expect_bound);
  for_each_random(300, expect_bound);
  EXPECT_TRUE(differs);
}

// Equal messages between all ranks, from one rank or to one rank take the time of the formula, even if there are more
// messages than ports.
TEST(SimulateEvents, InStepEqualsTheSimulationByRoundsForEqualMessages) {
  const Coefficients costs{{"latency_us", 5}, {"overhead_us", 1.5}, {"gap_us", 2}, {"gap_us_per_byte", 0.25}, {"ports", 1}};
  const Coefficients one_port{{"startup_us", 7}, {"transfer_us_per_byte", 0.25}, {"ports", 1}};
  for (const Count p : {2, 3, 8, 13})
    for (const auto& [collective, algorithm] :
         {std::pair(Collective::alltoall, "direct"), {Collective::scatter, "linear"}, {Collective::gather, "linear"}}) {
      const Schedule schedule = make_schedule(testing::problem_of(collective, p, 9), algorithm);
      EXPECT_EQ(in_step(schedule, message_times(*find_model("loggp"), costs)),
                simulate_rounds(schedule, *find_model("loggp"), costs).end);
      EXPECT_EQ(in_step(schedule, message_times(*find_model("linear"), one_port)),
                simulate_rounds(schedule, *find_model("linear"), one_port).end);
    }
}

// A rank that starts late delays the first barrier, even if it has no message before it.
TEST(SimulateEvents, BarriersWaitForAllRanks) {
  const Schedule schedule = make_schedule(testing::problem_of(Collective::broadcast, 8, 1), "binomial");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const EventSimulation late =
        simulate_events(schedule, loggp_times(), {.barriers = true, .seed = seed, .late_ranks = 1, .late_by = 1000 * microsecond});
    EXPECT_GE(late.stages.back().rounds.at(1).begin, 1000 * microsecond) << seed;
  }
}

TEST(SimulateEvents, PortsBeyondAllMessagesCostNothing) {
  const Schedule schedule = make_schedule(Problem::alltoall(4, 100), "direct");
  EXPECT_EQ(simulate_events(schedule, linear_times(Count{1} << 40)).end, simulate_events(schedule, linear_times(3)).end);
}

// Removing a dependence never delays a rank, message by message, whatever the disturbances.
TEST(SimulateEvents, IsNeverSlowerUnderAFreerPolicy) {
  Count sooner[3] = {};
  const auto expect_order = [&](const Schedule& schedule, const std::string& place) {
    MessageTimes gaping = loggp_times();
    gaping.gap = 100 * microsecond;  // longer than a message takes
    for (const MessageTimes& times : {loggp_times(), linear_times(1), linear_times(2), gaping})
      for (const bool troubled : {false, true}) {
        EventOptions options{.policy = Policy::dataflow};
        if (troubled) {
          options.seed = 7;
          options.late_ranks = schedule.problem.ranks / 2;
          options.late_by = 3 * microsecond;
          options.jitter = 0.5;
        }
        const EventSimulation dataflow = simulate_events(schedule, times, options);
        options.policy = Policy::nonblocking;
        const EventSimulation nonblocking = simulate_events(schedule, times, options);
        options.policy = Policy::blocking;
        const EventSimulation blocking = simulate_events(schedule, times, options);
        options.barriers = true;
        const EventSimulation barriers = simulate_events(schedule, times, options);
        for (std::size_t rank = 0; rank < blocking.rank_ends.size(); ++rank) {
          EXPECT_LE(dataflow.rank_ends[rank], nonblocking.rank_ends[rank]) << place;
          EXPECT_LE(nonblocking.rank_ends[rank], blocking.rank_ends[rank]) << place;
          EXPECT_LE(blocking.rank_ends[rank], barriers.rank_ends[rank]) << place;
        }
        sooner[0] += dataflow.end < nonblocking.end ? 1 : 0;
        sooner[1] += nonblocking.end < blocking.end ? 1 : 0;
        sooner[2] += blocking.end < barriers.end ? 1 : 0;
      }
  };
  for_each_algorithm(expect_order);
  for_each_random(testing::extent(50, 200, 200), expect_order);
  for (const Count times : sooner) EXPECT_GT(times, 20);
}

// Dependences that are computed once for all images of a program are the same as those computed for each of them.
TEST(SimulateEvents, IsTheSameBySymmetryAndByRank) {
  Count compared = 0;
  for_each_algorithm([&](Schedule schedule, const std::string& place) {
    if (!schedule.symmetry) return;
    for (const Policy policy : {Policy::nonblocking, Policy::dataflow}) {
      const EventSimulation by_symmetry = simulate_events(schedule, linear_times(1), {.policy = policy});
      Schedule by_rank = schedule;
      by_rank.symmetry.reset();
      EXPECT_EQ(by_symmetry.rank_ends, simulate_events(by_rank, linear_times(1), {.policy = policy}).rank_ends) << place;
      ++compared;
    }
  });
  EXPECT_GT(compared, 50);
}

// A message takes the time of its slowest link, but no less than on the machine's link. Rounds take the same time.
TEST(SimulateEvents, TakesTheCapacitiesOfLinks) {
  const MessageTimes times = linear_times(1);
  const Schedule schedule = make_schedule(Problem::broadcast(2, 1000), "linear");
  const auto took = [&](const char* edges, Switching switching) {
    const Topology topology = parse_edge_list(edges, edges);
    const Picoseconds end = simulate_events(schedule, times, {.topology = &topology, .switching = switching}).end;
    EXPECT_EQ(simulate_rounds(schedule, *find_model("linear"), linear(1), {.topology = &topology}).end, end) << edges;
    return end - times.latency;
  };
  const Picoseconds machine = times.per_byte.of(1000);
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    EXPECT_EQ(took("0 1\n", switching), machine);
    EXPECT_EQ(took("0 1 1/4\n", switching), 4 * machine);
    EXPECT_EQ(took("0 a 2\na 1 1/3\n", switching), 3 * machine);
    EXPECT_EQ(took("0 1 4\n", switching), machine);
  }
}

// Which links the messages of each round share, and the longest route.
struct OnLinks {
  Count most_sharing = 0;
  std::map<Count, Bytes> link_bytes;
  std::size_t longest_way = 1;
};

OnLinks on_links(const Schedule& schedule, const Topology& topology) {
  OnLinks found;
  const Workload work = workload(schedule, {.topology = &topology});
  for (const StageFigures& stage : work.stages)
    for (const RoundFigures& round : stage.rounds) {
      found.most_sharing = std::max(found.most_sharing, round.sharing);
      found.link_bytes[round.number] = round.link_bytes;
    }
  for (Rank from = 0; from < topology.ranks(); ++from)
    for (Rank to = 0; to < topology.ranks(); ++to) {
      std::vector<Count> way;
      topology.append_way(from, to, {}, way);
      found.longest_way = std::max(found.longest_way, way.size());
    }
  return found;
}

// Returns a random tree of eight ranks and some switches, with a few additional edges.
Topology random_topology(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto switches = random() % 5;
  const auto vertex = [](std::uint64_t number) { return number < 8 ? std::to_string(number) : "s" + std::to_string(number); };
  std::string text;
  const auto join = [&](std::uint64_t a, std::uint64_t b) { text += vertex(a) + ' ' + vertex(b) + '\n'; };
  for (std::uint64_t number = 1; number < 8 + switches; ++number) join(number, random() % number);
  for (auto more = random() % 6; more > 0; --more)
    if (const auto a = random() % (8 + switches), b = random() % (8 + switches); a != b) join(a, b);
  return parse_edge_list(text, "random");
}

TEST(SimulateEvents, SharesLinksWithinTheBounds) {
  Count alone = 0, shared = 0;
  const auto expect_links = [&](const Schedule& schedule, const Topology& topology, const std::string& place) {
    const Count ports = std::max<Count>(1, most_messages(schedule));
    const MessageTimes times = linear_times(ports);
    const EventSimulation free = simulate_events(schedule, times, {.barriers = true});
    const EventSimulation in_links = simulate_events(schedule, times, {.barriers = true, .topology = &topology});
    const OnLinks links = on_links(schedule, topology);
    bool has_controls = false;  // the workload does not count these on links
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
      for (const Round& round : schedule.program(rank).rounds) has_controls = has_controls || !round.control_sends.empty();
    if (links.most_sharing <= 1 && !has_controls) {
      EXPECT_EQ(in_links.end, free.end) << place;
      ++alone;
    }
    ++shared;
    for (std::size_t rank = 0; rank < free.rank_ends.size(); ++rank)
      EXPECT_GE(in_links.rank_ends[rank], free.rank_ends[rank]) << place;
    const Picoseconds slack = in_links.messages;  // for rounding the bytes of each message
    if (!has_controls)
      for (const SimulatedStage& stage : in_links.stages)
        for (const SimulatedRound& round : stage.rounds) {
          const Picoseconds bytes = times.per_byte.of(links.link_bytes.at(round.number));
          EXPECT_GE(round.end - round.begin, times.latency + bytes - slack) << place;
          EXPECT_LE(round.end - round.begin, times.latency + static_cast<Picoseconds>(links.longest_way) * bytes + slack) << place;
        }
    for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow}) {
      const Picoseconds without = simulate_events(schedule, times, {.policy = policy}).end;
      EXPECT_GE(simulate_events(schedule, times, {.policy = policy, .topology = &topology}).end, without) << place;
      EXPECT_GE(simulate_events(schedule, times, {.policy = policy, .topology = &topology, .slow_links = 2, .slowness = 3}).end,
                without)
          << place;
    }
  };
  for (const char* name : {"ring:8", "torus:2x4", "mesh:2x4", "hypercube:8", "full:8", "cluster:4x2", "dragonfly:2x2x2"}) {
    const Topology topology = parse_topology(name);
    for (const Algorithm* algorithm : all_algorithms()) {
      Problem problem = testing::problem_of(algorithm->collective, 8, 24);
      if (topology.grid().size() > 1) problem.grid = topology.grid();
      const Choice choice = testing::standard_choice(*algorithm, problem);
      if (applies(problem, choice))
        expect_links(make_schedule(problem, choice), topology, std::string(name) + ' ' + std::string(algorithm->id));
    }
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      expect_links(testing::random_schedule({.ranks = 8, .rounds = 3, .most_messages = 1 + static_cast<Count>(seed % 3)}, seed),
                   topology, std::string(name) + " seed " + std::to_string(seed));
  }
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    expect_links(testing::random_schedule({.ranks = 8, .rounds = 3, .most_messages = 1 + static_cast<Count>(seed % 3)}, seed),
                 random_topology(seed), "random topology " + std::to_string(seed));
  EXPECT_GT(alone, 100);
  EXPECT_GT(shared, alone);
}

// Two messages for rank 2 in a row of three: the head of the second waits until the first has left the link between 1
// and 2.
TEST(SimulateEvents, QueuesAtALink) {
  const Topology row = Topology::array(3);
  const Schedule schedule = make_schedule(testing::problem_of(Collective::gather, 3, 100, 2), "linear");
  const MessageTimes times{
      .latency = 10, .gap = 10, .per_byte = ByteTime::of_seconds(1e-12), .is_first_byte_included = false, .ports = 2};
  EXPECT_EQ(simulate_events(schedule, times).end, 110);
  EXPECT_EQ(simulate_events(schedule, times, {.topology = &row}).end, 210);
  EXPECT_EQ(simulate_events(schedule, times, {.topology = &row, .slow_links = row.link_count(), .slowness = 3}).end, 610);
}

// Halfway round a ring both directions are equally long, and a message takes the direction of its port.
TEST(SimulateEvents, RoutesMessagesByTheirPorts) {
  Problem problem = Problem::alltoall(16, 64);
  problem.grid = {4, 4};
  const Topology torus = Topology::torus({4, 4});
  const Schedule schedule = make_schedule(problem, "torus");
  const MessageTimes times = linear_times(4);
  EXPECT_EQ(simulate_events(schedule, times, {.barriers = true, .topology = &torus}).end, in_step(schedule, times))
      << "no two messages of a round share a link";
}

TEST(SimulateEvents, DrawsDisturbancesFromTheSeed) {
  const Topology torus = Topology::torus({4, 4});
  const Schedule schedule = make_schedule(Problem::alltoall(16, 1000), "bruck");
  const EventOptions calm{.topology = &torus};
  const auto end = [&](const EventOptions& options) { return simulate_events(schedule, loggp_times(), options).end; };
  for (const EventOptions& trouble : {EventOptions{.topology = &torus, .seed = 5, .late_ranks = 3, .late_by = 50 * microsecond},
                                      EventOptions{.topology = &torus, .seed = 5, .slow_links = 9, .slowness = 20},
                                      EventOptions{.topology = &torus, .seed = 5, .jitter = 0.3}}) {
    EXPECT_GT(end(trouble), end(calm));
    EXPECT_EQ(end(trouble), end(trouble));
  }
  EventOptions jitter{.jitter = 0.3};
  const Picoseconds first = end(jitter);
  jitter.seed = 2;
  EXPECT_NE(end(jitter), first);
  jitter.jitter = 0;
  EXPECT_EQ(end(jitter), end({})) << "a seed alone changes nothing";
}

TEST(SimulateEvents, ReportsItsProgress) {
  std::vector<Count> told;
  simulate_events(make_schedule(Problem::alltoall(600, 8), "direct"), loggp_times(),
                  {.progress = [&](Count arrived, Count messages) {
                    told.insert(told.end(), {arrived, messages});
                  }});
  EXPECT_EQ(told, (std::vector<Count>{0, 600 * 599, Count{1} << 18, 600 * 599}));
}

TEST(SimulateEvents, RefusesInvalidOptions) {
  const Schedule schedule = make_schedule(Problem::alltoall(4, 8), "shift");
  const Topology ring = Topology::ring(4), other = Topology::ring(5);
  const auto refuses = [&](const EventOptions& options) { EXPECT_THROW(simulate_events(schedule, loggp_times(), options), Error); };
  refuses({.topology = &other});
  refuses({.late_ranks = 5});
  refuses({.late_by = -1});
  refuses({.slow_links = 1});
  refuses({.topology = &ring, .slow_links = 9});
  refuses({.topology = &ring, .slow_links = 1, .slowness = 0.5});
  refuses({.jitter = -1});
  EXPECT_THROW(message_times(*find_model("free-running"), find_machine("sp2")), Error);
  EXPECT_THROW(message_times(*find_model("loggp"), find_machine("sp2")), Error);
  Schedule broken = schedule;
  broken.program = [&](Rank rank) {
    Program program = schedule.program(rank);
    if (rank == 2) program.rounds[1].receives.clear();
    return program;
  };
  EXPECT_THROW(simulate_events(broken, loggp_times()), Error);
  EXPECT_THROW(simulate_events(make_schedule(Problem::alltoall(4, Bytes{1} << 57), "shift"), linear_times(1)), Error) << "106 days";
}

}  // namespace
}  // namespace quadrille
