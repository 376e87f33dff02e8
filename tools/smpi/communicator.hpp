// SPDX-License-Identifier: BSD-3-Clause
// The communicator of a program that SimGrid's SMPI (its simulated MPI) runs. Ranks exchange messages.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "execute/executions/in_flight.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "execute/transport.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::smpi {

// Starts of plans need no check of their order and no yielding of the core here, because the simulator schedules the ranks.
class SmpiStarts final : public Starts {
 public:
  void begin(std::uint32_t) override {}
  const std::shared_ptr<InFlight>& in_flight() const override { return in_flight_; }
  void give_core_away() const override {}

 private:
  const std::shared_ptr<InFlight> in_flight_ = std::make_shared<InFlight>();
};

class SmpiCommunicator final : public Communicator, public Transport {
 public:
  // If `hollow`, plans send as many messages of the same sizes, but all of them from one staging area of the largest message's
  // size, and copy nothing. So large problems need little memory.
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
  Executor executor() const override { return Executor::mpi; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    if (hollow_) script = std::make_shared<const Script>(hollowed(*script));
    return std::make_unique<ScriptExecutable<MpiMessages>>(Lease{communicator_, 0, nullptr}, Waiter(), std::move(script));
  }
  std::unique_ptr<Executable> prepare_exchange() override {
    throw Error(ErrorCode::misuse, "exchanges by edges are not simulated; make a plan");
  }
  std::unique_ptr<Mail> mail() override {
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

}  // namespace quadrille::smpi
