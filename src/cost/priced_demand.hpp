// SPDX-License-Identifier: BSD-3-Clause
// What a demand costs on a network whose links have prices per byte: a lower bound of the sum, over all links, of price times the
// bytes that the link carries. Divided by the sum of the prices, it is a lower bound of what the busiest link carries. This is the
// dual of the linear programme of a multicommodity flow, so the best prices give the best such bound if blocks have one target
// each.
#pragma once

#include <vector>

#include "cost/demand.hpp"
#include "quadrille/bound.hpp"

namespace quadrille {

class PricedDemand {
 public:
  // Both must outlive the object.
  PricedDemand(const Demand& demand, const NetworkLinks& network);

  // Returns the cost. If `loads` is given, adds to it, for each link, the bytes that the link carries if the demand takes cheapest
  // ways; several cheapest ways share them. Throws Error{misuse} if there is no way.
  Fraction::Wide cost(const std::vector<Count>& prices, std::vector<double>* loads);

  bool is_flow() const { return others_.empty(); }  // have all blocks one source and one target each?

 private:
  struct Part {
    Rank target = 0;
    Bytes bytes = 0;
  };

  void find_ways(Vertex from, const std::vector<Count>& prices);
  void load_ways(const std::vector<double>& wanted, const std::vector<Count>& prices, std::vector<double>& loads);
  Fraction::Wide cost_of_blocks(const std::vector<Count>& prices, std::vector<double>* loads);
  Fraction::Wide cost_of(std::span<const Need> needs, const std::vector<Count>& least_in, const std::vector<Count>& least_out,
                         std::vector<double>& in_loads, std::vector<double>& out_loads) const;

  const NetworkLinks& network_;
  Count ranks_;
  std::vector<std::vector<Part>> blocks_;          // by rank: blocks with one target
  std::vector<bool> has_others_;                   // by rank: has it an operand of `others_`?
  std::vector<std::span<const Need>> others_;      // vectors that several ranks need, or have
  std::vector<std::vector<std::size_t>> out_;      // by vertex: the links that leave it
  std::vector<Count> distances_;                   // of the last find_ways; -1: not reached
  std::vector<Vertex> settled_;                    // in the order of the distance
  std::vector<double> ways_;                       // by vertex: how many cheapest ways
  std::vector<std::vector<Count>> all_distances_;  // by rank; empty where has_others_ is false
};

}  // namespace quadrille
