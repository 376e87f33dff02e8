// SPDX-License-Identifier: BSD-3-Clause
#include "heap/large_blocks.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "execute/shared/memory/process.hpp"
#include "execute/shared/memory/program_heap.hpp"
#include "problem/limits.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::heap {
namespace {

enum class State { off, on, child };  // child: forked; the heap's blocks are private copies, and no more are taken

std::atomic<State> state{State::off};
std::atomic<SharedFile*> file{nullptr};  // made by the first large allocation
std::size_t most_bytes = 0;              // larger requests are the C library's, which refuses them where the memory is too small
std::mutex making;  // also held by a child, which makes no file, while it uses the list of blocks, so that it can fork in turn
// Making the file allocates. Allocations of this thread are the C library's meanwhile.
thread_local bool is_making [[gnu::tls_model("initial-exec")]] = false;

// Keeps errno, which malloc and free must not change if they succeed.
class KeptError {
 public:
  ~KeptError() { errno = error_; }

 private:
  const int error_ = errno;
};

SharedFile* make_file() {
  if (is_making) return nullptr;
  is_making = true;
  const std::lock_guard lock(making);
  try {
    if (!file.load(std::memory_order_relaxed) && state.load(std::memory_order_relaxed) == State::on) {
      most_bytes = static_cast<std::size_t>(usable_memory());
      file.store(&Process::current()->heap(), std::memory_order_release);
    }
  } catch (...) {
    state.store(State::off, std::memory_order_relaxed);  // for good: the system provides no shared memory
  }
  is_making = false;
  return file.load(std::memory_order_relaxed);
}

SharedFile* file_to_take_from() {
  if (state.load(std::memory_order_relaxed) != State::on) return nullptr;
  SharedFile* const made = file.load(std::memory_order_acquire);
  return made ? made : make_file();
}

std::unique_lock<std::mutex> lock_in_child() {
  return state.load(std::memory_order_relaxed) == State::child ? std::unique_lock(making) : std::unique_lock<std::mutex>();
}

Place place_of(const SharedFile& of, const void* memory) { return of.place_of(memory).value_or(0); }

// ---- fork: the child copies the heap, and the parent waits. Otherwise each would see what the other writes.

int pipe_of_fork[2] = {-1, -1};
bool is_held = false;

void before_fork() {
  if (state.load(std::memory_order_relaxed) == State::off) return;
  making.lock();
  if (state.load(std::memory_order_relaxed) == State::child) return;
  SharedFile* const held = file.load(std::memory_order_relaxed);
  is_held = held != nullptr;
  if (!is_held) return;
  held->hold();
  if (::pipe2(pipe_of_fork, O_CLOEXEC) != 0) pipe_of_fork[0] = pipe_of_fork[1] = -1;
}

void in_parent() {
  const State now = state.load(std::memory_order_relaxed);
  if (now == State::off) return;
  if (is_held && now == State::on) {
    const KeptError kept;
    char sign = 0;
    ::close(pipe_of_fork[1]);
    while (::read(pipe_of_fork[0], &sign, 1) < 0 && errno == EINTR) {}  // returns, too, if there is no child, or if it has ended
    ::close(pipe_of_fork[0]);
    file.load(std::memory_order_relaxed)->let_go();
  }
  making.unlock();
}

// While the child copies, it is the first process that the system ends if memory runs out. Otherwise that would be the parent,
// whose heap is the largest.
bool copy_into_child(SharedFile& heap) {
  const int badness = ::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  char before[8];
  const ssize_t length = ::pread(badness, before, sizeof before, 0);
  [[maybe_unused]] const ssize_t raised = length > 0 ? ::pwrite(badness, "1000", 4, 0) : 0;
  const bool is_copied = heap.copy_into_child();
  [[maybe_unused]] const ssize_t restored = length > 0 ? ::pwrite(badness, before, static_cast<std::size_t>(length), 0) : 0;
  ::close(badness);
  return is_copied;
}

void in_child() {
  const State before = state.load(std::memory_order_relaxed);
  if (before == State::off) return;
  making.unlock();
  state.store(State::child, std::memory_order_relaxed);
  if (!is_held || before == State::child) return;
  constexpr std::string_view sentence =
      "quadrille: a forked process cannot copy the heap of its parent, because memory or descriptors are exhausted; it ends "
      "(QUADRILLE_HEAP=off avoids the copy)\n";
  if (pipe_of_fork[0] < 0 || !copy_into_child(*file.load(std::memory_order_relaxed))) {
    [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, sentence.data(), sentence.size());
    ::_exit(127);
  }
  const char sign = 0;
  [[maybe_unused]] const ssize_t told = ::write(pipe_of_fork[1], &sign, 1);
  ::close(pipe_of_fork[0]);
  ::close(pipe_of_fork[1]);
}

[[gnu::constructor]] void start() {
  if (!why_no_program_heap().empty()) return;
  if (::pthread_atfork(before_fork, in_parent, in_child) == 0) state.store(State::on, std::memory_order_relaxed);
}

}  // namespace

void* take_large(std::size_t bytes, bool is_zero) noexcept {
  SharedFile* const heap = file_to_take_from();
  if (!heap || bytes > most_bytes) return nullptr;
  const KeptError kept;
  try {
    const auto place = heap->allocate_pages(static_cast<Bytes>(bytes));
    if (!place) return nullptr;
    if (is_zero) heap->clear_pages(*place, static_cast<Bytes>(bytes));
    return heap->at(*place);
  } catch (...) {
    return nullptr;  // the C library has no memory for the lists of blocks
  }
}

bool is_large(const void* memory) noexcept {
  const SharedFile* const heap = file.load(std::memory_order_acquire);
  return reinterpret_cast<std::uintptr_t>(memory) % page == 0 && heap && heap->place_of(memory);
}

void release_large(void* memory) noexcept {
  SharedFile* const heap = file.load(std::memory_order_relaxed);
  const KeptError kept;
  const Place place = place_of(*heap, memory);
  const auto lock = lock_in_child();
  try {
    if (!lock)
      heap->release_pages(place);
    else if (const Bytes length = heap->forget_in_child(place); length > 0)
      ::madvise(memory, index(length), MADV_DONTNEED);
  } catch (...) {
    // the C library has no memory for the lists of blocks: the block stays taken
  }
}

std::size_t size_of_large(const void* memory) noexcept {
  const SharedFile* const heap = file.load(std::memory_order_relaxed);
  const auto lock = lock_in_child();
  return index(heap->length_of(place_of(*heap, memory)));
}

void* resize_large(void* memory, std::size_t bytes) noexcept {
  SharedFile* const heap = file.load(std::memory_order_relaxed);
  const std::size_t length = size_of_large(memory);
  if (state.load(std::memory_order_relaxed) != State::on) return bytes <= length ? memory : nullptr;
  if (bytes > most_bytes) return nullptr;
  const KeptError kept;
  const Place place = place_of(*heap, memory);
  try {
    if (heap->resize_pages(place, static_cast<Bytes>(bytes))) return memory;
    const auto moved = heap->allocate_pages(static_cast<Bytes>(bytes), true);
    if (!moved) return nullptr;
    heap->copy_pages(*moved, place, static_cast<Bytes>(length));
    heap->release_pages(place);
    return heap->at(*moved);
  } catch (...) {
    return nullptr;
  }
}

}  // namespace quadrille::heap
