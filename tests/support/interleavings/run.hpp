// SPDX-License-Identifier: BSD-3-Clause
// Runs the program of one rank for one step, and makes the operations that it calls.
//
// A step is an operation on an atomic object, a choice, or the end of passing time. Operations on plain memory are no steps,
// because a race is found in whatever order they run; each runs right after the step before it. To make a step, the program runs
// from its start with the results that it has got so far, makes the step, goes on to the next one, and is left by an exception. So
// neither threads nor stacks of their own are needed.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/interleavings/order.hpp"
#include "support/interleavings/state.hpp"

namespace quadrille::interleavings {

class Run {
 public:
  // The run for which objects are made and programs call operations.
  static Run*& current() {
    static thread_local Run* run = nullptr;
    return run;
  }

  explicit Run(std::optional<Order> weakened) : weakened_(std::move(weakened)) { current() = this; }
  ~Run() { current() = nullptr; }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // While objects are made: they get a number. An atomic object may lie in plain memory.
  std::size_t add_atomic(std::uint64_t value) { return initial_.add_atomic(value, within_); }
  std::size_t add_plain(const char* name, std::uint64_t value) { return initial_.add_plain(name, value); }
  void make_within(std::optional<std::size_t> plain) { within_ = plain; }
  const Memory& initial() const { return initial_; }

  static constexpr std::size_t newest = static_cast<std::size_t>(-1);  // the last choice

  // Lets a rank make its next step, and run up to the one after it. Without a choice it runs up to its first step. Returns how
  // many choices there are. The later choices of a load are newer stores.
  std::size_t advance(State& state, std::size_t rank, const std::function<void()>& program, std::optional<std::size_t> choice) {
    state_ = &state;
    rank_ = rank;
    choice_ = choice;
    choices_ = 1;
    repeated_ = 0;
    try {
      program();
      progress().stage = Stage::is_over;
    } catch (const NextStep& next) {
      if (next.passes_time) progress().stage = Stage::passes_time;
    } catch (const InVain&) {
      if (progress().stage == Stage::about_to_look) throw NotCovered("a wait whose condition loads nothing");
      progress().stage = Stage::looked_in_vain;
    }
    return choices_;
  }

  const std::set<Order>& orders() const { return orders_; }  // those met

  // The operations made, one a line. A search that goes back to an earlier state cuts them to the number that they had there.
  std::size_t traced() const { return trace_.size(); }
  void cut_trace(std::size_t size) { trace_.resize(size); }
  std::string shown_trace() const {
    std::string text;
    for (const Traced& each : trace_) {
      text += "\n  rank " + std::to_string(each.rank) + ": " + each.operation + " of " + each.object;
      if (each.number) text += " " + std::to_string(*each.number);
      text += ": " + shown(each.value) + "  (" + std::string(each.place.file_name()) + ":" + std::to_string(each.place.line) + " " +
              each.place.function + ")";
    }
    return text;
  }

  // What follows is called by programs.

  Returned load(std::size_t atomic, std::memory_order order, Place place) {
    return step([&] { return look(atomic, pick(state_->readable(rank_, atomic)), "load", order, place); });
  }

  void store(std::size_t atomic, std::uint64_t value, std::memory_order order, Place place) {
    step([&] {
      begin_write(atomic, value, "store", place);
      memory().store(rank_, atomic, value, in_force(order, "store", place));
      return Returned{};
    });
  }

  template <class Function>
  Returned modify(std::size_t atomic, Function&& changed, const char* operation, std::memory_order order, Place place) {
    return step([&] { return write_last(atomic, changed(memory().stores(atomic).back().value), operation, order, place); });
  }

  // A failure is a load, so it may read an old store. If `is_weak`, it may read the expected value, but only once in a program: the
  // rank learns nothing from such a failure, so a second one leads to where the first has led.
  Returned compare_exchange(std::size_t atomic, std::uint64_t expected, std::uint64_t desired, bool is_weak,
                            std::memory_order success, std::memory_order failure, Place place) {
    return step([&] {
      const auto& stores = memory().stores(atomic);
      std::vector<std::size_t> ways;  // the store that a failure reads; stores.size() is the success
      for (const std::size_t store : state_->readable(rank_, atomic))
        if (stores[store].value != expected || (is_weak && !progress().has_failed_falsely)) ways.push_back(store);
      if (stores.back().value == expected) ways.push_back(stores.size());
      const std::size_t way = pick(ways);
      if (way == stores.size()) return write_last(atomic, desired, "compare_exchange", success, place);
      if (stores[way].value == expected) progress().has_failed_falsely = true;
      return Returned{look(atomic, way, "compare_exchange that fails", failure, place).value, false};
    });
  }

  void fence(Place place) {
    step([&] {
      refuse_in_condition();
      trace_.push_back({rank_, "fence", "all atomics", std::nullopt, 0, place});
      progress().looked_at.clear();
      const Order order{std::string(place.file_name()), place.line, "fence", false};
      orders_.insert(order);
      if (order != weakened_) memory().fence(rank_);
      return Returned{};
    });
  }

  // A full fence, then one at each other rank, at some time, then another one.
  void fence_for_all(Place place) {
    fence(place);
    const Order order{std::string(place.file_name()), place.line, "fence", false};
    for (std::size_t rank = 0; rank < state_->ranks.size(); ++rank)
      step([&] {
        if (order != weakened_) memory().fence(rank);
        return Returned{};
      });
    fence(place);
  }

  Returned read(std::size_t plain, Place place) {
    return at_once([&] {
      trace_.push_back({rank_, "read", memory().name(plain), std::nullopt, memory().value(plain), place});
      return memory().read(rank_, plain);
    });
  }
  void write(std::size_t plain, std::uint64_t value, Place place) {
    at_once([&] {
      trace_.push_back({rank_, "write", memory().name(plain), std::nullopt, value, place});
      return memory().write(rank_, plain, value), value;
    });
  }
  void release(std::size_t plain, Place place) {
    at_once([&] {
      trace_.push_back({rank_, "release", memory().name(plain), std::nullopt, 0, place});
      return memory().release(rank_, plain), 0;
    });
  }
  void note(std::uint64_t value) {
    at_once([&] { return progress().noted.push_back(value), value; });
  }

  Returned choose(std::size_t count, Place place) {
    return step([&] {
      refuse_in_condition();
      std::vector<std::size_t> all(count);
      for (std::size_t i = 0; i < count; ++i) all[i] = i;
      const std::size_t chosen = pick(all);
      trace_.push_back({rank_, "choice", "a number below", count, chosen, place});
      return Returned{chosen};
    });
  }

  // A wait: its condition is evaluated between these two.
  void begin_wait() {
    at_once([&] { return progress().stage = Stage::about_to_look, 0; });
  }
  void end_wait(bool is_true) {
    if (!is_true) throw InVain{};
    at_once([&] {
      progress().stage = Stage::runs;
      progress().looked_at.clear();
      return 0;
    });
  }

  void pass_time() {
    const auto end = [&] {
      const auto [atomic, store] = pick(state_->outdated(rank_));
      memory().forget_before(rank_, atomic, store + 1);
      progress().looked_at.clear();
      return Returned{};
    };
    step(end, true);
  }

 private:
  struct Traced {
    std::size_t rank;
    const char *operation, *object;
    std::optional<std::size_t> number;  // of the object
    std::uint64_t value;
    Place place;
  };

  struct NextStep {  // ends a run
    bool passes_time;
  };
  struct InVain {};  // likewise: the program waits for a condition that is false

  static constexpr std::size_t most_returned = 100;

  template <class Operation>
  Returned step(Operation&& operation, bool passes_time = false) {
    std::vector<Returned>& returned = progress().returned;
    if (repeated_ == returned.size()) {
      if (!choice_) throw NextStep{passes_time};
      Stage& stage = progress().stage;
      stage = stage == Stage::about_to_look || stage == Stage::looks ? Stage::looks : Stage::runs;
      returned.push_back(operation());
      choice_.reset();
      if (returned.size() > most_returned) throw NotCovered("too many operations; does a program wait without passing time?");
    }
    return returned[repeated_++];
  }

  template <class Operation>
  Returned at_once(Operation&& operation) {
    std::vector<Returned>& returned = progress().returned;
    if (repeated_ == returned.size()) returned.push_back({static_cast<std::uint64_t>(operation())});
    return returned[repeated_++];
  }

  template <class Way>
  Way pick(const std::vector<Way>& ways) {
    choices_ = ways.size();
    return ways.at(std::min(*choice_, choices_ - 1));
  }

  Returned look(std::size_t atomic, std::size_t store, const char* operation, std::memory_order order, Place place) {
    trace_.push_back({rank_, operation, "atomic", atomic, memory().stores(atomic)[store].value, place});
    std::vector<Look>& looks = progress().looked_at;
    if (std::none_of(looks.begin(), looks.end(), [&](const Look& each) { return each.atomic == atomic; }))
      looks.push_back({atomic, store});
    return {memory().load(rank_, atomic, store, in_force(order, operation, place))};
  }

  Returned write_last(std::size_t atomic, std::uint64_t value, const char* operation, std::memory_order order, Place place) {
    begin_write(atomic, value, operation, place);
    return {memory().read_modify_write(rank_, atomic, value, in_force(order, operation, place))};
  }

  void begin_write(std::size_t atomic, std::uint64_t value, const char* operation, Place place) {
    refuse_in_condition();
    trace_.push_back({rank_, operation, "atomic", atomic, value, place});
    progress().looked_at.clear();  // a turn of a loop that writes is not like the turn before
  }

  void refuse_in_condition() {
    if (progress().stage == Stage::looks) throw NotCovered("a wait whose condition does more than load");
  }

  // Notes the order that the program text states, and returns it without the half that is weakened.
  std::memory_order in_force(std::memory_order order, const char* operation, Place place) {
    if (order == std::memory_order_seq_cst) throw NotCovered("sequential consistency");
    const auto has = [&](bool is_stated, bool is_acquire) {
      if (!is_stated) return false;
      const Order half{std::string(place.file_name()), place.line, operation, is_acquire};
      orders_.insert(half);
      return half != weakened_;
    };
    const bool acquire = has(acquires(order), true), release = has(releases(order), false);
    if (acquire && release) return std::memory_order_acq_rel;
    return acquire ? std::memory_order_acquire : release ? std::memory_order_release : std::memory_order_relaxed;
  }

  static std::string shown(std::uint64_t value) {  // marks in high bits are seen in hexadecimal digits only
    std::ostringstream text;
    if (value >> 32) text << "0x" << std::hex;
    text << value;
    return text.str();
  }

  Memory& memory() { return state_->memory; }
  Progress& progress() { return state_->ranks[rank_]; }

  const std::optional<Order> weakened_;
  Memory initial_;
  std::optional<std::size_t> within_;
  std::set<Order> orders_;
  std::vector<Traced> trace_;

  // While a program runs:
  State* state_ = nullptr;
  std::size_t rank_ = 0;
  std::size_t repeated_ = 0;           // how many operations of the program have been repeated or made
  std::optional<std::size_t> choice_;  // for the step to be made; nothing once it is made
  std::size_t choices_ = 1;
};

}  // namespace quadrille::interleavings
