// SPDX-License-Identifier: BSD-3-Clause
// A script made ready for one rank of an MPI communicator: messages of the schedule are MPI messages of bytes.
#pragma once

#include <optional>
#include <vector>

#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/run.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class MpiExecutable : public Executable {
 public:
  MpiExecutable(MPI_Comm communicator, Waiter waiter, std::shared_ptr<const Script> script);
  ~MpiExecutable() override;

  void execute(const std::byte* input, std::byte* output) override;
  Phases execute_timed(const std::byte* input, std::byte* output) override;

  // As run.hpp wants it.
  void post(std::uint32_t message);
  void wait(Range messages);
  std::uint32_t wait_any();

  // For those who wait for other messages, too: an execution is begin, then posts, of which a window's are followed by `advance`
  // until all are complete, under dataflow by `advance_any`.
  void begin(const Bases& bases) { bases_ = bases; }
  bool advance();                              // whether all that were posted are complete
  std::optional<std::uint32_t> advance_any();  // one that is complete
  bool has_open() const { return open_ > 0 || finished_count_ > 0; }

 private:
  template <class AnyWatch>
  void run(const std::byte* input, std::byte* output, AnyWatch& watch);
  void finish(int count);
  // What goes through one MPI call: a message, or a part of one that is longer than MPI's counts reach.
  struct Part {
    std::uint8_t buffer;
    bool is_send;
    int peer;
    int bytes;
    Bytes offset;
  };

  MPI_Comm communicator_;
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
  DataflowState dataflow_;
};

}  // namespace quadrille
