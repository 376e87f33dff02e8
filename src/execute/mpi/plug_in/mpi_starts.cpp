// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/mpi_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace quadrille {
namespace {

bool asked_to_compare() {
  const char* text = std::getenv("QUADRILLE_CHECK");
  return text && std::string_view(text) == "1";
}

}  // namespace

// Launchers may hand the variable to some ranks only; then all of them compare.
MpiStarts::MpiStarts(std::shared_ptr<MpiGroup> group) : group_(std::move(group)) {
  const int mine = asked_to_compare() ? 1 : 0;
  int any = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_MAX, group_->handle(), &request), "MPI_Iallreduce");
  group_->waiter().wait_all(1, &request);
  compares_ = any != 0;
}

void MpiStarts::begin(std::uint32_t plan) {
  if (group_->has_ended()) throw_ended();
  if (compares_) compare(plan);
}

void MpiStarts::begin_barrier() { begin(barrier); }

void MpiStarts::compare(std::uint32_t plan) {
  int size = 1;
  check_mpi(MPI_Comm_size(group_->handle(), &size), "MPI_Comm_size");
  std::vector<std::uint32_t> plans(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&plan, 1, MPI_UINT32_T, plans.data(), 1, MPI_UINT32_T, group_->handle(), &request), "MPI_Iallgather");
  group_->waiter().wait_all(1, &request);
  const auto other = std::find_if(plans.begin(), plans.end(), [&](std::uint32_t each) { return each != plans.front(); });
  if (other == plans.end()) return;
  throw Error(ErrorCode::misuse, fmt::format("rank 0 starts {} where rank {} starts {}, so they would wait for each other; start "
                                             "plans in the same order on all ranks",
                                             call_of(plans.front()), other - plans.begin(), call_of(*other)));
}

}  // namespace quadrille
