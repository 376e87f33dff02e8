// SPDX-License-Identifier: BSD-3-Clause
#include "execute/shared/memory/shared_memory.hpp"

#include <utility>

namespace quadrille {

void SharedMemory::retire(Offset offset, std::function<bool()> is_over) {
  retired_.push_back({offset, std::move(is_over)});
  release_retired();
}

void SharedMemory::release_retired() {
  std::erase_if(retired_, [&](const Retired& entry) {
    const bool over = entry.is_over();
    if (over) release(entry.offset);
    return over;
  });
}

}  // namespace quadrille
