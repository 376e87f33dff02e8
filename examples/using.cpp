// SPDX-License-Identifier: BSD-3-Clause
// The code of docs/using.md, which quotes the lines between "part" and "end". It runs on as many threads as the argument says, or
// four, or as it is launched: mpirun -n 4 ./using
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

void one_shot(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank();
  // part: one shot
  std::vector<double> input(p * 100, static_cast<double>(me)), output(p * 100);
  alltoall(ranks, input, output);  // 100 elements to each rank, 100 from each
  // end
  for (Count i = 0; i < p * 100; ++i) check(output[i] == static_cast<double>(i / 100), "alltoall");

  // part: others
  std::vector<double> all(p * 100);
  allgather(ranks, std::span(input).first(100), all);  // 100 elements from each rank, in rank order, at all

  double step = me == 0 ? 0.25 : 0;
  broadcast(ranks, step);  // from rank 0; or broadcast(ranks, step, root), or a whole buffer

  const double longest = allreduce(ranks, step * static_cast<double>(me), op::max);  // of one value
  std::vector<double> sums(all.size());
  allreduce(ranks, all, sums, op::sum);  // element by element
  // end
  check(all == output && longest == 0.25 * static_cast<double>(p - 1), "others");
  for (std::size_t i = 0; i < sums.size(); ++i) check(sums[i] == static_cast<double>(p) * all[i], "sums");
}

void one_buffer(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank();
  // part: in place
  std::vector<int> all(p);
  all[me] = static_cast<int>(me * me);
  allgather(ranks, in_place, all);           // every rank's block is already in its place
  allreduce(ranks, in_place, all, op::sum);  // the sums replace the inputs
  alltoall(ranks, in_place, all);            // the block from rank i replaces the block for rank i
  // end
  for (Count i = 0; i < p; ++i) check(all[i] == static_cast<int>(p * me * me), "in place");
}

struct Particle {
  std::array<float, 3> position;
  int species;
};

void irregular(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank();
  std::vector<Particle> particles;
  std::vector<int> send_counts(p);
  for (Rank rank = 0; rank < p; ++rank)
    for (send_counts[rank] = 0; send_counts[rank] < rank; ++send_counts[rank])
      particles.push_back({{0, 0, 0}, static_cast<int>(100 * me + rank)});
  // part: irregular
  std::vector<int> receive_counts(p);
  alltoall(ranks, send_counts, receive_counts);  // tells each rank how many elements it will get
  std::vector<Particle> received(std::reduce(receive_counts.begin(), receive_counts.end()));
  alltoallv(ranks, particles, send_counts, received, receive_counts);  // blocks follow each other in both buffers
  // end
  std::fill(received.begin(), received.end(), Particle{});
  // part: irregular plan
  auto exchange = plan_alltoallv<Particle>(ranks, send_counts, receive_counts);
  exchange.execute(particles, received);
  // end
  check(std::ssize(received) == p * me, "number of particles");
  for (Count i = 0; i < p * me; ++i) check(received[i].species == 100 * (i / me) + me, "particles");
}

void with_displacements(Communicator& ranks) {
  const Count p = ranks.size();
  const std::vector<int> mine(ranks.rank() + 1, 7);
  std::vector<Count> counts(p), places(p);  // rank i gives i + 1 elements, and has room for p
  for (Rank rank = 0; rank < p; ++rank) {
    counts[rank] = rank + 1;
    places[rank] = rank * p;
  }
  std::vector<int> table(p * p);
  allgatherv(ranks, mine, table, {counts, places});
  for (Count i = 0; i < p * p; ++i) check(table[i] == (i % p <= i / p ? 7 : 0), "displacements");
}

// Every cell becomes the sum of itself and its two neighbours. The first and the last cell are copies of others.
void add_neighbours(std::vector<double>& cells) {
  const std::vector<double> old = cells;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) cells[i] = old[i - 1] + old[i] + old[i + 1];
}

void neighbours(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank(), n = 5;
  std::vector<double> cells(n + 2), whole(p * n + 2);  // `whole` is the ring as one rank computes it, with a cell at either end
  for (Count i = 1; i <= p * n; ++i) whole[i] = static_cast<double>(i * 37 % 101);
  std::copy_n(whole.begin() + me * n + 1, n, cells.begin() + 1);
  for (int step = 0; step < 10; ++step) {
    // part: neighbours
    // `cells`: one of the neighbour before, n of this rank, one of the neighbour behind. The ring wraps around.
    const Neighbors ring({.dimensions = {p}, .periodic = {true}}, me);  // the rank before, then the one behind
    const std::array<Count, 2> counts{1, 1}, sent{1, n}, received{0, n + 1};
    neighbor_alltoallv(ranks, ring, cells, {counts, sent}, cells, {counts, received});
    // end
    whole.front() = whole[p * n], whole.back() = whole[1];
    check(cells.front() == whole[me * n] && cells.back() == whole[me * n + n + 1], "halo of a ring");
    add_neighbours(cells), add_neighbours(whole);
    check(std::equal(cells.begin() + 1, cells.end() - 1, whole.begin() + me * n + 1), "cells of a ring");
  }
}

void tree(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank();
  // A binary tree: each rank tells its parent and its children its number, and learns theirs.
  const auto existing = [p](Rank rank) { return rank < p ? rank : -1; };  // a negative rank stands for no neighbour
  const std::vector<Rank> around{me == 0 ? -1 : (me - 1) / 2, existing(2 * me + 1), existing(2 * me + 2)};
  const std::array mine{static_cast<int>(me)};
  std::array theirs{-1, -1, -1};  // -1 stays where there is no neighbour
  neighbor_allgather(ranks, Neighbors(around, around), mine, theirs);
  for (std::size_t i = 0; i < around.size(); ++i) check(theirs[i] == around[i], "tree");
}

void layouts(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank();
  std::vector<double> rows(2 * p), columns(2 * p);
  for (Count i = 0; i < 2 * p; ++i) rows[i] = static_cast<double>(me * 2 * p + i);
  // A matrix of 2 p rows and p columns, of which each rank has two rows, becomes one of which each rank has a column.
  std::vector<Layout> sent, received;
  for (Rank rank = 0; rank < p; ++rank) {
    sent.push_back(shifted(strided(2, sizeof(double), p * Bytes{sizeof(double)}), rank * Bytes{sizeof(double)}));
    received.push_back({{.offset = rank * 2 * Bytes{sizeof(double)}, .length = 2 * sizeof(double)}});
  }
  alltoallw(ranks, rows.data(), sent, columns.data(), received);
  for (Count i = 0; i < 2 * p; ++i) check(columns[i] == static_cast<double>(i * p + me), "layouts");
}

void fixed_counts(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank(), n = 5;
  std::vector<double> cells(n + 2, static_cast<double>(me));
  // The first rank has no neighbour before, the last none behind.
  std::vector<Count> counts(p), sent(p), received(p);
  if (me > 0) counts[me - 1] = 1, sent[me - 1] = 1, received[me - 1] = 0;
  if (me + 1 < p) counts[me + 1] = 1, sent[me + 1] = n, received[me + 1] = n + 1;
  auto halo = plan_alltoallv<double>(ranks, {counts, sent}, {counts, received}, {.in_place = true});
  halo.execute_in_place(cells);
  for (Count i = 0; i < n + 2; ++i) {
    const Rank from = i == 0 && me > 0 ? me - 1 : i == n + 1 && me + 1 < p ? me + 1 : me;
    check(cells[i] == static_cast<double>(from), "neighbours by a plan");
  }
}

void edges(Communicator& ranks) {
  const Count p = ranks.size(), me = ranks.rank(), n = 5;
  std::vector<int> cells(n + 2);
  for (Count i = 1; i <= n; ++i) cells[i] = static_cast<int>(me * n + i);
  // part: edges
  // `cells`: one of the neighbour before, n of this rank, one of the neighbour behind. The ring wraps around.
  const Rank before = (me + p - 1) % p, behind = (me + 1) % p;
  const auto cell = [&](Count i) { return std::span(cells).subspan(i, 1); };
  const std::vector<Edges::Send> sends{edge_to(before, cell(1)), edge_to(behind, cell(n))};
  const std::vector<Edges::Receive> receives{edge_from(behind, cell(n + 1)), edge_from(before, cell(0))};
  exchange(ranks, sends, receives);       // or iexchange, which returns a request
  Exchange rims(ranks, sends, receives);  // the same edges again and again
  rims.execute();                         // or start
  // end
  check(cells.front() == before * n + n && cells.back() == behind * n + 1, "rims of a ring by edges");
}

void nonblocking(Communicator& ranks) {
  const Count p = ranks.size();
  std::vector<int> input(p, static_cast<int>(ranks.rank())), output(p), sum(p);
  const auto compute = [] {};
  // part: nonblocking
  Request exchange = ialltoall(ranks, input, output);
  Request adding = iallreduce(ranks, input, sum, op::sum);  // further ones may be started
  compute();
  exchange.wait();  // now `output` is complete; requests end in any order
  while (!adding.test()) compute();
  // end
  for (Count i = 0; i < p; ++i) check(output[i] == i && sum[i] == p * (p - 1) / 2, "nonblocking");
}

void planned(Communicator& ranks) {
  const Count p = ranks.size();
  std::vector<double> input(p * 100, 1), output(p * 100);
  // part: plan
  TypedPlan<double> exchange = plan_alltoall<double>(ranks, 100);  // 100 elements for each rank
  for (int step = 0; step < 10; ++step) {
    exchange.execute(input, output);
    Request next = exchange.start(output, input);
    next.wait();
  }
  // end
  check(output == std::vector<double>(p * 100, 1), "plan");

  // part: options
  TypedPlan<double> named = plan_alltoall<double>(ranks, 100, {.algorithm = "bruck:radix=2", .policy = Policy::dataflow});
  alltoall(ranks, input, output, {.algorithm = "direct"});
  TypedPlan<double> chosen = plan_alltoall<double>(ranks, 100);  // the algorithm is "auto"
  const Decision* why = chosen.untyped().decision();             // null where an algorithm was named
  if (ranks.rank() == 0) std::printf("%s: %s\n", chosen.untyped().algorithm().c_str(), why->reason.c_str());
  // end
  named.execute(input, output);
}

void operators(Communicator& ranks) {
  // part: operators
  struct Line {
    double a, b;  // the function x -> a x + b
  };
  const Line mine{2, static_cast<double>(ranks.rank())};
  const auto then = [](const Line& first, const Line& second) { return Line{second.a * first.a, second.a * first.b + second.b}; };
  const Line all = allreduce(ranks, mine, then);  // in rank order

  const auto longer = commutative([](double x, double y) { return x > y ? x : y; }, "longer");
  const double longest = allreduce(ranks, mine.b, longer);  // in any order: more algorithms apply
  // end
  Line expected{1, 0};
  for (Rank rank = 0; rank < ranks.size(); ++rank) expected = then(expected, {2, static_cast<double>(rank)});
  check(all.a == expected.a && all.b == expected.b && longest == static_cast<double>(ranks.size() - 1), "operators");
}

void untyped(Communicator& ranks) {
  const Count p = ranks.size();
  const std::vector<int> input(p, 3);
  std::vector<int> output(3 * p);
  const std::vector<double> vector(7, 2);
  std::vector<double> sums(7);
  // part: untyped
  const Problem problem = Problem::alltoall(p, sizeof(int));  // bytes for each rank
  execute(ranks, problem, input.data(), output.data());       // the plan is kept in the communicator

  Layouts layouts;  // where the blocks lie, in bytes: here every third int of the output
  for (Rank rank = 0; rank < p; ++rank) layouts.output.push_back({.offset = rank * 3 * Bytes{sizeof(int)}, .length = sizeof(int)});
  Plan scattered = plan(ranks, problem, {.layouts = layouts});
  scattered.execute(input.data(), output.data());

  const std::shared_ptr<const Operator> sum = built_in_operator("sum", "f64");
  Plan adding = plan(ranks, Problem::allreduce(p, 7 * sizeof(double), facts_of(*sum)), {.operation = sum});
  adding.execute(vector.data(), sums.data());
  // end
  for (Count i = 0; i < p; ++i) check(output[3 * i] == 3, "layout");
  check(sums == std::vector<double>(7, 2.0 * static_cast<double>(p)), "sums of vectors");
}

void errors(Communicator& ranks) {
  std::string said;
  std::vector<int> input(ranks.size()), output(ranks.size() + 1);
  // part: errors
  try {
    alltoall(ranks, input, output);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::misuse) said = error.what();  // one sentence, with both sizes
  }
  // end
  check(!said.empty(), "errors");
}

int main(int count, char** arguments) {
  run_launched(count > 1 ? std::atoi(arguments[1]) : 4, [](Communicator& ranks) {
    one_shot(ranks);
    one_buffer(ranks);
    irregular(ranks);
    with_displacements(ranks);
    neighbours(ranks);
    tree(ranks);
    layouts(ranks);
    fixed_counts(ranks);
    edges(ranks);
    nonblocking(ranks);
    planned(ranks);
    operators(ranks);
    untyped(ranks);
    errors(ranks);
  });
}
