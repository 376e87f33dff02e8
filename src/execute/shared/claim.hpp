// SPDX-License-Identifier: BSD-3-Clause
// Memory of a space that is released again if the plan it is for is not made.
#pragma once

#include <utility>

#include "execute/shared/space.hpp"

namespace quadrille {

// A rank's memory in a space, released unless it is kept: what is made together is kept only if all ranks could make their part.
class Claim {
 public:
  explicit Claim(SharedSpace& space) : space_(space) {}
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Once; throws std::bad_alloc.
  Offset allocate(Bytes bytes) { return place_ = space_.allocate(bytes); }
  Offset allocate_control(Bytes bytes) { return place_ = space_.allocate_control(bytes); }
  Offset place() const { return place_; }  // 0: none
  Offset keep() { return std::exchange(place_, 0); }
  void release() {
    if (place_) space_.release(std::exchange(place_, 0));
  }

 private:
  SharedSpace& space_;
  Offset place_ = 0;
};

}  // namespace quadrille
