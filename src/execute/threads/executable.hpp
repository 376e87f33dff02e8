// SPDX-License-Identifier: BSD-3-Clause
// A script made ready for one thread of a group.
#pragma once

#include "execute/run.hpp"
#include "execute/threads/group.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {

class ThreadExecutable : public Executable {
 public:
  // Collective over the group's threads. Throws Error{misuse} if the scripts' messages do not fit together.
  ThreadExecutable(ThreadGroup& group, std::shared_ptr<const Script> script);

  void execute(const std::byte* input, std::byte* output) override;
  Phases execute_timed(const std::byte* input, std::byte* output) override;

  // As run.hpp wants it.
  void post(std::uint32_t message);
  void wait(Range messages);
  std::uint32_t wait_any();

 private:
  template <class AnyWatch>
  void run(const std::byte* input, std::byte* output, AnyWatch& watch);
  // One end of a message and the place where it meets the other.
  struct End {
    Slot* slot = nullptr;
    Range copies;  // receives: from the sender's memory into mine
  };

  void connect(std::size_t message);
  // After an error: takes back what was posted, so that nobody reads this rank's memory when it is gone.
  void withdraw();
  bool try_to_complete(std::uint32_t message);

  ThreadGroup& group_;
  std::shared_ptr<const Script> script_;
  std::vector<std::byte> scratch_, staging_;
  Bases bases_{};
  std::uint64_t execution_ = 0;
  std::vector<End> ends_;            // by message
  std::vector<StridedCopy> copies_;  // of receives
  std::vector<std::uint32_t> open_;  // posted, not complete: the first open_count_
  std::size_t open_count_ = 0;
  DataflowState dataflow_;
  std::vector<std::shared_ptr<std::vector<Slot>>> kept_;  // a sender may look at a slot after its receiver is gone
};

}  // namespace quadrille
