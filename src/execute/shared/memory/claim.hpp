// SPDX-License-Identifier: BSD-3-Clause
// Shared memory that is released again if making the plan that needs it fails.
#pragma once

#include <utility>

#include "execute/shared/memory/shared_memory.hpp"

namespace quadrille {

// Memory of this rank that ranks share. The destructor releases it unless `keep` was called. Ranks that make something together
// call `keep` only after all of them have succeeded.
class Claim {
 public:
  explicit Claim(SharedMemory& memory) : memory_(memory) {}
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Call one of these, once. Throws std::bad_alloc.
  Offset allocate(Bytes bytes) { return place_ = memory_.allocate(bytes); }
  Offset allocate_control(Bytes bytes) { return place_ = memory_.allocate_control(bytes); }
  Offset place() const { return place_; }  // 0 if there is no memory
  Offset keep() { return std::exchange(place_, 0); }
  void release() {
    if (place_) memory_.release(std::exchange(place_, 0));
  }

 private:
  SharedMemory& memory_;
  Offset place_ = 0;
};

}  // namespace quadrille
