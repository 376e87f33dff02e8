// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/assumed_node.hpp"

#include <charconv>
#include <string>

#include "foundation/environment.hpp"
#include "quadrille/error.hpp"

namespace quadrille {

Rank first_rank_of_assumed_node(MPI_Comm users) {
  const std::string sizes = checked_environment_value("QUADRILLE_NODE_SIZES");
  if (sizes.empty()) return -1;
  int has_world = 0, me = 0, ranks = 0;
  MPI_Initialized(&has_world);
  const MPI_Comm all = has_world ? MPI_COMM_WORLD : users;
  check_mpi(MPI_Comm_rank(all, &me), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(all, &ranks), "MPI_Comm_size");
  const char* text = sizes.data();
  const char* const end = text + sizes.size();
  Rank first = 0, found = 0;
  while (first < ranks) {
    Count size = 0;
    const auto [next, error] = std::from_chars(text, end, size);
    const bool is_last = next == end;
    if (error != std::errc{} || size < 1 || size > ranks - first || is_last != (first + size == ranks) ||
        (!is_last && *next != ','))
      throw Error(ErrorCode::environment, refusal_of_value("QUADRILLE_NODE_SIZES", sizes));
    if (me >= first) found = first;
    first += size;
    text = next + 1;
  }
  return found;
}

}  // namespace quadrille
