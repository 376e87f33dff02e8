// SPDX-License-Identifier: BSD-3-Clause
// Mail by MPI: the receiver asks for the length before it makes room.
#pragma once

#include <vector>

#include "execute/mail.hpp"
#include "execute/mpi/plug_in/waiter.hpp"

namespace quadrille {

class MpiMail : public Mail {
 public:
  // `tag` is this plan's alone, the same at all ranks.
  MpiMail(MPI_Comm communicator, Waiter waiter, int tag) : communicator_(communicator), waiter_(waiter), tag_(tag) {}

  void send(Rank to, std::span<const std::byte> bytes) override;
  void finish_sends() override;
  Bytes wait_for(Rank from) override;
  void receive(std::byte* into) override;

 private:
  MPI_Comm communicator_;
  Waiter waiter_;
  int tag_;
  std::vector<MPI_Request> sends_;
  MPI_Message message_ = MPI_MESSAGE_NULL;  // the one waited for
  Bytes bytes_ = 0;
};

}  // namespace quadrille
