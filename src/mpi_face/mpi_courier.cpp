// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/mpi_courier.hpp"

#include <unistd.h>

#include <utility>

namespace quadrille::mpi_face {
namespace {

constexpr int tag = 0;
constexpr double patience_for_sends_s = 1;

}  // namespace

// A letter to a dead rank may never leave. Its memory is left to the MPI library.
MpiCourier::~MpiCourier() {
  const double begin_s = now_s();
  while (!has_sent() && now_s() - begin_s < patience_for_sends_s) pause();
  if (!has_sent()) new std::list<Sent>(std::move(sent_));  // never freed
}

void MpiCourier::send(Rank to, std::string text) {
  Sent& letter = sent_.emplace_back(Sent{std::move(text), MPI_REQUEST_NULL});
  PMPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_CHAR, static_cast<int>(to), tag, communicator_,
             &letter.request);
}

std::optional<Letter> MpiCourier::receive() {
  int is_there = 0, length = 0;
  MPI_Status status;
  if (PMPI_Iprobe(MPI_ANY_SOURCE, tag, communicator_, &is_there, &status) != MPI_SUCCESS || !is_there) return std::nullopt;
  PMPI_Get_count(&status, MPI_CHAR, &length);
  Letter letter{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
  PMPI_Recv(letter.text.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, communicator_, MPI_STATUS_IGNORE);
  return letter;
}

double MpiCourier::now_s() { return PMPI_Wtime(); }
void MpiCourier::pause() { ::usleep(200); }

bool MpiCourier::has_sent() {
  sent_.remove_if([](Sent& letter) {
    int is_complete = 0;
    PMPI_Test(&letter.request, &is_complete, MPI_STATUS_IGNORE);
    return is_complete != 0;
  });
  return sent_.empty();
}

}  // namespace quadrille::mpi_face
