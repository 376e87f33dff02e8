// SPDX-License-Identifier: BSD-3-Clause
// The Communicator of ranks that share memory: threads, processes of `quadrille run`, or MPI processes on one node.
#pragma once

#include <optional>

#include "execute/shared/planned/messages.hpp"
#include "execute/shared/wait/space.hpp"
#include "execute/transport.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class SharedCommunicator : public Communicator, public Transport {
 public:
  // `transport` is the value of transport_name(); its characters must live as long as the program.
  SharedCommunicator(std::shared_ptr<SharedSpace> space, std::string_view transport, const CopyCosts& costs = {})
      : space_(std::move(space)), transport_(transport), costs_(costs), nodes_(space_->size(), 0) {}

  Rank rank() const override { return space_->rank(); }
  Count size() const override { return space_->size(); }
  std::string_view transport_name() const override { return transport_; }
  const std::vector<Count>& nodes() const override { return nodes_; }
  void barrier() override { space_->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { space_->all_gather(mine, all, count); }
  void broadcast(void* data, Bytes count, Rank from) override;
  std::shared_ptr<std::byte> allocate(Bytes bytes) override;
  [[noreturn]] void abort(int exit_code) override;
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override { return std::make_shared<SharedCommunicator>(space_, transport_, costs_); }
  Count cores() const override { return space_->core_count(); }
  Executor executor() const override { return Executor::shared; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Offer> offer(const std::shared_ptr<const Script>& script) override;
  std::unique_ptr<Executable> prepare_exchange() override;
  bool moves_strided_messages() const override { return space_->holds_everything(); }
  Bytes buffered_message_bytes(Rank) const override { return costs_.eager_limit(); }
  bool fuses_reductions() const override { return true; }
  std::shared_ptr<Starts> starts(Executor) override { return {space_, &space_->starts()}; }

  const std::shared_ptr<SharedSpace>& space() const { return space_; }
  const CopyCosts& costs() const { return costs_; }

 private:
  const std::shared_ptr<SharedSpace> space_;
  const std::string_view transport_;
  const CopyCosts costs_;
  const ByRank<Count> nodes_;  // all ranks are on one node
};

}  // namespace quadrille
