// SPDX-License-Identifier: BSD-3-Clause
// Mail (execute/mail.hpp) by MPI messages. The receiver probes for the length (MPI_Mprobe), allocates memory and then receives.
#pragma once

#include <utility>
#include <vector>

#include "execute/mpi/plug_in/lease.hpp"
#include "execute/mpi/plug_in/waiter.hpp"
#include "execute/transport.hpp"

namespace quadrille {

class MpiMail : public Mail {
 public:
  MpiMail(Lease lease, Waiter waiter) : lease_(std::move(lease)), waiter_(waiter) {}

  void send(Rank to, std::span<const std::byte> bytes) override;
  void finish_sends() override;
  Bytes wait_for(Rank from) override;
  void receive(std::byte* into) override;

 private:
  Lease lease_;
  Waiter waiter_;
  std::vector<MPI_Request> sends_;
  MPI_Message message_ = MPI_MESSAGE_NULL;  // the message that wait_for has found
  Bytes bytes_ = 0;
};

}  // namespace quadrille
