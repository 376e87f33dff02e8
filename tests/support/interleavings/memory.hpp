// SPDX-License-Identifier: BSD-3-Clause
// Memory as the C++ memory model sees it, as a value that can be copied and compared: the stores to each atomic object in
// modification order, the last accesses to plain memory, and what each rank knows. search.hpp tries all steps from such a value.
//
// A rank knows events of all ranks: those that happened before what it does next. It also knows, for each atomic object, the oldest
// store that it may still read. Each store carries the knowledge that a load acquires: all that its rank knew if it is a release,
// nothing if it is relaxed. A read-modify-write adds the knowledge of the store before it, which makes the release sequences of
// C++20. Two accesses to plain memory of which one is a write are a race unless the later rank knows the earlier event.
//
// A full fence (one of sequential consistency) lets a rank see, of each atomic object, what any rank had seen or stored at an
// earlier full fence. In C++ it also acquires and releases. That is left out, so the model allows more than C++ does.
//
// Also left out: sequential consistency of other operations, other fences, and loads of stores that are executed later
// (load buffering). A new store becomes the last one in modification order. C++ allows other places for a store by a rank that does
// not know the last store; a test in which that happens is refused.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace quadrille::interleavings {

constexpr std::size_t most_ranks = 4, most_atomics = 16;

struct Failure : std::runtime_error {  // an execution is wrong
  using std::runtime_error::runtime_error;
};
struct NotCovered : std::logic_error {  // the model does not cover what a test does
  using std::logic_error::logic_error;
};

using Number = std::uint16_t;

struct Knowledge {
  std::array<Number, most_ranks> events{};  // by rank: its first so many events happened before
  std::array<Number, most_atomics> seen{};  // by atomic object: the oldest store that may still be read

  void join(const Knowledge& other) {
    for (std::size_t i = 0; i < events.size(); ++i) events[i] = std::max(events[i], other.events[i]);
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = std::max(seen[i], other.seen[i]);
  }
};

inline bool acquires(std::memory_order order) { return order == std::memory_order_acquire || order == std::memory_order_acq_rel; }
inline bool releases(std::memory_order order) { return order == std::memory_order_release || order == std::memory_order_acq_rel; }

template <class T>
void append_bytes(std::string& key, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Memory {
 public:
  struct Store {
    std::uint64_t value;
    Knowledge carried;
  };

  std::size_t add_atomic(std::uint64_t value, std::optional<std::size_t> within) {
    if (atomics_.size() == most_atomics) throw NotCovered("more atomic objects than most_atomics");
    atomics_.push_back({{{value, {}}}, within});
    return atomics_.size() - 1;
  }
  std::size_t add_plain(const char* name, std::uint64_t value) {
    plain_.push_back({name, value, 0, {}, {}, false});
    return plain_.size() - 1;
  }

  const std::vector<Store>& stores(std::size_t atomic) const { return atomics_[atomic].stores; }
  std::size_t oldest_readable(std::size_t rank, std::size_t atomic) const { return ranks_[rank].seen[atomic]; }
  void forget_before(std::size_t rank, std::size_t atomic, std::size_t store) {
    ranks_[rank].seen[atomic] = std::max(ranks_[rank].seen[atomic], static_cast<Number>(store));
  }

  const char* name(std::size_t plain) const { return plain_[plain].name; }
  std::uint64_t value(std::size_t plain) const { return plain_[plain].value; }

  // The store must be readable.
  std::uint64_t load(std::size_t rank, std::size_t atomic, std::size_t store, std::memory_order order) {
    access(rank, atomic);
    const Store& read = stores(atomic)[store];
    forget_before(rank, atomic, store);
    if (acquires(order)) ranks_[rank].join(read.carried);
    return read.value;
  }

  void store(std::size_t rank, std::size_t atomic, std::uint64_t value, std::memory_order order) {
    access(rank, atomic);
    if (oldest_readable(rank, atomic) + 1 != stores(atomic).size())
      throw NotCovered("a store whose place in modification order is open, as others may have stored last");
    append(rank, atomic, value, order, {});
  }

  std::uint64_t read_modify_write(std::size_t rank, std::size_t atomic, std::uint64_t value, std::memory_order order) {
    access(rank, atomic);
    const Store last = stores(atomic).back();
    if (acquires(order)) ranks_[rank].join(last.carried);
    append(rank, atomic, value, order, last.carried);
    return last.value;
  }

  void fence(std::size_t rank) {
    auto& seen = ranks_[rank].seen;
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = fenced_[i] = std::max(seen[i], fenced_[i]);
  }

  std::uint64_t read(std::size_t rank, std::size_t plain) {
    Plain& memory = plain_[plain];
    Knowledge& own = ranks_[rank];
    if (memory.is_released) throw Failure(std::string("use of released memory: ") + memory.name);
    if (own.events[memory.writer] < memory.written)
      throw Failure(std::string("data race: a read of ") + memory.name + " against a write");
    memory.reads[rank] = happen(rank);
    return memory.value;
  }

  void write(std::size_t rank, std::size_t plain, std::uint64_t value) {
    Plain& memory = plain_[plain];
    const Knowledge& own = ranks_[rank];
    if (memory.is_released) throw Failure(std::string("use of released memory: ") + memory.name);
    if (own.events[memory.writer] < memory.written)
      throw Failure(std::string("data race: a write to ") + memory.name + " against a write");
    for (std::size_t other = 0; other < most_ranks; ++other)
      if (own.events[other] < memory.reads[other])
        throw Failure(std::string("data race: a write to ") + memory.name + " against a read");
    memory.value = value;
    memory.writer = static_cast<Number>(rank);
    memory.written = happen(rank);
  }

  void release(std::size_t rank, std::size_t plain) {
    write(rank, plain, 0);
    plain_[plain].is_released = true;
  }

  // Appends all that decides what may happen next.
  void append_to(std::string& key) const {
    const auto add = [&](const auto& value) { append_bytes(key, value); };
    for (const Knowledge& each : ranks_) add(each);
    add(fenced_);
    for (const Atomic& each : atomics_) {
      add(each.stores.size());
      for (const Store& store : each.stores) add(store.value), add(store.carried);
    }
    for (const Plain& each : plain_) add(each.value), add(each.writer), add(each.written), add(each.reads), add(each.is_released);
  }

 private:
  struct Atomic {
    std::vector<Store> stores;
    std::optional<std::size_t> within;  // the plain memory in which the object lies
  };

  struct Plain {
    const char* name;
    std::uint64_t value;
    Number writer, written;                // the rank that wrote last, and which of its events that was
    std::array<Number, most_ranks> reads;  // by rank: its last event that read
    bool is_released;
  };

  // Returns the number of a new event of a rank.
  Number happen(std::size_t rank) { return ++ranks_[rank].events[rank]; }

  void access(std::size_t rank, std::size_t atomic) {
    if (atomics_[atomic].within) read(rank, *atomics_[atomic].within);
  }

  void append(std::size_t rank, std::size_t atomic, std::uint64_t value, std::memory_order order, Knowledge carried) {
    happen(rank);
    forget_before(rank, atomic, stores(atomic).size());
    if (releases(order)) carried.join(ranks_[rank]);
    atomics_[atomic].stores.push_back({value, carried});
  }

  std::array<Knowledge, most_ranks> ranks_{};
  std::array<Number, most_atomics> fenced_{};  // by atomic object: the oldest store that may still be read after a full fence
  std::vector<Atomic> atomics_;
  std::vector<Plain> plain_;
};

}  // namespace quadrille::interleavings
