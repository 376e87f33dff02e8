// SPDX-License-Identifier: BSD-3-Clause
// Ranks of an MPI communicator on several nodes: one schedule, whose messages are copies inside a node and MPI messages between
// nodes.
#pragma once

#include <memory>
#include <vector>

#include "execute/mpi/plug_in/executable.hpp"
#include "execute/script_part.hpp"
#include "execute/shared/communicator.hpp"
#include "execute/shared/executable.hpp"

namespace quadrille {

class HybridMessages {
 public:
  // Collective; throws on all ranks of the node or on none. `place` is each rank's in the node, -1 for those of other nodes.
  HybridMessages(SharedSpace& node, const CopyCosts& costs, const std::vector<Rank>& place, Lease lease, Waiter waiter,
                 std::shared_ptr<const Script> script);

  // As run.hpp wants it.
  const Script& script() const { return *script_; }
  NodeSteps* steps() { return steps_.get(); }
  bool can_begin() { return near_.can_begin(); }
  void wait_to_begin() {
    node_.poll_until([&] { return can_begin(); });
  }
  const Bases& begin(const std::byte* input, std::byte* output);
  void post(std::uint32_t message);
  bool advance();
  void wait();
  std::optional<std::uint32_t> advance_any();
  std::uint32_t wait_any();
  bool poll(auto&& done) { return near_.poll(done); }
  void end() { near_.end(); }
  void withdraw();
  void fail(const Error& why) noexcept { near_.fail(why); }
  Bytes memory_bytes() const { return near_.memory_bytes() + far_.memory_bytes() + memory_bytes_of(ends_); }

 private:
  struct End {  // of a message of the whole script
    bool is_near = false;
    std::uint32_t index = 0;  // in its part
  };

  SharedSpace& node_;
  std::shared_ptr<const Script> script_;
  const ScriptPart near_part_, far_part_;
  std::vector<End> ends_;
  SharedMessages near_;
  MpiMessages far_;
  std::unique_ptr<NodeSteps> steps_;
};

extern template class ScriptExecutable<HybridMessages>;
using HybridExecutable = ScriptExecutable<HybridMessages>;

}  // namespace quadrille
