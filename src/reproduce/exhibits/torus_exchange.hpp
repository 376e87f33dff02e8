// SPDX-License-Identifier: BSD-3-Clause
// The exchange on tori of [liu2005]: our schedules, and the blocks' ways as the paper prints them, to count those by.
#pragma once

#include <map>
#include <vector>

#include "reproduce/machines.hpp"

namespace quadrille::reproduce {

// The longest message of each round that has one.
std::vector<Bytes> longest_by_round(const Schedule& schedule);

Schedule torus_exchange(const std::vector<Count>& sides, Bytes block_bytes, const std::string& specification = "torus");

struct PrintedHop {
  Count step = 0;
  Count places = 0;  // to the right if positive
};

// Algorithm AR as printed, from place to place of an even ring: an odd way first, then two places at a time; even targets are
// headed for to the right in stage 2, odd ones in stage 3, and so is the place opposite.
std::vector<PrintedHop> printed_ring_hops(Count from, Count to, Count size);

// Messages by who sends them to whom in which step, in blocks.
class PrintedMessages {
 public:
  void add(Count step, Rank from, Count direction) { ++blocks_[step][{from, direction}]; }
  Count volume() const;  // the sum over steps of the longest

 private:
  std::map<Count, std::map<std::pair<Rank, Count>, Count>> blocks_;
};

// Volumes, in blocks, of algorithm AT2 as printed. They differ in who waits for whom in phases 2 and 3.
struct PrintedTorusVolumes {
  Count in_step = 0;  // all rows and columns in lock-step: the sum over steps of the longest message
  Count by_link = 0;  // each link by itself: the sum over phases of the most blocks that a link carries
};

PrintedTorusVolumes printed_torus_volumes(Count rows, Count columns);

// Table II: coefficients of the algorithms on a torus of 2^d x 2^d.
struct TorusCosts {
  double startups = 0, blocks = 0, rearranged = 0;
  double us(const Coefficients& machine, double block_bytes) const;
};

struct PublishedExchange {
  const char* name;
  TorusCosts (*costs)(int d);
  const char* algorithm = nullptr;  // ours, where the text says enough of it
};

extern const std::vector<PublishedExchange> other_exchanges;  // those the paper compares with
TorusCosts published_at2(int d);
TorusCosts counted(int d, const std::string& specification);  // from the schedule, on the links of the torus
TorusCosts counted_at2(int d);

}  // namespace quadrille::reproduce
