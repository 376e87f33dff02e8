// SPDX-License-Identifier: BSD-3-Clause
// A communicator whose ranks are threads of this process. They share all of its memory, so their space allocates by operator new.
#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <vector>

#include "execute/shared/communicator.hpp"
#include "execute/threads/threads.hpp"
#include "foundation/environment.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::align_val_t alignment{64};

// Each rank that waits checks all other ranks from time to time. On two cores a barrier of 1,000 ranks takes 4 s, and one of
// 2,000 ranks more than 20 s.
constexpr Count most_ranks = 1024;

struct Deletion {
  void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
};
using Allocations = std::unordered_map<Offset, std::unique_ptr<std::byte, Deletion>>;

// What all ranks of the group share, and the memory that the ranks have not released themselves. It is destroyed after the spaces
// of all ranks, and so after all plans. By then no rank accesses that memory.
class ThreadGroup {
 public:
  explicit ThreadGroup(Count ranks)
      : memory_(index(ceil_divide(SpaceHead::bytes(ranks), Bytes{sizeof(SpaceHead)}))),
        head_(SharedSpace::make_head(memory_.data(), ranks)) {}

  SpaceHead* head() const { return head_; }

  void take(Allocations allocations) {
    const std::scoped_lock lock(mutex_);
    left_.merge(allocations);
  }

 private:
  std::vector<SpaceHead> memory_;
  SpaceHead* const head_;
  std::mutex mutex_;  // protects the following member
  Allocations left_;
};

class ThreadSpace : public SharedSpace {
 public:
  ThreadSpace(std::shared_ptr<ThreadGroup> group, Rank rank, Count ranks)
      : SharedSpace(group->head(), rank, ranks), group_(std::move(group)) {
    set_core_count(usable_core_count());
  }
  ~ThreadSpace() override { group_->take(std::move(own_)); }

  std::byte* at(Offset offset) const override { return reinterpret_cast<std::byte*>(offset); }
  Offset offset_of(const void* memory) const override { return reinterpret_cast<Offset>(memory); }
  bool holds_everything() const override { return true; }

  Offset allocate(Bytes bytes) override {
    release_retired();
    Allocations::mapped_type memory(static_cast<std::byte*>(::operator new(index(bytes), alignment)));
    const Offset offset = offset_of(memory.get());
    const std::scoped_lock lock(mutex_);
    own_.emplace(offset, std::move(memory));
    return offset;
  }
  Offset allocate_control(Bytes bytes) override { return allocate(bytes); }

  bool reads_private_memory() const override { return true; }
  void read_private(Rank, const void* source, std::span<const TargetPiece> targets) override {
    for (const TargetPiece& piece : targets) {
      std::memcpy(piece.place, source, piece.length);
      source = static_cast<const std::byte*>(source) + piece.length;
    }
  }

  void release(Offset offset) override {
    const std::scoped_lock lock(mutex_);
    own_.erase(offset);
  }

 private:
  const std::shared_ptr<ThreadGroup> group_;
  std::mutex mutex_;  // protects the following member: any thread may release what Communicator::allocate returned
  Allocations own_;
};

}  // namespace

ByRank<std::shared_ptr<SharedSpace>> spaces_of_threads(Count ranks) {
  const auto group = std::make_shared<ThreadGroup>(ranks);
  ByRank<std::shared_ptr<SharedSpace>> spaces;
  for (Rank rank = 0; rank < ranks; ++rank) spaces.push_back(std::make_shared<ThreadSpace>(group, rank, ranks));
  return spaces;
}

void run_as_threads(Count ranks, const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw Error(ErrorCode::misuse, "a group needs at least one rank");
  if (ranks > most_ranks)
    throw Error(ErrorCode::misuse, fmt::format("a group of threads has at most {} ranks, not {}", most_ranks, ranks));
  warn_of_environment();
  // The spaces outlive the threads, because other ranks, and plans that outlive this call, may still access them.
  const auto spaces = spaces_of_threads(ranks);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](Rank rank) {
    try {
      SharedCommunicator communicator(spaces[rank], "threads");
      body(communicator);
      spaces[rank]->leave();
    } catch (...) {
      // Other ranks throw only after fail() is called below. So the exception that is recorded first is the cause.
      const std::scoped_lock lock(mutex);
      if (!first) first = std::current_exception();
      spaces[rank]->fail();
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  } catch (const std::system_error&) {
    spaces.front()->fail();
    threads.clear();
    throw Error(ErrorCode::environment, "this machine does not give one process so many threads; take fewer ranks");
  }
  threads.clear();  // joins all threads
  if (first) std::rethrow_exception(first);
}

}  // namespace quadrille
