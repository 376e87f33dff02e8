// SPDX-License-Identifier: BSD-3-Clause
// A transport of ranks that share memory: what code needs of it that exchanges data in this memory without a plan.
#pragma once

#include <memory>
#include <utility>

#include "execute/shared/wait/costs.hpp"
#include "execute/shared/wait/space.hpp"
#include "execute/transport.hpp"

namespace quadrille {

// Every transport of Executor::shared is one.
class SharingTransport : public Transport {
 public:
  SharingTransport(std::shared_ptr<SharedSpace> space, const CopyCosts& costs) : space_(std::move(space)), costs_(costs) {}

  const std::shared_ptr<SharedSpace>& space() const { return space_; }
  const CopyCosts& costs() const { return costs_; }

 private:
  const std::shared_ptr<SharedSpace> space_;
  const CopyCosts costs_;
};

}  // namespace quadrille
