// SPDX-License-Identifier: BSD-3-Clause
// The basic operations of the slides: their costs, T = steps ts + words tw m, each on its network, and their worked pictures.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

struct Entry {
  const char* operation;
  Collective collective;
  const char* specification;
  Topology network;
  double steps, words;  // what the slides say
  const char* slide;
};

struct Counted {
  double steps = 0, words = 0;
};

Counted counted_words(const Problem& problem, const char* specification, const Topology& network) {
  const Price price = plain_price(problem, specification, 1, &network);
  return {Number(price.terms.at(0).amount), ratio(price.terms.at(1).amount, problem.block_bytes)};
}

std::vector<Entry> entries(Count p) {
  using enum Collective;
  const Number n = p, d = std::log2(n), root = std::sqrt(n);
  const auto side = static_cast<Count>(root);
  const Topology ring = Topology::ring(p), mesh = Topology::mesh({side, side}), cube = Topology::hypercube(p);
  return {
      {"one-to-all broadcast", broadcast, "binomial", ring, d, d, "Cost Analysis of broadcast and reduction"},
      {"one-to-all broadcast", broadcast, "mesh", mesh, d, d, "Cost Analysis of broadcast and reduction"},
      {"one-to-all broadcast", broadcast, "binomial", cube, d, d, "Cost Analysis of broadcast and reduction"},
      {"all-to-one reduction", reduce, "mesh", mesh, d, d, "Cost Analysis of broadcast and reduction"},
      {"all-to-one reduction", reduce, "binomial", cube, d, d, "Cost Analysis of broadcast and reduction"},
      {"all-to-all broadcast", allgather, "ring", ring, n - 1, n - 1, "Cost Analysis of all-to-all communication"},
      {"all-to-all broadcast", allgather, "mesh", mesh, 2 * (root - 1), n - 1, "Cost Analysis of all-to-all communication"},
      {"all-to-all broadcast", allgather, "recursive-doubling", cube, d, n - 1, "Cost Analysis of all-to-all communication"},
      {"all-to-all reduction", reduce_scatter, "ring", ring, n - 1, n - 1, "Cost Analysis of all-to-all communication"},
      {"all-to-all reduction", reduce_scatter, "mesh", mesh, 2 * (root - 1), n - 1, "Cost Analysis of all-to-all communication"},
      {"all-to-all reduction", reduce_scatter, "recursive-halving", cube, d, n - 1, "Cost Analysis of all-to-all communication"},
      {"all-reduce", allreduce, "recursive-doubling", cube, d, d, "All-Reduce and Prefix-Sum Operations"},
      {"prefix sums", scan, "hypercube", cube, d, d, "PREFIX_SUMS_HCUBE, lines 5 to 8"},
      {"scatter", scatter, "binomial", cube, d, n - 1, "Cost of Scatter and Gather"},
      {"scatter", scatter, "binomial", Topology::array(p), d, n - 1, "Cost of Scatter and Gather"},
      {"scatter", scatter, "mesh", mesh, d, n - 1, "Cost of Scatter and Gather"},
      {"gather", gather, "binomial", cube, d, n - 1, "Cost of Scatter and Gather"},
      {"gather", gather, "binomial", Topology::array(p), d, n - 1, "Cost of Scatter and Gather"},
      {"gather", gather, "mesh", mesh, d, n - 1, "Cost of Scatter and Gather"},
      {"all-to-all personalised", alltoall, "ring", ring, n - 1, n * (n - 1) / 2,
       "All-to-All Personalized Communication on a Ring: Cost"},
      {"all-to-all personalised", alltoall, "mesh", mesh, 2 * (root - 1), n * (root - 1),
       "All-to-All Personalized Communication on a Mesh: Cost"},
      {"all-to-all personalised", alltoall, "hypercube", cube, d, n / 2 * d,
       "All-to-All Personalized Communication on a Hypercube: Cost"},
      {"all-to-all personalised, optimal", alltoall, "xor", cube, n - 1, n - 1,
       "All-to-All Personalized Communication on a Hypercube: Cost Analysis of Optimal Algorithm"}};
}

// Returns the number of ranks with the right result after the slides' PREFIX_SUMS. Here + concatenates
// words, so that the order matters.
Count right_prefixes(Count nodes) {
  std::vector<std::string> message, result;
  for (Rank k = 0; k < nodes; ++k) message.push_back(fmt::format("{},", k));
  result = message;
  for (Count bit = 1; bit < nodes; bit *= 2) {
    const std::vector<std::string> sent = message;
    for (Rank k = 0; k < nodes; ++k) {
      const std::string& number = sent[index(k ^ bit)];
      message[index(k)] += number;
      if ((k ^ bit) < k) result[index(k)] += number;
    }
  }
  Count right = 0;
  std::string prefix;
  for (Rank k = 0; k < nodes; ++k) {
    prefix += fmt::format("{},", k);
    right += result[index(k)] == prefix ? 1 : 0;
  }
  return right;
}

// Returns the number of right components of y = A x if rank (i, j) has a_ij x_j and the products of a column are summed, which is
// wrong: a component of y is the sum over a row.
Count right_components_by_columns(Count n) {
  const auto product = [n](Count i, Count j) { return (n * i + j) * (j + 1); };
  Count right = 0;
  for (Count k = 0; k < n; ++k) {
    Count along_column = 0, along_row = 0;
    for (Count other = 0; other < n; ++other) {
      along_column += product(other, k);
      along_row += product(k, other);
    }
    right += along_column == along_row ? 1 : 0;
  }
  return right;
}

// Compares operations with each other.
void compare_operations(Count p, Reproduction& made) {
  const Counted ring = counted_words(problem_of(Collective::allgather, p, 1), "ring", Topology::ring(p)),
                naive = counted_words(problem_of(Collective::allgather, p, 1), "broadcasts", Topology::ring(p));
  made.equal("all-to-all broadcast on a ring, \"in p steps\"", 64, ring.steps, "All-to-All Broadcast and Reduction on a Ring")
      .found(Outcome::misprint, 63, "it is p - 1, as the slide says three lines further down");
  const Topology cube = Topology::hypercube(p);
  const Counted doubling = counted_words(problem_of(Collective::allreduce, p, 1), "recursive-doubling", cube),
                two_steps = counted_words(problem_of(Collective::allreduce, p, 1), "reduce-broadcast", cube);
  for (const auto& [unit, one, two] :
       {std::tuple("steps", doubling.steps, two_steps.steps), {"words", doubling.words, two_steps.words}})
    made.equal(fmt::format("all-reduce over reduction and broadcast one after the other: {}, \"half the time of doing the two step "
                           "implementation\"",
                           unit),
               0.5, one / two, "All-Reduce and Prefix-Sum Operations");
  const auto time_of = [](const Counted& counts) { return counts.steps + counts.words; };
  made.at_least(
          "p one-to-all broadcasts over passing on to neighbours, on a ring: ratio of their times if ts = tw m, \"not the most "
          "efficient\"",
          1, time_of(naive) / time_of(ring), "All-to-All Broadcast and Reduction on a Ring")
      .reading();
  const auto over_least = [](Count n) { return ratio(n * (n - 1), figures(make_schedule(Problem::alltoall(n, 2), "torus")).c2); };
  made.equal(
          "all-to-all personalised on a ring: words over the fewest with all ports; this ratio on 64 ranks over that on 16 "
          "(\"asymptotically optimal\", despite the factor of 4)",
          1, over_least(64) / over_least(16), "All-to-All Personalized Communication on a Ring: Cost")
      .tolerance = 0.06;
}

// Compares what the slides say about how operations work.
void compare_statements(Reproduction& made) {
  made.equal("number of 8 ranks with the right prefix after PREFIX_SUMS with an operator that does not commute", 8,
             right_prefixes(8), "The Prefix-Sum Operation, PREFIX_SUMS_HCUBE")
      .found(Outcome::beyond_assumptions, 1,
             "the slides ask for sums of numbers, which commute; their code always adds incoming data on the right, whereas "
             "scan/hypercube keeps the order")
      .reading();
  Count fixed = 0;
  for (Count label = 0; label < 8; ++label) fixed += ((label ^ 5) ^ 5) == (label ^ 5) ? 1 : 0;
  made.equal("number of 8 labels for which x -> x XOR 5 is idempotent", 8, fixed, "Broadcast and Reduction Algorithms")
      .found(Outcome::misprint, 0, "the function is an involution, its own inverse, as the slide says in brackets");
  made.equal("matrix-vector product, 4 x 4: number of right components after \"reduction operations along the columns\"", 4,
             right_components_by_columns(4), "Broadcast and Reduction: Example")
      .found(Outcome::misprint, 0,
             "x is broadcast along the columns, so a component of A x is the sum of a row; examples/matrix_vector_threads.cpp sums "
             "the rows");
  const ExpectedPiece last = expected_output(problem_of(Collective::scan, 8, 1), 3).back();
  made.equal("prefix sums: numbers that rank 3 uses, \"the k-node subset\"", 3, last.last - last.first + 1,
             "The Prefix-Sum Operation")
      .found(Outcome::misprint, 4, "there are k + 1 labels up to k, as in the sum that the slides define");
}

Reproduction make_grama2003_costs(const Making& making) {
  Reproduction made{.remarks = {"Misprints that concern no number, some of which may be the transcript's: the cost of a message is "
                                "ts + tw m, not ts + t_m w; ALL_TO_ONE_REDUCE reduces to rank 0 only; \"Euler's identity\" is the "
                                "arithmetic series; local numbers of n elements go from 0 to n - 1."}};
  const Count p = 64;
  Sheet& sheet =
      made.add_sheet({.columns = {"operation", "network", "algorithm", "steps (slides)", "steps", "words/m (slides)", "words/m"}});
  for (const Entry& entry : entries(p)) {
    making.show(entry.operation);
    const Counted ours = counted_words(problem_of(entry.collective, p, 1), entry.specification, entry.network);
    sheet.rows.push_back({std::string(entry.operation), entry.network.name(), std::string(entry.specification), entry.steps,
                          ours.steps, entry.words, ours.words});
    const std::string place = fmt::format("{}, {}", entry.operation, entry.network.name());
    made.equal(place + ": steps", entry.steps, ours.steps, entry.slide);
    made.equal(place + ": words/m", entry.words, ours.words, entry.slide);
  }
  compare_operations(p, made);
  compare_statements(made);
  return made;
}

// Checks the slides' worked pictures: small networks, message by message.

Reproduction make_grama2003_figures(const Making&) {
  using enum Collective;
  Reproduction made;
  Sheet& sheet =
      made.add_sheet({.columns = {"picture", "steps", "longest message of each step", "words/m", "most messages on a link"}});
  const auto draw = [&](const std::string& title, const Problem& problem, const char* specification, const Topology& network,
                        const std::vector<Bytes>& sizes, Count sharing, const char* picture) {
    const Schedule schedule = make_schedule(problem, specification);
    const std::vector<Bytes> longest = longest_by_round(schedule);
    const LinkFigures links = link_figures(schedule, network);
    sheet.rows.push_back({title, size(longest), listed(longest), links.c2_shared, links.sharing});
    made.equal(title + ": steps", sizes.size(), longest.size(), picture);
    Bytes words = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      words += sizes[i] == (i < longest.size() ? longest[i] : 0) ? 1 : 0;
    }
    made.equal(title + ": steps with messages of the size shown", sizes.size(), words, picture);
    made.equal(title + ": messages on a link, maximum", sharing, links.sharing, picture);
  };
  draw("one-to-all broadcast on a ring of eight", problem_of(broadcast, 8, 1), "binomial", Topology::ring(8), {1, 1, 1}, 1,
       "One-to-All Broadcast, figure");
  draw("reduction on a ring of eight", problem_of(reduce, 8, 1), "binomial", Topology::ring(8), {1, 1, 1}, 1,
       "All-to-One Reduction, figure");
  draw("one-to-all broadcast on a mesh of sixteen", problem_of(broadcast, 16, 1), "mesh", Topology::mesh({4, 4}), {1, 1, 1, 1}, 1,
       "Broadcast and Reduction on a Mesh: Example");
  const std::vector<StageFigures> lines = stage_figures(make_schedule(problem_of(broadcast, 16, 1), "mesh"));
  for (std::size_t i = 0; i < 2; ++i)
    made.equal(fmt::format("one-to-all broadcast on a mesh of sixteen: steps along the {}, \"the first step does the operation "
                           "along a row and the second step along each column\"",
                           lines.at(i).name),
               2, lines.at(i).rounds.size(), "Broadcast and Reduction on a Mesh");
  draw("one-to-all broadcast on a hypercube of eight", problem_of(broadcast, 8, 1), "binomial", Topology::hypercube(8), {1, 1, 1},
       1, "Broadcast and Reduction on a Hypercube: Example");
  draw("all-to-all broadcast on a ring of eight", problem_of(allgather, 8, 1), "ring", Topology::ring(8), {1, 1, 1, 1, 1, 1, 1}, 1,
       "All-to-All Broadcast and Reduction on a Ring, figure");
  draw("all-to-all broadcast on a 3 x 3 mesh", problem_of(allgather, 9, 1), "mesh", Topology::mesh({3, 3}), {1, 1, 3, 3}, 1,
       "All-to-all Broadcast on a Mesh, figure");
  draw("all-to-all broadcast on a hypercube of eight", problem_of(allgather, 8, 1), "recursive-doubling", Topology::hypercube(8),
       {1, 2, 4}, 1, "All-to-all broadcast on a Hypercube, figure");
  draw("the same, mapped onto a ring", problem_of(allgather, 8, 1), "recursive-doubling", Topology::ring(8), {1, 2, 4}, 4,
       "All-to-all broadcast: Notes, figure");
  draw("prefix sums on a hypercube of eight", problem_of(scan, 8, 1), "hypercube", Topology::hypercube(8), {1, 1, 1}, 1,
       "The Prefix-Sum Operation, figure");
  draw("scatter on a hypercube of eight", problem_of(scatter, 8, 1), "binomial", Topology::hypercube(8), {4, 2, 1}, 1,
       "Example of the Scatter Operation");
  draw("all-to-all personalised on a ring of six", problem_of(alltoall, 6, 1), "ring", Topology::ring(6), {5, 4, 3, 2, 1}, 1,
       "All-to-All Personalized Communication on a Ring, figure");
  draw("all-to-all personalised on a 3 x 3 mesh", problem_of(alltoall, 9, 1), "mesh", Topology::mesh({3, 3}), {6, 3, 6, 3}, 1,
       "All-to-All Personalized Communication on a Mesh, figure");
  draw("all-to-all personalised on a hypercube of eight", problem_of(alltoall, 8, 1), "hypercube", Topology::hypercube(8),
       {4, 4, 4}, 1, "All-to-All Personalized Communication on a Hypercube, figure");
  draw("the optimal one on a hypercube of eight", problem_of(alltoall, 8, 1), "xor", Topology::hypercube(8), {1, 1, 1, 1, 1, 1, 1},
       1, "All-to-All Personalized Communication on a Hypercube: Optimal Algorithm, figure");
  return made;
}

}  // namespace

extern const Exhibit grama2003_costs{
    .title = "Costs of the basic operations on 64 ranks",
    .source = "grama2003, cost analysis of each operation",
    .about = "counted from schedules on the network; messages that share a link would count for more words",
    .make = make_grama2003_costs,
};

extern const Exhibit grama2003_figures{
    .title = "The slides' pictures, message by message",
    .source = "grama2003, figures of each operation",
    .about = "sizes of messages in blocks, and how many messages of a step share a directed link of the network",
    .make = make_grama2003_figures,
};

}  // namespace quadrille::papers
