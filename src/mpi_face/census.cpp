// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/census.hpp"

#include <algorithm>

namespace quadrille::mpi_face {

void Census::start(bool is_full) {
  entries_.remove_if([](Entry& entry) {
    int is_complete = 0;
    PMPI_Test(&entry.request, &is_complete, MPI_STATUS_IGNORE);
    return is_complete != 0;
  });
  const auto size = static_cast<std::size_t>(ranks_);
  Entry& entry = entries_.emplace_back();
  entry.mine.assign(size, static_cast<char>(is_full));
  entry.all.resize(size);
  // Uses alltoallv because MPI libraries run it in one step among so few ranks: a rank that has started it has sent all its data.
  PMPI_Ialltoallv(entry.mine.data(), ones_.data(), places_.data(), MPI_CHAR, entry.all.data(), ones_.data(), places_.data(),
                  MPI_CHAR, communicator_, &entry.request);
}

bool Census::is_full() {
  if (entries_.empty() || !entries_.back().mine[0]) return false;
  Entry& entry = entries_.back();
  PMPI_Wait(&entry.request, MPI_STATUS_IGNORE);
  const bool is_full = std::all_of(entry.all.begin(), entry.all.end(), [](char each) { return each != 0; });
  entries_.pop_back();
  return is_full;
}

void Census::finish() {
  for (Entry& entry : entries_) PMPI_Wait(&entry.request, MPI_STATUS_IGNORE);
  entries_.clear();
}

}  // namespace quadrille::mpi_face
