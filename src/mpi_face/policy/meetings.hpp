// SPDX-License-Identifier: BSD-3-Clause
// When the ranks of a communicator meet. They meet in some of the calls that synchronise them: rank 0 tells by a broadcast what
// to do. All ranks count the same calls, so all meet in the same one. In a meeting rank 0 may also set the call of the next
// meeting. Nothing here depends on MPI.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "quadrille/types.hpp"

namespace quadrille::mpi_face {

class Meetings {
 public:
  static constexpr std::uint64_t first = 4, at_the_latest = 64;  // numbers of synchronising calls

  explicit Meetings(Count ranks) : broadcast_s_(2e-6 * static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks)))) {}

  // Counts a call that synchronises, and returns whether the ranks meet in it. They meet in calls 2^k: from the 64th call on, or
  // earlier if the calls so far have cost 64 times as much as the broadcast. `price_s`: what the call costs, equal on all ranks.
  bool counts(double price_s) {
    price_s_ += price_s;
    if (++calls_ < next_) [[likely]]
      return false;
    next_ = std::bit_ceil(std::max(calls_ + 1, first));
    if (wanted_ > calls_) next_ = std::min(next_, wanted_);
    return calls_ == wanted_ || (std::has_single_bit(calls_) && (calls_ >= at_the_latest || price_s_ >= 64 * broadcast_s_));
  }

  // Adds the price of a call that does not synchronise, equal on all ranks, because a program may spend its time in such calls.
  void adds(double price_s) { price_s_ += price_s; }

  // Rank 0, in a meeting: the number of the call in which the ranks meet next, about `ratio` times the present number. It is
  // rounded up to a multiple of an eighth of the latest 2^k, so that communicators of one program, which wait for each other,
  // meet in the same iteration. 0: the next call 2^k is early enough.
  std::uint64_t wanted(double ratio) const {
    const std::uint64_t eighth = std::max(std::bit_floor(calls_) / 8, std::uint64_t{1});
    const double calls = std::ceil(ratio * static_cast<double>(calls_) / static_cast<double>(eighth)) * static_cast<double>(eighth);
    if (!(calls < static_cast<double>(next_))) return 0;
    return std::max(static_cast<std::uint64_t>(calls), calls_ + eighth);
  }

  // All ranks: makes them meet in the fourth call from now on, or before.
  void expect() {
    if (wanted_ > calls_ && wanted_ <= calls_ + first) return;
    wanted_ = calls_ + first;
    next_ = std::min(next_, wanted_);
  }

  // All ranks: sets the call of the next meeting that rank 0 has computed by `wanted`.
  void meet_at(std::uint64_t call) {
    if (call > calls_ && call < next_) next_ = wanted_ = call;
  }

 private:
  double broadcast_s_;
  double price_s_ = 0;
  std::uint64_t calls_ = 0, next_ = first, wanted_ = 0;
};

// The price of a call of a collective on unknown nodes. `moved`: bytes that leave or reach a rank.
inline double price_of_call(Count ranks, Bytes moved) {
  return 1e-6 * static_cast<double>(ranks) + static_cast<double>(moved) / 4e9;
}

// Decides before which calls the ranks of a communicator measure how long they wait for late ranks. Only calls that synchronise all
// ranks are chosen. All ranks count these calls alike, so they measure before the same call. In each measurement, rank 0 computes
// from its own clock the number of calls until the next measurement, and tells the other ranks.
class Sampling {
 public:
  static constexpr double share = 0.005;                                                    // part of the time for measuring
  static constexpr std::uint64_t first = 128, least_interval = 4, most_interval = 1 << 20;  // in calls

  explicit Sampling(Count ranks) : price_s_(4e-6 * static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks)))) {}

  // Counts a call that synchronises, and returns whether the ranks measure before it. The first such call is the 128th, or an
  // earlier one if `share` of the calls' cost so far pays for a measurement. `price_s`: seconds that the call costs, equal on all
  // ranks.
  bool counts(double price_s) {
    spent_s_ += price_s;
    return ++calls_ >= next_ || (next_ == first && spent_s_ * share >= price_s_);
  }

  // For rank 0: the number of calls until the next measurement. `elapsed_s`: seconds since the last measurement; `cost_s`: seconds
  // that a measurement takes.
  std::uint64_t interval(double elapsed_s, double cost_s) const {
    const double call_s = elapsed_s / static_cast<double>(std::max<std::uint64_t>(calls_ - last_, 1));
    const double calls = cost_s / (share * std::max(call_s, 1e-9));
    return calls < static_cast<double>(most_interval) ? std::max(static_cast<std::uint64_t>(calls) + 1, least_interval)
                                                      : most_interval;
  }

  // All ranks, after a measurement.
  void go_on(std::uint64_t interval) {
    last_ = calls_;
    next_ = calls_ + interval;
  }

 private:
  const double price_s_;  // of a measurement
  double spent_s_ = 0;
  std::uint64_t calls_ = 0, next_ = first, last_ = 0;
};

}  // namespace quadrille::mpi_face
