// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose ranks meet in the meetings of MPI_COMM_WORLD, because their own calls may never synchronise them: those on
// which the program calls gatherv, scatterv, alltoallw or collectives of neighbours.
//
// Why that is right. MPI allows each collective to wait for all ranks, and a correct program does not hang if each does. Suppose
// that in a synchronising call of the world a rank A has made a call on a guest that a rank B has yet to make. If all collectives
// waited, A's call would wait for B's, which follows B's call of the world, which waits for A's, which follows A's call on the
// guest: the program would hang. So all ranks of a guest have made the same calls on it, as in a call of its own that
// synchronises; they agree on all that they count; and what they decide holds from their next call on it. No rank is inside
// another call, unless several threads may call MPI: then there are no guests. For the same reason the ranks first use the guests
// that they share in the same order. So there is always a guest that comes first on all of its ranks, as long as there are any.
//
// Many programs rely on MPI libraries that do not wait. So the ranks do not trust the proof: they compare how many calls they have
// made on the guest, and on all other guests of the same ranks, and leave it alone if the numbers differ. They may also have
// started nonblocking collectives on it, in which they need not be equally far. So they meet on a communicator of their own, which
// they make for the meeting.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace quadrille::mpi_face {

class Guest {
 public:
  static constexpr double asked_for = 1e300;

  // A communicator all of whose ranks are in MPI_COMM_WORLD.
  virtual MPI_Comm guest() const = 0;
  // How many calls on it this rank has made, of those by which the ranks decide.
  virtual std::uint64_t calls_so_far() const = 0;
  // What the calls on which the ranks wait to decide have taken on this rank so far; `asked_for` if they are asked to decide; 0 if
  // there are none. Equal counts of calls must imply that all ranks return 0, or none.
  virtual double worth_ticks() const = 0;
  // Collective. `ranks` has the same ranks in the same order, and lasts until this returns.
  virtual void meet_as_guest(MPI_Comm ranks) = 0;

 protected:
  ~Guest() = default;
};

class Guests {
 public:
  static Guests& of_process();

  // From any thread. They meet in the order in which they are added; adding one again changes nothing.
  void add(Guest& guest);
  void remove(Guest& guest);

  // The rest is collective over MPI_COMM_WORLD, in a meeting of it: begin(), then worth_ticks() before and after each host().
  void begin();
  // The most that any rank's next guest is worth; 0: there are none on any rank. If no guest met in the last host(), then all ranks
  // have given up the guest that came first on them.
  double worth_ticks();
  // Lets those guests meet that come first on all of their ranks. Returns the seconds that this rank spent apart from the meeting.
  double host();

 private:
  struct Entry {
    Guest* guest;
    int colour;
  };

  bool are_right(MPI_Comm ranks);

  std::mutex mutex_;
  std::vector<Entry> guests_;
  std::deque<Entry> waiting_;
  bool has_met_ = false;
};

}  // namespace quadrille::mpi_face
