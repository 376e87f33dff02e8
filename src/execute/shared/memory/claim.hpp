// SPDX-License-Identifier: BSD-3-Clause
// Shared memory that is released again if making the plan that needs it fails.
#pragma once

#include <utility>

#include "execute/shared/memory/space.hpp"

namespace quadrille {

// Memory of this rank in a space. The destructor releases it unless `keep` was called. Ranks that make something together call
// `keep` only after all of them have succeeded.
class Claim {
 public:
  explicit Claim(SharedSpace& space) : space_(space) {}
  ~Claim() { release(); }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // Call one of these, once. Throws std::bad_alloc.
  Offset allocate(Bytes bytes) { return place_ = space_.allocate(bytes); }
  Offset allocate_control(Bytes bytes) { return place_ = space_.allocate_control(bytes); }
  Offset place() const { return place_; }  // 0 if there is no memory
  Offset keep() { return std::exchange(place_, 0); }
  void release() {
    if (place_) space_.release(std::exchange(place_, 0));
  }

 private:
  SharedSpace& space_;
  Offset place_ = 0;
};

}  // namespace quadrille
