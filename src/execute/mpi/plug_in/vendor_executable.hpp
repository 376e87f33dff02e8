// SPDX-License-Identifier: BSD-3-Clause
// One call of MPI as something to execute.
#pragma once

#include <memory>
#include <utility>

#include "execute/run.hpp"

namespace quadrille {

template <class Call>
class VendorExecutable : public Executable {
 public:
  explicit VendorExecutable(Call call) : call_(std::move(call)) {}
  void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) override {
    Watch watch(phases);
    call_(input, output);
    watch.ends(&Phases::communicate_s);  // the phases inside MPI are unknown
  }

 private:
  Call call_;
};

template <class Call>
std::unique_ptr<Executable> executable(Call call) {
  return std::make_unique<VendorExecutable<Call>>(std::move(call));
}

}  // namespace quadrille
