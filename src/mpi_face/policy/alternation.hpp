// SPDX-License-Identifier: BSD-3-Clause
// A trial in place: the program's own calls of one kind run alternately by the MPI library and by Quadrille's contenders. It is
// for long calls: extra calls, as in a trial in a loop, would cost too much. Nothing here depends on MPI.
//
// A round has a turn of each way: some calls one after the other, because programs call collectives in loops, where calls
// overlap. The first call of a turn does not count, because it overlaps with a call of another way. The first round is a warm-up
// of one call each: it decides nothing, but shows the cost of the next round. A conclusion is due after the warm-up, after one
// more round, and then after every two rounds: the ranks add up their times, and rank 0 drops contenders that are far slower, and
// continues or ends the trial. A time contains the wait for late ranks, which on average is equal for all ways.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace quadrille::mpi_face {

class Alternation {
 public:
  static constexpr int vendor = 0;  // the MPI library; way i > 0 is contender i - 1
  static constexpr int calls_of_turn = 3;
  static constexpr int calls_of_first_part = 1;  // calls of each way in the warm-up

  // A contender is taken if its time is at most `bar` times the MPI library's.
  Alternation(int contenders, double bar);

  // The way of the next call. While a conclusion is due, the MPI library runs the calls.
  int next() const { return is_due() ? vendor : order_[static_cast<std::size_t>(calls_)].way; }
  void count(double seconds);  // the time of the call that next() has named
  bool is_due() const { return calls_ == static_cast<int>(order_.size()); }

  // This rank's mean times of a call in all rounds so far: round by round, a time for each way (0 for dropped ones). The list is
  // equally long on all ranks.
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

  // The time that the next part will lose if the calls of the remaining contenders take as long as in the last round. In the unit
  // of `sums`.
  double expected_excess(const std::vector<double>& sums, std::uint32_t remaining) const;

  // Tries the remaining contenders further.
  void go_on(std::uint32_t remaining);

  // The way's time in each round that counts. `times`: times(), or the sums or means of times() over the ranks.
  std::vector<double> of_way(const std::vector<double>& times, int way) const;

  // Seconds that this rank has lost in this part: by how much the contenders' calls took longer than the MPI library's.
  double excess_s() const;

 private:
  struct Call {
    int way;
    bool counts;
    bool begins_round;
  };

  void begin_part(int rounds);
  int rounds_of_part() const { return rounds() == 0 ? 1 : 2; }  // of the next part, after the warm-up
  int ways() const { return contenders_ + 1; }
  int all_rounds() const { return static_cast<int>(times_.size()) / ways(); }
  int rounds() const { return std::max(0, all_rounds() - 1); }  // without the warm-up
  bool is_warm() const { return all_rounds() > 0; }
  double at(const std::vector<double>& times, int round, int way) const {
    return times[static_cast<std::size_t>(round * ways() + way)];
  }
  double excess_of_call(const std::vector<double>& times, int round, std::uint32_t contenders) const;

  const int contenders_;
  const double bar_;
  std::uint32_t remaining_;
  std::vector<Call> order_;  // the calls of this part
  int first_round_ = 0;      // of this part, among all rounds
  int calls_ = 0;            // calls of this part that were made
  std::vector<double> times_;
};

}  // namespace quadrille::mpi_face
