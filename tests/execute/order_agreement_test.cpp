// SPDX-License-Identifier: BSD-3-Clause
// Gives random programs to the verifier, the event simulator and the executors. Many of the programs have messages that cross, or
// that no rank receives. All three must agree on which programs finish.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "execute/shared/communicator.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/simulate.hpp"
#include "schedule/composition.hpp"
#include "schedule/ordering.hpp"
#include "simulate/event_run.hpp"
#include "support/apart.hpp"
#include "support/cases.hpp"
#include "verify/finding_list.hpp"

namespace quadrille {
namespace {

constexpr Bytes length = 1032;  // length of every message: above 1 KiB, so that costs can make it long
constexpr Bytes memory_bytes = 3 * length;
constexpr std::array<Policy, 3> policies{Policy::blocking, Policy::nonblocking, Policy::dataflow};

struct RandomCase {
  std::vector<Program> programs;
  bool is_matched = true;       // every message has its sender and its receiver in the same round and on the same port
  bool has_one_meaning = true;  // no byte is received twice in a round
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  RandomCase make(Count ranks) {
    const Count rounds = 1 + below(5);
    made_.programs.resize(index(ranks));
    const std::vector<Stage> stages{{"one", 0, rounds / 2}, {"two", rounds / 2, rounds - rounds / 2}};
    for (Rank rank = 0; rank < ranks; ++rank) {
      Program& program = made_.programs[index(rank)];
      program = {.rank = rank, .scratch_bytes = memory_bytes, .stages = stages};
      program.rounds.resize(index(rounds));
      for (Count number = 0; number < rounds; ++number) program.rounds[index(number)].number = number;
      for (const Buffer buffer : {Buffer::output, Buffer::scratch})
        program.rounds[0].locals.push_back({.source = {{Buffer::input, 0, memory_bytes}}, .target = {{buffer, 0, memory_bytes}}});
    }
    for (Count number = 0; number < rounds; ++number) fill_round(ranks, index(number));
    for (Count mistakes = below(2) * (1 + below(8)); mistakes > 0; --mistakes) mistake(ranks, rounds);
    for (Program& program : made_.programs)
      for (const Round& round : program.rounds) check_receives(round);
    return std::move(made_);
  }

 private:
  Count below(Count limit) { return static_cast<Count>(random_() % static_cast<std::uint64_t>(limit)); }

  // Returns the bytes of a message at one of a few places, so that many messages overlap; sometimes in two pieces.
  Regions region() {
    const Buffer buffer = below(2) == 0 ? Buffer::output : Buffer::scratch;
    if (below(4) == 0) return {{buffer, below(2) * length / 2, length / 2, {{{2, length}, {}, {}}}}};
    return {{buffer, below(5) * length / 2, length, {}}};
  }

  void fill_round(Count ranks, std::size_t number) {
    const bool only_controls = below(8) == 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      Round& own = made_.programs[index(rank)].rounds[number];
      if (below(3) == 0)  // between different buffers, so that source and target do not overlap
        own.locals.push_back({.source = {{Buffer::output, below(5) * length / 2, length, {}}},
                              .target = {{Buffer::scratch, below(5) * length / 2, length, {}}}});
    }
    for (Count turn = 1 + below(2); turn > 0; --turn) {
      std::vector<Rank> targets(index(ranks));
      std::iota(targets.begin(), targets.end(), Rank{0});
      std::shuffle(targets.begin(), targets.end(), random_);
      for (Rank from = 0; from < ranks; ++from) {
        const Rank to = targets[index(from)];
        if (to == from || below(5) == 0) continue;
        Round &sender = made_.programs[index(from)].rounds[number], &receiver = made_.programs[index(to)].rounds[number];
        const auto goes_there = [&](const auto& each) { return each.peer == to; };
        const bool has_control = std::any_of(sender.control_sends.begin(), sender.control_sends.end(), goes_there);
        if (!has_control && (only_controls || below(6) == 0)) {
          sender.control_sends.push_back({to, length});
          receiver.control_receives.push_back({from, length});
        }
        if (only_controls) continue;
        // A second message between the same ranks uses another port, sometimes a lower one.
        const bool again = std::any_of(sender.sends.begin(), sender.sends.end(), goes_there);
        const std::optional<Port> port = again ? std::optional(Port{static_cast<int>(turn), 1}) : std::nullopt;
        sender.sends.push_back({to, region(), port});
        receiver.receives.push_back({from, region(), port});
        if (below(2) == 0) std::swap(receiver.receives.front(), receiver.receives.back());
      }
    }
  }

  // Makes a mistake: moves one end of a message to another round, so that it crosses others, or removes it.
  void mistake(Count ranks, Count rounds) {
    Program& program = made_.programs[index(below(ranks))];
    Round& round = program.rounds[index(below(rounds))];
    std::vector<Message>& list = below(2) == 0 ? round.sends : round.receives;
    if (list.empty()) return;
    const bool is_send = &list == &round.sends;
    const auto which = list.begin() + below(size(list));
    Message moved = std::move(*which);
    list.erase(which);
    made_.is_matched = false;
    if (below(20) == 0) return;
    moved.port.reset();
    Round& target = program.rounds[index(below(rounds))];
    (is_send ? target.sends : target.receives).push_back(std::move(moved));
  }

  void check_receives(const Round& round) {
    std::set<std::pair<Buffer, Bytes>> halves;
    for (const Message& message : round.receives)
      for (const Region& region : message.regions)
        for_each_run(region, [&](Bytes offset, Bytes run) {
          for (Bytes half = offset; half < offset + run; half += length / 2)
            made_.has_one_meaning = made_.has_one_meaning && halves.emplace(region.buffer, half).second;
        });
  }

  std::mt19937_64 random_;
  RandomCase made_;
};

Schedule schedule_of(const RandomCase& random_case) {
  Schedule schedule;
  schedule.problem.collective = Collective::allgather;
  schedule.problem.ranks = size(random_case.programs);
  schedule.problem.block_bytes = memory_bytes;
  schedule.algorithm = "random";
  schedule.program = [&](Rank rank) { return random_case.programs[index(rank)]; };
  schedule.stated_input_bytes.assign(random_case.programs.size(), memory_bytes);
  return schedule;
}

bool verifier_finds_deadlock(const RandomCase& random_case, Policy policy) {
  FindingList findings(1);
  check_deadlock(random_case.programs, {policy}, findings);
  return findings.has(Rule::deadlock);
}

// Runs the simulator's event graph with rendezvous: each message waits for its receiver. Returns whether all events take place.
bool all_events_pass(const Schedule& schedule, Policy policy) {
  using Event = EventGraph::Event;
  const EventGraph graph = event_graph(schedule, {.policy = policy, .takes_lone_messages = true});
  std::vector<Event> other_end(graph.kinds.size(), EventGraph::none), next(other_end);
  std::vector<std::uint32_t> missing = graph.waits_for;
  for (Event event = 0; event < graph.kinds.size(); ++event) {
    if (graph.kinds[event] == EventKind::receive) --missing[event];  // it waits for its send
    if (graph.kinds[event] != EventKind::send || graph.other_ends[event] == EventGraph::none) continue;
    other_end[event] = graph.other_ends[event];
    other_end[graph.other_ends[event]] = event;
  }
  std::vector<bool> held(graph.kinds.size(), false), posted(held), passed(held);
  for (const auto* first : {&graph.first_send, &graph.first_receive})
    for (const Event begin : *first) {
      std::map<std::uint32_t, Event> last;  // by peer: the last event of the channel
      for (Event event = begin; event != EventGraph::none; event = graph.next[event]) {
        if (other_end[event] == EventGraph::none) continue;  // unmatched, and so are all later events of its channel
        const auto [entry, fresh] = last.try_emplace(graph.ranks[other_end[event]], event);
        if (!fresh) held[event] = true, next[std::exchange(entry->second, event)] = event;
      }
    }
  std::size_t passed_count = 0;
  for (bool moved = true; std::exchange(moved, false);)
    for (Event event = 0; event < graph.kinds.size(); ++event) {
      const auto pass = [&](Event each) {
        passed[each] = moved = true;
        ++passed_count;
        for (const Event after : graph.events_after(each)) --missing[after];
      };
      if (posted[event] || held[event] || missing[event] > 0) continue;
      posted[event] = moved = true;
      if (next[event] != EventGraph::none) held[next[event]] = false;
      if (graph.kinds[event] == EventKind::gate)
        pass(event);
      else if (other_end[event] != EventGraph::none && posted[other_end[event]])
        pass(event), pass(other_end[event]);
    }
  return passed_count == passed.size();
}

// Detects a deadlock of ranks on threads: every rank has checked everything that it waits for, without success, since the last
// event at any rank.
class Watchdog {
 public:
  explicit Watchdog(Count ranks) : seen_(index(ranks)) {}

  void happens() { happened_.fetch_add(1); }
  std::uint64_t now() const { return happened_.load(); }
  void has_looked(Rank rank, std::uint64_t since) { seen_[index(rank)].store(since); }
  bool is_stuck() const {
    const std::uint64_t last = now();
    return std::all_of(seen_.begin(), seen_.end(), [&](const auto& seen) { return seen.load() == last || seen.load() == ended; }) &&
           std::any_of(seen_.begin(), seen_.end(), [&](const auto& seen) { return seen.load() != ended; }) && now() == last;
  }
  void ends(Rank rank) { has_looked(rank, ended); }

 private:
  static constexpr std::uint64_t ended = UINT64_MAX;
  std::atomic<std::uint64_t> happened_{1};
  std::vector<std::atomic<std::uint64_t>> seen_;
};

struct Stuck {};

// Messages that poll instead of waiting, and give up when the watchdog detects a deadlock.
class WatchedMessages : public SharedMessages {
 public:
  WatchedMessages(SharedSpace& space, const CopyCosts& costs, std::shared_ptr<const Script> script, Watchdog& watchdog)
      : SharedMessages(space, costs, std::move(script)), watchdog_(watchdog), rank_(space.rank()) {}

  void post_window(std::size_t) = delete;  // posts message by message

  // A deadlock of the program must not fail the group, which runs the next program.
  void fail(const Error&) noexcept {}

  void wait() {
    advance();  // what this rank has posted is now visible to other ranks
    watchdog_.happens();
    while (has_open()) wait_any();
  }
  std::uint32_t wait_any() {
    watchdog_.happens();
    for (;;) {
      const std::uint64_t before = watchdog_.now();
      if (const auto complete = advance_any()) {
        watchdog_.happens();
        return *complete;
      }
      watchdog_.has_looked(rank_, before);
      if (watchdog_.is_stuck()) throw Stuck{};
      std::this_thread::yield();
    }
  }

 private:
  Watchdog& watchdog_;
  const Rank rank_;
};

enum class Outcome : std::uint8_t { finished, stuck, refused };

// One rank's part of an execution on threads.
Outcome run(SharedCommunicator& communicator, const CopyCosts& costs, const Program& program, Policy policy, Watchdog& watchdog,
            const std::byte* input, std::byte* output) {
  const auto script = std::make_shared<const Script>(
      make_script(program, communicator.size(),
                  {.policy = policy, .strided_messages = true, .buffered_bytes = [&](Rank) { return costs.eager_limit(); }}));
  std::optional<ScriptExecutable<WatchedMessages>> executable;
  try {
    executable.emplace(*communicator.space(), costs, script, watchdog);
  } catch (const Error&) {
    return Outcome::refused;
  }
  Outcome outcome = Outcome::finished;
  try {
    executable->execute({input, output});
  } catch (const Stuck&) {
    outcome = Outcome::stuck;
  }
  watchdog.happens();
  watchdog.ends(communicator.rank());
  return outcome;
}

struct Expected {
  RandomCase random_case;
  std::array<bool, 3> deadlocks{};          // by policy: true if the verifier finds a deadlock
  std::vector<ByteVector> inputs, outputs;  // outputs: empty if the interpreter does not define them
  std::uint64_t seed = 0;
};

Expected expected_of(std::uint64_t seed, Count ranks) {
  Expected made{Maker(seed).make(ranks), {}, {}, {}, seed};
  const Schedule schedule = schedule_of(made.random_case);
  for (const Policy policy : policies) {
    const bool deadlocks = made.deadlocks[static_cast<std::size_t>(policy)] = verifier_finds_deadlock(made.random_case, policy);
    EXPECT_EQ(!all_events_pass(schedule, policy), deadlocks) << "seed " << seed << ", policy " << static_cast<int>(policy);
    if (made.random_case.is_matched) {
      EXPECT_FALSE(deadlocks) << "seed " << seed;
      EXPECT_NO_THROW(simulate_events(
          schedule,
          message_times(*find_model("linear"), Coefficients{{"startup_us", 1}, {"transfer_us_per_byte", 0.001}, {"ports", 1}}),
          {.policy = policy}))
          << "seed " << seed;
    }
  }
  std::mt19937_64 random(seed);
  for (Rank rank = 0; rank < ranks; ++rank) {
    ByteVector& input = made.inputs.emplace_back(index(memory_bytes));
    for (std::byte& each : input) each = static_cast<std::byte>(random());
  }
  if (made.random_case.is_matched && made.random_case.has_one_meaning) made.outputs = interpret(schedule, made.inputs);
  return made;
}

// A run on threads, and the outcome on each rank.
struct Trial {
  const Expected& expected;
  Policy policy;
  bool is_long;
  Watchdog watchdog;
  std::vector<Outcome> outcomes;  // by rank
  std::atomic<bool> is_right{true};

  Trial(const Expected& of, Policy its_policy, bool all_long, Count ranks)
      : expected(of), policy(its_policy), is_long(all_long), watchdog(ranks), outcomes(index(ranks)) {}
};

void run_all(std::deque<Trial>& trials, Count ranks) {
  run_threads(ranks, [&](Communicator& communicator) {
    auto& threads = dynamic_cast<SharedCommunicator&>(communicator);
    threads.space()->set_core_count(1);  // a rank that waits yields its core
    const auto me = index(communicator.rank());
    ByteVector output(index(memory_bytes * ranks));
    for (Trial& trial : trials) {
      const auto& [random_case, deadlocks, inputs, outputs, seed] = trial.expected;
      trial.outcomes[me] = run(threads, testing::costs_of_copying_once(trial.is_long ? 0 : 1), random_case.programs[me],
                               trial.policy, trial.watchdog, inputs[me].data(), output.data());
      if (trial.outcomes[me] == Outcome::finished && !outputs.empty() &&
          !std::equal(output.begin(), output.begin() + memory_bytes, outputs[me].begin()))
        trial.is_right = false;
    }
  });
}

TEST(OrderAgreement, VerifierSimulatorAndThreadsFinishTheSamePrograms) {
  const auto times = testing::extent<std::uint64_t>(1, 30, 1000);
  Count finished = 0, stuck = 0, refused = 0, right = 0;
  for (const Count ranks : {2, 3, 4, 5}) {
    const std::uint64_t count = times * std::array<std::uint64_t, 4>{45, 40, 12, 4}[index(ranks - 2)];  // 3,030 normally
    std::deque<Expected> cases;
    std::deque<Trial> trials;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Expected& expected = cases.emplace_back(expected_of(i * 4 + static_cast<std::uint64_t>(ranks) - 2, ranks));
      for (const Policy policy : policies) {
        trials.emplace_back(expected, policy, true, ranks);
        // Eager messages may complete although the verifier finds a deadlock, so test them only where it finds none; a quarter
        // suffices.
        if (!expected.deadlocks[static_cast<std::size_t>(policy)] && i % 4 == 0)
          trials.emplace_back(expected, policy, false, ranks);
      }
    }
    run_all(trials, ranks);
    for (const Trial& trial : trials) {
      const bool deadlocks = trial.expected.deadlocks[static_cast<std::size_t>(trial.policy)];
      const auto all_say = [&](Outcome outcome) {
        return std::all_of(trial.outcomes.begin(), trial.outcomes.end(), [&](Outcome each) { return each == outcome; });
      };
      EXPECT_EQ(all_say(Outcome::finished), !deadlocks) << trial.expected.seed << " on " << ranks << " ranks, policy "
                                                        << static_cast<int>(trial.policy) << (trial.is_long ? ", long" : ", eager");
      EXPECT_TRUE(trial.is_right) << trial.expected.seed << " on " << ranks << " ranks, policy " << static_cast<int>(trial.policy);
      finished += all_say(Outcome::finished) ? 1 : 0;
      refused += all_say(Outcome::refused) ? 1 : 0;
      stuck += !all_say(Outcome::finished) && !all_say(Outcome::refused) ? 1 : 0;
      right += all_say(Outcome::finished) && !trial.expected.outputs.empty() ? 1 : 0;
    }
  }
  RecordProperty("finished", static_cast<int>(finished));
  RecordProperty("stuck", static_cast<int>(stuck));
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("right", static_cast<int>(right));
  for (const Count each : {finished, stuck, refused, right}) EXPECT_GT(each, static_cast<Count>(times));
}

// A deadlock by packing, which the verifier has to find:
// 1. In round 2 rank 0 receives into memory that its send of the same round reads. So the send is packed when it is posted, and the
//    receive waits for the packing.
// 2. The send is posted after the previous send of its channel, in round 1, which forwards data from rank 2 (round 0).
// 3. Rank 2 sends these data only after it has received rank 0's send of round 3.
// 4. That send forwards the bytes of the receive of round 2.
TEST(OrderAgreement, ASendIsPackedWhenItIsPosted) {
  const Regions news{{Buffer::scratch, 0, length, {}}}, passed_on{{Buffer::output, 0, length, {}}};
  const Regions aside{{Buffer::output, length, length, {}}}, apart{{Buffer::output, 2 * length, length, {}}};
  Expected expected;
  std::vector<Program>& programs = expected.random_case.programs;
  for (Rank rank = 0; rank < 3; ++rank) {
    programs.push_back({.rank = rank, .scratch_bytes = memory_bytes, .stages = {{"all", 0, 5}}, .rounds = {}});
    programs.back().rounds.resize(5);
    for (Count number = 0; number < 5; ++number) programs.back().rounds[index(number)].number = number;
    expected.inputs.emplace_back(index(memory_bytes));
  }
  programs[0].rounds[0].receives = {{2, news, {}}};
  programs[0].rounds[1].sends = {{1, news, {}}};
  programs[0].rounds[2].sends = {{1, passed_on, {}}};
  programs[0].rounds[2].receives = {{1, passed_on, {}}};
  programs[0].rounds[3].sends = {{2, passed_on, {}}};
  programs[1].rounds[1].receives = {{0, aside, {}}};
  programs[1].rounds[2].receives = {{0, apart, {}}};
  programs[1].rounds[2].sends = {{0, news, {}}};
  programs[2].rounds[3].receives = {{0, aside, {}}};
  programs[2].rounds[4].sends = {{0, aside, {}}};
  EXPECT_TRUE(verifier_finds_deadlock(expected.random_case, Policy::dataflow));
  EXPECT_FALSE(all_events_pass(schedule_of(expected.random_case), Policy::dataflow));
  for (const bool is_long : {true, false}) {
    std::deque<Trial> trials;
    trials.emplace_back(expected, Policy::dataflow, is_long, 3);
    run_all(trials, 3);
    EXPECT_EQ(trials.front().outcomes[0], Outcome::stuck);
  }
}

}  // namespace
}  // namespace quadrille
