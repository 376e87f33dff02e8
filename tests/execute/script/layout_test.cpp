// SPDX-License-Identifier: BSD-3-Clause
// Tests plans with layouts, for every algorithm: gaps, pieces in any order, input pieces that overlap, and in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "execute/script/layout.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

constexpr Policy policies[] = {Policy::blocking, Policy::nonblocking, Policy::dataflow};

// Returns a layout of `bytes` bytes in up to five pieces of whole elements, in any order, with gaps. Sets `room` to the size of the
// memory that contains them.
Layout scattered(Bytes bytes, Bytes element, std::mt19937& random, Bytes& room) {
  const Count elements = bytes / element;
  std::vector<Count> cuts{0, elements};
  for (int i = 0; i < 4; ++i) cuts.push_back(static_cast<Count>(random() % static_cast<std::uint64_t>(elements + 1)));
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::size_t> order(cuts.size() - 1);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  Layout layout(order.size());
  room = 0;
  for (const std::size_t i : order) {
    room += element * static_cast<Bytes>(random() % 3);
    layout[i] = {room, (cuts[i + 1] - cuts[i]) * element};
    room += layout[i].length;
  }
  return layout;
}

void scatter(const ByteVector& canonical, const Layout& layout, std::byte* memory) {
  auto from = canonical.begin();
  for (const LayoutPiece& piece : layout) {
    std::copy(from, from + piece.length, memory + piece.offset);
    from += piece.length;
  }
}

ByteVector gather(const Layout& layout, const std::byte* memory) {
  ByteVector canonical;
  for (const LayoutPiece& piece : layout)
    canonical.insert(canonical.end(), memory + piece.offset, memory + piece.offset + piece.length);
  return canonical;
}

template <class Run>
void for_each_case(Communicator& communicator, Run&& run) {
  for (const Algorithm* algorithm : all_algorithms())
    for (const Problem& problem : problems_of(algorithm->collective, communicator.size(), 6, 2)) {
      const Choice choice = standard_choice(*algorithm, problem);
      if (!applies(problem, choice)) continue;
      for (const Policy policy : policies) {
        SCOPED_TRACE(specification(make_schedule(problem, choice)) + ", " + description(problem));
        run(problem, PlanOptions{.algorithm = std::string(algorithm->id), .policy = policy, .operation = operation_for(problem)});
      }
    }
}

TEST(Layouts, WorkWithEveryAlgorithm) {
  for (const Count p : {1, 3, 4})
    run_threads(p, [](Communicator& communicator) {
      const Rank me = communicator.rank();
      std::mt19937 random(static_cast<unsigned>(me) + 3);  // layouts differ from rank to rank
      for_each_case(communicator, [&](const Problem& problem, PlanOptions options) {
        const auto data = probe_data(problem, me);
        ByteVector input(static_cast<std::size_t>(input_bytes(problem, me)));
        data->fill_input(0, input.data());
        Bytes input_room = 0, output_room = 0;
        options.layouts.input = scattered(input_bytes(problem, me), problem.element_bytes, random, input_room);
        options.layouts.output = scattered(output_bytes(problem, me), problem.element_bytes, random, output_room);
        ByteVector from(static_cast<std::size_t>(input_room)), to(static_cast<std::size_t>(output_room), std::byte{0x77});
        scatter(input, options.layouts.input, from.data());
        const ByteVector before = from;
        Plan made = plan(communicator, problem, options);
        for (int run = 0; run < 2; ++run) made.execute(from.data(), to.data());
        EXPECT_EQ(data->compare_output(0, gather(options.layouts.output, to.data()).data()), "");
        EXPECT_TRUE(from == before);
        // Overwrites all pieces of the output. If a byte between the pieces has changed, the check after it finds it.
        scatter(ByteVector(static_cast<std::size_t>(output_bytes(problem, me)), std::byte{0x77}), options.layouts.output,
                to.data());
        EXPECT_TRUE(std::all_of(to.begin(), to.end(), [](std::byte byte) { return byte == std::byte{0x77}; }));
      });
    });
}

TEST(Layouts, InPlaceWorksWithEveryAlgorithm) {
  for (const Count p : {1, 3, 4, 8})
    run_threads(p, [](Communicator& communicator) {
      const Rank me = communicator.rank();
      for_each_case(communicator, [&](Problem problem, PlanOptions options) {
        if (problem.collective == Collective::alltoallv) {  // in place its counts must be symmetric
          std::vector<Bytes> counts = *problem.counts;
          for (Rank i = 0; i < problem.ranks; ++i)
            for (Rank j = 0; j < i; ++j)
              counts[static_cast<std::size_t>(i * problem.ranks + j)] = counts[static_cast<std::size_t>(j * problem.ranks + i)];
          problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
        }
        options.in_place = true;
        const auto data = probe_data(problem, me);
        const Layouts places = in_place_layouts(problem, me);
        ByteVector input(static_cast<std::size_t>(input_bytes(problem, me)));
        ByteVector buffer(static_cast<std::size_t>(std::max(extent(places.input, input_bytes(problem, me)).second,
                                                            extent(places.output, output_bytes(problem, me)).second)));
        Plan made = plan(communicator, problem, options);
        for (int run = 0; run < 2; ++run) {
          data->fill_input(0, input.data());
          scatter(input, places.input, buffer.data());
          made.execute_in_place(buffer.data());
          EXPECT_EQ(data->compare_output(0, gather(places.output, buffer.data()).data()), "");
        }
      });
    });
}

TEST(Layouts, InPlaceCopiesTheInputOnlyIfNecessary) {
  run_threads(4, [](Communicator& communicator) {
    const Problem gather = problem_of(Collective::allgather, 4, 8);
    EXPECT_EQ(plan(communicator, gather, {.algorithm = "ring", .in_place = true}).scratch_bytes(), 0);
    EXPECT_EQ(plan(communicator, Problem::alltoall(4, 8), {.algorithm = "direct", .in_place = true}).scratch_bytes(), 0)
        << "one round: the executor stages what it overwrites";
    EXPECT_EQ(plan(communicator, Problem::alltoall(4, 8), {.algorithm = "shift", .in_place = true}).scratch_bytes(), 32);
  });
}

TEST(Layouts, OverlappingInputPiecesAreReadTwice) {
  run_threads(2, [](Communicator& communicator) {
    Plan made = plan(communicator, Problem::alltoall(2, 2), {.layouts = {.input = {{1, 2}, {0, 2}}}});
    const char mine[3] = {'a', communicator.rank() == 0 ? 'b' : 'B', 'c'};
    char got[4];
    made.execute(mine, got);
    EXPECT_EQ(std::string(got, 4), communicator.rank() == 0 ? "bcBc" : "abaB");
  });
}

TEST(Layouts, AreRefusedIfTheyDoNotFit) {
  run_threads(2, [](Communicator& communicator) {
    const auto refused = [&](const Layouts& layouts) {
      EXPECT_THROW(plan(communicator, Problem::alltoall(2, 4), {.layouts = layouts}), Error);
    };
    refused({.input = {{0, 7}}});
    refused({.input = {{0, 12}, {20, -4}}});
    refused({.output = {{0, 4}, {2, 4}}});
    Problem sum;
    sum.collective = Collective::allreduce;
    sum.ranks = 2;
    sum.block_bytes = 8;
    sum.element_bytes = 4;
    const PlanOptions torn{
        .algorithm = "recursive-doubling", .operation = built_in_operator("sum", "u32"), .layouts = {.input = {{0, 3}, {4, 5}}}};
    EXPECT_THROW(plan(communicator, sum, torn), Error);
    PlanOptions whole = torn;
    whole.layouts.input = {{0, 3}, {3, 1}, {8, 4}};
    EXPECT_NO_THROW(plan(communicator, sum, whole));
    whole.layouts.input = {{0, 3}, {50, 0}, {3, 1}, {8, 4}};
    EXPECT_NO_THROW(plan(communicator, sum, whole)) << "an empty piece cuts no element";
    PlanOptions far = torn;
    far.layouts.input = {{std::numeric_limits<Bytes>::max() - 2, 8}};
    EXPECT_THROW(plan(communicator, sum, far), Error);
    Plan in_place = plan(communicator, Problem::alltoall(2, 4), {.in_place = true}),
         apart = plan(communicator, Problem::alltoall(2, 4));
    std::vector<std::byte> memory(16);
    EXPECT_THROW(in_place.execute(memory.data(), memory.data() + 8), Error);
    EXPECT_THROW(apart.execute_in_place(memory.data()), Error);
  });
  const std::vector<Count> two{1, 2}, three{1, 2, 3}, negative{-1, 2}, large{Count{1} << 62, 0};
  EXPECT_EQ(layout(two, two, 4), (Layout{{4, 4}, {8, 8}}));
  EXPECT_THROW(layout(two, three), Error);
  EXPECT_THROW(layout(negative, two), Error);
  EXPECT_THROW(layout(large, two, 4), Error);
}

TEST(Layouts, AreStridedAndShifted) {
  EXPECT_EQ(strided(3, 4, 10), (Layout{{0, 4}, {10, 4}, {20, 4}}));
  EXPECT_EQ(shifted(strided(2, 4, -10), 3), (Layout{{3, 4}, {-7, 4}}));
  EXPECT_EQ(strided(0, 4, 10), Layout{});
  EXPECT_THROW(strided(-1, 4, 10), Error);
  EXPECT_THROW(strided(1, -4, 10), Error);
  EXPECT_THROW(strided(3, 4, Bytes{1} << 62), Error);
  EXPECT_THROW(shifted({{1, 4}}, std::numeric_limits<Bytes>::max()), Error);
}

}  // namespace
}  // namespace quadrille
