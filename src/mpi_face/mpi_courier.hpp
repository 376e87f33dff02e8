// SPDX-License-Identifier: BSD-3-Clause
// Letters between ranks as messages of MPI.
#pragma once

#include <mpi.h>

#include <list>
#include <string>

#include "mpi_face/report/collection.hpp"

namespace quadrille::mpi_face {

class MpiCourier final : public Courier {
 public:
  explicit MpiCourier(MPI_Comm communicator) : communicator_(communicator) {}
  ~MpiCourier() override;
  MpiCourier(const MpiCourier&) = delete;
  MpiCourier& operator=(const MpiCourier&) = delete;

  void send(Rank to, std::string text) override;
  std::optional<Letter> receive() override;
  double now_s() override;
  void pause() override;

 private:
  struct Sent {
    std::string text;
    MPI_Request request;
  };
  bool has_sent();

  const MPI_Comm communicator_;
  std::list<Sent> sent_;
};

}  // namespace quadrille::mpi_face
