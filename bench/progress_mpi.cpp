// SPDX-License-Identifier: BSD-3-Clause
// Measures what driving MPI's progress in our collectives gains, and what it costs:
//   overlap  each rank posts a message of 1 MiB to the next rank, runs one alltoall, then calls MPI_Waitall. Our alltoall, the
//            vendor's and no alltoall alternate;
//   polling  an alltoall of 8 B in shared memory, with no message in flight, alternately with and without driving MPI's progress.
// Usage, under mpirun (progress_mpi.sh runs it): progress_mpi [--repetitions N] [--message BYTES]
#include <cstdio>
#include <string>

#include "execute/shared/meet.hpp"
#include "mpi_program.hpp"
#include "mpi_times.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::bench {
namespace {

struct Settings {
  long repetitions = 30;
  Bytes message = Bytes{1} << 20;
};

// An alltoall with its buffers, ours and the vendor's.
class Exchange {
 public:
  Exchange(Communicator& communicator, Bytes block)
      : block_(static_cast<int>(block)),
        input_(static_cast<std::size_t>(communicator.size() * block)),
        output_(input_),
        plan_(plan(communicator, Problem::alltoall(communicator.size(), block),
                   {.algorithm = "direct", .executor = Executor::shared})) {}

  void ours() { plan_.execute(input_.data(), output_.data()); }
  void theirs() { MPI_Alltoall(input_.data(), block_, MPI_BYTE, output_.data(), block_, MPI_BYTE, MPI_COMM_WORLD); }

 private:
  int block_;
  std::vector<std::byte> input_, output_;
  Plan plan_;
};

class Message {
 public:
  Message(Communicator& communicator, Bytes bytes)
      : next_(static_cast<int>((communicator.rank() + 1) % communicator.size())),
        previous_(static_cast<int>((communicator.rank() + communicator.size() - 1) % communicator.size())),
        sent_(static_cast<std::size_t>(bytes), std::byte{1}),
        received_(sent_) {}

  template <class Work>
  void around(Work&& work) {
    MPI_Request requests[2];
    const int bytes = static_cast<int>(sent_.size());
    MPI_Irecv(received_.data(), bytes, MPI_BYTE, previous_, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent_.data(), bytes, MPI_BYTE, next_, 0, MPI_COMM_WORLD, &requests[1]);
    work();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }

 private:
  int next_, previous_;
  std::vector<std::byte> sent_, received_;
};

// Returns the median of some measurements of `work`.
template <class Work>
double typical_us(int times, Work&& work) {
  std::vector<double> spans;
  for (int i = 0; i < times; ++i) spans.push_back(span_us(work));
  return median(std::move(spans));
}

void overlap(const Settings& settings, Communicator& communicator) {
  Message message(communicator, settings.message);
  for (const Bytes block : {Bytes{8}, Bytes{1} << 10, Bytes{16} << 10, Bytes{64} << 10}) {
    Exchange exchange(communicator, block);
    std::vector<double> ours, theirs, alone;
    for (long repetition = -1; repetition < settings.repetitions; ++repetition) {
      double times[3] = {};
      for (long turn = 0; turn < 3; ++turn) {  // each candidate is first, second and last in a third of the repetitions
        const long which = (turn + repetition + 1) % 3;
        times[which] = typical_us(20, [&] {
          message.around([&] {
            if (which == 0) exchange.ours();
            if (which == 1) exchange.theirs();
          });
        });
      }
      if (repetition < 0) continue;  // not measured: the first messages and collectives set up connections
      ours.push_back(times[0]);
      theirs.push_back(times[1]);
      alone.push_back(times[2]);
    }
    const Estimate both = ratio(ours, theirs);
    if (communicator.rank() == 0)
      std::printf(
          "overlap, %lld ranks, %s, %lld B a block: ours %.1f us, vendor's %.1f us, messages alone %.1f us; ours/vendor's %.2f "
          "[%.2f, %.2f], %ld repetitions\n",
          static_cast<long long>(communicator.size()), std::string(mpi_library).c_str(), static_cast<long long>(block),
          median(ours), median(theirs), median(alone), both.median, both.low, both.high, settings.repetitions);
  }
}

// Returns the time of one alltoall, averaged over `executions` without pauses.
double back_to_back_us(Exchange& exchange, int executions) {
  return span_us([&] {
           for (int i = 0; i < executions; ++i) exchange.ours();
         }) /
         executions;
}

void polling(const Settings& settings, Communicator& communicator) {
  const Met met = meet(communicator);  // a group that drives no MPI progress
  if (!met.node || met.node->size() != communicator.size()) {
    if (communicator.rank() == 0) std::printf("polling: %s\n", met.no_sharing.c_str());
    return;
  }
  Exchange polling(communicator, 8), without(*met.node, 8);
  const int executions = communicator.size() > 2 ? 2000 : 20000;
  std::vector<double> with_us, without_us;
  for (long repetition = -1; repetition < 2 * settings.repetitions; ++repetition) {
    double times[2] = {};
    for (const bool first : {true, false}) {
      const bool polls = first == (repetition % 2 == 0);
      times[polls] = back_to_back_us(polls ? polling : without, executions);
    }
    if (repetition < 0) continue;
    with_us.push_back(times[true]);
    without_us.push_back(times[false]);
  }
  const Estimate both = ratio(with_us, without_us);
  if (communicator.rank() == 0)
    std::printf("polling, %lld ranks, %s, 8 B a block: with %.3f us, without %.3f us; with/without %.3f [%.3f, %.3f], %zu pairs\n",
                static_cast<long long>(communicator.size()), std::string(mpi_library).c_str(), median(with_us), median(without_us),
                both.median, both.low, both.high, with_us.size());
}

}  // namespace
}  // namespace quadrille::bench

int main(int count, char** arguments) {
  using namespace quadrille::bench;
  Settings settings;
  const std::vector<ProgramOption> options{number("repetitions", settings.repetitions, 1), number("message", settings.message, 1)};
  return run_program(count, arguments, options, [&] {
    const auto communicator = quadrille::over(MPI_COMM_WORLD);
    overlap(settings, *communicator);
    polling(settings, *communicator);
  });
}
