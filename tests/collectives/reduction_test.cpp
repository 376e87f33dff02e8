// SPDX-License-Identifier: BSD-3-Clause
// Reductions: exact figures compared with the literature's formulas, worked examples, and the order of combining.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "quadrille/algorithm.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/error.hpp"
#include "quadrille/interpreter.hpp"
#include "quadrille/verify.hpp"
#include "support/cases.hpp"
#include "support/rounds_and_units.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

Problem with_order(Problem problem, Combining combining) {
  problem.commutative = combining != Combining::rank_order;
  problem.reproducible = combining == Combining::fixed_tree;
  return problem;
}

bool applies(const Problem& problem, const std::string& specification) {
  return applies(problem, parse_choice(problem, specification)).has_value();
}

TEST(ReduceScatter, HasTheFiguresOfTheFormulas) {
  const auto count = [](Count p, const std::string& specification) {
    return rounds_and_units(problem_of(Collective::reduce_scatter, p, unit), specification);
  };
  for (Count p = 1; p <= extent(17, 67, 130); ++p) {
    ASSERT_EQ(count(p, "ring"), Figure(p - 1, p - 1));
    ASSERT_EQ(count(p, "circulant"), Figure(depth(p), p - 1)) << p;
    for (Count rows = 1; rows <= p; ++rows)
      if (p % rows == 0) ASSERT_EQ(count(p, fmt::format("mesh:rows={}", rows)), Figure(rows + p / rows - 2, p - 1)) << p;
    if (is_power(p))
      for (const char* first : {"near", "far"})
        ASSERT_EQ(count(p, fmt::format("recursive-halving:first={}", first)), Figure(depth(p), p - 1));
  }
  EXPECT_EQ(count(8, "ring"), Figure(7, 7));
  EXPECT_EQ(count(8, "recursive-halving"), Figure(3, 7));
  EXPECT_EQ(count(9, "mesh"), Figure(4, 8));
  EXPECT_EQ(count(1'000'003, "circulant"), Figure(20, 1'000'002));
  EXPECT_EQ(figures(make_schedule(problem_of(Collective::reduce_scatter, 6, 3), "direct")), (Figures{1, 3, 5, 5, 15, 15, 12, 0}));
}

TEST(ReduceScatter, WithEqualSharesIsTheRegularOne) {
  for (Count p = 1; p <= 33; ++p) {
    const Problem regular = problem_of(Collective::reduce_scatter, p, unit);
    Problem irregular = problem_of(Collective::reduce_scatterv, p, unit);
    irregular.counts = std::make_shared<const std::vector<Bytes>>(static_cast<std::size_t>(p), unit);
    for (const char* id : {"ring", "circulant", "direct", "recursive-halving:first=near", "recursive-halving:first=far"})
      if (applies(regular, id))
        ASSERT_EQ(figures(make_schedule(regular, id)), figures(make_schedule(irregular, id))) << p << ' ' << id;
  }
}

TEST(ReduceScatter, NeedsLittleScratchMemory) {
  const auto scratch = [](Count p, const std::string& specification) {
    return figures(make_schedule(problem_of(Collective::reduce_scatter, p, unit), specification)).scratch / unit;
  };
  EXPECT_EQ(scratch(2, "ring"), 0);
  EXPECT_EQ(scratch(64, "ring"), 2) << "two blocks of scratch memory alternate";
  EXPECT_EQ(scratch(64, "recursive-halving:first=far"), 32 + 16) << "the memory of sent blocks is reused";
  EXPECT_EQ(scratch(64, "recursive-halving:first=near"), 32 + 16 + 8);
  EXPECT_EQ(scratch(64, "direct"), 62);
}

TEST(ReduceScatter, KeepsTheStatedOrder) {
  const auto keeps = [](Count p, const std::string& specification) {
    const Problem problem = problem_of(Collective::reduce_scatter, p, 1);
    const Choice choice = parse_choice(problem, specification);
    return choice.algorithm->combining(problem, choice.parameters);
  };
  EXPECT_EQ(keeps(8, "recursive-halving:first=near"), Combining::fixed_tree);
  EXPECT_EQ(keeps(8, "recursive-halving:first=far"), Combining::any_order);
  EXPECT_EQ(keeps(2, "ring"), Combining::fixed_tree);
  EXPECT_EQ(keeps(3, "ring"), Combining::any_order);
  const Problem ordered = with_order(problem_of(Collective::reduce_scatter, 8, 4), Combining::rank_order);
  EXPECT_THROW(make_schedule(ordered, "ring"), Error);
  EXPECT_THROW(make_schedule(ordered, "recursive-halving:first=far"), Error);
  EXPECT_TRUE(verify(make_schedule(ordered, "recursive-halving")).empty()) << "near partners come first by default";
}

TEST(Reduce, HasTheFiguresOfTheFormulas) {
  for (Count p = 1; p <= extent(17, 67, 130); ++p)
    for (const Rank root : roots_of(Collective::reduce, p, 3)) {
      const auto count = [&](const std::string& specification, Bytes units, Combining combining = Combining::any_order) {
        return rounds_and_units(with_order(problem_of(Collective::reduce, p, units * unit, root), combining), specification);
      };
      const Count d = depth(p), pairs = p - 1;
      ASSERT_EQ(count("binomial", 1), Figure(d, d)) << p << ' ' << root;
      const Count forward = root == 0 || is_power(p) ? 0 : 1;
      for (const Combining combining : {Combining::rank_order, Combining::fixed_tree})
        ASSERT_EQ(count("binomial", 1, combining), Figure(d + forward, d + forward)) << p << ' ' << root;
      ASSERT_EQ(count("linear:ports=1", 1), Figure(pairs, pairs));
      if (p <= 33) {
        const auto halved = [&](const char* scatter) { return count(fmt::format("reduce-scatter-gather:scatter={}", scatter), p); };
        ASSERT_EQ(halved("circulant"), Figure(2 * d, 2 * pairs)) << p << ' ' << root;
        ASSERT_EQ(halved("ring"), Figure(d + pairs, 2 * pairs)) << p << ' ' << root;
        if (is_power(p)) ASSERT_EQ(halved("recursive-halving"), Figure(2 * d, 2 * pairs)) << p << ' ' << root;
      }
      for (const Count n : {1, 2, 5, 11})
        ASSERT_EQ(count(fmt::format("circulant:segments={}", n), n), p > 1 ? Figure(n - 1 + d, n - 1 + d) : Figure())
            << p << ' ' << n;
    }
}

TEST(Reduce, IsVerifiedForEveryRoot) {
  for (const Algorithm* algorithm : algorithms_for(Collective::reduce))
    for (Count p = 10; p <= extent(11, 18, 33); ++p)
      for (const Problem& problem : problems_of(Collective::reduce, p, p, /*all_roots_up_to=*/33)) {
        const Choice choice = standard_choice(*algorithm, problem);
        if (applies(problem, choice))
          ASSERT_TRUE(verify(make_schedule(problem, choice)).empty()) << algorithm->id << ' ' << description(problem);
      }
}

TEST(Reduce, LinearHoldsFewVectorsAtATime) {
  const auto scratch = [](Count p, const std::string& specification) {
    return figures(make_schedule(problem_of(Collective::reduce, p, unit, p / 2), specification)).scratch / unit;
  };
  EXPECT_EQ(scratch(64, "linear"), 62);
  EXPECT_LE(scratch(1000, "linear:ports=1"), 12) << "log2 p partial results, and two that arrive";
  EXPECT_LE(scratch(1000, "linear:ports=4"), 20);
}

TEST(Reduce, NeverCutsElements) {
  Problem problem = with_elements_of(problem_of(Collective::reduce, 5, 7, 2), 8);
  for (const char* specification : {"circulant:segments=3", "reduce-scatter-gather:scatter=ring", "binomial"})
    EXPECT_TRUE(verify(make_schedule(problem, specification)).empty()) << specification;
  EXPECT_THROW(make_schedule(problem, "circulant:segments=8"), Error);
}

// Every row can be a part, also those that are not among the choices.
TEST(Reductions, OfTwoPartsTakeEveryAlgorithmForEachPart) {
  const auto takes = [](Collective collective, const std::string& whole, Collective part_collective) {
    const Problem problem = with_elements_of(problem_of(collective, 4, 6), 1);
    int taken = 0;
    for (const Algorithm* part : algorithms_for(part_collective)) {
      if (part->node_ports) continue;  // for nodes, which this problem does not have
      const Choice choice = parse_choice(problem, whole + std::string(part->id));
      ASSERT_TRUE(applies(problem, choice)) << whole << part->id;
      EXPECT_TRUE(verify(make_schedule(problem, choice)).empty()) << whole << part->id;
      ++taken;
    }
    EXPECT_GE(taken, 4) << whole;
  };
  takes(Collective::reduce, "reduce-scatter-gather:scatter=", Collective::reduce_scatterv);
  takes(Collective::allreduce, "reduce-scatter-allgather:scatter=", Collective::reduce_scatterv);
  takes(Collective::allreduce, "reduce-scatter-allgather:gather=", Collective::allgatherv);
  takes(Collective::broadcast, "scatter-allgather:gather=", Collective::allgatherv);
  takes(Collective::allreduce, "reduce-broadcast:reduce=", Collective::reduce);
  takes(Collective::allreduce, "reduce-broadcast:broadcast=", Collective::broadcast);
  takes(Collective::allgatherv, "gather-broadcast:gather=", Collective::gatherv);
  takes(Collective::allgather, "gather-broadcast:broadcast=", Collective::broadcast);
  takes(Collective::reduce_scatter, "reduce-then-scatter:reduce=", Collective::reduce);
  takes(Collective::reduce_scatterv, "reduce-then-scatter:scatter=", Collective::scatterv);
}

TEST(Reductions, OfTwoPartsRefuseWrongParts) {
  const Problem problem = problem_of(Collective::allreduce, 4, 8);
  const auto refused = [&](const char* specification) {
    const auto result = applies(problem, parse_choice(problem, specification));
    return result ? std::string() : result.error();
  };
  EXPECT_TRUE(refused("reduce-broadcast:reduce=rung").starts_with("there is no reduce algorithm 'rung'"));
  EXPECT_TRUE(refused("reduce-broadcast:broadcast=(tree:fan-out=9)").starts_with("fan-out=9 is out of range"));
  EXPECT_TRUE(refused("reduce-scatter-allgather:scatter=rung").starts_with("there is no reduce_scatterv algorithm 'rung'"));
}

// With nodes, algorithms for nodes can be parts, too.
TEST(Reductions, OfTwoPartsTakeEveryAlgorithmAmongNodes) {
  const auto expect_taken = [](Collective whole, std::string_view id, std::string_view parameter, Collective parts) {
    Problem problem = problem_of(whole, 8, 64);
    problem.nodes = {0, 0, 1, 1, 2, 2, 3, 3};
    for (const Algorithm* part : algorithms_for(parts)) {
      const std::string specification = fmt::format("{}:{}={}", id, parameter, part->id);
      EXPECT_TRUE(verify(make_schedule(problem, specification)).empty()) << specification;
    }
  };
  expect_taken(Collective::reduce, "reduce-scatter-gather", "scatter", Collective::reduce_scatterv);
  expect_taken(Collective::allreduce, "reduce-scatter-allgather", "scatter", Collective::reduce_scatterv);
  expect_taken(Collective::allreduce, "reduce-scatter-allgather", "gather", Collective::allgatherv);
  expect_taken(Collective::broadcast, "scatter-allgather", "gather", Collective::allgatherv);
}

TEST(Allreduce, HasTheFiguresOfTheFormulas) {
  for (Count p = 1; p <= extent(17, 67, 130); ++p) {
    const auto count = [&](const std::string& specification, Bytes units) {
      return rounds_and_units(problem_of(Collective::allreduce, p, units * unit), specification);
    };
    const Count d = depth(p), pairs = p - 1, rounds = is_power(p) ? d : d - 1 + 2;
    ASSERT_EQ(count("recursive-doubling", 1), Figure(rounds, rounds)) << p;
    ASSERT_EQ(count("reduce-broadcast", 1), Figure(2 * d, 2 * d)) << p;
    ASSERT_EQ(count("ring", p), Figure(2 * pairs, 2 * pairs)) << p;
    ASSERT_EQ(count("circulant", p), Figure(2 * d, 2 * pairs)) << p;
    ASSERT_EQ(count("reduce-scatter-allgather", p), Figure(2 * d, 2 * pairs)) << p;
    ASSERT_EQ(count("reduce-scatter-allgather:scatter=circulant,gather=ring", p), Figure(d + pairs, 2 * pairs)) << p;
  }
  EXPECT_EQ(figures(make_schedule(problem_of(Collective::allreduce, 6, 3), "direct")), (Figures{1, 3, 5, 5, 15, 15, 12, 0}));
}

TEST(Allreduce, CirculantOnUnequalSharesIsTheWorkedExample) {
  const Figures counted = figures(make_schedule(problem_of(Collective::allreduce, 17, 48), "circulant"));
  EXPECT_EQ(counted.c1, 10);
  EXPECT_EQ(counted.c2, 94) << "2 * 48 * 16 / 17 is 90.35";
}

TEST(Allreduce, RingAndCirculantAreInstancesOfTheTwoParts) {
  for (const char* part : {"ring", "circulant"}) {
    const Problem problem = problem_of(Collective::allreduce, 6, 20);
    const Schedule instance = make_schedule(problem, part),
                   parts = make_schedule(problem, fmt::format("reduce-scatter-allgather:scatter={0},gather={0}", part));
    for (Rank rank = 0; rank < 6; ++rank) EXPECT_EQ(instance.program(rank), parts.program(rank));
  }
}

TEST(Allreduce, RecursiveDoublingCopiesNothing) {
  for (const Count p : {2, 5, 8, 13}) {
    const Schedule schedule = make_schedule(problem_of(Collective::allreduce, p, 8), "recursive-doubling");
    for (Rank rank = 0; rank < p; ++rank)
      for (const Round& round : schedule.program(rank).rounds)
        for (const Local& local : round.locals) EXPECT_EQ(local.kind, LocalKind::reduce);
  }
}

TEST(Scans, HaveTheFiguresOfTheFormulas) {
  for (const Collective collective : {Collective::scan, Collective::exscan})
    for (Count p = 1; p <= extent(17, 67, 130); ++p) {
      const auto count = [&](const std::string& specification) {
        return rounds_and_units(problem_of(collective, p, unit), specification);
      };
      const Count d = depth(p);
      ASSERT_EQ(count("distance-doubling"), Figure(d, d)) << p;
      ASSERT_EQ(count("chain:segments=1"), Figure(p - 1, p - 1)) << p;
      if (is_power(p)) ASSERT_EQ(count("hypercube"), Figure(d, d)) << p;
      const Figures direct = figures(make_schedule(problem_of(collective, p, unit), "direct"));
      ASSERT_EQ(direct.c1, p > 1 ? 1 : 0);
      ASSERT_EQ(direct.traffic_in, (p - 1) * unit);
    }
}

TEST(Scans, NeedAtMostThreeVectorsOfScratchMemory) {
  for (const Collective collective : {Collective::scan, Collective::exscan}) {
    EXPECT_LE(figures(make_schedule(problem_of(collective, 64, unit), "hypercube")).scratch, 3 * unit);
    EXPECT_LE(figures(make_schedule(problem_of(collective, 100, unit), "distance-doubling")).scratch, 3 * unit);
  }
  EXPECT_EQ(figures(make_schedule(problem_of(Collective::scan, 100, unit), "distance-doubling")).scratch, 2 * unit);
}

using Element = std::uint32_t;
using Function = Element (*)(Element, Element);

Element sum(Element a, Element b) { return a + b; }
// The composition of functions x -> m x + n, which is associative but does not commute.
Element composed(Element a, Element b) {
  const auto [m, n] = std::pair(a >> 16, a & 0xFFFFU);
  const auto [m_after, n_after] = std::pair(b >> 16, b & 0xFFFFU);
  return (m * m_after & 0xFFFFU) << 16 | ((n * m_after + n_after) & 0xFFFFU);
}
// Neither associative nor commutative, so the result depends on the tree.
Element any(Element a, Element b) { return a * 31 + b * 17 + 7; }

Element along_tree(const std::function<Element(Rank)>& operand, Rank first, Rank last, Function apply) {
  if (first == last) return operand(first);
  const Rank split = tree_split(first, last);
  return apply(along_tree(operand, first, split - 1, apply), along_tree(operand, split, last, apply));
}

void expect_values(const Problem& problem, const Choice& choice, Function apply) {
  const auto element_of = [](const ByteVector& bytes, Bytes offset) {
    Element element = 0;
    std::memcpy(&element, bytes.data() + offset, sizeof element);
    return element;
  };
  const auto operation = std::make_shared<const quadrille::Operator>(
      quadrille::Operator{.name = "any function",
                          .type = "u32",
                          .element_bytes = sizeof(Element),
                          .combine =
                              [apply](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
                                for (Count i = 0; i < elements; ++i, source += sizeof(Element), target += sizeof(Element)) {
                                  Element s = 0, t = 0;
                                  std::memcpy(&s, source, sizeof s);
                                  std::memcpy(&t, target, sizeof t);
                                  t = order == OperandOrder::source_first ? apply(s, t) : apply(t, s);
                                  std::memcpy(target, &t, sizeof t);
                                }
                              },
                          .mpi = {}});
  std::mt19937 random(1);
  std::vector<ByteVector> inputs;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    inputs.emplace_back(static_cast<std::size_t>(input_bytes(problem, rank)));
    for (std::byte& byte : inputs.back()) byte = static_cast<std::byte>(random());
  }
  const auto outputs = interpret(make_schedule(problem, choice), inputs, {.operation = operation});
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    for (const ExpectedPiece& piece : expected_output(problem, rank))
      for (Bytes at = 0; at < piece.length; at += static_cast<Bytes>(sizeof(Element))) {
        const auto operand = [&](Rank from) { return element_of(inputs[static_cast<std::size_t>(from)], piece.input_offset + at); };
        ASSERT_EQ(element_of(outputs[static_cast<std::size_t>(rank)], piece.offset + at),
                  along_tree(operand, piece.first, piece.last, apply))
            << choice.algorithm->id << ' ' << description(problem) << " rank " << rank;
      }
}

TEST(Reductions, GiveTheRightValues) {
  for (const Algorithm* algorithm : all_algorithms()) {
    if (!is_reduction(algorithm->collective)) continue;
    for (Count p = 1; p <= 9; ++p)
      for (const Rank root : roots_of(algorithm->collective, p)) {
        const Problem problem = with_elements_of(problem_of(algorithm->collective, p, 5, root), sizeof(Element));
        for (const auto& [combining, apply] : {std::pair(Combining::any_order, &sum), std::pair(Combining::rank_order, &composed),
                                               std::pair(Combining::fixed_tree, &any)})
          for (const Choice& choice : all_choices(*algorithm, with_order(problem, combining)))
            expect_values(with_order(problem, combining), choice, apply);
      }
  }
}

// The order that a row states is kept, and no stricter one; with up to three ranks a stricter order may hold by chance.
TEST(Reductions, KeepTheStatedOrder) {
  for (const Algorithm* algorithm : all_algorithms()) {
    if (!is_reduction(algorithm->collective)) continue;
    for (const Count p : {2, 3, 4, 5, 6, 7, 8, 12, 13, 16})
      for (const Rank root : roots_of(algorithm->collective, p, 3)) {
        const Problem problem = with_elements_of(problem_of(algorithm->collective, p, p, root), 4);
        const Choice choice = standard_choice(*algorithm, problem);
        if (!applies(problem, choice)) continue;
        const Schedule made = make_schedule(problem, choice);
        for (const Combining asked : {Combining::rank_order, Combining::fixed_tree}) {
          Schedule same = made;  // programs made for an operator that commutes
          same.problem = with_order(problem, asked);
          const bool holds = verify(same).empty(), said = algorithm->combining(problem, choice.parameters) >= asked;
          EXPECT_TRUE(holds || !said) << specification(made) << ' ' << description(same.problem);
          EXPECT_TRUE(said || !holds || p == 3) << specification(made) << ' ' << description(same.problem);
        }
      }
  }
}

TEST(Reductions, OfAMillionRanksHaveShortPrograms) {
  const Count p = Count{1} << 20;
  for (const char* specification : {"recursive-halving:first=near", "recursive-halving:first=far", "circulant"}) {
    const Schedule schedule = make_schedule(problem_of(Collective::reduce_scatter, p, 8), specification);
    for (const Rank rank : {Rank{0}, Rank{17}, p - 1}) EXPECT_EQ(schedule.program(rank).rounds.size(), 21u) << specification;
  }
  for (const Collective collective : {Collective::scan, Collective::exscan})
    for (const char* specification : {"hypercube", "distance-doubling"}) {
      const Schedule schedule = make_schedule(problem_of(collective, p, 8), specification);
      for (const Rank rank : {Rank{0}, Rank{17}, p - 1}) EXPECT_LE(schedule.program(rank).rounds.size(), 21u) << specification;
    }
  for (const Rank rank : {Rank{0}, Rank{17}, p})
    EXPECT_LE(make_schedule(problem_of(Collective::allreduce, p + 1, 8), "recursive-doubling").program(rank).rounds.size(), 22u);
  for (const char* specification : {"binomial", "circulant"}) {
    const Schedule schedule = make_schedule(problem_of(Collective::reduce, p + 1, 8, 17), specification);
    for (const Rank rank : {Rank{0}, Rank{17}, Rank{18}, p}) EXPECT_LE(schedule.program(rank).rounds.size(), 22u) << specification;
  }
}

}  // namespace
}  // namespace quadrille
