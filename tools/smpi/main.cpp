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
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

#include "execute/executions/in_flight.hpp"
#include "execute/executions/waiting.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "execute/transport.hpp"
#include "options/arguments.hpp"
#include "options/cases.hpp"
#include "options/problem_options.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/ordering.hpp"
#include "support/refuse.hpp"
#include "tune/race/probe_data.hpp"

namespace quadrille::smpi {
namespace {

// Starts of plans need no check of their order and no yielding of the core here, because the simulator schedules the ranks.
class SmpiStarts final : public Starts {
 public:
  void begin(std::uint32_t) override {}
  const std::shared_ptr<InFlight>& in_flight() const override { return in_flight_; }
  void give_core_away() const override {}

 private:
  const std::shared_ptr<InFlight> in_flight_ = std::make_shared<InFlight>();
};

// The communicator of a program that SimGrid's SMPI (its simulated MPI) runs. Ranks exchange messages.
class SmpiCommunicator final : public Communicator, public Transport {
 public:
  // If `hollow`, plans copy nothing. They send messages of the same lengths, but all from one staging area, which is as long as
  // the longest message. So large problems need little memory.
  SmpiCommunicator(MPI_Comm communicator, bool hollow) : communicator_(communicator), hollow_(hollow) {
    int rank = 0, size = 1;
    MPI_Comm_rank(communicator_, &rank);
    MPI_Comm_size(communicator_, &size);
    rank_ = rank;
    nodes_.resize(index(size));
    std::iota(nodes_.begin(), nodes_.end(), Rank{0});
  }

  Rank rank() const override { return rank_; }
  Count size() const override { return quadrille::size(nodes_); }
  std::string_view transport_name() const override { return "smpi"; }
  const std::vector<Count>& nodes() const override { return nodes_; }
  void barrier() override { check_mpi(MPI_Barrier(communicator_), "MPI_Barrier"); }
  void all_gather(const void* mine, void* all, Bytes count) override {
    const auto bytes = static_cast<int>(count);
    check_mpi(MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, communicator_), "MPI_Allgather");
  }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override {
    return {new std::byte[index(bytes)], std::default_delete<std::byte[]>()};
  }
  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(communicator_, exit_code);
    std::_Exit(exit_code);
  }
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override { return std::make_shared<SmpiCommunicator>(*this); }
  void broadcast(void* data, Bytes count, Rank from) override {
    check_mpi(MPI_Bcast(data, static_cast<int>(count), MPI_BYTE, static_cast<int>(from), communicator_), "MPI_Bcast");
  }
  std::shared_ptr<Starts> starts(Executor) override { return starts_; }
  Count cores() const override { return usable_core_count(); }
  Executor executor() const override { return Executor::mpi; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    if (hollow_) script = std::make_shared<const Script>(hollowed(*script));
    return std::make_unique<ScriptExecutable<MpiMessages>>(Lease{communicator_, 0, nullptr}, Waiter(), std::move(script));
  }
  std::unique_ptr<Executable> prepare_exchange() override {
    throw Error(ErrorCode::misuse, "headers are not simulated; take counts=known, or gathered");
  }
  Result<Vendor> vendor(const Problem& problem, const std::shared_ptr<const Operator>& operation,
                        const std::string& algorithm) override {
    if (!algorithm.empty()) return cannot("SMPI takes its algorithms from its own options");
    const auto make = [lease = Lease{communicator_, 0, nullptr}, problem, operation, rank = rank_] {
      return vendor_collective(lease, {}, problem, operation.get(), rank);
    };
    if (const auto drafted = make(); !drafted) return cannot(drafted.error());
    return Vendor([make] { return *make(); });
  }

 private:
  // Returns the script with all messages sent from, and received into, the beginning of staging memory, and without copies.
  static Script hollowed(Script script) {
    script.copies.clear();
    script.scratch_bytes = script.staging_bytes = 0;
    for (ScriptMessage& message : script.messages) {
      message.regions = {{Buffer::staging, 0, message.bytes, {}}};
      script.staging_bytes = std::max(script.staging_bytes, message.bytes);
    }
    for (Window& window : script.windows) window.copies_before = window.copies_after = {};
    for (Task& task : script.tasks) task.copies = {};
    return script;
  }

  MPI_Comm communicator_;
  bool hollow_;
  std::shared_ptr<Starts> starts_ = std::make_shared<SmpiStarts>();
  Rank rank_ = 0;
  std::vector<Count> nodes_;  // each rank is a node of its own
};

// Data of larger buffers is neither checked nor stored: 64 ranks with 64 MiB each would not fit in memory and would take long.
constexpr Bytes most_checked = Bytes{1} << 16;  // limit for the bytes of one rank's input or output

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
    command::OptionTable table(parser);
    options.problem.add_to(table);
    try {
      parser.parse(count, arguments);
      table.read_values();
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
