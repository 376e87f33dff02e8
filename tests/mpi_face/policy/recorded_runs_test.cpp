// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "mpi_face/policy/step.hpp"

namespace quadrille::mpi_face {
namespace {

// Runs of MPI programs that were recorded before step() existed, on rank 0: calls, events, and the actions that followed. They
// might spend 2 % of their time, 20 ms in the first second. Guests, and random programs. One
// action was added by hand: after guests have met, the ranks agree on their accounts again. Lines, after the number of a
// communicator:
//   c RANK RANKS IS_WORLD WEIGHT ADMITS_AT_ONCE      a communicator
//   k KIND FUNCTION BYTES ELEMENT COUNTS SYNCHRONISES MOVED PRICE NAME
//   x (KIND TICKS)...        calls in which the ranks do not meet. KIND!: which they do not count for it. For TICKS, -: Quadrille
//                            ran the call; ~SECONDS: it is part of a trial in place
//   e PRICE MEETS, p PRICE, q, n KIND, t KIND TICKS, a KIND SECONDS, b KIND      parts of other calls, and of trials in place
//   g                        the communicator is a guest from now on
//   m NOW IS_GUEST TICK_S    a meeting begins
//   > ACTION KIND NUMBER     what follows
//   < NOW RESULT ...         what came of it
class RecordedRun : public ::testing::TestWithParam<const char*> {
 protected:
  struct Recorded {
    State state;
    std::deque<CallKind> kinds;
    Action next;
  };

  void replay(const std::string& line);
  void replay_calls(Recorded& here, std::istringstream& words);
  Event event_of(std::istringstream& words);
  void expect(const Recorded& here, std::istringstream& words);

  DecidingProcess process_{.allowance = {.at_first_s = 0.02, .early_share = 0.02, .early_s = 0, .share = 0.02}};
  std::map<int, Recorded> recorded_;
  int actions_ = 0, messages_ = 0;
};

template <class T>
T next(std::istringstream& words) {
  T value{};
  words >> value;
  return value;
}

// Returns the algorithm of the first collective that has it.
Candidate algorithm_of(const std::string& text) {
  for (const Collective collective : all_collectives())
    if (names_vendor(text) || find_algorithm(collective, text.substr(0, text.find(':')))) return parse_candidate(collective, text);
  return {};
}

std::string until_bar(std::istringstream& words) {
  std::string text;
  std::getline(words >> std::ws, text, '|');
  return text;
}

void RecordedRun::replay_calls(Recorded& here, std::istringstream& words) {
  for (std::string number; words >> number;) {
    const bool is_apart = number.ends_with('!');
    CallKind& kind = here.kinds.at(std::stoul(number));
    const bool meets = !is_apart && kind.synchronises && here.state.meets(kind.price_s);
    EXPECT_FALSE(meets) << number;
    if (!is_apart && !kind.synchronises) here.state.meetings.adds(kind.price_s);
    ++kind.calls;
    const auto time = next<std::string>(words);
    if (time.starts_with('~')) kind.trial->count(std::stod(time.substr(1)));
    if (std::isdigit(time[0])) kind.vendor_times.count(std::stoul(time));
  }
}

Event RecordedRun::event_of(std::istringstream& words) {
  Event event{.now_s = next<double>(words)};
  if (next<std::string>(words) == "failed") event.what = Event::What::failed;
  const auto doubles = [&] {
    std::vector<double> all(next<std::size_t>(words));
    for (double& each : all) words >> each;
    return all;
  };
  for (std::string tag; words >> tag && tag != "Y";) {
    if (tag == "F") event.figures = doubles();
    if (tag == "V") event.vendors_s = doubles();
    if (tag == "O") event.ours_s.push_back(doubles());
    if (tag == "N")
      for (const double node : doubles()) event.nodes.push_back(static_cast<Count>(node));
    if (tag == "C") words >> event.choice_s >> event.plan_s;
    if (tag == "W") {
      const bool has_way = next<int>(words) != 0;
      Way way{.policy = static_cast<Policy>(next<int>(words)),
              .buffers = next<int>(words),
              .executor = static_cast<Executor>(next<int>(words))};
      way.algorithm = algorithm_of(until_bar(words));
      PlannedWay& made = event.made.emplace_back();
      if (has_way) made.way = way;
      made.why = until_bar(words);
    }
    if (tag == "M") {
      Instruction& message = event.message;
      message.what = static_cast<Instruction::What>(next<int>(words));
      words >> message.kind >> message.number;
      message.cause = static_cast<Cause>(next<int>(words));
      message.conclusion.end = static_cast<Alternation::End>(next<int>(words));
      words >> message.conclusion.remaining >> message.conclusion.best >> message.conclusion.ratio >> message.cost_s >>
          message.allowance_s >> message.next_meeting;
      Way way{.policy = static_cast<Policy>(next<int>(words)), .executor = static_cast<Executor>(next<int>(words))};
      way.buffers = next<int>(words);
      way.algorithm = algorithm_of(until_bar(words));
      message.way = packed(way).value_or(PackedWay{});
    }
  }
  std::getline(words >> std::ws, event.why);
  return event;
}

void RecordedRun::expect(const Recorded& here, std::istringstream& words) {
  EXPECT_EQ(names_of_actions[here.next.what], next<std::string>(words));
  const auto kind = next<std::uint32_t>(words);
  const int number = next<int>(words);
  EXPECT_TRUE(here.next.what < Do::make_named || here.next.kind == kind);
  EXPECT_TRUE(here.next.what < Do::make_contenders || here.next.number == number) << here.next.number;
  ++actions_;
}

void RecordedRun::replay(const std::string& line) {
  std::istringstream words(line);
  const char what = next<char>(words);
  Recorded& here = recorded_[next<int>(words)];
  State& state = here.state;
  const auto kind = [&]() -> CallKind& { return here.kinds.at(next<std::size_t>(words)); };
  switch (what) {
    case 'c':
      words >> state.rank >> state.ranks >> state.is_world >> state.weight >> state.admits_at_once;
      state.meetings = Meetings(state.ranks);
      break;
    case 'k': {
      CallKind& made = here.kinds.emplace_back();
      words >> made.number;
      ASSERT_EQ(made.number, state.kinds.size());
      made.key.function = static_cast<Function>(next<int>(words));
      words >> made.key.block_bytes >> made.key.element >> made.key.counts >> made.synchronises >> made.moved >> made.price_s;
      state.kinds.push_back(&made);
      break;
    }
    case 'x': replay_calls(here, words); break;
    case 'e': {
      const double price_s = next<double>(words);
      EXPECT_EQ(state.meets(price_s), next<bool>(words));
      break;
    }
    case 'p': state.meetings.adds(next<double>(words)); break;
    case 'q': state.ask(); break;
    case 'n': ++kind().calls; break;
    case 't': kind().vendor_times.count(next<std::uint64_t>(words)); break;
    case 'a': kind().trial->count(next<double>(words)); break;
    case 'b': kind().knows_blocks = true; break;
    case 'g':
      if (std::none_of(process_.guests.begin(), process_.guests.end(), [&](const Guest& guest) { return guest.state == &state; }))
        process_.guests.push_back({&state, 0});
      break;
    case 'm': {
      const Event event{.what = Event::What::meeting, .now_s = next<double>(words), .is_guest = next<bool>(words)};
      words >> state.tick_s;
      here.next = step(state, process_, event);
      break;
    }
    case '>': expect(here, words); break;
    case '<': {
      const Event event = event_of(words);
      if (here.next.what == Do::send_message && state.rank == 0) {
        const Instruction &ours = state.message, &told = event.message;
        EXPECT_EQ(ours.what, told.what);
        EXPECT_EQ(ours.kind, told.kind);
        EXPECT_EQ(ours.number, told.number);
        EXPECT_EQ(ours.cause, told.cause);
        EXPECT_EQ(ours.conclusion.end, told.conclusion.end);
        EXPECT_EQ(ours.conclusion.remaining, told.conclusion.remaining);
        EXPECT_EQ(ours.conclusion.best, told.conclusion.best);
        EXPECT_EQ(ours.next_meeting, told.next_meeting);
        EXPECT_EQ(unpacked(ours.way), unpacked(told.way));
        EXPECT_NEAR(ours.cost_s, told.cost_s, 1e-3 * told.cost_s);
        ++messages_;
      }
      here.next = step(state, process_, event);
      break;
    }
    default: FAIL() << "an unknown line";
  }
}

TEST_P(RecordedRun, IsRepeatedActionByAction) {
  std::ifstream lines(std::string(QUADRILLE_SOURCE_DIR "/tests/mpi_face/policy/recorded/") + GetParam() + ".txt");
  int number = 0;
  for (std::string line; std::getline(lines, line) && !HasFailure();) {
    SCOPED_TRACE("line " + std::to_string(++number) + ": " + line);
    replay(line);
  }
  EXPECT_GT(actions_, 30);
  EXPECT_GE(messages_, 10);
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedRun, ::testing::Values("guests", "random"));

}  // namespace
}  // namespace quadrille::mpi_face
