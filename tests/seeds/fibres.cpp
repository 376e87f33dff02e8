// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/fibres.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace quadrille::seeds {
namespace {

constexpr std::size_t stack_bytes = 512 << 10, guard_bytes = 4096;
constexpr std::int64_t hung_after_ns = 120'000'000'000, long_sleep_ns = 50'000'000;
constexpr std::uint64_t most_points = 5'000'000;

Fibres* in_progress = nullptr;

// Stacks are kept for the next run.
class Stacks {
 public:
  static std::byte* take() {
    if (!free().empty()) {
      std::byte* const stack = free().back();
      free().pop_back();
      return stack;
    }
    void* const memory = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || ::mprotect(memory, guard_bytes, PROT_NONE) != 0) std::abort();
    return static_cast<std::byte*>(memory);
  }
  static void give(std::byte* stack) {
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack + guard_bytes, stack_bytes - guard_bytes);  // of a rank that has died in a function
#endif
    free().push_back(stack);
  }

 private:
  static std::vector<std::byte*>& free() {
    static std::vector<std::byte*> all;
    return all;
  }
};

}  // namespace

// makecontext makes a stack's first frame. Later switches are by _setjmp and _longjmp, which make no system call.
struct Fibres::Fibre {
  ~Fibre() {
    if (stack) Stacks::give(stack);
  }

  Body body;
  Stage stage = Stage::ready;
  std::int64_t wakes_ns = 0, slept_ns = 0;
  const void* word = nullptr;
  bool was_woken = false, has_begun = false;
  int error = 0;  // errno
  std::byte* stack = nullptr;
  jmp_buf place;
  ucontext_t first;
  // What the C++ library keeps for each thread: the exceptions that it handles.
  struct Exceptions {
    void* caught = nullptr;
    unsigned uncaught = 0;
  } exceptions;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t bytes = 0;
#endif
};

Fibres::Fibres(Chance& chance) : chance_(chance), main_(std::make_unique<Fibre>()) {
  dies_after_.fill(~std::uint64_t{0});
  constexpr std::uint64_t rates[] = {1, 2, 3, 5, 10, 30, 100};
  switch_one_in_ = chance_.of(rates);
  constexpr std::int64_t ways_ns[] = {500, 500, 20'000, 300'000};
  way_ns_ = chance_.of(ways_ns);
}

Fibres::~Fibres() = default;

Fibres* Fibres::current() { return in_progress; }

bool Fibres::is_dead(std::size_t rank) const { return fibres_[rank]->stage == Stage::dead; }

void Fibres::add(Body body) {
  auto& fibre = *fibres_.emplace_back(std::make_unique<Fibre>());
  fibre.body = std::move(body);
  fibre.stack = Stacks::take();
}

std::string Fibres::run() {
  if (chance_.one_in(3)) slow_ = chance_.below(fibres_.size());
  in_progress = this;
  if (!fibres_.empty()) switch_to(pick(false));
  in_progress = nullptr;
  return failure_;
}

void Fibres::enter() {
  Fibres& all = *in_progress;
#if defined(__SANITIZE_ADDRESS__)
  Fibre& main = *all.main_;
  const bool is_first = main.bottom == nullptr;  // run() goes to the first fibre
  __sanitizer_finish_switch_fiber(nullptr, is_first ? &main.bottom : nullptr, is_first ? &main.bytes : nullptr);
#endif
  Fibre& own = *all.fibres_[all.running_];
  own.body();
  own.stage = Stage::over;
  all.note_progress();
  all.leave_for_next("end", nullptr, false);
}

void Fibres::go_on(Fibre& to, bool is_main) {
  if (is_main || to.has_begun) _longjmp(to.place, 1);
  to.has_begun = true;
  getcontext(&to.first);
  to.first.uc_stack.ss_sp = to.stack;
  to.first.uc_stack.ss_size = stack_bytes;
  to.first.uc_link = nullptr;
  makecontext(&to.first, &Fibres::enter, 0);
  setcontext(&to.first);
}

// `next`: none goes back to run().
void Fibres::switch_to(std::size_t next) {
  Fibre& from = running_ == none ? *main_ : *fibres_[running_];
  Fibre& to = next == none ? *main_ : *fibres_[next];
  if (&from == &to) return;
  auto* const exceptions = reinterpret_cast<Fibre::Exceptions*>(abi::__cxa_get_globals());
  from.exceptions = *exceptions, from.error = errno;
  *exceptions = to.exceptions;
  running_ = next;
#if defined(__SANITIZE_ADDRESS__)
  if (next != none) to.bottom = to.stack, to.bytes = stack_bytes;
  __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
#endif
  if (_setjmp(from.place) == 0) go_on(to, next == none);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
  errno = from.error;
}

// Returns a fibre that can go on; if there is none, lets time pass until one wakes. Returns `none` if all are over or dead.
std::size_t Fibres::pick(bool may_stay) {
  std::array<std::size_t, most_ranks> ready;
  std::size_t count = 0, first_to_wake = none;
  for (std::size_t rank = 0; rank < fibres_.size(); ++rank) {
    const Fibre& each = *fibres_[rank];
    const bool is_awake = each.stage == Stage::sleeping && each.wakes_ns <= now_ns_;
    if ((each.stage == Stage::ready || is_awake) && (may_stay || rank != running_)) ready[count++] = rank;
    if (each.stage == Stage::sleeping && (first_to_wake == none || each.wakes_ns < fibres_[first_to_wake]->wakes_ns))
      first_to_wake = rank;
  }
  if (count > 1 && slow_ != none && !chance_.one_in(20)) {
    const auto end = std::remove(ready.begin(), ready.begin() + count, slow_);
    count = static_cast<std::size_t>(end - ready.begin());
  }
  if (count > 0) return ready[chance_.below(count)];
  if (running_ != none && !may_stay && fibres_[running_]->stage == Stage::ready) return running_;
  if (first_to_wake != none) now_ns_ = std::max(now_ns_, fibres_[first_to_wake]->wakes_ns);
  return first_to_wake;
}

void Fibres::leave_for_next(const char* what, const void* place, bool may_stay) {
  const std::size_t next = failure_.empty() ? pick(may_stay) : none;
  if (next != none) {
    Fibre& fibre = *fibres_[next];
    if (fibre.stage == Stage::sleeping) {
      // All ranks slept until time passed.
      const bool is_late = fibre.slept_ns >= long_sleep_ns && fibre.word && deaths_ == 0 && expects_wakes_;
      fibre.stage = Stage::ready;
      if (is_late && failure_.empty() && std::none_of(fibres_.begin(), fibres_.end(), [&](const auto& each) {
            return each->stage == Stage::ready && each.get() != &fibre;
          })) {
        failure_ = fmt::format("all ranks sleep, and none wakes rank {}", next);
        return switch_to(none);
      }
    }
  }
  if (next == running_) return;
  if (switches_.size() == kept_switches) switches_.pop_front();
  switches_.push_back({running_, next, what, place, now_ns_});
  switch_to(next);
}

// Lets time pass; faster if no rank makes progress.
void Fibres::pass(std::int64_t ns, std::int64_t most_ns) {
  if (++points_ > dies_after_[running_]) die();
  if (points_ > most_points) fail("no end after 5 million points");
  now_ns_ += passes_evenly_ ? ns : std::min(ns << std::min<std::uint64_t>(++idle_ / 256, 30), most_ns);
  if (now_ns_ - last_progress_ns_ > hung_after_ns) fail("no rank goes on: a hang");
}

void Fibres::point(const char* what, const void* place) {
  pass(10, 10'000);
  if (switch_one_in_ == 1 || chance_.one_in(switch_one_in_)) leave_for_next(what, place, true);
}

void Fibres::copy(std::size_t bytes, const void* place) {
  constexpr std::size_t bytes_of_point = 512;
  note_progress();
  if (chance_.below(bytes_of_point) < bytes) point("copy", place);
}

void Fibres::give_way(const char* what, const void* place) {
  pass(way_ns_, 5'000'000);
  leave_for_next(what, place, false);
}

bool Fibres::sleep(std::int64_t ns, const void* word, const void* place) {
  pass(100, 100);
  Fibre& own = *fibres_[running_];
  own.stage = Stage::sleeping;
  own.wakes_ns = now_ns_ + ns, own.slept_ns = ns, own.word = word, own.was_woken = false;
  leave_for_next("sleep", place, false);
  own.stage = Stage::ready, own.word = nullptr;
  return own.was_woken;
}

void Fibres::wake(const void* word) {
  for (const auto& each : fibres_)
    if (each->stage == Stage::sleeping && each->word == word) each->stage = Stage::ready, each->was_woken = true;
}

void Fibres::die() {
  fibres_[running_]->stage = Stage::dead;
  ++deaths_;
  note_progress();
  if (on_death) on_death(running_);
  leave_for_next("death", nullptr, false);
  std::abort();  // not reached: nobody goes on with a dead rank
}

void Fibres::fail(const std::string& why) {
  if (failure_.empty()) failure_ = fmt::format("rank {}: {}", running_, why);
  leave_for_next("failure", nullptr, false);
  std::abort();  // not reached
}

}  // namespace quadrille::seeds
