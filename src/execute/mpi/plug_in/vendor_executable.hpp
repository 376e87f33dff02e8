// SPDX-License-Identifier: BSD-3-Clause
// One of MPI's collectives as something to execute: by its blocking function, or in parts by the nonblocking one.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/run.hpp"

namespace quadrille {

// A function of MPI's in both forms: blocking where no request is given.
template <class Blocking, class Nonblocking, class... Arguments>
void call_mpi(MPI_Request* request, const char* name, Blocking blocking, Nonblocking nonblocking, Arguments... arguments) {
  check_mpi(request ? nonblocking(arguments..., request) : blocking(arguments...), name);
}

// Call(input, output, MPI_Request*): see call_mpi.
template <class Call>
class VendorExecutable : public Executable {
 public:
  VendorExecutable(const Waiter& waiter, Call call) : waiter_(waiter), call_(std::move(call)) {}

  void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) override {
    Watch watch(phases);
    call_(input, output, nullptr);
    watch.ends(&Phases::communicate_s);  // the phases inside MPI are unknown
  }

  bool runs_in_parts() const override { return true; }

  bool is_vendors() const override { return true; }

  void begin(const std::byte* input, std::byte* output) override {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    call_(input, output, &request);
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

  // MPI has no way to take a collective back, so it may still write to the buffers.
  void abandon(const Error& /*why*/) noexcept override { requests_.clear(); }

 private:
  const Waiter waiter_;
  Call call_;
  std::deque<MPI_Request> requests_;
};

template <class Call>
std::unique_ptr<Executable> executable(const Waiter& waiter, Call call) {
  return std::make_unique<VendorExecutable<Call>>(waiter, std::move(call));
}

}  // namespace quadrille
