// SPDX-License-Identifier: BSD-3-Clause
// Finding values by keys: in a hash table, or among the few results that a thread computed last.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace quadrille {

// A hash table with open addressing. A look-up touches few cache lines, usually one, before it reads the value. The addresses of
// values do not change. The caller computes the hashes, whose low bits select a slot. The caller also compares the keys, which
// are parts of the values.
template <class Value>
class HashTable {
 public:
  // Returns the first value with this hash that `is_it` accepts, or null.
  template <class IsIt>
  Value* find(std::uint64_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = hash & mask(); slots_[at].value; at = (at + 1) & mask())
      if (slots_[at].hash == hash && is_it(*slots_[at].value)) return slots_[at].value;
    return nullptr;
  }

  Value& add(std::uint64_t hash, std::unique_ptr<Value> value) {
    values_.push_back(std::move(value));
    if (2 * values_.size() > slots_.size()) rebuild(std::max<std::size_t>(16, 2 * slots_.size()));
    place({hash, values_.back().get()});
    return *values_.back();
  }

  // Removes and destroys a value. Takes time proportional to the size of the table.
  void remove(const Value& value) {
    rebuild(slots_.size(), &value);
    std::erase_if(values_, [&](const auto& each) { return each.get() == &value; });
  }

  // In the order in which they were added.
  const std::vector<std::unique_ptr<Value>>& values() const { return values_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Value* value = nullptr;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void place(Slot slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].value) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  void rebuild(std::size_t slots, const Value* without = nullptr) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.value && slot.value != without) place(slot);
  }

  std::vector<std::unique_ptr<Value>> values_;
  std::vector<Slot> slots_;  // their number is a power of two, at least twice that of the values
};

// The few results that a thread computed last, by key. A new result replaces the oldest. A look-up compares all keys, so the
// class is for results whose computation takes much longer than that.
template <class Key, class Value, std::size_t most>
class Recent {
 public:
  static Recent& of_this_thread() {
    static thread_local Recent recent;
    return recent;
  }

  // Returns null if there is none. The pointer is valid until the next call of `add`.
  const Value* find(const Key& key) const {
    for (const auto& entry : entries_)
      if (entry && entry->first == key) return &entry->second;
    return nullptr;
  }

  void add(Key key, Value value) { entries_[next_++ % most].emplace(std::move(key), std::move(value)); }

 private:
  std::array<std::optional<std::pair<Key, Value>>, most> entries_;
  std::size_t next_ = 0;
};

}  // namespace quadrille
