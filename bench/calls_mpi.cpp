// SPDX-License-Identifier: BSD-3-Clause
// Compares one-shot typed calls with the MPI library's blocking collectives, for all that have one, alternating in one process. A
// typed call finds its stored plan; alltoallv, gatherv and scatterv need none. Prints a line for each collective and size: MPI
// library, ranks, collective, bytes (of a block, or of the vector), the library's and our time in microseconds, the ratio library's
// / ours and its interval. Sizes whose buffers take more than the memory given, at all ranks together, are left out.
// Usage, under mpirun: calls_mpi [--repetitions N] [--least BYTES] [--most BYTES] [--memory BYTES] [--only COLLECTIVE]
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpi_program.hpp"
#include "mpi_times.hpp"
#include "quadrille/collectives.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::bench {
namespace {

struct Settings {
  long repetitions = 11;
  Bytes least = 0, most = Bytes{1} << 22;  // sizes
  Bytes memory = Bytes{1} << 29;
  std::string only;  // the only collective to measure; empty: all
};

enum Way { vendors, ours };

struct NoTypedCall {};  // thrown for a collective that has none

// Does a rank have a block for each rank in its input (and in its output)? Otherwise it has one block.
bool sends_blocks(Collective collective) {
  switch (collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::reduce_scatter:
    case Collective::reduce_scatterv:
    case Collective::scatter:
    case Collective::scatterv: return true;
    default: return false;
  }
}

bool receives_blocks(Collective collective) {
  switch (collective) {
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::gather:
    case Collective::gatherv: return true;
    default: return false;
  }
}

// One collective on blocks of n doubles. The two ways have buffers and counts of their own types, over the same memory.
class Cell {
 public:
  Cell(Communicator& ranks, Collective collective, Bytes bytes)
      : ranks_(ranks),
        collective_(collective),
        p_(index(ranks.size())),
        n_(static_cast<std::size_t>(bytes) / sizeof(double)),
        counts_(p_, static_cast<int>(n_)),
        places_(p_),
        input_((sends_blocks(collective) ? p_ : 1) * n_),
        output_((receives_blocks(collective) ? p_ : 1) * n_) {
    for (std::size_t rank = 0; rank < p_; ++rank) places_[rank] = static_cast<int>(rank * n_);
    std::iota(input_.begin(), input_.end(), static_cast<double>(ranks.rank()));  // whole numbers: sums are exact in any order
  }

  void run(Way way, long calls) {
    for (long i = 0; i < calls; ++i) way == ours ? call() : call_vendors();
  }

  static Bytes memory(Collective collective, Count ranks, Bytes bytes) {  // of all ranks
    return ranks * bytes * ((sends_blocks(collective) ? ranks : 1) + (receives_blocks(collective) ? ranks : 1));
  }

  bool is_right() {
    std::vector<double>& result = collective_ == Collective::broadcast ? input_ : output_;
    const std::vector<double> before = result;
    run(vendors, 1);
    const std::vector<double> expected = std::exchange(result, before);
    run(ours, 1);
    return result == expected;
  }

 private:
  void call() {
    const std::span all(input_), one(all.first(n_)), all_out(output_), one_out(all_out.first(n_));
    switch (collective_) {
      case Collective::alltoall: return alltoall(ranks_, all, all_out);
      case Collective::alltoallv: return alltoallv(ranks_, all, {counts_, places_}, all_out, {counts_, places_});
      case Collective::allgather: return allgather(ranks_, one, all_out);
      case Collective::allgatherv: return allgatherv(ranks_, one, all_out, {counts_, places_});
      case Collective::broadcast: return broadcast(ranks_, one);
      case Collective::reduce: return reduce(ranks_, one, one_out, op::sum);
      case Collective::allreduce: return allreduce(ranks_, one, one_out, op::sum);
      case Collective::reduce_scatter: return reduce_scatter(ranks_, all, one_out, op::sum);
      case Collective::reduce_scatterv: return reduce_scatterv(ranks_, all, one_out, counts_, op::sum);
      case Collective::scan: return scan(ranks_, one, one_out, op::sum);
      case Collective::exscan: return exscan(ranks_, one, one_out, op::sum);
      case Collective::scatter: return scatter(ranks_, all, one_out);
      case Collective::scatterv: return scatterv(ranks_, all, {counts_, places_}, one_out);
      case Collective::gather: return gather(ranks_, one, all_out);
      case Collective::gatherv: return gatherv(ranks_, one, all_out, {counts_, places_});
      case Collective::barrier: return barrier(ranks_);
      default: throw NoTypedCall{};
    }
  }

  void call_vendors() {
    const int n = static_cast<int>(n_), *const counts = counts_.data(), *const places = places_.data();
    double *const in = input_.data(), *const out = output_.data();
    const auto type = MPI_DOUBLE;
    const auto users = MPI_COMM_WORLD;
    switch (collective_) {
      case Collective::alltoall: MPI_Alltoall(in, n, type, out, n, type, users); return;
      case Collective::alltoallv: MPI_Alltoallv(in, counts, places, type, out, counts, places, type, users); return;
      case Collective::allgather: MPI_Allgather(in, n, type, out, n, type, users); return;
      case Collective::allgatherv: MPI_Allgatherv(in, n, type, out, counts, places, type, users); return;
      case Collective::broadcast: MPI_Bcast(in, n, type, 0, users); return;
      case Collective::reduce: MPI_Reduce(in, out, n, type, MPI_SUM, 0, users); return;
      case Collective::allreduce: MPI_Allreduce(in, out, n, type, MPI_SUM, users); return;
      case Collective::reduce_scatter: MPI_Reduce_scatter_block(in, out, n, type, MPI_SUM, users); return;
      case Collective::reduce_scatterv: MPI_Reduce_scatter(in, out, counts, type, MPI_SUM, users); return;
      case Collective::scan: MPI_Scan(in, out, n, type, MPI_SUM, users); return;
      case Collective::exscan: MPI_Exscan(in, out, n, type, MPI_SUM, users); return;
      case Collective::scatter: MPI_Scatter(in, n, type, out, n, type, 0, users); return;
      case Collective::scatterv: MPI_Scatterv(in, counts, places, type, out, n, type, 0, users); return;
      case Collective::gather: MPI_Gather(in, n, type, out, n, type, 0, users); return;
      case Collective::gatherv: MPI_Gatherv(in, n, type, out, counts, places, type, 0, users); return;
      case Collective::barrier: MPI_Barrier(users); return;
      default: throw NoTypedCall{};
    }
  }

  Communicator& ranks_;
  const Collective collective_;
  const std::size_t p_, n_;
  std::vector<int> counts_, places_;
  std::vector<double> input_, output_;
};

void measure(Communicator& ranks, Collective collective, Bytes bytes, long repetitions) {
  constexpr double sample_us = 4000;
  Cell cell(ranks, collective, bytes);
  int is_right = cell.is_right() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!is_right) throw std::runtime_error(std::string(name(collective)) + ": our result is not the MPI library's");
  long executions[2];
  for (const Way way : {vendors, ours}) {
    cell.run(way, 10);
    const double one_us = span_us([&] { cell.run(way, 3); }) / 3;  // the same on all ranks
    executions[way] = std::clamp(static_cast<long>(sample_us / one_us), 2L, 100'000L);
  }
  std::vector<double> times[2];
  for (long repetition = 0; repetition < repetitions; ++repetition)
    for (int turn = 0; turn < 2; ++turn) {  // each way is first in half of the repetitions
      const Way way = (repetition + turn) % 2 ? ours : vendors;
      times[way].push_back(span_us([&] { cell.run(way, executions[way]); }) / static_cast<double>(executions[way]));
    }
  if (ranks.rank() != 0) return;
  const Estimate gain = ratio(times[vendors], times[ours]);
  std::printf("%s\t%lld\t%s\t%lld\t%.2f\t%.2f\t%.3f\t%.3f\t%.3f\n", std::string(mpi_library).c_str(),
              static_cast<long long>(ranks.size()), std::string(name(collective)).c_str(), static_cast<long long>(bytes),
              median(times[vendors]), median(times[ours]), gain.median, gain.low, gain.high);
  std::fflush(stdout);
}

void run(const Settings& settings) {
  const auto ranks = over(MPI_COMM_WORLD);
  for (const Collective collective : all_collectives()) {
    if (!settings.only.empty() && settings.only != name(collective)) continue;
    for (const Bytes bytes : {Bytes{8}, Bytes{1} << 10, Bytes{1} << 16, Bytes{1} << 18, Bytes{1} << 20, Bytes{1} << 22})
      if (bytes >= settings.least && bytes <= settings.most && (moves_data(collective) || bytes == 8) &&
          Cell::memory(collective, ranks->size(), bytes) <= settings.memory)
        try {
          measure(*ranks, collective, moves_data(collective) ? bytes : 0, settings.repetitions);
        } catch (const NoTypedCall&) {}  // on all ranks
  }
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  Settings settings;
  const std::vector<ProgramOption> options{number("repetitions", settings.repetitions, 1), number("least", settings.least, 0),
                                           number("most", settings.most, 0), number("memory", settings.memory, 0),
                                           word("only", settings.only)};
  return run_program(count, arguments, options, [&] { run(settings); });
}
