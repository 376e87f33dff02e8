// SPDX-License-Identifier: BSD-3-Clause
// The exchange on tori of [liu2005]: our schedules, and the blocks' routes as the paper prints them, for counting.
#pragma once

#include <map>
#include <vector>

#include "papers/problems.hpp"

namespace quadrille::papers {

Schedule torus_exchange(const std::vector<Count>& sides, Bytes block_bytes, const std::string& specification = "torus");

struct PrintedHop {
  Count step = 0;
  Count places = 0;  // how far the hop goes; positive: to the right
};

// Returns the route between two vertices of a ring of even size, as algorithm AR is printed. If the distance is odd, the block
// first moves by one vertex; then it moves by two at a time. In stage 2, blocks for even targets travel to the right and those
// for odd targets to the left; in stage 3 the directions are reversed. A block for the opposite vertex travels in stage 2.
std::vector<PrintedHop> printed_ring_hops(Count from, Count to, Count size);

// Counts messages by sender, receiver and step, in blocks.
class PrintedMessages {
 public:
  void add(Count step, Rank from, Count direction) { ++blocks_[step][{from, direction}]; }
  Count volume() const;  // sum over the steps of the longest message

 private:
  std::map<Count, std::map<std::pair<Rank, Count>, Count>> blocks_;
};

// The volume of algorithm AT2 as printed, in blocks. The two values differ in which links wait for each other in phases 2 and 3.
struct PrintedTorusVolumes {
  Count in_step = 0;  // all rows and columns in lock-step: sum over the steps of the longest message
  Count by_link = 0;  // each link by itself: sum over the phases of the most blocks that any link carries
};

PrintedTorusVolumes printed_torus_volumes(Count rows, Count columns);

// Table II: the coefficients of the algorithms on a torus of 2^d x 2^d ranks.
struct TorusCosts {
  double startups = 0, blocks = 0, rearranged = 0;
  double us(const Coefficients& machine, double block_bytes) const;
};

struct PublishedExchange {
  const char* name;
  TorusCosts (*costs)(int d);
  const char* algorithm = nullptr;  // specification of ours; null if we have none, because the paper is too brief
};

extern const std::vector<PublishedExchange> other_exchanges;  // the exchanges with which the paper compares
TorusCosts published_at2(int d);
TorusCosts counted(int d, const std::string& specification);  // counted from the schedule, on the links of the torus
TorusCosts counted_at2(int d);

}  // namespace quadrille::papers
