// SPDX-License-Identifier: BSD-3-Clause
// Random communicators. A rank is in at most one of the communicators that a call makes.
#pragma once

#include "calls.hpp"

namespace quadrille::trials {

inline std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), result = ranks;
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, size, ranks.data(), world, result.data());
  MPI_Group_free(&world);
  MPI_Group_free(&group);
  return result;
}

inline Group group_of(MPI_Comm communicator) {
  Group group{communicator, false, 0, {}, {}};
  if (communicator == MPI_COMM_NULL) return group;
  int is_inter = 0;
  MPI_Comm_test_inter(communicator, &is_inter);
  group.is_inter = is_inter != 0;
  MPI_Comm_rank(communicator, &group.rank);
  MPI_Group members;
  MPI_Comm_group(communicator, &members);
  group.local = group.remote = world_ranks(members);
  if (!group.is_inter) return group;
  MPI_Comm_remote_group(communicator, &members);
  group.remote = world_ranks(members);
  return group;
}

// Makes a communicator from `base`, with the same random draws on all ranks except for a split's colours and keys.
inline MPI_Comm random_communicator(MPI_Comm base, Random& shared) {
  int rank = 0, size = 1;
  MPI_Comm_rank(base, &rank);
  MPI_Comm_size(base, &size);
  const std::uint64_t key = shared();
  const auto mine = hash({key, static_cast<std::uint64_t>(rank)});
  const int parts = 1 + static_cast<int>(shared.below(3));
  MPI_Comm made = MPI_COMM_NULL;
  switch (shared.below(7)) {
    case 0: MPI_Comm_dup(base, &made); break;
    case 1: MPI_Comm_split(base, static_cast<int>(mine % static_cast<unsigned>(parts)), rank, &made); break;
    case 2: MPI_Comm_split(base, 0, static_cast<int>(mine % 100), &made); break;
    case 3: MPI_Comm_split(base, mine % 4 ? static_cast<int>(mine / 4 % 2) : MPI_UNDEFINED, -rank, &made); break;
    case 4: {
      int sides[2] = {0, 0};
      const int periods[2] = {1, 0};
      MPI_Dims_create(size, 2, sides);
      MPI_Cart_create(base, 2, sides, periods, 1, &made);
      break;
    }
    case 5:
      if (size > 1) {
        const int border = 1 + static_cast<int>(key % static_cast<unsigned>(size - 1));
        MPI_Comm half;
        MPI_Comm_split(base, rank < border, rank, &half);
        MPI_Intercomm_create(half, 0, base, rank < border ? border : 0, 7, &made);
        MPI_Comm_free(&half);
        if (key >> 60 == 0) {  // merged again, with the upper ranks first
          MPI_Comm merged;
          MPI_Intercomm_merge(made, rank < border, &merged);
          MPI_Comm_free(&made);
          made = merged;
        }
        break;
      }
      [[fallthrough]];
    default: MPI_Comm_dup(MPI_COMM_SELF, &made);
  }
  return made;
}

}  // namespace quadrille::trials
