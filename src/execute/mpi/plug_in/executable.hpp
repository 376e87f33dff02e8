// SPDX-License-Identifier: BSD-3-Clause
// Executes a script (execute/script/script.hpp) with the messages of MPI: each message of the schedule is one or more MPI messages
// of bytes.
#pragma once

#include <optional>
#include <vector>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/process_events.hpp"
#include "execute/script/run.hpp"
#include "execute/script/scaled_script.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class MpiMessages {
 public:
  MpiMessages(Lease lease, Waiter waiter, std::shared_ptr<const Script> script);

  // The concept Messages of script/run.hpp.
  const Script& script() const { return *script_; }
  static constexpr NoSteps* steps() { return nullptr; }
  static constexpr bool can_begin() { return true; }
  static constexpr void wait_to_begin() {}
  void scale(Bytes block_bytes);
  const Bases& begin(const std::byte* input, std::byte* output);
  void post(std::uint32_t message);
  bool advance();
  void wait();
  bool advance(CompletionStamps completions);
  void wait(const CompletionStamps& completions);
  std::optional<std::uint32_t> advance_any();
  std::uint32_t wait_any();
  static bool poll(auto&& done) { return done(); }
  static constexpr void end() {}
  void withdraw();
  void fail(const Error& /*why*/) noexcept {}  // does nothing: other ranks could be told only by messages
  Bytes memory_bytes() const {
    return memory_bytes_of(scratch_, staging_, parts_, of_byte_, parts_of_, requests_, message_of_, parts_missing_, completed_,
                           finished_) +
           script_.memory_bytes();
  }

  // Used instead of the other `begin` if the caller owns the buffers (hybrid).
  void begin(const Bases& bases) { bases_ = bases; }
  bool has_open() const { return open_ > 0 || finished_count_ > 0; }

 private:
  void finish(int count);
  // What one MPI call transfers: a message, or a part of a message that is too long for one call (Script::longest_message).
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
  ScaledScript script_;
  std::vector<std::byte> scratch_, staging_;
  Bases bases_{};
  std::vector<Part> parts_;
  std::vector<std::pair<Bytes, Bytes>> of_byte_;  // of an elastic script, by part: its offset and bytes for blocks of one byte
  std::vector<IndexRange> parts_of_;              // by message: its parts
  std::vector<MPI_Request> requests_;             // the first open_ are in flight
  std::vector<std::uint32_t> message_of_;         // by request: the message to which it belongs
  std::vector<std::uint32_t> parts_missing_;      // by message: how many parts are not complete
  std::vector<int> completed_;                    // positions of requests that the last wait_some completed
  std::vector<std::uint32_t> finished_;           // dataflow: complete messages that advance_any has not returned yet
  int open_ = 0;
  std::size_t finished_count_ = 0;
};

extern template class ScriptExecutable<MpiMessages>;
extern template class ScriptExecutable<MpiMessages, Observer>;

}  // namespace quadrille
