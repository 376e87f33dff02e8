// SPDX-License-Identifier: BSD-3-Clause
// Tests alltoallv of ranks that know only their own counts; headers tell them the rest when the plan is made.
#include "plan/headers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/slices/slice_code.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/groups.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "support/cases.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Problem as_seen_by(Rank rank, const Problem& problem) {
  std::vector<Bytes> column(static_cast<std::size_t>(problem.ranks), 0);
  for (const Share& share : Traffic(problem).received_by(rank)) column[static_cast<std::size_t>(share.peer)] = share.bytes;
  return alltoallv_of_rank(rank, Traffic(problem).row(rank), column);
}

// A byte value that depends on its sender, receiver and offset.
std::byte label(Rank from, Rank to, Bytes offset) {
  return static_cast<std::byte>(from * 89 + to * 37 + offset * 7 + offset / 256);
}

std::vector<std::byte> filled(const std::vector<Share>& shares, Bytes length, auto&& label_of) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(length));
  for (const Share& share : shares)
    for (Bytes i = 0; i < share.bytes; ++i) buffer[static_cast<std::size_t>(share.offset + i)] = label_of(share.peer, i);
  return buffer;
}

std::vector<std::byte> input_of(const Problem& problem, Rank me) {
  return filled(Traffic(problem).sent_by(me), input_bytes(problem, me), [&](Rank to, Bytes i) { return label(me, to, i); });
}

std::vector<std::byte> output_of(const Problem& problem, Rank me) {
  return filled(Traffic(problem).received_by(me), output_bytes(problem, me),
                [&](Rank from, Bytes i) { return label(from, me, i); });
}

std::vector<Problem> problems(Count p) {
  std::vector<Problem> list{Problem::alltoallv(p, std::vector<TrafficEntry>{}),
                            Problem::alltoallv(p, std::vector<TrafficEntry>{{p / 2, p - 1, 1000}})};
  for (const TrafficKind kind : all_traffic_kinds())
    list.push_back(make_traffic(p, {.kind = kind, .most = 700, .small = 1, .typical = 90, .density = 0.3}));
  return list;
}

std::vector<std::string> specifications(Count p) {
  std::vector<std::string> list{"two-phase:counts=headers,grain=8", "grid:counts=headers", "four-stage:counts=headers,grain=8"};
  if (p == 5 || p == 11) list.push_back("folded-four-stage:counts=headers,grain=8");
  if (p == 8 || p == 12)
    for (const char* id : {"grid:", "four-stage:grain=8,"}) list.push_back(fmt::format("{}sides=2x{}x2,counts=headers", id, p / 4));
  return list;
}

// The program is the same, region by region, as in the schedule made from the whole matrix of counts.
TEST(Headers, TellEachRankItsProgramOfTheWholeSchedule) {
  for (Count p = 1; p <= (sanitized ? 6 : 12); ++p)
    for (const Problem& problem : problems(p))
      for (const std::string& specification : specifications(p)) {
        const Schedule schedule = make_schedule(problem, specification);
        run_threads(p, [&](Communicator& ranks) {
          const Rank me = ranks.rank();
          const Problem seen = as_seen_by(me, problem);
          const Choice choice = parse_choice(seen, specification);
          const auto incremental = choice.algorithm->incremental(seen, choice.parameters, me);
          EXPECT_EQ(program_by_headers(ranks, *incremental), schedule.program(me)) << specification << " p=" << p;
        });
        if (HasFailure()) return;
      }
}

TEST(Headers, PlansMoveTheDataUnderEachPolicy) {
  for (const Count p : {1, 2, 5, 8})
    for (const Problem& problem : problems(p))
      for (const std::string& specification : specifications(p))
        for (const Policy policy : {Policy::blocking, Policy::nonblocking, Policy::dataflow})
          run_threads(p, [&](Communicator& ranks) {
            const Rank me = ranks.rank();
            Plan made = plan(ranks, as_seen_by(me, problem), {.algorithm = specification, .policy = policy});
            const std::vector<std::byte> input = input_of(problem, me);
            std::vector<std::byte> output(static_cast<std::size_t>(output_bytes(problem, me)));
            for (int run = 0; run < 2; ++run) {
              std::fill(output.begin(), output.end(), std::byte{0});
              made.execute(input.data(), output.data());
              EXPECT_EQ(output, output_of(problem, me)) << specification << " p=" << p;
            }
          });
}

TEST(Headers, IsPlannedFromOwnCounts) {
  const Problem problem = make_traffic(6, {.kind = TrafficKind::spike, .most = 5000, .small = 3});
  run_threads(6, [&](Communicator& ranks) {
    const Rank me = ranks.rank();
    const Problem seen = as_seen_by(me, problem);
    const std::vector<std::byte> input = input_of(problem, me);
    for (const char* specification :
         {"four-stage:counts=headers", "grid:counts=headers", "two-phase:counts=headers", "shift", "direct"}) {
      std::vector<std::byte> output(static_cast<std::size_t>(output_bytes(problem, me)));
      Plan made = plan(ranks, seen, {.algorithm = specification});
      made.execute(input.data(), output.data());
      EXPECT_EQ(output, output_of(problem, me)) << specification;
      const Phases phases = made.execute_timed(input.data(), output.data());
      EXPECT_GE(phases.communicate_s, 0);
      std::fill(output.begin(), output.end(), std::byte{0});
      made.start(input.data(), output.data()).wait();
      EXPECT_EQ(output, output_of(problem, me)) << specification;
    }
    for (const char* specification : {"four-stage", "two-phase:counts=known", "padded-bruck"})
      EXPECT_THROW(plan(ranks, seen, {.algorithm = specification}), Error) << specification;
  });
}

// Blocks with gaps, in any order, and in place, where received bytes overwrite sent ones. Six ranks make four passes, which use the
// output for data in transit.
TEST(Headers, RunsOnLayoutsAndInPlace) {
  for (const Count p : {3, 6})
    run_threads(p, [&](Communicator& ranks) {
      const Rank me = ranks.rank();
      std::vector<Bytes> row;  // symmetric; some pairs exchange nothing
      for (Rank other = 0; other < p; ++other)
        row.push_back(other + me == p - 1 && other != me ? 0
                      : other == me                      ? 300 - 70 * me % 290
                                                         : 5 + 31 * (me * other + me + other) % 400);
      const Problem seen = alltoallv_of_rank(me, row, row);
      const std::vector<Share> sent = Traffic(seen).sent_by(me), received = Traffic(seen).received_by(me);
      for (const char* specification :
           {"four-stage:counts=headers,grain=8", "four-stage:counts=headers", "grid:counts=headers", "two-phase:counts=headers"}) {
        PlanOptions options{.algorithm = specification, .layouts = {}, .in_place = false};
        for (std::size_t i = sent.size(); i-- > 0;)
          options.layouts.input.push_back({1000 * static_cast<Bytes>(sent.size() - i), sent[i].bytes});
        std::reverse(options.layouts.input.begin(), options.layouts.input.end());
        for (const Share& share : received) options.layouts.output.push_back({500 * (p - 1 - share.peer), share.bytes});
        std::vector<std::byte> input(static_cast<std::size_t>(1000 * (p + 1))),
            output(static_cast<std::size_t>(500 * (p + 1)), std::byte{0x55}), expected = output;
        for (std::size_t i = 0; i < sent.size(); ++i)
          for (Bytes byte = 0; byte < sent[i].bytes; ++byte)
            input[static_cast<std::size_t>(options.layouts.input[i].offset + byte)] = label(me, sent[i].peer, byte);
        for (const Share& share : received)
          for (Bytes byte = 0; byte < share.bytes; ++byte)
            expected[static_cast<std::size_t>(500 * (p - 1 - share.peer) + byte)] = label(share.peer, me, byte);
        const std::vector<std::byte> before = input;
        plan(ranks, seen, options).execute(input.data(), output.data());
        EXPECT_EQ(output, expected) << specification;
        EXPECT_EQ(input, before) << specification;

        Plan made = plan(ranks, seen, {.algorithm = specification, .in_place = true});
        for (int run = 0; run < 2; ++run) {
          std::vector<std::byte> buffer = filled(sent, input_bytes(seen, me), [&](Rank to, Bytes i) { return label(me, to, i); });
          made.execute_in_place(buffer.data());
          EXPECT_EQ(buffer, output_of(seen, me)) << specification;
        }
      }
    });
}

TEST(Headers, IsRefusedIfSentAndExpectedSizesDiffer) {
  run_threads(3, [](Communicator& ranks) {
    std::vector<Bytes> row{5, 5, 5}, column{5, 5, 5};
    if (ranks.rank() == 1) row[2] = 6;
    for (const char* specification : {"four-stage:counts=headers", "direct"})
      EXPECT_THROW(plan(ranks, alltoallv_of_rank(ranks.rank(), row, column), {.algorithm = specification}), Error);
  });
  EXPECT_THROW(alltoallv_of_rank(0, {1, 2}, {2, 2}), Error);
  EXPECT_THROW(alltoallv_of_rank(2, {1, 2}, {1, 2}), Error);
  EXPECT_THROW(alltoallv_of_rank(0, {1, 2}, {1}), Error);
}

// In place, a rank that reads its input after it has written output saves the input first. Rank 2 lacks the memory for that.
TEST(Headers, IsPlannedByAllRanksOrByNone) {
  if (sanitized) GTEST_SKIP() << "the address sanitizer ends the process instead of throwing std::bad_alloc";
  const Bytes most = Bytes{1} << 60;
  run_threads(3, [&](Communicator& ranks) {
    const Rank me = ranks.rank();
    std::vector<Bytes> row(3, 0);
    if (me != 0) row[static_cast<std::size_t>(3 - me)] = most;
    try {
      plan(ranks, alltoallv_of_rank(me, row, row), {.algorithm = "grid:counts=headers", .in_place = true});
      ADD_FAILURE() << "rank " << me << " has a plan";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::too_large);
      EXPECT_TRUE(std::string_view(error.what()).starts_with(me == 2 ? "there is not" : "rank 2: there is not")) << error.what();
    }
    ranks.barrier();
  });
}

// Returns the program of rank 0 of two. The other rank's messages are made up by the test.
std::unique_ptr<IncrementalProgram> first_of_two(Bytes expected) {
  const Problem problem = alltoallv_of_rank(0, {0, 0}, {0, expected});
  const Choice choice = parse_choice(problem, "grid:counts=headers");
  auto program = choice.algorithm->incremental(problem, choice.parameters, 0);
  EXPECT_NE(program->next_stage(), nullptr);
  return program;
}

TEST(Headers, RefusesHeadersThatContradictPayloadOrCounts) {
  const auto header = [](const CodedSlice& slice) {
    SliceCoder coder(1);
    coder.add(slice);
    return coder.code();
  };
  EXPECT_EQ(bytes(first_of_two(7)->arrived(1, header({0, 1, 0, 7}), 7)), 7);
  EXPECT_THROW(first_of_two(7)->arrived(1, header({0, 1, 0, 7}), 6), Error);  // shorter than its header says
  EXPECT_THROW(first_of_two(7)->arrived(1, header({0, 1, 0, 8}), 8), Error);  // more than expected
  EXPECT_THROW(first_of_two(7)->arrived(1, header({1, 1, 0, 7}), 7), Error);  // for another rank
  EXPECT_THROW(first_of_two(7)->arrived(1, header({0, 0, 0, 7}), 7), Error);  // from another rank
  EXPECT_THROW(first_of_two(7)->arrived(1, header({0, 9, 0, 7}), 7), Error);  // from a rank that does not exist
  EXPECT_THROW(first_of_two(7)->arrived(0, header({0, 1, 0, 7}), 7), Error);  // not the message that is expected next
  EXPECT_THROW(first_of_two(7)->arrived(1, std::vector<std::uint8_t>{}, 7), Error);
  EXPECT_THROW(first_of_two(7)->arrived(1, std::vector<std::uint8_t>{128}, 0), Error);
  const auto short_of_bytes = first_of_two(7);
  short_of_bytes->arrived(1, header({0, 1, 0, 5}), 5);
  EXPECT_EQ(short_of_bytes->next_stage(), nullptr);
  EXPECT_THROW(short_of_bytes->finish(), Error);
}

}  // namespace
}  // namespace quadrille
