// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/guests.hpp"

#include <algorithm>
#include <numeric>

#include "foundation/hash.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

void check_guests(int code) {
  if (code != MPI_SUCCESS) throw Error(ErrorCode::transport, "the MPI library failed in a meeting on MPI_COMM_WORLD");
}

// Differs between guests of different ranks, most likely. are_right() finds out if it does not.
int colour_of(MPI_Comm guest) {
  MPI_Group members = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  int ranks = 0;
  check_guests(PMPI_Comm_group(guest, &members));
  check_guests(PMPI_Comm_group(MPI_COMM_WORLD, &world));
  check_guests(PMPI_Group_size(members, &ranks));
  std::vector<int> own(static_cast<std::size_t>(ranks)), of_world(own);
  std::iota(own.begin(), own.end(), 0);
  check_guests(PMPI_Group_translate_ranks(members, ranks, own.data(), world, of_world.data()));
  check_guests(PMPI_Group_free(&members));
  check_guests(PMPI_Group_free(&world));
  std::uint64_t hash = 1;
  for (const int rank : of_world) hash = hash_with(hash, static_cast<std::uint64_t>(rank));
  return static_cast<int>(hash >> 34);
}

}  // namespace

// Never destroyed, because MPI may call its callbacks late.
Guests& Guests::of_process() {
  static Guests& only = *new Guests;
  return only;
}

void Guests::add(Guest& guest) {
  const std::lock_guard lock(mutex_);
  if (std::none_of(guests_.begin(), guests_.end(), [&](const Entry& entry) { return entry.guest == &guest; }))
    guests_.push_back({&guest, colour_of(guest.guest())});
}

void Guests::remove(Guest& guest) {
  const std::lock_guard lock(mutex_);
  std::erase_if(guests_, [&](const Entry& entry) { return entry.guest == &guest; });
}

void Guests::begin() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  for (const Entry& entry : guests_)
    if (entry.guest->worth_ticks() > 0) waiting_.push_back(entry);
  has_met_ = true;
}

double Guests::worth_ticks() {
  while (true) {
    double most[] = {waiting_.empty() ? 0 : waiting_.front().guest->worth_ticks(), has_met_ ? 1.0 : 0.0};
    check_guests(PMPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    if (most[1] > 0) return most[0];
    if (!waiting_.empty()) waiting_.pop_front();
    has_met_ = true;
  }
}

// Have all these ranks named one guest, whose ranks they are, and are they equally far on it? They compare their calls on all
// guests of these ranks, because MPI gives communicators no names by which ranks could tell which of them is meant.
bool Guests::are_right(MPI_Comm ranks) {
  const Entry& named = waiting_.front();
  int likeness = MPI_UNEQUAL;
  check_guests(PMPI_Comm_compare(ranks, named.guest->guest(), &likeness));
  std::uint64_t hash = 1;
  for (const Entry& entry : guests_)
    if (entry.colour == named.colour) hash = hash_with(hash_with(hash, entry.guest->calls_so_far()), entry.guest == named.guest);
  const auto calls = static_cast<std::int64_t>(hash >> 1);
  std::int64_t least[] = {likeness == MPI_CONGRUENT, calls, -calls};
  check_guests(PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, ranks));
  return least[0] == 1 && least[1] == -least[2];
}

double Guests::host() {
  const double begin_s = PMPI_Wtime();
  const Entry next = waiting_.empty() ? Entry{nullptr, MPI_UNDEFINED} : waiting_.front();
  int rank = 0;
  if (next.guest) check_guests(PMPI_Comm_rank(next.guest->guest(), &rank));
  MPI_Comm ranks = MPI_COMM_NULL;
  check_guests(PMPI_Comm_split(MPI_COMM_WORLD, next.colour, rank, &ranks));
  has_met_ = next.guest && are_right(ranks);
  const double spent_s = PMPI_Wtime() - begin_s;
  if (has_met_) {
    waiting_.pop_front();
    next.guest->meet_as_guest(ranks);
  }
  if (ranks != MPI_COMM_NULL) check_guests(PMPI_Comm_free(&ranks));
  return spent_s;
}

}  // namespace quadrille::mpi_face
