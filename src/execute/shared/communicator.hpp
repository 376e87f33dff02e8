// SPDX-License-Identifier: BSD-3-Clause
// The Communicator of ranks that share memory: threads, processes of `quadrille run`, or MPI processes on one node.
#pragma once

#include <optional>

#include "execute/shared/planned/messages.hpp"
#include "execute/shared/unplanned/mail.hpp"
#include "execute/shared/wait/sharing_transport.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {

class SharedCommunicator : public Communicator, public SharingTransport {
 public:
  // `transport` is the value of transport_name(); its characters must live as long as the program.
  SharedCommunicator(std::shared_ptr<SharedSpace> space, std::string_view transport, const CopyCosts& costs = {})
      : SharingTransport(std::move(space), costs), transport_(transport), nodes_(this->space()->size(), 0) {}

  Rank rank() const override { return space()->rank(); }
  Count size() const override { return space()->size(); }
  std::string_view transport_name() const override { return transport_; }
  const std::vector<Count>& nodes() const override { return nodes_; }
  void barrier() override { space()->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { space()->all_gather(mine, all, count); }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override;
  [[noreturn]] void abort(int exit_code) override;
  Transport& transport() override { return *this; }

  std::shared_ptr<Communicator> kept() override { return std::make_shared<SharedCommunicator>(space(), transport_, costs()); }
  Executor executor() const override { return Executor::shared; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Offer> offer(const std::shared_ptr<const Script>& script) override;
  std::unique_ptr<Mail> mail() override { return std::make_unique<SharedMail>(*space()); }
  bool moves_strided_messages() const override { return space()->holds_everything(); }
  Bytes buffered_message_bytes(Rank) const override { return costs().longest_twice(); }
  bool fuses_reductions() const override { return true; }
  std::shared_ptr<Starts> starts(Executor) override { return {space(), &space()->starts()}; }

 private:
  const std::string_view transport_;
  const ByRank<Count> nodes_;  // all ranks are on one node
};

}  // namespace quadrille
