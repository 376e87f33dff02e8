// SPDX-License-Identifier: BSD-3-Clause
// A script made ready for one rank of an MPI communicator: messages of the schedule are MPI messages of bytes.
#pragma once

#include <optional>
#include <vector>

#include "execute/fork_mark.hpp"
#include "execute/mpi/plug_in/lease.hpp"
#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/run.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class MpiMessages {
 public:
  MpiMessages(Lease lease, Waiter waiter, std::shared_ptr<const Script> script);

  // As run.hpp wants it.
  const Script& script() const { return *script_; }
  NodeSteps* steps() { return nullptr; }
  static constexpr bool can_begin() { return true; }
  static constexpr void wait_to_begin() {}
  const Bases& begin(const std::byte* input, std::byte* output);
  void post(std::uint32_t message);
  bool advance();
  void wait();
  std::optional<std::uint32_t> advance_any();
  std::uint32_t wait_any();
  static bool poll(auto&& done) { return done(); }
  static constexpr void end() {}
  void withdraw();
  void fail(const Error& /*why*/) noexcept {}  // it would take messages
  Bytes memory_bytes() const {
    return memory_bytes_of(scratch_, staging_, parts_, parts_of_, requests_, message_of_, parts_missing_, completed_, finished_);
  }

  // Instead of the other `begin`, where the memory is somebody else's.
  void begin(const Bases& bases) { bases_ = bases; }
  bool has_open() const { return open_ > 0 || finished_count_ > 0; }

 private:
  void finish(int count);
  // What goes through one MPI call: a message, or a part of one that is longer than MPI's counts reach.
  struct Part {
    Buffer buffer;
    bool is_send;
    int peer;
    int bytes;
    Bytes offset;
  };

  Lease lease_;
  const ForkMark mark_;
  Waiter waiter_;
  std::shared_ptr<const Script> script_;
  std::vector<std::byte> scratch_, staging_;
  Bases bases_{};
  std::vector<Part> parts_;
  std::vector<Range> parts_of_;               // by message
  std::vector<MPI_Request> requests_;         // the first open_ are under way
  std::vector<std::uint32_t> message_of_;     // by request
  std::vector<std::uint32_t> parts_missing_;  // by message: parts not complete
  std::vector<int> completed_;                // dataflow: positions from the last wait_some, not handed out yet
  std::vector<std::uint32_t> finished_;       // dataflow: messages that are complete, not handed out yet
  int open_ = 0;
  std::size_t finished_count_ = 0;
};

extern template class ScriptExecutable<MpiMessages>;
using MpiExecutable = ScriptExecutable<MpiMessages>;

}  // namespace quadrille
