// SPDX-License-Identifier: BSD-3-Clause
// The few results that a thread computed last, by key. A new one replaces the oldest. A look-up compares all keys, so this is for
// results whose computation takes much longer.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace quadrille {

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
