// SPDX-License-Identifier: BSD-3-Clause
// The functions of the C library by which threads start, wait and read the clock. This program's definitions replace the library's,
// also for the calls of shared libraries; they call the library's unless a test simulates time.
#include "support/simulated_time.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "support/environment.hpp"

namespace quadrille::testing {
namespace {

SimulatedTime* current = nullptr;
thread_local bool runs_ranks = false;  // of the thread whose fibres are the ranks

template <class Function>
Function* of_library(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::int64_t ns_of(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

int fail_with(int error) {
  errno = error;
  return -1;
}

}  // namespace

SimulatedTime::SimulatedTime(int cores) : cores_(cores), seed_(number_in_environment("QUADRILLE_SEED", 1)), chance_(seed_) {
  current = this;
}

SimulatedTime::~SimulatedTime() { current = nullptr; }

SimulatedTime* SimulatedTime::in_use() { return current; }

SimulatedTime* SimulatedTime::of_caller() { return runs_ranks ? current : nullptr; }

bool SimulatedTime::add(std::function<void()> body) {
  if (!ranks_) {
    added_ = 0;
    ranks_ = std::make_unique<seeds::Fibres>(chance_);
    ranks_->let_time_pass_evenly();
  }
  if (added_ == seeds::most_ranks) return false;
  ranks_->add(std::move(body));
  ++added_;
  return true;
}

void SimulatedTime::run() {
  if (!ranks_) return;
  runs_ranks = true;
  const std::string failure = ranks_->run();
  runs_ranks = false;
  if (!failure.empty()) {  // the ranks cannot be ended, so the test cannot go on
    fmt::print(stderr, "in simulated time, QUADRILLE_SEED={}: {}\n", seed_, failure);
    std::abort();
  }
  ranks_.reset();
}

int SimulatedTime::wait_on(volatile std::uint32_t* word, std::uint32_t value, std::int64_t ns) {
  if (*word != value) return EAGAIN;
  Wait& wait = waits_[ranks_->rank()];
  wait = {word, value};
  const bool was_woken = ranks_->sleep(std::min(ns, longest_sleep_ns_), const_cast<const std::uint32_t*>(word), nullptr);
  wait = {};
  return was_woken ? 0 : ns > longest_sleep_ns_ ? EINTR : ETIMEDOUT;
}

// Ranks may have mapped the word at several addresses. So all are woken whose word has changed.
void SimulatedTime::wake(volatile std::uint32_t* word) {
  for (const Wait& each : waits_)
    if (each.word && (each.word == word || *each.word != each.value)) ranks_->wake(const_cast<const std::uint32_t*>(each.word));
}

}  // namespace quadrille::testing

using quadrille::testing::fail_with, quadrille::testing::ns_of, quadrille::testing::of_library;
using quadrille::testing::SimulatedTime;

// The libraries see a definition only if it is visible.
#define QUADRILLE_REPLACES __attribute__((visibility("default")))

extern "C" {

QUADRILLE_REPLACES int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                                      void* argument) noexcept {
  static const auto real = of_library<decltype(::pthread_create)>("pthread_create");
  static pthread_t numbers = 0;  // small, so that they differ from the library's
  SimulatedTime* const time = SimulatedTime::in_use();
  if (!time || SimulatedTime::of_caller()) return real(thread, attributes, body, argument);
  if (!time->add([body, argument] { body(argument); })) return EAGAIN;
  *thread = ++numbers;
  return 0;
}

QUADRILLE_REPLACES int pthread_join(pthread_t thread, void** result) {
  static const auto real = of_library<decltype(::pthread_join)>("pthread_join");
  SimulatedTime* const time = SimulatedTime::in_use();
  constexpr pthread_t most_simulated = 1 << 20;
  if (!time || thread > most_simulated) return real(thread, result);
  time->run();
  return 0;
}

QUADRILLE_REPLACES int sched_getaffinity(pid_t process, std::size_t bytes, cpu_set_t* cores) noexcept {
  static const auto real = of_library<decltype(::sched_getaffinity)>("sched_getaffinity");
  const SimulatedTime* const time = SimulatedTime::in_use();
  if (!time) return real(process, bytes, cores);
  CPU_ZERO_S(bytes, cores);
  for (int core = 0; core < time->cores(); ++core) CPU_SET_S(static_cast<std::size_t>(core), bytes, cores);
  return 0;
}

QUADRILLE_REPLACES int sched_yield() noexcept {
  static const auto real = of_library<decltype(::sched_yield)>("sched_yield");
  SimulatedTime* const time = SimulatedTime::of_caller();
  if (!time) return real();
  time->ranks().give_way("yield", nullptr);
  return 0;
}

QUADRILLE_REPLACES int nanosleep(const timespec* duration, timespec* rest) {
  static const auto real = of_library<decltype(::nanosleep)>("nanosleep");
  SimulatedTime* const time = SimulatedTime::of_caller();
  if (!time) return real(duration, rest);
  time->ranks().sleep(ns_of(*duration), nullptr, nullptr);
  return 0;
}

QUADRILLE_REPLACES int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto real = of_library<decltype(::clock_gettime)>("clock_gettime");
  SimulatedTime* const time = SimulatedTime::of_caller();
  if (!time || clock != CLOCK_MONOTONIC) return real(clock, now);
  const std::int64_t ns = time->ranks().now_ns();
  *now = {ns / 1'000'000'000, ns % 1'000'000'000};
  return 0;
}

QUADRILLE_REPLACES long syscall(long number, ...) noexcept {
  static const auto real = of_library<long(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& each : a) each = va_arg(list, long);
  va_end(list);
  SimulatedTime* const time = number == SYS_futex ? SimulatedTime::of_caller() : nullptr;
  if (!time) return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  auto* const word = reinterpret_cast<volatile std::uint32_t*>(a[0]);
  const long command = a[1] & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE) return time->wake(word), 1;
  if (command != FUTEX_WAIT) return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const auto* const longest = reinterpret_cast<const timespec*>(a[3]);
  const int error = time->wait_on(word, static_cast<std::uint32_t>(a[2]), longest ? ns_of(*longest) : 3'600'000'000'000);
  return error == 0 ? 0 : fail_with(error);
}

}  // extern "C"
