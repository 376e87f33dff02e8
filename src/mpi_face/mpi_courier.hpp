// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks as messages of MPI.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <list>
#include <optional>
#include <string>
#include <utility>

#include "mpi_face/report/collection.hpp"

namespace quadrille::mpi_face {

class MpiCourier final : public Courier {
 public:
  explicit MpiCourier(MPI_Comm communicator) : communicator_(communicator) {}
  // A message to a dead rank may never leave. Its memory is left to the MPI library.
  ~MpiCourier() override {
    constexpr double patience_for_sends_s = 1;
    const double begin_s = PMPI_Wtime();
    while (!has_sent() && PMPI_Wtime() - begin_s < patience_for_sends_s) MpiCourier::pause();
    if (!has_sent()) new std::list<Sent>(std::move(sent_));  // never freed
  }
  MpiCourier(const MpiCourier&) = delete;
  MpiCourier& operator=(const MpiCourier&) = delete;

  void send(Rank to, std::string text) override {
    Sent& message = sent_.emplace_back(Sent{std::move(text), MPI_REQUEST_NULL});
    PMPI_Isend(message.text.data(), static_cast<int>(message.text.size()), MPI_CHAR, static_cast<int>(to), tag, communicator_,
               &message.request);
  }

  std::optional<CourierMessage> receive() override {
    int is_there = 0, length = 0;
    MPI_Status status;
    if (PMPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_, &is_there, &status) != MPI_SUCCESS || !is_there) return std::nullopt;
    PMPI_Get_count(&status, MPI_CHAR, &length);
    CourierMessage message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
    PMPI_Recv(message.text.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, communicator_, MPI_STATUS_IGNORE);
    return message;
  }

  double now_s() override { return PMPI_Wtime(); }
  void pause() override { ::usleep(200); }

 private:
  static constexpr int tag = 0;
  struct Sent {
    std::string text;
    MPI_Request request;
  };

  bool has_sent() {
    sent_.remove_if([](Sent& message) {
      int is_complete = 0;
      PMPI_Test(&message.request, &is_complete, MPI_STATUS_IGNORE);
      return is_complete != 0;
    });
    return sent_.empty();
  }

  const MPI_Comm communicator_;
  std::list<Sent> sent_;
};

}  // namespace quadrille::mpi_face
