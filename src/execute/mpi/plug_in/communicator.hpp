// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an MPI communicator: by messages, and by shared memory within each node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execute/mpi/plug_in/group.hpp"
#include "execute/mpi/plug_in/mpi_starts.hpp"
#include "execute/shared/communicator.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class MpiCommunicator final : public Communicator, public Transport, public std::enable_shared_from_this<MpiCommunicator> {
 public:
  // Collective. Made by std::make_shared. `own` is this object's from now on; with `finalises` MPI is finalised when this and its
  // plans are gone.
  MpiCommunicator(MPI_Comm own, bool finalises);

  Rank rank() const override { return rank_; }
  Count size() const override { return size_; }
  std::string_view transport_name() const override { return QUADRILLE_MPI_LIBRARY; }
  const std::vector<Count>& nodes() const override { return nodes_; }
  void barrier() override;
  void all_gather(const void* mine, void* all, Bytes count) override;
  std::shared_ptr<std::byte> allocate(Bytes bytes) override;
  [[noreturn]] void abort(int exit_code) override;
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override { return shared_from_this(); }
  Executor executor() const override { return Executor::messages; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Mail> mail() override;
  Result<std::unique_ptr<Executable>> vendor(const Problem& problem, const std::shared_ptr<const Operator>& operation) override;
  Result<Transport*> over_shared_memory() override;
  std::shared_ptr<Starts> starts(Executor executor) override;

  const std::shared_ptr<MpiGroup>& group() const { return group_; }

 private:
  MpiCommunicator(MPI_Comm own, std::shared_ptr<InFlight> in_flight);  // of one node's ranks, as a part of another's

  void find_nodes();
  void share_within_nodes();
  void share_memory_of_all();
  SharedCommunicator* shared_memory() const;

  MPI_Comm handle() const { return group_->handle(); }
  const Waiter& waiter() const { return group_->waiter(); }

  const std::shared_ptr<MpiGroup> group_;
  const std::shared_ptr<MpiStarts> starts_;
  int rank_ = 0, size_ = 1;
  ByRank<Count> nodes_;
  std::unique_ptr<MpiCommunicator> node_;       // the ranks of this one's node, where there are several nodes
  std::unique_ptr<SharedCommunicator> shared_;  // the same ranks, where they share memory
  std::unique_ptr<Transport> hybrid_;           // the same ranks, where some do
  std::string no_sharing_;                      // why not
};

}  // namespace quadrille
