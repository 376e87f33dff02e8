// SPDX-License-Identifier: BSD-3-Clause
// A rank of a group that shares memory: threads, processes of `quadrille run`, or those of an MPI library on one machine.
#pragma once

#include <optional>

#include "execute/shared/executable.hpp"
#include "execute/shared/mail.hpp"
#include "execute/shared/space.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class SharedCommunicator : public Communicator {
 public:
  // `transport` is what the group calls itself.
  SharedCommunicator(std::shared_ptr<SharedSpace> space, std::string_view transport, const CopyCosts& costs = {})
      : space_(std::move(space)), transport_(transport), costs_(costs), nodes_(static_cast<std::size_t>(space_->size()), 0) {}

  Rank rank() const override { return space_->rank(); }
  Count size() const override { return space_->size(); }
  std::string_view transport() const override { return transport_; }
  const std::vector<Count>& nodes() override { return nodes_; }
  bool moves_strided_messages() const override { return space_->holds_everything(); }
  Bytes buffered_message_bytes(Rank) const override { return costs_.longest_twice(); }
  bool fuses_reductions() const override { return true; }
  void barrier() override { space_->barrier(); }
  void all_gather(const void* mine, void* all, Bytes count) override { space_->all_gather(mine, all, count); }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Mail> mail() override { return std::make_unique<SharedMail>(*space_); }
  std::unique_ptr<Executable> vendor(const Problem&, const std::shared_ptr<const Operator>&, std::string& reason) override;
  Executor executor() const override { return Executor::shared; }
  Communicator* over_shared_memory(std::string&) override { return this; }
  std::shared_ptr<std::byte> allocate(Bytes bytes) override;
  std::shared_ptr<Starts> starts(Executor) override { return {space_, &space_->starts()}; }
  [[noreturn]] void abort(int exit_code) override;

  const std::shared_ptr<SharedSpace>& space() const { return space_; }
  const CopyCosts& costs() const { return costs_; }

 private:
  const std::shared_ptr<SharedSpace> space_;
  const std::string_view transport_;
  const CopyCosts costs_;
  const std::vector<Count> nodes_;  // one
};

// Collective: the same ranks by shared memory, or null on all of them with the reason. `group` is used for as long as this takes.
// Costs that are not given are measured. `progress` is what ranks drive while they wait for each other.
std::unique_ptr<SharedCommunicator> share_memory(Communicator& group, std::string& reason,
                                                 const std::optional<CopyCosts>& costs = {}, Progress progress = {});

}  // namespace quadrille
