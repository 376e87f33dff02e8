// SPDX-License-Identifier: BSD-3-Clause
// A communicator whose ranks are threads of this process. They share all of its memory, so their space allocates by operator new.
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>

#include "execute/shared/communicator.hpp"
#include "foundation/environment.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

class ThreadSpace : public SharedSpace {
 public:
  ThreadSpace(std::shared_ptr<SpaceHead> head, Rank rank, Count ranks)
      : SharedSpace(head.get(), rank, ranks), head_(std::move(head)) {
    set_core_count(usable_core_count());
  }
  ~ThreadSpace() override { release_retired(); }

  std::byte* at(Offset offset) const override { return reinterpret_cast<std::byte*>(offset); }
  Offset offset_of(const void* memory) const override { return reinterpret_cast<Offset>(memory); }
  bool holds_everything() const override { return true; }

  Offset allocate(Bytes bytes) override {
    release_retired();
    return offset_of(::operator new(index(bytes), alignment));
  }
  Offset allocate_control(Bytes bytes) override { return allocate(bytes); }

  bool reads_private_memory() const override { return true; }
  void read_private(Rank, const void* source, std::span<const TargetPiece> targets) override {
    for (const TargetPiece& piece : targets) {
      std::memcpy(piece.place, source, piece.length);
      source = static_cast<const std::byte*>(source) + piece.length;
    }
  }

  void release(Offset offset) override { ::operator delete(at(offset), alignment); }

 private:
  static constexpr std::align_val_t alignment{64};
  const std::shared_ptr<SpaceHead> head_;  // shared by all ranks
};

}  // namespace

void run_threads(Count ranks, const std::function<void(Communicator&)>& body) {
  if (ranks < 1) throw Error(ErrorCode::misuse, "a group needs at least one rank");
  warn_of_environment();
  const Count heads = ceil_divide(SpaceHead::bytes(ranks), Bytes{sizeof(SpaceHead)});
  const auto memory = std::make_shared<std::vector<SpaceHead>>(index(heads));
  const std::shared_ptr<SpaceHead> head(memory, SharedSpace::make_head(memory->data(), ranks));
  // The spaces outlive the threads, because other ranks, and plans that outlive this call, may still access them.
  ByRank<std::shared_ptr<SharedSpace>> spaces;
  for (Rank rank = 0; rank < ranks; ++rank) spaces.push_back(std::make_shared<ThreadSpace>(head, rank, ranks));
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](Rank rank) {
    try {
      SharedCommunicator communicator(spaces[rank], "threads");
      body(communicator);
      spaces[rank]->leave();
    } catch (...) {
      // Other ranks throw only after this rank has called fail() below. So the exception that is recorded first is the cause.
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
