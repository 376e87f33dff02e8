// SPDX-License-Identifier: BSD-3-Clause
// Executes an MPI collective: `execute` calls the blocking function, `begin` the nonblocking one.
#pragma once

#include <deque>
#include <utility>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/vendor_calls.hpp"
#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/script/run.hpp"

namespace quadrille {

class VendorExecutable : public Executable {
 public:
  VendorExecutable(const Waiter& waiter, VendorFunction function, VendorArguments arguments)
      : waiter_(waiter), function_(function), arguments_(std::move(arguments)) {}

  void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) override {
    Watch watch(phases);
    function_(arguments_, input, output, nullptr);
    watch.ends(&Phases::communicate_s);  // the phases inside MPI are unknown
  }

  bool runs_in_parts() const override { return true; }

  bool is_vendors() const override { return true; }

  void begin(const std::byte* input, std::byte* output) override {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    function_(arguments_, input, output, &request);
  }

  bool advance() override {
    check_not_finalised();
    int done = 0;
    check_mpi(MPI_Test(&requests_.front(), &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) requests_.pop_front();
    return done != 0;
  }

  void finish() override {
    check_not_finalised();
    waiter_.wait_all(1, &requests_.front());
    requests_.pop_front();
  }

  // MPI cannot cancel a collective, so it may still write to the buffers.
  void abandon(const Error& /*why*/) noexcept override { requests_.clear(); }

 private:
  const Waiter waiter_;
  const VendorFunction function_;
  VendorArguments arguments_;
  std::deque<MPI_Request> requests_;
};

}  // namespace quadrille
