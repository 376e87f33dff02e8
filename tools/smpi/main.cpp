// SPDX-License-Identifier: BSD-3-Clause
// quadrille-smpi: runs schedules, and SMPI's own collectives, inside SimGrid's simulation of MPI, and prints how long they take
// there. SimGrid is an independent simulator, so its times check ours.
//
//   smpirun -no-privatize -np 64 -platform torus.xml -hostfile hosts quadrille-smpi alltoall --block 8B,1KiB --algorithm bruck
//
// All ranks run in one process and share its globals (-no-privatize), so there must be no mutable globals; the library has none.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/ordering.hpp"
#include "smpi/communicator.hpp"
#include "support/environment_check.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille::smpi {
namespace {

// Data of larger buffers is neither checked nor stored: 64 ranks with 64 MiB each would not fit in memory and would take long.
constexpr Bytes most_checked = Bytes{1} << 16;  // bytes of one rank's input or output

struct Options {
  std::string collective;
  std::vector<std::string> algorithms, policies;
  command::ProblemOptions problem;
};

class SimulatedBuffer {
 public:
  SimulatedBuffer(Bytes bytes, bool shared) : shared_(shared) {
    const std::size_t size = index(std::max<Bytes>(bytes, 1));
    memory_ = static_cast<std::byte*>(shared ? SMPI_SHARED_MALLOC(size) : ::operator new(size));
  }
  ~SimulatedBuffer() {
    if (shared_)
      SMPI_SHARED_FREE(memory_);
    else
      ::operator delete(memory_);
  }
  SimulatedBuffer(const SimulatedBuffer&) = delete;
  SimulatedBuffer& operator=(const SimulatedBuffer&) = delete;

  std::byte* get() const { return memory_; }

 private:
  bool shared_;
  std::byte* memory_;
};

double latest(double mine) {
  double all = 0;
  check_mpi(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return all;
}

// Returns the simulated seconds from the common start of all ranks to the end of the last.
double simulated_seconds(Plan& plan, const SimulatedBuffer& input, const SimulatedBuffer& output) {
  constexpr double head_start = 1e-3;
  const double start = latest(MPI_Wtime()) + head_start;
  const auto wait_ns = static_cast<long>((start - MPI_Wtime()) * 1e9);
  const timespec wait{0, wait_ns};
  smpi_nanosleep(&wait, nullptr);
  const double begin = MPI_Wtime();
  plan.execute(input.get(), output.get());
  return latest(MPI_Wtime()) - latest(begin);
}

std::string first_fault(Plan& plan, const ProbeData& data, const SimulatedBuffer& input, const SimulatedBuffer& output) {
  for (int pass = 0; pass < data.pass_count(); ++pass) {
    data.fill_input(pass, input.get());
    data.spoil_output(pass, output.get());
    plan.execute(input.get(), output.get());
    if (std::string fault = data.compare_output(pass, output.get()); !fault.empty()) return fault;
  }
  return "";
}

int run(const Options& options) {
  command::check_environment();
  SmpiCommunicator world(MPI_COMM_WORLD, false), hollow(MPI_COMM_WORLD, true);
  const Collective collective = command::parse_collective(options.collective);
  const std::shared_ptr<const Operator> operation = options.problem.operation_for(collective);
  if (options.problem.rank_counts(world.size()) != std::vector{world.size()})
    command::refuse(fmt::format("smpirun started {} ranks; leave --ranks out", world.size()));
  const std::vector<Policy> policies =
      options.policies.empty() ? std::vector{Policy::blocking} : command::parse_policies(options.policies);
  for (const Bytes size : options.problem.block_sizes()) {
    const Problem problem =
        options.problem.problem(collective, world.size(), size, options.problem.roots(collective, world.size())[0]);
    const Bytes in = input_bytes(problem, world.rank()), out = output_bytes(problem, world.rank());
    const Bytes largest = static_cast<Bytes>(latest(static_cast<double>(std::max(in, out))));
    const bool checked = largest <= most_checked;
    const SimulatedBuffer input(in, !checked), output(out, !checked);
    for (const std::string& specification : options.algorithms)
      for (const Policy policy : policies) {
        Plan made = plan(checked ? world : hollow, problem, {.algorithm = specification, .policy = policy, .operation = operation});
        std::string fault;
        if (checked) {
          const auto data = probe_data(problem, world.rank(), operation);
          fault = first_fault(made, *data, input, output);
          if (!fault.empty()) std::fprintf(stderr, "quadrille-smpi: rank %d: %s\n", static_cast<int>(world.rank()), fault.c_str());
        }
        const double wrong = latest(fault.empty() ? 0 : 1), seconds = simulated_seconds(made, input, output);
        if (world.rank() == 0)
          std::printf("%s\n", nlohmann::ordered_json{{"collective", options.collective},
                                                     {"ranks", world.size()},
                                                     {"block_bytes", size},
                                                     {"algorithm", specification},
                                                     {"policy", name(policy)},
                                                     {"seconds", seconds},
                                                     {"checked", checked && wrong == 0},
                                                     {"wrong", wrong != 0}}
                                  .dump()
                                  .c_str());
        if (wrong != 0) return 1;
      }
  }
  return 0;
}

}  // namespace
}  // namespace quadrille::smpi

int main(int count, char** arguments) {
  using namespace quadrille;
  MPI_Init(&count, &arguments);
  int rank = 0, code = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    smpi::Options options;
    CLI::App parser{"runs schedules inside SimGrid's SMPI, and prints a line of JSON for each with the simulated time",
                    "quadrille-smpi"};
    parser.add_option("collective", options.collective, "alltoall, allgather, ..")->required();
    parser
        .add_option("--algorithm", options.algorithms,
                    "as in quadrille race; vendor is SMPI's own, which --cfg=smpi/coll-selector chooses")
        ->required();
    parser.add_option("--policy", options.policies, "blocking (the default), nonblocking, dataflow or all");
    options.problem.add_to(parser);
    try {
      parser.parse(count, arguments);
      code = smpi::run(options);
    } catch (const CLI::ParseError& error) {
      code = rank == 0 ? parser.exit(error) : 2;
      if (code != 0) code = 2;
    }
  } catch (const std::exception& error) {
    if (rank == 0) std::fprintf(stderr, "quadrille-smpi: %s\n", error.what());
    code = 2;
  }
  std::fflush(stdout);
  MPI_Finalize();
  return code;
}
