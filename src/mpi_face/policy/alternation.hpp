// SPDX-License-Identifier: BSD-3-Clause
// A trial in place: the program's own calls of one kind run alternately by the MPI library and by Quadrille's contenders. It is for
// long calls, of which further ones would cost too much. Nothing here depends on MPI.
//
// A round has a turn of each way: some calls one after the other, because programs call collectives in loops, where calls overlap.
// The first call of a turn does not count, because it overlaps with another way's. The first round is a warm-up of one call each.
// After some rounds the trial is due: the ranks add up their times, and rank 0 concludes from the sums: contenders that are far
// slower are dropped, and the trial goes on or ends. A time contains the wait for late ranks, but on average equally so for all
// ways.
#pragma once

#include <cstdint>
#include <vector>

namespace quadrille::mpi_face {

class Alternation {
 public:
  static constexpr int vendor = 0;  // the MPI library; way i > 0 is contender i - 1
  static constexpr int calls_of_turn = 3;
  static constexpr int calls_of_first_part = 1 + calls_of_turn;  // of each way

  // A contender is taken if its time is at most `bar` times the MPI library's.
  Alternation(int contenders, double bar);

  // The way of the next call. The MPI library runs the calls after a trial is due.
  int next() const { return is_due() ? vendor : order_[static_cast<std::size_t>(calls_)].way; }
  void count(double seconds);  // the time of the call that next() has named
  bool is_due() const { return calls_ == static_cast<int>(order_.size()); }

  // This rank's mean times of a call in all rounds so far, without the warm-up: round by round, a time for each way (0 for dropped
  // ones). Equally many on all ranks.
  const std::vector<double>& times() const { return times_; }

  enum class End : std::int32_t { goes_on, taken, left };
  struct Conclusion {
    End end = End::goes_on;
    std::uint32_t remaining = 0;  // bit i: contender i is tried further
    std::int32_t best = 0;        // the fastest contender
    double ratio = 0;             // its time / the MPI library's, median over the rounds
  };
  // What follows from the sums of times() over all ranks.
  Conclusion concluded(const std::vector<double>& sums) const;

  // Tries the remaining contenders further.
  void go_on(std::uint32_t remaining);

  std::vector<double> of_way(int way) const { return of_way(times_, way); }  // this rank's

  // Seconds that this rank has lost: by how much the calls of the slower ways took longer than the fastest way's.
  double excess_s() const;

 private:
  struct Call {
    int way;
    bool counts;
    bool begins_round;  // it is the first one of a round that counts
  };

  void begin_part(int rounds);
  int ways() const { return contenders_ + 1; }
  int rounds() const { return static_cast<int>(times_.size()) / ways(); }
  std::vector<double> of_way(const std::vector<double>& times, int way) const;  // one for each round

  const int contenders_;
  const double bar_;
  std::uint32_t remaining_;
  bool is_warm_ = false;
  std::vector<Call> order_;  // the calls of this part
  int calls_ = 0;            // those that were made
  std::vector<double> times_;
};

}  // namespace quadrille::mpi_face
