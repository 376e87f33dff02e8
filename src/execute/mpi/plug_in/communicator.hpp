// SPDX-License-Identifier: BSD-3-Clause
// A Communicator over the ranks of an MPI communicator. They exchange MPI messages, and share memory within each node.
#pragma once

#include <memory>

#include "execute/mpi/plug_in/far_edges.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class MpiCommunicator final : public Communicator, public Transport {
 public:
  // Collective if it is the first Communicator over `users`, else local. `kept` is destroyed after this object and its plans.
  MpiCommunicator(MPI_Comm users, std::shared_ptr<const void> kept);

  Rank rank() const override { return group_->rank(); }
  Count size() const override { return group_->size(); }
  std::string_view transport_name() const override { return QUADRILLE_MPI_LIBRARY; }
  const std::vector<Count>& nodes() const override { return group_->nodes(); }
  void barrier() override { group_->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { group_->all_gather(mine, all, count); }
  void broadcast(void* data, Bytes count, Rank from) override { group_->broadcast(data, count, from); }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override;
  [[noreturn]] void abort(int exit_code) override;
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override;
  Executor executor() const override { return Executor::mpi; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Executable> prepare_exchange() override { return prepare_nodes_exchange(*group_); }
  std::unique_ptr<Mail> mail() override;
  Result<Vendor> vendor(const Problem& problem, const std::shared_ptr<const Operator>& operation,
                        const std::string& algorithm) override;
  Result<std::vector<std::string>> vendor_algorithms(const Problem& problem) override;
  std::vector<Transport*> offered() override;
  std::string no_sharing() const override { return group_->no_sharing(); }
  std::shared_ptr<Starts> starts(Executor executor) override;

 protected:
  std::shared_ptr<Calls> shared_calls() override;

 private:
  MpiCommunicator(std::shared_ptr<const void> kept, std::shared_ptr<MpiGroup> group);

  const std::shared_ptr<const void> kept_;
  std::shared_ptr<MpiGroup> group_;
  std::unique_ptr<Transport> hybrid_;  // null unless there are several nodes whose ranks share memory
};

}  // namespace quadrille
