// SPDX-License-Identifier: BSD-3-Clause
// Measures the share of an alltoall that overlaps with computation: ours and MPI_Ialltoall alternate, with and without calls
// that test between parts of the computation.
// Usage, under mpirun (hiding_mpi.sh runs it): hiding_mpi [--repetitions N] [--block BYTES]
//
// The computation takes as long as the exchange by itself. If `both` is the time of start, computation and wait, the hidden share
// is 1 - (both - computation) / exchange: 1 if the exchange costs nothing more, 0 if it comes on top.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi_program.hpp"
#include "mpi_times.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::bench {
namespace {

struct Settings {
  long repetitions = 21;
  Bytes block = Bytes{1} << 20;
};

// Arithmetic in registers, which shares nothing with the exchange except the core.
class Computation {
 public:
  // Runs one of `parts` equal parts of the computation.
  void run(long parts) {
    for (long i = steps_ / parts; i > 0; --i) value_ = value_ * 0.999999 + 1e-6;
  }
  void make_last(double wanted_us) {
    steps_ = 1'000'000;
    const double unit_us = span_us([&] { run(1); });
    steps_ = static_cast<long>(static_cast<double>(steps_) * wanted_us / unit_us);
  }
  double value() const { return value_; }

 private:
  long steps_ = 0;
  volatile double value_ = 1;
};

class Alltoall {
 public:
  Alltoall(Communicator& communicator, Bytes block)
      : block_(static_cast<int>(block)),
        input_(static_cast<std::size_t>(communicator.size() * block)),
        output_(input_),
        plan_(plan(communicator, Problem::alltoall(communicator.size(), block), {.algorithm = "direct"})) {}

  // Runs our exchange. Between start and wait it computes in `parts` parts, and tests the request after each but the last.
  void ours(Computation* computation, long parts) {
    Request request = plan_.start(input_.data(), output_.data());
    for (long part = 0; computation && part < parts; ++part) {
      if (part > 0) request.test();
      computation->run(parts);
    }
    request.wait();
  }
  void vendors(Computation* computation, long parts) {
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    MPI_Ialltoall(input_.data(), block_, MPI_BYTE, output_.data(), block_, MPI_BYTE, MPI_COMM_WORLD, &request);
    for (long part = 0; computation && part < parts; ++part) {
      if (part > 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      computation->run(parts);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 private:
  int block_;
  std::vector<std::byte> input_, output_;
  Plan plan_;
};

struct Candidate {
  const char* name;
  void (Alltoall::*run)(Computation*, long);
  long parts;
  Computation computation;
  std::vector<double> alone_us, shares;
};

void measure(const Settings& settings, Communicator& communicator) {
  Alltoall exchange(communicator, settings.block);
  constexpr long parts = 64;
  Candidate candidates[] = {{"ours, no test", &Alltoall::ours, 1, {}, {}, {}},
                            {"ours, 63 tests", &Alltoall::ours, parts, {}, {}, {}},
                            {"MPI_Ialltoall, no test", &Alltoall::vendors, 1, {}, {}, {}},
                            {"MPI_Ialltoall, 63 tests", &Alltoall::vendors, parts, {}, {}, {}}};
  for (Candidate& each : candidates) {
    std::vector<double> spans;
    for (int i = 0; i < 9; ++i) spans.push_back(span_us([&] { (exchange.*each.run)(nullptr, 1); }));
    each.computation.make_last(median(std::move(spans)));
  }
  for (long repetition = 0; repetition < settings.repetitions; ++repetition)
    for (std::size_t turn = 0; turn < std::size(candidates); ++turn) {
      Candidate& each = candidates[(turn + static_cast<std::size_t>(repetition)) % std::size(candidates)];
      const double alone = span_us([&] { (exchange.*each.run)(nullptr, 1); });
      const double computing = span_us([&] {
        for (long part = 0; part < each.parts; ++part) each.computation.run(each.parts);
      });
      const double both = span_us([&] { (exchange.*each.run)(&each.computation, each.parts); });
      each.alone_us.push_back(alone);
      each.shares.push_back(1 - (both - computing) / alone);
    }
  if (communicator.rank() != 0) return;
  const char* const progress = std::getenv("QUADRILLE_PROGRESS");
  for (Candidate& each : candidates) {
    const Estimate share = estimate(each.shares);
    std::printf("%-8s %lld ranks  %8lld B a block  %-24s %s  %8.1f us alone  hidden %5.2f [%5.2f, %5.2f]\n",
                std::string(mpi_library).c_str(), static_cast<long long>(communicator.size()),
                static_cast<long long>(settings.block), each.name, progress ? "progress thread" : "               ",
                median(each.alone_us), share.median, share.low, share.high);
  }
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  Settings settings;
  const std::vector<ProgramOption> options{number("repetitions", settings.repetitions, 1), number("block", settings.block, 1)};
  return run_program(count, arguments, options, [&] {
    const auto communicator = quadrille::over(MPI_COMM_WORLD);
    measure(settings, *communicator);
  });
}
