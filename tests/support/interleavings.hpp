// SPDX-License-Identifier: BSD-3-Clause
// Tests code that ranks use to share memory, in all orders in which the ranks may run and with all values that the C++ memory model
// lets their loads return. (memory.hpp says what the model leaves out, search.hpp how the search ends.)
//
// A test has a struct with the objects that the ranks share, and a function for each rank:
//
//     struct Shared {
//       FlagBy<Atomic> flag;          // the code under test, with Atomic for std::atomic
//       Plain<int> data{"data"};      // memory without atomicity: a race is a failure
//     };
//     const Result result = explore<Shared>({[](Shared& s) { s.data.write(7), s.flag.publish(1); },
//                                            [](Shared& s) {
//                                              wait_until([&] { return s.flag.published() == 1; });
//                                              require(s.data.read() == 7, "the message is there");
//                                            }});
//     EXPECT_TRUE(result.failure.empty()) << result.failure;
//
// Functions must depend on nothing but the operations below, because the search runs them many times from the start.
//
// Relacy, the library for this purpose in Debian, does not serve: its full search lets a load return one old value at most, it
// changes stacks by longjmp, and the code under test would have to name its types and pass a place to each operation.
#pragma once

#include <type_traits>

#include "support/interleavings/search.hpp"

namespace quadrille::interleavings {

template <class T>
class Atomic {
  static_assert(std::is_integral_v<T>);

 public:
  Atomic(T value = 0) : number_(Run::current()->add_atomic(static_cast<std::uint64_t>(value))) {}

  T load(std::memory_order order, Place place = Place::here()) const {
    return static_cast<T>(Run::current()->load(number_, order, place).value);
  }
  void store(T value, std::memory_order order, Place place = Place::here()) {
    Run::current()->store(number_, static_cast<std::uint64_t>(value), order, place);
  }
  T fetch_add(T added, std::memory_order order, Place place = Place::here()) {
    const auto sum = [&](std::uint64_t before) { return before + static_cast<std::uint64_t>(added); };
    return static_cast<T>(Run::current()->modify(number_, sum, "fetch_add", order, place).value);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               Place place = Place::here()) {
    return compare_exchange(expected, desired, false, success, failure, place);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                             Place place = Place::here()) {
    return compare_exchange(expected, desired, true, success, failure, place);
  }

 private:
  bool compare_exchange(T& expected, T desired, bool is_weak, std::memory_order success, std::memory_order failure, Place place) {
    const auto [value, succeeded] = Run::current()->compare_exchange(
        number_, static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(desired), is_weak, success, failure, place);
    if (!succeeded) expected = static_cast<T>(value);
    return succeeded;
  }

  std::size_t number_;
};

struct Fence {  // a full fence
  static void make(Place place = Place::here()) { Run::current()->fence(place); }
  static void make_for_all(Place place = Place::here()) { Run::current()->fence_for_all(place); }
};

template <class T>
class Plain {
  static_assert(std::is_integral_v<T>);

 public:
  explicit Plain(const char* name = "plain memory", T value = 0)
      : number_(Run::current()->add_plain(name, static_cast<std::uint64_t>(value))) {}

  T read(Place place = Place::here()) const { return static_cast<T>(Run::current()->read(number_, place).value); }
  void write(T value, Place place = Place::here()) { Run::current()->write(number_, static_cast<std::uint64_t>(value), place); }

 private:
  std::size_t number_;
};

// Memory that is released: a use that does not happen before the release is a failure. Operations on atomic objects that were made
// by `make` are uses.
class Releasable {
 public:
  explicit Releasable(const char* name = "memory") : number_(Run::current()->add_plain(name, 0)) {}

  template <class T>
  T make() const {
    struct Within {
      explicit Within(std::size_t memory) { Run::current()->make_within(memory); }
      ~Within() { Run::current()->make_within(std::nullopt); }
    } within(number_);
    return T();
  }
  void use(Place place = Place::here()) const { Run::current()->read(number_, place); }
  void release(Place place = Place::here()) { Run::current()->release(number_, place); }

 private:
  std::size_t number_;
};

// Waits until the condition is true. It may load, and do nothing else.
template <class Condition>
void wait_until(Condition&& condition) {
  Run::current()->begin_wait();
  Run::current()->end_wait(condition());
}

// For any other loop that waits: passes time until another rank has changed something that this rank has read in the loop.
inline void pass_time() { Run::current()->pass_time(); }

// Returns each number below `count` in one execution or another.
inline std::size_t choose(std::size_t count, Place place = Place::here()) { return Run::current()->choose(count, place).value; }

// Adds a number to the outcome of the execution.
inline void note(std::uint64_t value) { Run::current()->note(value); }

inline void require(bool condition, const char* what) {
  if (!condition) throw Failure(std::string("not so: ") + what);
}

// Tries all executions of the ranks' functions. If `weakened` names an order that the code under test states, it is relaxed.
template <class Shared>
Result explore(const std::vector<void (*)(Shared&)>& ranks, const std::optional<Order>& weakened = std::nullopt) {
  Run run(weakened);
  Shared shared;
  Search::Programs programs;
  for (const auto rank : ranks) programs.emplace_back([&shared, rank] { rank(shared); });
  return Search(run, programs).result();
}

}  // namespace quadrille::interleavings
