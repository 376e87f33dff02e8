// SPDX-License-Identifier: BSD-3-Clause
// The transport of executor `hybrid`, for ranks of an MPI communicator on several nodes. Messages of a schedule are copies through
// shared memory within a node, and MPI messages between nodes. It is a separate transport, so that plans can choose between it and
// MPI messages alone.
#pragma once

#include "execute/mpi/plug_in/far_edges.hpp"
#include "execute/transport.hpp"

namespace quadrille {

class HybridTransport final : public Transport {
 public:
  HybridTransport(Transport& ranks, MpiGroup& group) : ranks_(ranks), group_(group) {}

  std::shared_ptr<Communicator> kept() override { return ranks_.kept(); }
  void broadcast(void* data, Bytes count, Rank from) override { ranks_.broadcast(data, count, from); }
  Executor executor() const override { return Executor::hybrid; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Executable> prepare_exchange() override { return prepare_nodes_exchange(group_); }
  std::unique_ptr<Mail> mail() override { return ranks_.mail(); }
  Bytes buffered_message_bytes(Rank peer) const override;

 private:
  Transport& ranks_;
  MpiGroup& group_;
};

}  // namespace quadrille
