// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of this process.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "execute/threads/executable.hpp"
#include "execute/threads/mail.hpp"
#include "quadrille/execute.hpp"

namespace quadrille {
namespace {

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(ThreadGroup& group, Rank rank)
      : group_(group), rank_(rank), nodes_(static_cast<std::size_t>(group.size()), 0) {}

  Rank rank() const override { return rank_; }
  Count size() const override { return group_.size(); }
  std::string_view transport() const override { return "threads"; }
  const std::vector<Count>& nodes() override { return nodes_; }
  bool moves_strided_messages() const override { return true; }
  void barrier() override { group_.barrier(); }

  void all_gather(const void* mine, void* all, Bytes count) override {
    if (count == 0) return;  // perhaps of no buffer at all; and all others return as well
    group_.pointers[static_cast<std::size_t>(rank_)] = mine;
    group_.barrier();
    for (std::size_t i = 0; i < group_.pointers.size(); ++i)
      std::memcpy(static_cast<std::byte*>(all) + static_cast<Bytes>(i) * count, group_.pointers[i],
                  static_cast<std::size_t>(count));
    group_.barrier();
  }

  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    try {
      return std::make_unique<ThreadExecutable>(group_, std::move(script));
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {}
    group_.fail();  // the others are waiting to be connected
    throw Error(ErrorCode::too_large, "there is not enough memory for this plan");
  }

  std::unique_ptr<Mail> mail() override { return std::make_unique<ThreadMail>(group_, rank_); }

  std::unique_ptr<Executable> vendor(const Problem&, const std::shared_ptr<const Operator>&, std::string& reason) override {
    reason = "threads have no collectives of their own; it needs an MPI library";
    return nullptr;
  }

  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }

 private:
  ThreadGroup& group_;
  Rank rank_;
  std::vector<Count> nodes_;  // one
};

}  // namespace

void run_threads(Count ranks, const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw Error(ErrorCode::misuse, "a group needs at least one rank");
  ThreadGroup group(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](Rank rank) {
    ThreadCommunicator communicator(group, rank);
    try {
      body(communicator);
    } catch (...) {
      // Those that only stopped waiting for a failed rank fail after it.
      const std::scoped_lock lock(mutex);
      if (!first) first = std::current_exception();
      group.fail();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  } catch (const std::system_error&) {
    group.fail();
    threads.clear();
    throw Error(ErrorCode::environment, "this machine does not give one process so many threads; take fewer ranks");
  }
  threads.clear();  // joins
  if (first) std::rethrow_exception(first);
}

}  // namespace quadrille
