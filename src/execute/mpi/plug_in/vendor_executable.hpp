// SPDX-License-Identifier: BSD-3-Clause
// One call of MPI as something to execute.
#pragma once

#include <memory>
#include <utility>

#include "quadrille/execute.hpp"

namespace quadrille {

template <class Call>
class VendorExecutable : public Executable {
 public:
  explicit VendorExecutable(Call call) : call_(std::move(call)) {}
  void execute(const std::byte* input, std::byte* output) override { call_(input, output); }

 private:
  Call call_;
};

template <class Call>
std::unique_ptr<Executable> executable(Call call) {
  return std::make_unique<VendorExecutable<Call>>(std::move(call));
}

}  // namespace quadrille
